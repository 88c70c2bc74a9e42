"""A state of a space's content: the main content, that of a change request, or a past revision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recto.contract.content import ChangeRequestContent, Revisions, SpaceContent

if TYPE_CHECKING:
    from recto.contract.content import File, Revision
    from recto.contract.operation import Operation
    from recto.store.query import Listing, Query
    from recto.store.store import Store


@dataclass(frozen=True)
class Content:
    """The calls that read a state of a space's content; ``ids`` say of which space, and which state of it."""

    ids: tuple[str, ...]
    _revision: Operation[Any, Revision]
    _files: Operation[Any, Any]

    def revision(self, store: Store) -> Query[Revision]:
        """Return its variables, reusable contents and page tree."""
        return store.query(self._revision, *self.ids)

    def files(self, store: Store) -> Query[Listing[File]]:
        """Return its files."""
        return store.query_list(self._files, *self.ids)


def main_content(space: str) -> Content:
    """Return the main content of a space."""
    return Content((space,), SpaceContent.get_revision, SpaceContent.list_files)


def proposed_content(space: str, change_request: str) -> Content:
    """Return the content of a change request as it is now."""
    return Content(
        (space, change_request), ChangeRequestContent.get_proposed_revision, ChangeRequestContent.list_proposed_files
    )


def past_content(space: str, revision: str) -> Content:
    """Return the content of a space at a revision."""
    return Content((space, revision), Revisions.get_past_revision, Revisions.list_past_files)
