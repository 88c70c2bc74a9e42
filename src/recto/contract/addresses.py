"""The addresses of content, links and comments: where in a space they are read and written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Main:
    """The main content of a space."""

    space: str


@dataclass(frozen=True, slots=True)
class InChangeRequest:
    """The content of a change request."""

    space: str
    change_request: str


@dataclass(frozen=True, slots=True)
class AtRevision:
    """The content of a space at a past revision."""

    space: str
    revision: str


Address = Main | InChangeRequest | AtRevision
"""An address; an operation that exists at fewer of them takes a narrower union."""
