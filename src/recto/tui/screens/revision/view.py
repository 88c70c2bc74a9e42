"""A space at a past revision: its pages then, each as it was and how it differs from now.

It is laid out from the panes of the space's own screen, at another address.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal

from recto.contract.addresses import AtRevision
from recto.contract.changes import Changes, ContentChanges
from recto.contract.content import PageTree
from recto.contract.spaces import Space, Spaces
from recto.store.locations import SpaceLocation
from recto.store.revisions import PastRevision, past_revision
from recto.store.roles import role_of
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.look import signs, times
from recto.tui.navigation.messages import Left, Visited
from recto.tui.page.page_view import PageView
from recto.tui.screens.pane import Pane
from recto.tui.screens.reading.links import Nowhere, ToPage
from recto.tui.screens.reading.page_index import Marks, PageIndex, title_of
from recto.tui.screens.reading.pages import Pages
from recto.tui.screens.reading.pane import ReadingPane, position_of
from recto.tui.screens.reading.tree import TreePane
from recto.tui.screens.revision.difference import DifferencePane
from recto.tui.screens.space.inventory_rows import made
from recto.tui.screens.view import View
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.page.cursor import Position

actions.register(Action("revision.page_now", "Open the current page", (), "Revision"))

AS_IT_WAS, DIFFERENCE = range(2)

_NAMES = ("As it was", "Difference to now")

_MOST_CHANGES = 1000

_NOT_THEN = "The page you were on was not in the space then."
_NO_ADDRESS = "A past revision has no address."


class RevisionView(View[SpaceLocation]):
    """Shows a past revision; nothing in it is changed."""

    BINDINGS = bindings("page.copy", "page.pictures", "view.refresh", "view.tree", "revision.page_now")

    def __init__(self, store: Store, location: SpaceLocation) -> None:
        super().__init__(store, location)
        assert location.revision is not None
        self.space, self._revision = location.space, location.revision
        address = AtRevision(self.space, self._revision)
        self.pages = Pages(self, address, self._show_pages, self._take_index)
        self.page_tree = TreePane(store, "Pages then", counted=False)
        self.reading = ReadingPane(store, address, id="reader", addressed=False)
        self.difference = DifferencePane(store, address)
        self._wanted: SpaceLocation | None = location
        """The location to go to when the pages are there."""
        self._entry: PastRevision | None = None

    def compose_body(self) -> ComposeResult:
        """Put the tabs, the tree, and beside it the page or what differs."""
        yield TabStrip(_NAMES, active=min(self.opened_at.tab, DIFFERENCE))
        with Horizontal(id="content"):
            yield self.page_tree
            with Container(id="texts"):
                yield self.reading
                yield self.difference

    def on_mount(self) -> None:
        """Follow the space and its pages then."""
        self._space: Query[Space] = self.store.query(Spaces.get_space, self.space)
        self._changes: Query[Changes] = self.store.query(
            ContentChanges.list_changes, AtRevision(self.space, self._revision), limit=_MOST_CHANGES
        )
        self._show_tab()
        self.follow(self._space, lambda _: self._show_head())
        self.follow(self._changes, lambda _: self._mark_pages())
        self.pages.follow()
        self.work(self._find_entry(), "revision")
        self.page_tree.take_focus()

    @property
    def on_content(self) -> bool:
        """Whether the page is shown as it was."""
        return self.query_one(TabStrip).active == AS_IT_WAS

    @property
    def location(self) -> SpaceLocation:
        """The revision, the page and the place in it, and the tab."""
        if not self.is_mounted or self._wanted is not None:
            return self.opened_at
        return self._location_in(self.reading.page or "", self.reading.position)

    def _location_in(self, id: str, position: Position) -> SpaceLocation:
        page = self.reading.index.pages.get(id)
        return SpaceLocation(
            self.space,
            revision=self._revision,
            page=page.id if page is not None else self.opened_at.page,
            title=f"{title_of(page)}, {self._when}" if page is not None else self._when,
            position=position,
            tab=self.query_one(TabStrip).active,
        )

    def arrive(self, location: SpaceLocation) -> None:
        """Go to a page of this revision."""
        page = location.page
        if self._wanted is not None:
            self._wanted = location
        elif page is not None and page in self.reading.index:
            self.query_one(TabStrip).active = AS_IT_WAS
            self._put_before(self.reading.visit(page, position=position_of(location)))
        elif page is not None:
            self.say(_NOT_THEN)

    # What is shown

    async def _find_entry(self) -> None:
        self._entry = await past_revision(self.store, self.space, self._revision)
        self._show_head()

    @property
    def _when(self) -> str:
        moment = self._entry.created_at if self._entry is not None else None
        return f"as of {times.exact(moment)}" if moment is not None else "a past revision"

    def _show_head(self) -> None:
        space, entry = self._space.value, self._entry
        origin = made(entry) if entry is not None else ""
        author = f"by {signs.person(entry.author)}" if entry is not None and entry.author is not None else ""
        aside = " · ".join(part for part in (origin, author) if part)
        role = role_of(space.permissions) if space is not None else ""
        self.show_where(space.title if space is not None else "Space", self._when, aside=aside, role=role)

    def _show_pages(self, query: Query[PageTree]) -> None:
        self.page_tree.show_state(query, "the pages of this revision")
        if query.value is not None and not query.value.pages:
            self.page_tree.show_empty("The space had no pages then.")
            self.reading.show_empty("No page to read.")

    def _take_index(self, index: PageIndex) -> None:
        self._mark_pages()
        if self.page_tree.is_of(index):
            return
        self.reading.know(index)
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self._open(wanted, index)
        self.page_tree.show(index, self.reading.page, self.opened_at)

    def _open(self, wanted: SpaceLocation, index: PageIndex) -> None:
        """Read the page of a location, else show the first that was changed."""
        if wanted.page is not None and wanted.page in index:
            self.reading.visit(wanted.page, position=position_of(wanted))
            return
        changed = self._changed
        self.reading.open(next((page for page in index.pages if page in changed), index.landing or index.roots[0].id))
        if wanted.page is not None:
            self.say(_NOT_THEN)

    @property
    def _changed(self) -> frozenset[str]:
        return _pages_of((self._changes.value or Changes()).changes)

    def _mark_pages(self) -> None:
        changed = self._changed
        new = _pages_of(one for one in (self._changes.value or Changes()).changes if one.type == "page_created")
        self.page_tree.entitle("Pages then", f"{len(changed)} changed" if changed else "")
        self.page_tree.mark(Marks(changed=changed, new=new))

    def on_reading_pane_changed(self) -> None:
        """Offer what can be done with the page in sight."""
        self.refresh_bindings()

    # Going

    def on_tree_pane_passed(self, event: TreePane.Passed) -> None:
        """Show the page under the cursor."""
        if event.page in self.reading.index:
            if event.page != self.reading.page:
                self.reading.open(event.page)
            self._compare()

    def on_tree_pane_entered(self, event: TreePane.Entered) -> None:
        """Read the page."""
        self._put_before(self.reading.visit(event.page))

    def _put_before(self, page: str | None) -> bool:
        """Put the person before the page that was gone to; returns whether there is one."""
        if page is None:
            return False
        self.page_tree.reveal(page)
        self._go_to_text()
        return True

    def on_reading_pane_read(self, event: ReadingPane.Read) -> None:
        """Let ``-`` lead back to the page."""
        if self._wanted is None:
            self.post_message(Visited(self._location_in(event.page, event.position)))

    def on_reading_pane_left(self, event: ReadingPane.Left) -> None:
        """Note where the page was left."""
        if self._wanted is None:
            self.post_message(Left(self._location_in(event.page, event.position)))

    def on_reading_pane_link_chosen(self, event: ReadingPane.LinkChosen) -> None:
        """Go where a link leads: within the revision, where the page was in it."""
        leads = event.leads
        if event.browse:
            self.say(_NO_ADDRESS) if isinstance(leads, ToPage) else self.reading.browse(leads)
            return
        if isinstance(leads, Nowhere) and leads.broken:
            self.say("The space had no such page then.")
            return
        if isinstance(leads, ToPage):
            self.query_one(TabStrip).active = AS_IT_WAS
        self._put_before(self.reading.follow_link(leads))

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Say that the page has no address."""
        self.say(_NO_ADDRESS)

    def on_page_view_copy_link_requested(self, event: PageView.CopyLinkRequested) -> None:
        """Say that the page has no address."""
        self.say(_NO_ADDRESS)

    def action_revision_page_now(self) -> None:
        """Go to the page as it is now."""
        self.go(SpaceLocation(self.space, page=self.reading.page))

    def action_page_pictures(self) -> None:
        """Show all pictures of the page."""
        self.reading.show_pictures()

    def action_page_copy(self) -> None:
        """Ask what to copy, and how."""
        self.reading.offer_copies(_NO_ADDRESS)

    # Tabs and panes

    def on_tab_strip_switched(self) -> None:
        """Show the page as it was, or what differs."""
        self._show_tab()
        if not self.page_tree.target.has_focus:
            self._go_to_text()

    def _show_tab(self) -> None:
        self.reading.display = self.on_content
        self.difference.display = not self.on_content
        self._compare()
        self.refresh_bindings()

    def _compare(self) -> None:
        """Compare the page, where that is wanted to be seen."""
        if not self.on_content and (page := self.reading.index.pages.get(self.reading.page or "")) is not None:
            self.difference.look_at(page)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where there is room for one pane only, show the one with the person; a line to type in is in none."""
        if event.widget is self.page_tree.target:
            self.remove_class("-reading")
        elif event.widget is self._text.target:
            self.add_class("-reading")
            self.reading.settle()

    @property
    def _text(self) -> Pane:
        """What is read: the page, or what differs."""
        return self.reading if self.on_content else self.difference

    def _go_to_text(self) -> None:
        self.add_class("-reading")
        self._text.take_focus()

    def lacks(self, location: SpaceLocation) -> bool:
        """Whether the revision does not have the page of a location."""
        return self._wanted is None and location.page is not None and location.page not in self.reading.index

    def leave_zoom(self) -> bool:
        """Where there is room for one pane only, go from the text to the tree."""
        if self.page_tree.display:
            return False
        self.page_tree.take_focus()
        return True

    def action_view_tree(self) -> None:
        """Go from the text to the tree."""
        self.page_tree.take_focus()

    def action_view_refresh(self) -> None:
        """Ask again for what may have failed or changed."""
        for query in (self._space, self.pages.follow(), self._changes):
            if query.value is None:
                query.refresh()
        self.reading.reload()
        self.difference.reload()

    def why_not(self, action: str) -> str | None:
        """Return why an action cannot be done now, in a few words; ``None`` where it can."""
        if action in ("page.copy", "page.pictures") and not self.on_content:
            return "only on the page (1)"
        return self.reading.why_not(action) or super().why_not(action)


def _pages_of(changes: Iterable[Any]) -> frozenset[str]:
    """Return the pages that changes are about, as far as the platform tells."""
    pages = (getattr(change, "page", None) for change in changes)
    return frozenset(page.id for page in pages if page is not None)
