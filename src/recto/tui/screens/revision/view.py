"""A space as it was at a past revision: its pages then, each as it was and how it differs from now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.widget import Widget

from recto.contract.addresses import AtRevision
from recto.contract.changes import Changes, ContentChanges
from recto.contract.content import Content, Page, PageTree
from recto.contract.spaces import Space, Spaces
from recto.contract.unread import unread_of
from recto.store.locations import SpaceLocation
from recto.store.revisions import PastRevision, past_revision
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.lists.tree_list import TreeList
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import signs, times
from recto.tui.page.view import PageView
from recto.tui.screens.reading.links import Destination, Nowhere, ToPage
from recto.tui.screens.reading.page_index import Marks, PageIndex, details, title_of, tree_of
from recto.tui.screens.reading.reader import position_of
from recto.tui.screens.reading.screen import ReadingScreen
from recto.tui.screens.revision.difference import DifferencePane
from recto.tui.screens.space.inventory_rows import made
from recto.tui.screens.space.layout import PAGE
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.query import Query
    from recto.store.store import Store

actions.register(Action("revision.page_now", "Open the page as it is now", (), "Revision"))

AS_IT_WAS, DIFFERENCE = range(2)

_NAMES = ("As it was", "Difference to now")

_MOST_CHANGES = 1000

_NOT_THEN = "The page you were on was not in the space then."


class RevisionView(ReadingScreen):
    """Shows a past revision; nothing in it is changed."""

    BINDINGS = bindings("view.refresh", "revision.page_now")

    no_address = "A past revision has no address."

    def __init__(self, store: Store, location: SpaceLocation) -> None:
        assert location.revision is not None
        super().__init__(store, location, AtRevision(location.space, location.revision))
        self._revision = location.revision
        self._wanted: SpaceLocation | None = location
        """The location to go to when the pages are there."""
        self._entry: PastRevision | None = None

    def compose_body(self) -> ComposeResult:
        """Put the tabs, the tree, and beside it the page or what differs."""
        yield TabStrip(_NAMES, active=min(self.opened_at.tab, DIFFERENCE))
        with Horizontal(id="content"):
            yield Panel("Pages then", TreeList(id="pages"), id="tree")
            with Container(id="texts"):
                yield Panel("Page", PageView(id="page"), id=PAGE)
                yield DifferencePane(self.store, self.content)

    def on_mount(self) -> None:
        """Follow the space and its pages then."""
        revision = self._revision
        self._space: Query[Space] = self.store.query(Spaces.get_space, self.space)
        self._pages: Query[PageTree] = self.store.query(Content.list_pages, self.content)
        self._changes: Query[Changes] = self.store.query(
            ContentChanges.list_changes, AtRevision(self.space, revision), limit=_MOST_CHANGES
        )
        self._show_tab()
        self.follow(self._space, lambda _: self._show_head())
        self.follow(self._changes, lambda _: self._show_pages())
        self.follow(self._pages, lambda _: self._show_pages())
        self.work(self._find_entry(revision), "revision")
        self.page_tree.focus()

    @property
    def page_tree(self) -> TreeList:
        """The pages there were."""
        return self.query_one(TreeList)

    @property
    def on_content(self) -> bool:
        """Whether the page is shown as it was."""
        return self.query_one(TabStrip).active == AS_IT_WAS

    @property
    def location(self) -> SpaceLocation:
        """The revision, the page and the place in it, and the tab."""
        if not self.is_mounted or self._wanted is not None:
            return self.opened_at
        page = self.reader.index.pages.get(self.reader.page or "")
        title = f"{title_of(page)}, {self._when}" if page is not None else self._when
        tab = self.query_one(TabStrip).active
        return SpaceLocation(
            self.space,
            revision=self._revision,
            page=page.id if page is not None else self.opened_at.page,
            title=title,
            position=self.reader.position,
            tab=tab,
        )

    def arrive(self, location: SpaceLocation) -> None:
        """Go to a page of this revision."""
        page = location.page
        if self._wanted is not None:
            self._wanted = location
        elif page in self.reader.index:
            self.read(lambda: self.visit(str(page)))
        elif page is not None:
            self.say(_NOT_THEN)

    # What is shown

    async def _find_entry(self, revision: str) -> None:
        self._entry = await past_revision(self.store, self.space, revision)
        self._show_head()

    @property
    def _when(self) -> str:
        moment = self._entry.created_at if self._entry is not None else None
        return f"as of {times.exact(moment)}" if moment is not None else "a past revision"

    def _show_head(self) -> None:
        space = self._space.value
        told = []
        if self._entry is not None:
            told.append(made(self._entry))
            if self._entry.author is not None:
                told.append(f"by {signs.person(self._entry.author)}")
        self.show_where(space.title if space is not None else "Space", self._when, aside=" · ".join(told))

    def _show_pages(self) -> None:
        panel = self.query_one("#tree", Panel)
        if not panel.show_state(self._pages, "the pages of this revision") or self._pages.value is None:
            return
        tree = self._pages.value
        if not tree.pages:
            panel.show_empty("The space had no pages then.")
            self.page_panel.show_empty("There was no page to read.")
            return
        changes = (self._changes.value or Changes()).changes
        changed, new = _pages_of(changes), _pages_of(one for one in changes if one.type == "page_created")
        panel.entitle("Pages then", f"{len(changed)} changed" if changed else "")
        self.page_tree.mark(details(Marks(changed=changed, new=new)))
        if tree.pages is not self.reader.index.roots:
            self.reader.know(PageIndex.of(tree.pages, unread_of(tree)))
            self._show_tree(changed)

    def _show_tree(self, changed: Collection[str]) -> None:
        index = self.reader.index
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            page = wanted.page or ""
            first = next((one for one in index.pages if one in changed), index.landing or index.roots[0].id)
            if page in index:
                self.reader.visit(page, position=position_of(wanted))
            else:
                self.reader.open(first)
            if page and page not in index:
                self.say(_NOT_THEN)
        self.page_tree.show_flat(tree_of(index), self.reader.page, opened=index.groups())

    def page_shown(self, page: Page) -> None:
        """Name the page that is in sight."""
        trail = self.reader.index.trail(page.id)[:-1] if page.id in self.reader.index else ()
        self.page_panel.entitle(title_of(page), below=f"in {' › '.join(trail)}" if trail else "")
        self.refresh_bindings()

    def on_page_view_shown(self, event: PageView.Shown) -> None:
        """Mark the links of the page that lead nowhere."""
        self.reader.landed()
        self.sheet.tell_links(self._is_broken)

    def _is_broken(self, href: str) -> bool:
        found = self.leads(href)
        return isinstance(found, Nowhere) and found.broken

    # Going

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the page under the cursor."""
        page = str(event.key)
        if event.list is self.page_tree and page in self.reader.index:
            if page != self.reader.page:
                self.reader.open(page)
            self._compare()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Read the page."""
        if event.list is self.page_tree:
            self.read(lambda: self.visit(str(event.key)))

    def reveal(self, page: str) -> None:
        """Put the cursor of the tree on a page, and the person into its text."""
        tree = self.page_tree
        if tree.needle:
            tree.find("")
        tree.reveal(page)
        self._go_to_text()

    def follow_link(self, leads: Destination) -> None:
        """Go where a link leads: within the revision, where the page was in it."""
        if isinstance(leads, Nowhere) and leads.broken:
            self.say("The space had no such page then.")
            return
        if isinstance(leads, ToPage):
            self.query_one(TabStrip).active = AS_IT_WAS
        super().follow_link(leads)

    def action_revision_page_now(self) -> None:
        """Go to the page as it is now."""
        self.go(SpaceLocation(self.space, page=self.reader.page))

    # Tabs and panels

    def on_tab_strip_switched(self) -> None:
        """Show the page as it was, or what differs."""
        self._show_tab()
        if not self.page_tree.has_focus:
            self._go_to_text()

    def _show_tab(self) -> None:
        self.page_panel.display = self.on_content
        self.query_one(DifferencePane).display = not self.on_content
        self._compare()
        self.refresh_bindings()

    def _compare(self) -> None:
        """Compare the page, where that is wanted to be seen."""
        if not self.on_content and (page := self.reader.index.pages.get(self.reader.page or "")) is not None:
            self.query_one(DifferencePane).look_at(page)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where there is room for one panel only, show the one a person is in; a line to type in is in none."""
        if event.widget is self.page_tree:
            self.remove_class("-reading")
        elif event.widget is self._text:
            self.add_class("-reading")
            self.reader.settle()

    @property
    def _text(self) -> Widget:
        """What is read: the page, or what differs."""
        return self.query_one("#page" if self.on_content else "#difference")

    def _go_to_text(self) -> None:
        self.add_class("-reading")
        self._text.focus()

    def escape(self) -> bool:
        """Go from the text to the tree."""
        if super().escape():
            return True
        if not self.page_tree.has_focus:
            self.page_tree.focus()
            return True
        return False

    def action_view_refresh(self) -> None:
        """Ask anew for what may have changed or failed."""
        for query in (self._space, self._pages, self._changes):
            if query.value is None:
                query.refresh()
        self.reader.refresh()
        self.query_one(DifferencePane).refresh_texts()

    def why_not(self, action: str) -> str | None:
        """Say why an action cannot be done now."""
        if action in ("page.copy", "page.forward", "page.pictures") and not self.on_content:
            return "it belongs to the page; 1 shows it"
        return super().why_not(action)


def _pages_of(changes: Iterable[Any]) -> frozenset[str]:
    """Return the pages that changes are about, as far as the platform tells."""
    pages = (getattr(change, "page", None) for change in changes)
    return frozenset(page.id for page in pages if page is not None)
