"""Files of this machine as content to send to a hosted platform; not an operation of the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from mimetypes import MimeTypes
from typing import Any

from recto.contract.import_report import Finding
from recto.contract.imports import ImportContent
from recto.frozen import frozen

MOST_FILE_BYTES = 1_048_576
"""The most bytes of a file that a write carries."""

_TYPES = MimeTypes()
"""What a file is by its name: as Python knows it, whatever the machine adds, and what Python 3.11 does not know."""
_TYPES.add_type("image/webp", ".webp")
_TYPES.add_type("image/avif", ".avif")
_TYPES.add_type("application/yaml", ".yaml")
_TYPES.add_type("application/yaml", ".yml")


def content_type_of(name: str) -> str:
    """Return what a file is by its name."""
    return _TYPES.guess_type(name)[0] or "application/octet-stream"


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
    """A file to send, of at most :data:`MOST_FILE_BYTES`."""

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
