"""A space: its page tree, the page that is read, one side panel, and its lists on tabs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Static

from recto.contract.changes import Changes, ContentChanges
from recto.contract.comments import Comment
from recto.contract.content import Page, PageTree, SpaceContent
from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space, Spaces
from recto.store.places import Spot
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.dialogs.browse import Browse
from recto.tui.dialogs.search import SearchSpace
from recto.tui.lines import plain
from recto.tui.navigation import SPACE, GoBack, GoPrevious
from recto.tui.screens import space_aside as aside
from recto.tui.screens.space_edits import Edits
from recto.tui.screens.space_layout import PAGE, SIDE, TREE, arrange, reachable
from recto.tui.screens.space_reader import Reader, position_in, position_of
from recto.tui.screens.space_side import Side
from recto.tui.screens.space_tabs import COMMENTS, CONTENT, NAMES, PANELS, Lists
from recto.tui.screens.space_talk import SpaceTalk
from recto.tui.screens.space_tree import Marks, PageIndex, title_of, tree_items
from recto.tui.screens.view import View
from recto.tui.signs import LOCKED
from recto.tui.widgets.page_view import PageView
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.tab_strip import TabStrip
from recto.tui.widgets.tree_list import TreeList
from recto.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.content import SearchHit
    from recto.store.query import Query
    from recto.store.signal import Subscription
    from recto.store.store import Store

_GROUP = "Space"
_MOST_OPEN = 300
"""How many open items of the tree are remembered."""

_MOST_HITS = 50
"""How many pages a search shows."""

_OPEN = "open "
"""Begins the names under which the open items of the tree are remembered."""

actions.register(
    Action("space.search", "Search this space", ("s",), _GROUP, "search"),
    Action("space.outline", "Outline of the page", ("t",), _GROUP, "outline"),
    Action("space.comment", "Comment on the block under the cursor", ("c",), _GROUP, "comment"),
    Action("space.comments", "Comments on the page", ("C",), _GROUP),
    Action("space.facts", "Facts about the page, and its links", ("i",), _GROUP, "facts"),
    Action("space.choose_request", "Choose the change request that edits go to", ("w",), _GROUP),
)


class SpaceView(View):
    """Shows a space. What is typed goes to change requests; the main content is only read."""

    BINDINGS = bindings(
        "page.edit",
        "page.edit_here",
        "space.search",
        "space.comment",
        "space.outline",
        "space.comments",
        "space.facts",
        "space.choose_request",
        "item.delete",
        "view.refresh",
    )

    def __init__(self, store: Store, spot: Spot) -> None:
        super().__init__(store, spot)
        self.space = spot.arguments["space"]
        self.reader = Reader(self, self.space)
        self.edits = Edits(self, self.space, spot.view.get("edits"))
        self.talk = SpaceTalk(self, self.space)
        self.lists = Lists(self, self.space)
        self.side = Side(self, (None, *aside.KINDS)[_within(spot.view.get("side", 0), len(aside.KINDS))])
        self._part = (TREE, PAGE, SIDE)[_within(spot.view.get("part", 0), 2)]
        self._wanted: Spot | None = spot
        self._page_subscriptions: list[Subscription] = []
        self._changes: Query[Changes] | None = None
        self._marks: Marks | None = None
        self._words = ""
        """What was searched for last."""

    # What is shown

    def compose_body(self) -> ComposeResult:
        """Put the tabs, and on the first the tree, the page and the side panel."""
        yield TabStrip(NAMES, active=_within(self.opened_at.view.get("tab", 0), len(NAMES) - 1))
        with Horizontal(id="content"):
            yield Panel("Pages", TreeList(id="pages"), id=TREE)
            yield Panel("Page", Static(id="draft"), PageView(id="page"), id=PAGE)
            yield Panel("Outline", VirtualList(id="aside"), id=SIDE)
        yield Panel("Change requests", VirtualList(id="request-list"), id="requests")
        yield Panel("Comments", VirtualList(id="comment-list"), id="comments")
        yield Panel("Files", VirtualList(id="file-list", openable=False), id="files")

    def on_mount(self) -> None:
        """Follow the space and its pages."""
        if self.store.places is not None:
            self.reader.recall(self.store.places.recent(self.store.address))
        self._space: Query[Space] = self.store.query(Spaces.get_space, self.space)
        self._pages: Query[PageTree] = self.store.query(SpaceContent.list_pages, self.space)
        self._organization: Query[Organization] | None = None
        self._show_tab(self.query_one(TabStrip).active)
        self.follow(self._space, self._show_head)
        self.follow(self._pages, self._show_pages)
        self.lists.begin()
        self.work(self.edits.find_drafts(), "drafts", group="drafts")

    @property
    def _tree(self) -> TreeList:
        return self.query_one("#pages", TreeList)

    def _show_head(self, query: Query[Any]) -> None:
        space = self._space.value
        if space is not None and self._organization is None and space.organization:
            self._organization = self.store.query(Organizations.get_organization, space.organization)
            self.follow(self._organization, self._show_head)
        organization = self._organization.value if self._organization is not None else None
        locked = f"{LOCKED.sign} locked" if space is not None and space.edit_mode == "locked" else ""
        target = next((one for one in self.lists.open_requests if one.number == self.edits.target), None)
        going = f"edits go to #{target.number}" if target is not None else ""
        self.show_where(
            *([organization.title] if organization is not None else []),
            space.title if space is not None else "Space",
            aside=" · ".join(part for part in (going, locked) if part),
        )
        self.refresh_bindings()

    def _show_pages(self, query: Query[PageTree]) -> None:
        panel = self.query_one(f"#{TREE}", Panel)
        tree = query.value
        if tree is None:
            panel.follow(query, "the pages")
            return
        panel.follow(query, "the pages")
        if not tree.pages:
            panel.show_empty("The pages of this space would be here.")
            self.query_one(f"#{PAGE}", Panel).show_empty("There is no page to read yet.")
        if self.reader.index.roots is not tree.pages:
            self.reader.index = PageIndex.of(tree.pages)
            self._marks = None
        panel.entitle("Pages", str(len(self.reader.index.pages) or ""))
        self._show_tree()

    def _show_tree(self) -> None:
        """Show the tree with what is to stand beside names now, where any of it has changed."""
        index = self.reader.index
        marks = Marks(
            Counter(page for one in self.lists.comments if (page := _page_of(one)) and one.status != "resolved"),
            _changed_pages(self._changes.value if self._changes is not None else None),
            frozenset(self.edits.drafts),
        )
        if not index.roots or marks == self._marks:
            return
        self._marks = marks
        wanted, self._wanted = self._wanted, None
        items = tree_items(index.roots, marks)
        if wanted is None:
            self._tree.show_items(items)
            return
        remembered = [name.removeprefix(_OPEN) for name in wanted.view if name.startswith(_OPEN)]
        self._tree.open_items(*(remembered or index.groups()))
        page = wanted.arguments.get("page")
        if page is not None and page not in index:
            self.say("The page you were on is no longer in this space.")
            page = None
        self._tree.show_items(items, page or index.landing or index.roots[0].id)
        if page is not None:
            position = position_of(wanted.view) if wanted.view else None
            self.reader.visit(page, anchor=wanted.arguments.get("anchor", ""), position=position)

    def page_shown(self, page: Page) -> None:
        """Hear from the reader that another text is in sight."""
        self.query_one(f"#{PAGE}", Panel).entitle(title_of(page), below=self._trail_of(page))
        self._show_draft()
        self.side.show()
        self.refresh_bindings()

    def _trail_of(self, page: Page) -> str:
        index = self.reader.index
        return " › ".join(index.trail(page.id)[:-1]) if page.id in index else ""

    def _show_draft(self) -> None:
        told = self.edits.told(self.reader.page or "")
        line = self.query_one("#draft", Static)
        line.display = bool(told)
        if told:
            line.update(plain(f"{told}: e continues, D discards"))

    # What the parts tell of

    def comments_changed(self) -> None:
        """Hear that other comments are known."""
        self._show_tree()
        self._mark_comments()
        if self.side.kind == aside.COMMENTS:
            self.side.show()

    def requests_changed(self) -> None:
        """Hear that other change requests are known; follow what the one that edits go to changes."""
        self._show_head(self._space)
        target = next((one for one in self.lists.open_requests if one.number == self.edits.target), None)
        if target is None:
            self._changes = None
            self._show_tree()
        elif self._changes is None or self._changes.key.argument("change_request_id") != target.id:
            self._changes = self.store.query(ContentChanges.list_changes, self.space, target.id, limit=1000)
            self.follow(self._changes, lambda _: self._show_tree())

    def drafts_changed(self) -> None:
        """Hear that other drafts are on disk."""
        if self.is_mounted:
            self._show_draft()
            self._show_tree()
            self.refresh_bindings()

    def follow_page(self, query: Query[Page] | None) -> None:
        """Follow a page in place of the one before."""
        for subscription in self._page_subscriptions:
            subscription.close()
        self._subscriptions = [one for one in self._subscriptions if one not in self._page_subscriptions]
        known = len(self._subscriptions)
        if query is not None:
            self.follow(query, self.reader.take)
        self._page_subscriptions = self._subscriptions[known:]

    def name_place(self, comment: Comment) -> str:
        """Name the page that a comment is on."""
        page = comment.target.page
        if page is None:
            return "On the space"
        gone = " · no longer there" if page.outdated else ""
        return f"{page.title or 'A page'}{gone}"

    async def open_requests(self) -> list[ChangeRequest]:
        """Give the change requests that can be edited in; raises ``ClientError``."""
        return await self.lists.fresh_open_requests()

    # Where one is

    @property
    def spot(self) -> Spot:
        """Where one is: page, place in it, tab, panels, and what is open in the tree."""
        if not self.is_mounted or self._wanted is not None:
            return self.opened_at
        page = self.reader.page
        kinds = (None, *aside.KINDS)
        view = {
            **position_in(self.reader.position),
            "tab": self.query_one(TabStrip).active,
            "part": reachable(True).index(self._part),
            "side": kinds.index(self.side.kind),
            "edits": self.edits.target or 0,
            **{f"{_OPEN}{id}": 1 for id in sorted(self._tree.expanded)[:_MOST_OPEN]},
        }
        index = self.reader.index
        title = title_of(index.pages[page]) if page in index.pages else ""
        arguments = {"space": self.space} | ({"page": page} if page else {})
        return Spot(SPACE, arguments, title, {name: value for name, value in view.items() if value})

    def arrive(self, spot: Spot) -> None:
        """Go to a page of this space."""
        page = spot.arguments.get("page")
        if page is None:
            return
        if page not in self.reader.index:
            self.say("This space has no such page any more.")
            return
        self.query_one(TabStrip).active = CONTENT
        self._read(lambda: self._visit(page, spot.arguments.get("anchor", "")))

    def _visit(self, page: str, anchor: str = "") -> str:
        self.reader.visit(page, anchor=anchor)
        return page

    def _read(self, going: Callable[[], str | None]) -> bool:
        """Go to a page by ``going``, which gives its id, and read there; says whether there was one."""
        page = going()
        if page is None:
            return False
        if self._tree.needle:
            self._tree.find("")
        self._tree.reveal(page)
        self.focus_page()
        return True

    # Tabs and panels

    def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        self._show_tab(event.index)

    def _show_tab(self, tab: int) -> None:
        for index, name in enumerate(PANELS):
            self.query_one(f"#{name}").display = index == tab
        self.lists.look_at(tab)
        if tab == CONTENT:
            self._go_to_part(self._part)
        else:
            self.query_one(f"#{PANELS[tab]} VirtualList").focus()
        self.refresh_bindings()

    @property
    def _on_content(self) -> bool:
        return self.query_one(TabStrip).active == CONTENT

    def _widget(self, part: str) -> Widget:
        return {TREE: self._tree, PAGE: self.query_one(PageView), SIDE: self.query_one("#aside")}[part]

    def _arrange(self) -> None:
        shown = arrange(self.size.width, self._part, side=self.side.kind is not None)
        for part in (TREE, PAGE, SIDE):
            self.query_one(f"#{part}").display = part in shown

    def _go_to_part(self, part: str) -> None:
        self._part = part if part in reachable(self.side.kind is not None) else PAGE
        self._arrange()
        self._widget(self._part).focus()

    def focus_page(self) -> None:
        """Read the page."""
        self.reader.settle()
        self._go_to_part(PAGE)

    def on_resize(self, event: events.Resize) -> None:
        """Show as many parts as there is room for."""
        self._arrange()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Know which part one is in, also after a click."""
        for part in (TREE, PAGE, SIDE):
            if event.widget is self._widget(part) and part != self._part:
                self._part = part
                if part == PAGE:
                    self.reader.settle()
                self._arrange()

    def action_view_next_panel(self) -> None:
        """Go to the next part that is open."""
        self._go_round(1)

    def action_view_previous_panel(self) -> None:
        """Go to the part before."""
        self._go_round(-1)

    def _go_round(self, step: int) -> None:
        parts = reachable(self.side.kind is not None)
        if self._on_content:
            at = parts.index(self._part) if self._part in parts else 0
            part = parts[(at + step) % len(parts)]
            self.focus_page() if part == PAGE else self._go_to_part(part)

    def _toggle_side(self, kind: str) -> None:
        opened = self.side.kind != kind
        self.side.kind = kind if opened else None
        self.side.show()
        self._go_to_part(SIDE if opened else PAGE)
        self.refresh_bindings()

    def action_space_outline(self) -> None:
        """Open or close the outline."""
        self._toggle_side(aside.OUTLINE)

    def action_space_comments(self) -> None:
        """Open or close the comments of the page."""
        self._toggle_side(aside.COMMENTS)

    def action_space_facts(self) -> None:
        """Open or close the facts."""
        self._toggle_side(aside.FACTS)

    # Walking and reading

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the page that the tree's cursor stands on."""
        page = str(event.key)
        if event.list is self._tree and page != self.reader.page and page in self.reader.index:
            self.reader.open(page)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Read the page, or go where a row of a list leads."""
        if event.list is self._tree:
            self._enter(self.reader.index.pages[str(event.key)])
        elif event.list.id == "aside":
            self.side.choose(event)
        else:
            self.lists.choose(event)

    def _enter(self, page: Page) -> None:
        if page.type == "link":
            leads = self.reader.leads_to(page)
            self._read(lambda: self.reader.follow(leads))
        elif page.type == "group" and (item := self._tree.current) is not None and item.expandable:
            self._tree.toggle(item)
        else:
            self._read(lambda: self._visit(page.id))

    def on_page_view_shown(self, event: PageView.Shown) -> None:
        """Show what belongs to the page that can be seen now."""
        self._mark_comments()
        self.side.show()

    def on_page_view_block_changed(self, event: PageView.BlockChanged) -> None:
        """Follow the reader in the outline."""
        self.side.follow_cursor()

    def on_page_view_link_followed(self, event: PageView.LinkFollowed) -> None:
        """Go where a link leads."""
        leads = self.reader.destination(event.href)
        self._read(lambda: self.reader.follow(leads))

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Show a link or the page in the browser."""
        address = event.href or self._address()
        if address is None:
            self.say("This page is not published, so that it has no address.")
        elif address.startswith(("http://", "https://", "mailto:")):
            self.browse(address)
        else:
            self._read(lambda: self.reader.follow(self.reader.destination(address)))

    def _address(self) -> str | None:
        page = self.reader.shown
        return (page.urls.published or page.urls.app) if page is not None else None

    def browse(self, address: str) -> None:
        """Show an address, and open it in the browser if the person wants that."""

        async def ask() -> None:
            if await self.ask(Browse(address)):
                self.app.open_url(address)

        self.work(ask(), "browse")

    def on_page_view_copy_text_requested(self, event: PageView.CopyTextRequested) -> None:
        """Copy a block."""
        self.app.copy_to_clipboard(event.text)
        self.say("Copied the text.")

    def on_page_view_copy_link_requested(self, event: PageView.CopyLinkRequested) -> None:
        """Copy a link, or where one is."""
        page = self.reader.shown
        place = f"#{event.anchor}" if event.anchor else ""
        own = f"{self._address() or (f'/{page.path}' if page is not None else '')}{place}"
        self.app.copy_to_clipboard(event.href or own)
        self.say(f"Copied {event.href or own}")

    # Searching and commenting

    def action_space_search(self) -> None:
        """Search the space."""
        self.work(self._search(), "search")

    async def _search(self) -> None:
        async def look(words: str) -> Sequence[SearchHit]:
            return (await self.store.fetch(SpaceContent.search_space, self.space, words, limit=_MOST_HITS)).items

        space = self._space.value
        dialog = SearchSpace(f"“{space.title}”" if space is not None else "this space", look, self._words)
        found = await self.ask(dialog)
        self._words = dialog.words
        if found is not None:
            self.arrive(Spot(SPACE, {"space": self.space, "page": found.page, "anchor": found.anchor}))

    def action_space_comment(self) -> None:
        """Comment on the block under the cursor."""
        page = self.reader.shown
        if page is not None:
            self.work(self.talk.comment(page, self.query_one(PageView).cursor_line), "comment", group="comment")

    def open_thread(self, comment: Comment) -> None:
        """Show a thread."""
        self.work(self.talk.open(comment), "thread")

    def _mark_comments(self) -> None:
        page = self.reader.shown
        if page is not None and page.type == "document":
            self.work(self.talk.mark(page), "marks", group="marks")

    # Back

    def escape(self) -> bool:
        """Close the side panel; where there is room for one part only, go up to the tree."""
        if super().escape():
            return True
        if self._on_content and self.side.kind is not None:
            self._toggle_side(self.side.kind)
            return True
        if self._on_content and self._part == PAGE and len(arrange(self.size.width, PAGE, side=False)) == 1:
            self._go_to_part(TREE)
            return True
        return False

    def action_view_back(self) -> None:
        """Go back to the page read before, then to where one came from."""
        if not (self._on_content and self._read(self.reader.back)):
            self.post_message(GoBack())

    def action_view_previous(self) -> None:
        """Go to what was seen before this: a page, else a view."""
        if not (self._on_content and self._read(self.reader.previous)):
            self.post_message(GoPrevious())

    def action_view_refresh(self) -> None:
        """Ask anew for what is shown."""
        self._space.refresh()
        if self._on_content:
            self._pages.refresh()
            self.reader.refresh()
            self.lists.refresh(COMMENTS)
        else:
            self.lists.refresh(self.query_one(TabStrip).active)

    # Editing

    def target_changed(self) -> None:
        """Hear that edits go elsewhere."""
        self.requests_changed()

    def action_page_edit(self) -> None:
        """Edit the page in the person's editor."""
        self._edit(built_in=False)

    def action_page_edit_here(self) -> None:
        """Edit the page here."""
        self._edit(built_in=True)

    def _edit(self, *, built_in: bool) -> None:
        page = self.reader.shown
        if page is not None:
            self.work(self.edits.edit(page, built_in=built_in), "edit", group="edit")

    def action_space_choose_request(self) -> None:
        """Choose where edits go."""
        self.work(self.edits.choose(), "choose", group="edit")

    def action_item_delete(self) -> None:
        """Discard the draft of the page."""
        draft = self.edits.drafts.get(self.reader.page or "")
        if draft is not None:
            self.work(self.edits.discard(draft), "discard", group="edit")

    @property
    def unsent(self) -> str | None:
        """What is being typed and not sent."""
        if self.edits.typing is not None:
            return f"a change of “{self.edits.typing}”"
        return "a comment" if self.talk.typing else None

    # What can be done

    def why_not(self, action: str) -> str | None:
        """Say why an action cannot be done now."""
        if not self.is_mounted:
            return None
        if action in ("page.edit", "page.edit_here"):
            return self._why_not_edited()
        if action == "item.delete":
            return None if self.reader.page in self.edits.drafts else "there is no draft of this page"
        if action == "space.comment":
            return self._why_not_commented()
        if action in ("space.outline", "space.comments", "space.facts") and not self._on_content:
            return "it belongs to a page; 1 shows the pages"
        return super().why_not(action)

    def _why_not_edited(self) -> str | None:
        if not self._on_content:
            return "1 shows the pages"
        page = self.reader.shown
        if page is None:
            return "no page is loaded"
        if page.type != "document":
            return f"a {page.type} page has no text to edit"
        space = self._space.value
        if space is not None and not space.permissions.edit:
            return "your role in this space does not allow it"
        return None

    def _why_not_commented(self) -> str | None:
        if not self._on_content:
            return "it belongs to a page; 1 shows the pages"
        page = self.reader.shown
        if page is None or page.type != "document":
            return "there is no text here to comment on"
        space = self._space.value
        if space is not None and not space.permissions.comment:
            return "your role in this space does not allow it"
        return None


def _within(value: int, last: int) -> int:
    return max(0, min(value, last))


def _page_of(comment: Comment) -> str | None:
    return comment.target.page.id if comment.target.page is not None else None


def _changed_pages(changes: Changes | None) -> frozenset[str]:
    pages = (getattr(change, "page", None) for change in (changes.changes if changes is not None else ()))
    return frozenset(page.id for page in pages if page is not None)
