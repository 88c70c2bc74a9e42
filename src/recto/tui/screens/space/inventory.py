"""What a space holds besides its pages, on tabs of their own: its files, its links and its revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.client.errors import Unsupported
from recto.contract.addresses import AtRevision, Main
from recto.contract.content import Content, File
from recto.store.growing import Growing, Grown
from recto.store.links import LinkRest, SpaceLink, links_of_space
from recto.store.locations import SpaceLocation
from recto.store.query import Listing, Query, QueryState
from recto.store.revisions import PastRevision, revisions_of_space
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.space.inventory_rows import file_rows, link_rows, revision_rows
from recto.tui.screens.space.tab_names import FILES, LINKS, REVISIONS
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.tui.screens.space.base import SpaceBase

_NEAR_END = 6
"""How many rows before the last known one more is asked for."""


class Inventory:
    """The lists, each asked for when it is first looked at."""

    def __init__(self, view: SpaceBase, space: str) -> None:
        self._view = view
        self._space = space
        self._files: Query[Listing[File]] | None = None
        self._links: Growing[SpaceLink] | None = None
        self._revisions: Growing[PastRevision] | None = None

    def look_at(self, tab: int) -> None:
        """Ask for what a tab shows, when it is first looked at."""
        store = self._view.store
        if tab == FILES and self._files is None:
            self._files = store.query_list(Content.list_files, Main(self._space))
            self._view.follow(self._files, self._show_files)
        elif tab == LINKS and self._links is None:
            self._links = links_of_space(store, self._space)
            self._view.follow(self._links, self._show_links)
        elif tab == REVISIONS and self._revisions is None:
            self._revisions = revisions_of_space(store, self._space)
            self._view.follow(self._revisions, self._show_revisions)

    def refresh(self, tab: int) -> None:
        """Ask anew for what a tab shows."""
        queries: dict[int, Query[Any] | None] = {FILES: self._files, LINKS: self._links, REVISIONS: self._revisions}
        query = queries.get(tab)
        if query is not None:
            query.refresh()

    def _panel(self, name: str) -> Panel:
        return self._view.query_one(f"#{name}", Panel)

    def _list(self, name: str) -> VirtualList:
        return self._view.query_one(f"#{name}", VirtualList)

    # Files

    def _show_files(self, query: Query[Listing[File]]) -> None:
        panel = self._panel("files")
        if panel.show_state(query, "the files", empty="Pictures and other files of the space would be here."):
            files = query.value.items if query.value is not None else ()
            unread = query.value.unread if query.value is not None else ()
            panel.entitle("Files", str(len(files)), below="enter shows where one is used")
            self._list("file-list").show(file_rows(files, unread))

    def file(self, id: str) -> File | None:
        """Return a file by its id, as far as the files are known."""
        known = self._files.value.items if self._files is not None and self._files.value is not None else ()
        return next((one for one in known if one.id == id), None)

    # Links

    def _show_links(self, query: Query[Grown[SpaceLink]]) -> None:
        panel = self._panel("links")
        if query.value is None and isinstance(query.error, Unsupported):
            panel.show_empty(
                "This server does not list the links of a space. Those of a page are read from its text.",
                "b",
                "on a page shows them",
            )
        elif panel.show_state(query, "the links", empty="Links that the pages of the space hold would be here."):
            known = query.value.items if query.value is not None else ()
            unread = query.value.unread if query.value is not None else ()
            panel.entitle("Links", _counted(query.value), below=_so_far(query, "of the links"))
            self._list("link-list").show(link_rows(known, unread))

    def link(self, number: object) -> SpaceLink | None:
        """Return a link that is listed."""
        known = self._links.value.items if self._links is not None and self._links.value is not None else ()
        return next((one for one in known if one.number == number), None)

    # Revisions

    def _show_revisions(self, query: Query[Grown[PastRevision]]) -> None:
        panel = self._panel("revisions")
        if panel.show_state(query, "the revisions", empty="What the space was at any time would be here."):
            known = query.value.items if query.value is not None else ()
            below = _so_far(query, "as far as asked for")
            if self._view.store.lacks(Content.get_revision, AtRevision):
                below = "this server does not offer earlier ones"
            panel.entitle("Revisions", f"{len(known):,}", below=below)
            self._list("revision-list").show(revision_rows(known, self._view.store.clock()))

    # Going on and going in

    def passed(self, event: VirtualList.Highlighted) -> None:
        """Ask for more of a list whose end is near."""
        growing: Growing[Any] | None = None
        if event.list.id == "link-list":
            growing = self._links
        elif event.list.id == "revision-list":
            growing = self._revisions
        if growing is not None and event.index >= len(event.list.rows) - _NEAR_END:
            growing.more()

    def choose(self, event: VirtualList.Chosen, page: str | None) -> bool:
        """Go into a row of one of the lists; says whether it was one of them. ``page`` is the one that is read."""
        if event.list.id == "file-list":
            self._view.open_file(str(event.key))
        elif event.list.id == "link-list":
            if (link := self.link(event.key)) is not None:
                self._view.open_link(link)
        elif event.list.id == "revision-list":
            self._view.go(SpaceLocation(self._space, revision=str(event.key), page=page))
        else:
            return False
        return True


def _counted(value: Grown[SpaceLink] | None) -> str:
    stats = _stats(value)
    if stats is None:
        return ""
    return f"{stats.total:,}" + (f", {stats.broken.total:,} broken" if stats.broken.total else "")


def _stats(value: Grown[SpaceLink] | None) -> Any:
    return value.rest.stats if value is not None and isinstance(value.rest, LinkRest) else None


def _so_far(query: Query[Grown[Any]], what: str) -> str:
    value = query.value
    if query.state is QueryState.FAILED:
        return "not refreshed"
    if value is None or value.complete:
        return ""
    loading = "loading more" if query.state is QueryState.REFRESHING else "more come as you go down"
    return f"{len(value.items):,} {what}: {loading}"
