"""Files of this machine as content to send to a hosted platform; not an operation of the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from recto.contract.import_report import Finding
from recto.contract.imports import ImportContent
from recto.frozen import frozen


@frozen
class OwnPage:
    """A page to send. Its text links to other pages and to files as ``/pages/<ref>`` and ``/files/<ref>``.

    ``attributes`` are those of :class:`~recto.contract.changes.InsertPage`.
    """

    ref: str
    title: str
    markdown: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    children: Sequence[OwnPage] = ()


@frozen
class OwnFile:
    """A file to send, of at most :data:`~recto.contract.changes.MOST_FILE_BYTES`."""

    ref: str
    name: str
    content_type: str
    content: bytes


@frozen
class OwnContent:
    """Content to send. ``title`` names where it comes from; ``findings`` name what cannot be sent, and why."""

    title: str
    pages: Sequence[OwnPage]
    files: Sequence[OwnFile] = ()
    findings: Sequence[Finding] = ()


Convert = Callable[[ImportContent, Callable[[str, int, int | None], None]], Awaitable[OwnContent]]
"""Converts what a ``file:`` address leads to, and calls the second argument with each step and how far it is.

Raises a ``ClientError``. Cancelled, nothing of it stays.
"""
