"""The tabs of a space, and the panes on them, each made when its tab is first shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from recto.contract.addresses import Address, AtRevision
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.revisions import PastRevision
    from recto.store.store import Store
    from recto.tui.screens.space.activity import Activity
    from recto.tui.screens.space.space_lists import CommentsPane, FilesPane, LinksPane, RequestsPane, RevisionsPane
    from recto.tui.screens.space.space_settings import SpaceSettingsPane

    TabPane = RequestsPane | CommentsPane | FilesPane | LinksPane | RevisionsPane | SpaceSettingsPane

CONTENT, REQUESTS, COMMENTS = "Content", "Change requests", "Comments"
FILES, LINKS, REVISIONS, SETTINGS = "Files", "Links", "Revisions", "Settings"
ITS_CHANGES, AS_IT_WAS, SINCE = "Its changes", "As it was", "Changed since"
"""The names of the tabs; a past revision has the last three, and its files."""


class Tabs:
    """The tabs of a space at an address: their strip, and the panes of lists, each made when its tab is first shown."""

    def __init__(self, store: Store, at: Address, activity: Activity, active: int) -> None:
        self._store = store
        self._at = at
        self._activity = activity
        past = isinstance(at, AtRevision)
        self._lists: tuple[str, ...] = (FILES,) if past else (REQUESTS, COMMENTS, FILES, LINKS, REVISIONS, SETTINGS)
        self.names: tuple[str, ...] = (ITS_CHANGES, AS_IT_WAS, SINCE, *self._lists) if past else (CONTENT, *self._lists)
        self.strip = TabStrip(
            self.names, short={REQUESTS: "Changes"}, active=min(active, len(self.names) - 1), news=store.news
        )
        self.panes: dict[str, TabPane] = {}
        """The panes that are made, by the name of their tab; three of them also by themselves."""
        self.requests: RequestsPane | None = None
        self.comments: CommentsPane | None = None
        self.revisions: RevisionsPane | None = None

    @property
    def current(self) -> str:
        """The name of the tab that is shown."""
        return self.names[self.strip.active]

    @property
    def on_content(self) -> bool:
        """Whether the page is shown, and not a list or how it differs."""
        return self.current in (CONTENT, AS_IT_WAS)

    @property
    def pane(self) -> TabPane | None:
        """The list that is shown, once it is made."""
        return self.panes.get(self.current)

    @property
    def filtered(self) -> RequestsPane | CommentsPane | None:
        """The list that is shown, if it can be filtered."""
        return next((pane for pane in (self.requests, self.comments) if pane is not None and pane is self.pane), None)

    @property
    def revision(self) -> PastRevision | None:
        """The revision under the cursor, if revisions are shown."""
        return self.revisions.current if self.revisions is not None and self.revisions is self.pane else None

    def holds(self, name: str) -> bool:
        """Whether a tab shows a list, and not pages."""
        return name in self._lists

    def make(self, name: str) -> TabPane:
        """Make the pane of a tab."""
        pane = self.panes[name] = self._make(name)
        return pane

    def _make(self, name: str) -> TabPane:
        store, at = self._store, self._at
        if name == SETTINGS:
            from recto.tui.screens.space.space_settings import SpaceSettingsPane

            return SpaceSettingsPane(store, at.space)
        # Imported when a list is first shown: most starts are for reading.
        from recto.tui.screens.space.space_lists import CommentsPane, FilesPane, LinksPane, RequestsPane, RevisionsPane

        if isinstance(at, AtRevision) or name == FILES:
            return FilesPane(store, at)
        if name == REQUESTS:
            self.requests = RequestsPane(store, at.space, self._activity)
            return self.requests
        if name == COMMENTS:
            self.comments = CommentsPane(store, at, self._activity)
            return self.comments
        if name == REVISIONS:
            self.revisions = RevisionsPane(store, at.space)
            return self.revisions
        return LinksPane(store, at)

    def show_content(self) -> None:
        """Turn to the page."""
        self.strip.active = self.names.index(CONTENT if CONTENT in self.names else AS_IT_WAS)

    def count(self, name: str, count: str | int | None, ids: Iterable[str] = ()) -> None:
        """Set the count of a tab, where the address has the tab; ``ids`` are those of its items."""
        if name in self.names:
            self.strip.count(self.names.index(name), count, ids)
