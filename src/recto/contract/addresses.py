"""The addresses of content, links and comments: where in a space they are read and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from recto.frozen import fields_of, frozen


class _Address:
    """What all addresses share: the path parameters that name them, which are the fields with ``_id`` behind them."""

    __slots__ = ()

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """Return the names of the path parameters, in order."""
        return tuple(f"{each.name}_id" for each in fields_of(cls))

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the address that path arguments name."""
        return cls(*(arguments[name] for name in cls.parameters()))

    @property
    def arguments(self) -> dict[str, str]:
        """The path arguments that name this address."""
        return {f"{each.name}_id": getattr(self, each.name) for each in fields_of(type(self))}


@frozen
class Main(_Address):
    """The main content of a space."""

    space: str

    path: ClassVar = "/spaces/{space_id}"
    """The path after ``/v1`` that stands for ``{at}`` in the paths of operations."""
    content: ClassVar = "/spaces/{space_id}/content"
    """What stands for ``{content}``."""
    words: ClassVar = "a space"


@frozen
class InChangeRequest(_Address):
    """The content of a change request."""

    space: str
    change_request: str

    path: ClassVar = "/spaces/{space_id}/change-requests/{change_request_id}"
    content: ClassVar = "/spaces/{space_id}/change-requests/{change_request_id}/content"
    words: ClassVar = "a change request"


@frozen
class AtRevision(_Address):
    """The content of a space at a past revision."""

    space: str
    revision: str

    path: ClassVar = "/spaces/{space_id}/revisions/{revision_id}"
    content: ClassVar = "/spaces/{space_id}/revisions/{revision_id}"
    words: ClassVar = "a revision"


Address = Main | InChangeRequest | AtRevision
"""An address; an operation that exists at fewer of them takes a narrower union."""
