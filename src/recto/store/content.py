"""A state of a space's content: the main content, that of a change request, or a past revision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recto.contract.content import ChangeRequestContent, Revisions, SpaceContent

if TYPE_CHECKING:
    from recto.contract.content import File, Page, PageTree, Revision
    from recto.contract.operation import Operation
    from recto.store.query import Listing, Query
    from recto.store.store import Store


@dataclass(frozen=True)
class Content:
    """The calls that read a state of a space's content; ``ids`` say of which space, and which state of it."""

    ids: tuple[str, ...]
    _pages: Operation[..., PageTree]
    _page: Operation[..., Page]
    _files: Operation[..., Any]
    _revision: Operation[..., Revision]

    @property
    def space(self) -> str:
        """The space."""
        return self.ids[0]

    def pages(self, store: Store) -> Query[PageTree]:
        """Return its page tree."""
        return store.query(self._pages, *self.ids)

    def page(self, store: Store, id: str) -> Query[Page]:
        """Return one of its pages with its text."""
        return store.query(self._page, *self.ids, id, format="markdown")

    def files(self, store: Store) -> Query[Listing[File]]:
        """Return its files."""
        return store.query_list(self._files, *self.ids)

    def revision(self, store: Store) -> Query[Revision]:
        """Return all of it at once: variables and reusable contents are told nowhere else."""
        return store.query(self._revision, *self.ids)


def main_content(space: str) -> Content:
    """Return the main content of a space."""
    of = SpaceContent
    return Content((space,), of.list_pages, of.get_page, of.list_files, of.get_revision)


def proposed_content(space: str, change_request: str) -> Content:
    """Return the content of a change request as it is now."""
    of = ChangeRequestContent
    ids = (space, change_request)
    return Content(ids, of.list_proposed_pages, of.get_proposed_page, of.list_proposed_files, of.get_proposed_revision)


def past_content(space: str, revision: str) -> Content:
    """Return the content of a space at a revision."""
    of = Revisions
    return Content((space, revision), of.list_past_pages, of.get_past_page, of.list_past_files, of.get_past_revision)
