"""A space as it was at a past revision: its pages then, each as it was and how it differs from now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal

from recto.contract.changes import Changes, ContentChanges
from recto.contract.content import Page, PageTree, Revisions
from recto.contract.spaces import Space, Spaces
from recto.store.page_text import body_of
from recto.store.past_page import PastPage
from recto.store.places import Spot
from recto.store.revisions import PastRevision, past_revision
from recto.tui import signs, times
from recto.tui.actions import bindings
from recto.tui.navigation import REVISION, at_space
from recto.tui.screens.space_inventory_rows import made
from recto.tui.screens.space_tree import Marks, PageIndex, details, title_of, tree_items
from recto.tui.screens.view import View
from recto.tui.widgets.diff_list import DiffList
from recto.tui.widgets.page_view import PageView
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.tab_strip import TabStrip
from recto.tui.widgets.tree_list import TreeList
from recto.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from recto.store.query import Query
    from recto.store.store import Store

AS_IT_WAS, DIFFERENCE = range(2)

_NAMES = ("As it was", "Difference to now")

_MOST_CHANGES = 1000


class RevisionView(View):
    """Shows a past revision; nothing in it is changed."""

    BINDINGS = bindings("view.refresh")

    def __init__(self, store: Store, spot: Spot) -> None:
        super().__init__(store, spot)
        self._space_id = spot.arguments["space"]
        self._revision = spot.arguments["revision"]
        self._index = PageIndex()
        self._wanted = spot.arguments.get("page")
        self._reading: PastPage | None = None
        self._shown: tuple[object, ...] = ()
        self._entry: PastRevision | None = None

    def compose_body(self) -> ComposeResult:
        """Put the tabs, the tree, and beside it the page or what differs."""
        yield TabStrip(_NAMES, active=min(self.opened_at.view.get("tab", 0), DIFFERENCE))
        with Horizontal(id="content"):
            yield Panel("Pages then", TreeList(id="pages"), id="tree")
            yield Panel("Page", PageView(id="page"), DiffList(self.store.clock, id="difference"), id="reader")

    def on_mount(self) -> None:
        """Follow the space and its pages then."""
        self._space: Query[Space] = self.store.query(Spaces.get_space, self._space_id)
        self._pages: Query[PageTree] = self.store.query(Revisions.list_past_pages, self._space_id, self._revision)
        self._changes: Query[Changes] = self.store.query(
            ContentChanges.list_past_changes, self._space_id, self._revision, limit=_MOST_CHANGES
        )
        self.follow(self._space, lambda _: self._show_head())
        self.follow(self._changes, lambda _: self._show_pages())
        self.follow(self._pages, lambda _: self._show_pages())
        self.work(self._find_entry(), "revision")
        self.query_one(TreeList).focus()

    def on_unmount(self) -> None:
        """Follow the page no more."""
        if self._reading is not None:
            self._reading.close()

    @property
    def spot(self) -> Spot:
        """The revision, the page and the tab."""
        if not self.is_mounted or self._wanted is not None:
            return self.opened_at
        page = {"page": self._reading.page.id} if self._reading is not None else {}
        title = f"{self._reading.page.title}, {self._when}" if self._reading is not None else self._when
        tab = self.query_one(TabStrip).active
        arguments = {"space": self._space_id, "revision": self._revision, **page}
        return Spot(REVISION, arguments, title, {"tab": tab} if tab else {})

    # What is shown

    async def _find_entry(self) -> None:
        self._entry = await past_revision(self.store, self._space_id, self._revision)
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
        if not panel.follow(self._pages, "the pages of this revision") or self._pages.value is None:
            return
        tree = self._pages.value
        if not tree.pages:
            panel.show_empty("The space had no pages then.")
            self.query_one("#reader", Panel).show_empty("There was no page to read.")
            return
        changes = (self._changes.value or Changes()).changes
        changed, new = _pages_of(changes), _pages_of(one for one in changes if one.type == "page_created")
        panel.entitle("Pages then", f"{len(changed)} changed" if changed else "")
        fresh = not self._index.roots
        self._index = PageIndex.of(tree.pages)
        items = tree_items(tree.pages)
        listed = self.query_one(TreeList)
        listed.mark(details(Marks(changed=changed, new=new)))
        if not fresh:
            listed.show_items(items)
            return
        wanted, self._wanted = self._wanted, None
        first = next((page for page in self._index.pages if page in changed), self._index.landing)
        cursor = wanted if wanted in self._index else first
        listed.open_items(*self._index.groups())
        listed.show_items(items, cursor)
        if wanted is not None and wanted not in self._index:
            self.say("The page you were on was not in the space then.")

    # The page

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the page under the cursor."""
        page = self._index.pages.get(str(event.key))
        if isinstance(event.list, TreeList) and page is not None:
            self._look_at(page)

    def _look_at(self, page: Page) -> None:
        if self._reading is not None:
            if self._reading.page.id == page.id:
                return
            self._reading.close()
        self._reading = PastPage(self.store, self._space_id, self._revision, page, self._hear)
        self._shown = ()
        self._compare()

    def _hear(self) -> None:
        self.call_later(self._compare)

    @work(group="compare", exclusive=True, exit_on_error=False)
    async def _compare(self) -> None:
        if self._reading is not None:
            await self._reading.compare()
            self._show_page()

    def _show_page(self) -> None:
        reading = self._reading
        if reading is None or not self.is_attached:
            return
        different = self.query_one(TabStrip).active == DIFFERENCE
        self.query_one("#page").display = not different
        self.query_one("#difference").display = different
        panel = self.query_one("#reader", Panel)
        title = self._index.pages[reading.page.id] if reading.page.id in self._index else None
        panel.entitle(title_of(title) if title is not None else "Page", self._beside(reading) if different else "")
        if self._index.pages[reading.page.id].type in ("group", "link"):
            panel.show_empty("This has no text of its own.")
        elif reading.error is not None:
            panel.show_failed("Could not load the page as it was.", str(reading.error))
        elif reading.then is None:
            panel.show_loading("the page as it was")
        elif different:
            self._show_difference(panel, reading)
        else:
            panel.show_body()
            self._show_then(reading.then)

    def _show_then(self, page: Page) -> None:
        key = (page.id, page.title, page.markdown)
        if self._shown != key:
            self._shown = key
            self.query_one(PageView).show(page.title, body_of(page), description=page.description)

    def _show_difference(self, panel: Panel, reading: PastPage) -> None:
        if reading.is_gone:
            panel.show_empty("This page is no longer in the space.", "1", "shows it as it was")
        elif reading.error_now is not None:
            panel.show_failed("Could not load the page as it is now.", str(reading.error_now))
        elif reading.diff is None:
            panel.show_loading("the page as it is now")
        elif not (reading.diff.added or reading.diff.removed or reading.page.attributes):
            panel.show_empty("Nothing has changed since.", "1", "shows the page")
        else:
            panel.show_body()
            self.query_one(DiffList).show_reading(reading, (), ())

    @staticmethod
    def _beside(reading: PastPage) -> str:
        diff = reading.diff
        return f"+{diff.added} -{diff.removed}" if diff is not None and (diff.added or diff.removed) else ""

    # Keys

    def on_tab_strip_switched(self) -> None:
        """Show the page as it was, or what differs."""
        self._show_page()
        if not self.query_one(TreeList).has_focus:
            self._go_to_text()

    def on_descendant_focus(self) -> None:
        """Where there is room for one panel only, show the one a person is in."""
        self.set_class(not self.query_one(TreeList).has_focus, "-reading")

    def _go_to_text(self) -> None:
        different = self.query_one(TabStrip).active == DIFFERENCE
        self.add_class("-reading")
        self.query_one("#difference" if different else "#page").focus()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go to the text of the page."""
        if isinstance(event.list, TreeList):
            self._go_to_text()

    def escape(self) -> bool:
        """Go from the text to the tree."""
        if super().escape():
            return True
        tree = self.query_one(TreeList)
        if not tree.has_focus:
            tree.focus()
            return True
        return False

    def on_page_view_link_followed(self, event: PageView.LinkFollowed) -> None:
        """Say where links are followed: they lead to pages as they are now."""
        self.say("Links are followed in the space as it is now, not in a past revision.")

    def on_page_view_copy_text_requested(self, event: PageView.CopyTextRequested) -> None:
        """Copy a block."""
        self.app.copy_to_clipboard(event.text)
        self.say("Copied the text.")

    def on_page_view_copy_link_requested(self, event: PageView.CopyLinkRequested) -> None:
        """Copy a link; a place in a past revision has no address."""
        if event.href is None:
            self.say("A past revision has no address.")
        else:
            self.app.copy_to_clipboard(event.href)
            self.say(f"Copied {event.href}")

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Go to the page as it is now, where there is an address to be shown."""
        if self._reading is not None and not self._reading.is_gone:
            self.go(at_space(self._space_id, page=self._reading.page.id))

    def action_view_refresh(self) -> None:
        """Ask anew for what may have changed or failed."""
        for query in (self._space, self._pages, self._changes):
            if query.value is None:
                query.refresh()
        if self._reading is not None:
            self._reading.refresh()


def _pages_of(changes: Iterable[Any]) -> frozenset[str]:
    """Return the pages that changes are about, as far as the platform tells."""
    pages = (getattr(change, "page", None) for change in changes)
    return frozenset(page.id for page in pages if page is not None)
