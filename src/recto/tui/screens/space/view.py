"""A space: its page tree, the page that is read, a side pane, and its lists on tabs.

The screen is laid out from panes: ``TreePane``, ``ReadingPane`` and ``SidePane`` in ``Panels`` on the first tab, and
one pane of ``lists`` on each further tab. What several of them need is asked once by a part that the screen holds and
hands to them: ``Pages`` (the page tree), ``Activity`` (change requests and comments) and ``Neighbours`` (links).
Panes tell the screen by messages what a person wants; the screen goes there, or lets ``Writing`` write it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual import events, work
from textual.app import ComposeResult

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.content import Content, PageTree
from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space, Spaces
from recto.store.links import backlinks_of_file
from recto.store.locations import SpaceLocation
from recto.store.roles import role_of
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.look import signs
from recto.tui.look.signs import LOCKED
from recto.tui.navigation.messages import Arrival, Block, Left, Visited
from recto.tui.screens.guarded import while_whole
from recto.tui.screens.reading.links import Destination, Nowhere, ToFile, destination_of
from recto.tui.screens.reading.page_index import NEW, Marks, PageIndex, title_of
from recto.tui.screens.reading.pages import Pages
from recto.tui.screens.reading.pane import ReadingPane, position_of
from recto.tui.screens.reading.tree import TreePane
from recto.tui.screens.space import aside
from recto.tui.screens.space.activity import Activity
from recto.tui.screens.space.address import SpaceAddress, name_of
from recto.tui.screens.space.inventory_rows import measures
from recto.tui.screens.space.lists import (
    CommentsPane,
    FilesPane,
    LinksPane,
    ListPane,
    RequestsPane,
    RevisionsPane,
)
from recto.tui.screens.space.neighbours import Neighbours
from recto.tui.screens.space.panels import PAGE, PARTS, SIDE, TREE, Panels
from recto.tui.screens.space.reasons import why_no_edits, why_not
from recto.tui.screens.space.side import SidePane
from recto.tui.screens.space.writing import Writing
from recto.tui.screens.view import View
from recto.tui.widgets.line_field import FindLine
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.contract.changes import Changes
    from recto.contract.content import File
    from recto.store.query import Query
    from recto.store.revisions import PastRevision
    from recto.store.store import Store
    from recto.tui.page.cursor import Position

CONTENT, REQUESTS, COMMENTS, FILES, LINKS, REVISIONS = range(6)
"""The tabs by their place."""

_NAMES = ("Content", "Change requests", "Comments", "Files", "Links", "Revisions")

_SHORT_NAMES = {"Change requests": "Changes"}
"""The names used where there is little room."""

_MOST_CHANGES = 1000

_PAGE_GONE = "The page you were on is no longer in this space."

_GROUP = "Space"
actions.register(
    Action("space.search", "Search the space or the organization", ("s",), _GROUP, "search"),
    Action(
        "space.comment", "Comment on the block under the cursor", ("c",), _GROUP, "comment", writes=True, drafted=True
    ),
    Action("space.outline", "Show the outline", ("t",), _GROUP, "outline"),
    Action("space.comments", "Show the comments on the page", ("C",), _GROUP),
    Action("space.facts", "Show facts about the page", ("i",), _GROUP, "facts"),
    Action("space.links", "Show links and backlinks", ("b",), _GROUP, "links"),
    Action("space.choose_address", "See the space in a change request, or at main", ("w",), _GROUP, "where"),
)


class SpaceView(View[SpaceLocation]):
    """Shows a space at an address. What is typed goes to change requests; the main content is only read."""

    BINDINGS = bindings(
        "page.copy",
        "page.pictures",
        "page.edit",
        "page.edit_here",
        "space.search",
        "space.comment",
        "space.outline",
        "space.comments",
        "space.facts",
        "space.links",
        "space.choose_address",
        "item.new",
        "item.rename",
        "item.delete",
        "revision.revert",
        "view.refresh",
        "view.tree",
    )

    # Textual would put the focus on the tree first, and who comes back to another panel would be led away from it.
    AUTO_FOCUS = ""

    def __init__(self, store: Store, location: SpaceLocation) -> None:
        super().__init__(store, location)
        self.space = location.space
        at = location.address
        assert not isinstance(at, AtRevision)
        self.at = at
        self.pages = Pages(self, at, self._show_pages, self._take_index)
        self.activity = Activity(self, at, self._show_requests, self._show_comments)
        self.reading = ReadingPane(store, at, id=PAGE)
        self.address = SpaceAddress(self, self.reading, self._show_head)
        self.links = Neighbours(self, at, self.reading, self._links_changed)
        self.page_tree = TreePane(store)
        kind = location.side if location.side in aside.KINDS else None
        self.side = SidePane(store, self.space, self.reading, self.activity, self.links, kind)
        self.panels = Panels(
            self.page_tree,
            self.reading,
            self.side,
            # Who is sent to a page begins to read; who comes back is where they were.
            part=location.panel if location.panel in PARTS else PAGE if location.page else TREE,
            side_open=kind is not None,
            widths={TREE: location.tree_width, SIDE: location.side_width},
        )
        self.lists: dict[int, ListPane] = {}
        """The panes of the further tabs, each from when its tab is first shown."""
        self.writing = Writing(
            self,
            self.address,
            at,
            self.reading,
            self.activity,
            drafts_changed=self._show_drafts,
            comments_changed=self._show_comments,
            why_no_edits=lambda: why_no_edits(self._judged_space, self._takes_edits),
            page_written=self._show_written,
        )
        self._wanted: SpaceLocation | None = location
        """The location to go to when the pages are there."""
        self._space: Query[Space] | None = None
        self._organization: Query[Organization] | None = None
        self._changes: Query[Changes] | None = None
        """What is changed in the change request."""
        self._looks_around = False
        self._searched = ("", 0)
        """What was searched for last, and how far."""

    def compose_body(self) -> ComposeResult:
        """Put the tabs, the pages, and the list that is to be seen."""
        tab = min(self.opened_at.tab, len(_NAMES) - 1)
        yield TabStrip(_NAMES, short=_SHORT_NAMES, active=tab)
        yield self.panels
        if tab != CONTENT:
            self.lists[tab] = self._list_pane(tab)
            yield self.lists[tab]

    def _list_pane(self, tab: int) -> ListPane:
        if tab == REQUESTS:
            return RequestsPane(self.store, self.space, self.activity)
        if tab == COMMENTS:
            return CommentsPane(self.store, self.activity)
        if tab == FILES:
            return FilesPane(self.store, self.at)
        return LinksPane(self.store, self.at) if tab == LINKS else RevisionsPane(self.store, self.space)

    def on_mount(self) -> None:
        """Show what is known of the space and of what is in it, and ask for the rest."""
        if self.store.locations is not None:
            self.reading.recall(self.store.locations.recent(self.store.address), self.opened_at.subject)
        if self.on_content or self.tab in self.lists:
            self._turn_to(self.tab)  # else a key has switched meanwhile: it is turned to when its list is there
        if self.store.known(Spaces.get_space, self.space) is not None:
            self._follow_space()
        else:
            self._show_head()
        if not self.pages.begin():
            self.page_tree.show_loading("the pages")
        self.reading.mark_links(self.links.is_broken)
        self.side.show()
        self.address.begin()
        self.work(self._ask(), "rest")

    async def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Look whether the change request still takes edits."""
        await super().on_screen_resume(event)
        self.address.look()

    async def _ask(self) -> None:
        """Ask for the pages, and when their tree is there or known not to come for what can wait."""
        # First of all is a frame: a server in the same process would make that come late, and itself be no earlier.
        await self.until_first_painted()
        if self._space is None:
            self._follow_space()
        await self.pages.ask()
        self.put_off(self._ask_for_rest)

    def _ask_for_rest(self) -> None:
        self.activity.begin()
        self.writing.find_drafts()
        if isinstance(self.at, InChangeRequest):
            from recto.contract.changes import ContentChanges

            self._changes = self.store.query(ContentChanges.list_changes, self.at, limit=_MOST_CHANGES)
            self.follow(self._changes, lambda _: self._mark_pages())

    # The location

    @property
    def location(self) -> SpaceLocation:
        """The page, the place in it, the tab, the panes, and what is open in the tree."""
        if not self.is_mounted or self._wanted is not None:
            return self.opened_at
        return self._location_in(self.reading.page, self.reading.position)

    def _location_in(self, page: str | None, position: Position) -> SpaceLocation:
        index = self.reading.index
        opened, closed = self.page_tree.branches
        return SpaceLocation(
            self.space,
            change_request=self.opened_at.change_request,
            page=page,
            title=title_of(index.pages[page]) if page in index.pages else "",
            position=position,
            tab=self.tab,
            panel=self.panels.part,
            side=self.side.kind,
            tree_width=self.panels.widths.get(TREE, 0),
            side_width=self.panels.widths.get(SIDE, 0),
            opened=opened,
            closed=closed,
        )

    def arrive(self, location: SpaceLocation) -> None:
        """Go to a page of this space."""
        page = location.page
        if self._wanted is not None:
            self._wanted = location
        elif page is not None and page not in self.reading.index:
            self.say("The page is no longer in this space.")
        elif page is not None:
            self._show_content()
            is_shown = self.reading.shown is not None and self.reading.shown.id == page
            block, position = self._block_of_arrival, position_of(location)
            self._put_before(self.reading.visit(page, anchor=location.anchor, position=position, block=block))
            if is_shown:
                self._do_on_arrival()

    @property
    def _block_of_arrival(self) -> Block | None:
        return self.arrival.block if self.arrival is not None else None

    def _do_on_arrival(self) -> None:
        """Do what was to be done here, once there is a page to do it with."""
        arrival, self.arrival = self.arrival, None
        if arrival is not None and arrival.words:
            self.reading.mark_words(arrival.words)
        if arrival is not None and arrival.action:
            self.call_later(self.app.run_action, actions.get(arrival.action).method, self)

    def _remember(self, location: SpaceLocation) -> None:
        """Remember a location now: the program may end without a word."""
        if self.store.locations is not None and location.page is not None:
            self.store.locations.remember(self.store.address, location)

    def on_reading_pane_read(self, event: ReadingPane.Read) -> None:
        """Remember where the person is."""
        if self._wanted is None:
            visited = self._location_in(event.page, event.position)
            self._remember(visited)
            self.post_message(Visited(visited))

    def on_reading_pane_left(self, event: ReadingPane.Left) -> None:
        """Remember where a page was left."""
        if self._wanted is None:
            left = self._location_in(event.page, event.position)
            self._remember(left)
            self.post_message(Left(left))

    def on_panels_parted(self) -> None:
        """Remember how wide the person wants the panes."""
        self._remember(self.location)

    # The head

    def _follow_space(self) -> None:
        self._space = self.store.query(Spaces.get_space, self.space)
        self.follow(self._space, self._show_head)

    @property
    def _shown_space(self) -> Space | None:
        return self._space.value if self._space is not None else None

    @property
    def _judged_space(self) -> Space | None:
        """The space whose permissions count; what is cached has none."""
        return self._shown_space if self._space is not None and self._space.cached_at is None else None

    def _show_head(self, _query: Query[Any] | None = None) -> None:
        space = self._shown_space
        if space is not None and self._organization is None and space.organization:
            self._organization = self.store.query(Organizations.get_organization, space.organization)
            self.follow(self._organization, self._show_head)
        organization = self._organization.value if self._organization is not None else None
        locked = f"{LOCKED.sign} {LOCKED.word}" if space is not None and space.edit_mode == "locked" else ""
        request = self.address.request
        self.show_where(
            *([organization.title] if organization is not None else []),
            space.title if space is not None else "Space",
            aside=" · ".join(part for part in (name_of(request) if request is not None else "", locked) if part),
            role=role_of(space.permissions) if space is not None else "",
        )
        self.refresh_bindings()

    # Tabs

    @property
    def tab(self) -> int:
        """The tab that is shown."""
        return self.query_one(TabStrip).active

    @property
    def on_content(self) -> bool:
        """Whether the pages are shown, and not one of the lists."""
        return self.tab == CONTENT

    async def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        if event.index != CONTENT and event.index not in self.lists:
            pane = self._list_pane(event.index)
            await self.query_one(".body").mount(pane)
            self.lists[event.index] = pane
        self._turn_to(event.index)

    def _turn_to(self, tab: int) -> None:
        """Show what is on a tab, and put the person there."""
        self.panels.display = tab == CONTENT
        for index, pane in self.lists.items():
            pane.display = index == tab
        if tab == CONTENT:
            self.panels.go_to(self.panels.part)
        else:
            # At once, as the panels do: of two digits in quick succession the second says where keys go.
            self.lists[tab].take_focus()
        self.refresh_bindings()

    def _show_content(self) -> None:
        self.query_one(TabStrip).active = CONTENT

    # Panes

    def on_panels_entered(self, event: Panels.Entered) -> None:
        """Count the page as read when a person goes to it."""
        if event.part == PAGE:
            self.reading.settle()
        self.refresh_bindings()

    def action_view_next_panel(self) -> None:
        """Go to the next pane that is open."""
        if self.on_content:
            self.panels.go_round(1)

    def action_view_previous_panel(self) -> None:
        """Go to the pane before."""
        if self.on_content:
            self.panels.go_round(-1)

    def action_view_tree(self) -> None:
        """Go from the page to the tree, and from the side pane to the page."""
        self.panels.go_to(PAGE if self.panels.part == SIDE else TREE)

    async def action_space_outline(self) -> None:
        """Open or close the outline."""
        await self._toggle_side(aside.OUTLINE)

    async def action_space_comments(self) -> None:
        """Open or close the comments of the page."""
        await self._toggle_side(aside.COMMENTS)

    async def action_space_links(self) -> None:
        """Open or close the links of the page, and what points at it."""
        await self._toggle_side(aside.LINKS)

    async def action_space_facts(self) -> None:
        """Open or close the facts."""
        await self._toggle_side(aside.FACTS)

    async def _toggle_side(self, kind: str) -> None:
        if self.side.kind == kind:
            self._close_side()
            return
        self.side.kind = kind
        await self.panels.open_side()
        self.side.show()
        self.refresh_bindings()

    def _close_side(self) -> None:
        self.side.kind = None
        self.side.show()
        self.panels.close_side()
        self.refresh_bindings()

    def escape(self) -> bool:
        """Close the line to find in, then the side pane."""
        if not self.query(FindLine) and self.on_content and self.side.kind is not None:
            self._close_side()
            return True
        return super().escape()

    def lacks(self, location: SpaceLocation) -> bool:
        """Whether the page of a location is gone."""
        return self._wanted is None and location.page is not None and location.page not in self.reading.index

    def leave_zoom(self) -> bool:
        """Where there is room for one pane only, go from the side pane to the page, and from there to the tree."""
        if not self.on_content or not self.panels.alone or self.panels.part == TREE:
            return False
        if self.panels.part == SIDE:
            self._close_side()
        else:
            self.panels.go_to(TREE)
        return True

    # The page tree

    def _show_pages(self, query: Query[PageTree]) -> None:
        self.page_tree.show_state(query, "the pages")
        tree = query.value
        if tree is None:
            if self._wanted is not None or query.beginning is None:
                self.page_tree.show_beginning(query.beginning, self._wanted or self.opened_at)
        elif not tree.pages and not self.writing.editing.new_pages:
            self.page_tree.show_empty("No pages yet.", "a", "writes the first one")
            self.reading.show_empty("No page to read yet.")
            self.reading.clear()

    def _take_index(self, index: PageIndex) -> None:
        if index is not self.reading.index:
            self.reading.know(index)
        self._mark_pages()
        if self.page_tree.is_of(index):
            self.page_tree.show_count()
            return
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            # As long as the beginning of the tree was there, the person may have walked in it.
            if (here := self.page_tree.walked_to(index)) is not None:
                self.reading.open(here)
            else:
                self._open(wanted, index)
            self.page_tree.show(index, self.reading.page, wanted)
        else:
            shown = self.reading.shown
            if self.reading.page is not None and self.reading.page not in index and (not shown or shown.type != NEW):
                self.say(_PAGE_GONE)
            self.page_tree.show(index)

    def _open(self, wanted: SpaceLocation, index: PageIndex) -> None:
        """Read the page of a location, else show the one that a reader sees first."""
        if wanted.page is not None and wanted.page in index:
            block = self._block_of_arrival
            self.reading.visit(wanted.page, anchor=wanted.anchor, position=position_of(wanted), block=block)
            return
        if wanted.page is not None:
            self.arrival = None
            self.say(_PAGE_GONE)
        self.reading.open(index.landing or index.ids[0])

    def _mark_pages(self) -> None:
        waiting = (one for one in self.activity.comments if one.status != "resolved" and one.target.page is not None)
        changes = self._changes.value if self._changes is not None else None
        changed = (getattr(change, "page", None) for change in (changes.changes if changes is not None else ()))
        self.page_tree.mark(
            Marks(
                Counter(one.target.page.id for one in waiting if one.target.page is not None),
                frozenset(page.id for page in changed if page is not None),
                (),
                frozenset(self.writing.editing.drafts),
                self.links.broken.counts,
            )
        )

    def on_tree_pane_passed(self, event: TreePane.Passed) -> None:
        """Show the page under the cursor of the tree."""
        if event.page != self.reading.page and event.page in self.reading.index:
            self.reading.open(event.page)

    def on_tree_pane_entered(self, event: TreePane.Entered) -> None:
        """Go into a page of the tree: read it, go where it leads, open or close the group."""
        # As long as only the beginning of the tree is there, none can be entered.
        page = self.reading.index.pages.get(event.page)
        if page is None:
            return
        if page.type == "link":
            self._follow(self.reading.target_of(page))
        elif page.type != "group" or not self.page_tree.toggle():
            self._put_before(self.reading.visit(page.id))

    # The page

    def _put_before(self, page: str | None) -> bool:
        """Put the person before the page that was gone to; returns whether there is one."""
        if page is None:
            return False
        self.page_tree.reveal(page)
        self.panels.go_to(PAGE)
        return True

    def on_reading_pane_changed(self) -> None:
        """Show what there is about the page in sight, and what can be done with it."""
        self._show_draft()
        self.side.show()
        self.refresh_bindings()

    def on_reading_pane_shown(self) -> None:
        """Show what belongs to the page that can be seen now."""
        if not self._looks_around:
            self._looks_around = True
            # What is broken anywhere in the space can wait until there is something to read.
            self.put_off(self.links.begin)
        self._do_on_arrival()
        self._mark_comments()
        self.side.show()

    def on_reading_pane_cursor_moved(self) -> None:
        """Follow the reader in the outline."""
        self.side.follow_cursor()

    def action_page_pictures(self) -> None:
        """Show all pictures of the page."""
        self.reading.show_pictures()

    def action_page_copy(self) -> None:
        """Ask what to copy, and how."""
        self.reading.offer_copies()

    # Links

    def on_reading_pane_link_chosen(self, event: ReadingPane.LinkChosen) -> None:
        """Go where a link leads, here or in the browser; where the pages do not tell, ask the platform first."""
        leads = self.links.leads(event.href)
        go = self.reading.browse if event.browse else self._follow
        if isinstance(leads, Nowhere):
            self.work(self._find_out(event.href, go), "link", group="link")
        else:
            go(leads)

    async def _find_out(self, href: str, go: Callable[[Destination], None]) -> None:
        page = self.reading.page
        leads = await self.links.ask(href)
        # Who has gone on meanwhile is not called away.
        if self.reading.page == page:
            go(leads)

    def _follow(self, leads: Destination) -> None:
        if isinstance(leads, ToFile):
            self.work(self._show_file(leads.file), "file", group="file")
        else:
            self._put_before(self.reading.follow_link(leads))

    def _links_changed(self) -> None:
        """Show what is known of links now."""
        count = self.links.broken_count
        self.query_one(TabStrip).count(LINKS, f"{signs.BROKEN.sign}{count:,}" if count else None)
        self.reading.mark_links(self.links.is_broken)
        self._mark_pages()
        self.side.show(aside.LINKS, aside.FACTS)

    async def _show_file(self, id: str, file: File | None = None) -> None:
        """Show what a file is and where it is used, and go there."""
        from recto.tui.dialogs.file_uses import FileUses

        if file is None:
            file = await self.store.fetch(Content.get_file, self.at, id)
        used = await self.ask(FileUses(file.name or id, measures(file), backlinks_of_file(self.store, self.at, id)))
        leads = destination_of(used, self.space, self.reading.index) if used is not None else None
        if leads is not None:
            self._show_content()
            self._follow(leads)

    # What is chosen in the side pane and in the lists

    def on_side_pane_line_chosen(self, event: SidePane.LineChosen) -> None:
        """Go to a heading of the page."""
        self.reading.go_to_line(event.line)
        self.panels.go_to(PAGE)

    def on_side_pane_link_chosen(self, event: SidePane.LinkChosen) -> None:
        """Go where a link leads."""
        self._follow(event.leads)

    def on_side_pane_thread_chosen(self, event: SidePane.ThreadChosen) -> None:
        """Show a thread."""
        self.writing.open_thread(event.comment)

    def on_comments_pane_thread_chosen(self, event: CommentsPane.ThreadChosen) -> None:
        """Show a thread."""
        self.writing.open_thread(event.comment)

    def on_files_pane_file_chosen(self, event: FilesPane.FileChosen) -> None:
        """Show a file."""
        self.work(self._show_file(event.file.id, event.file), "file", group="file")

    def on_links_pane_link_chosen(self, event: LinksPane.LinkChosen) -> None:
        """Go to the place in which a link is written."""
        page, line = event.link.page, event.link.line
        if page is None or page not in self.reading.index:
            self.say("It is written in a text that pages include, not in a page.")
            return
        self._show_content()
        self._put_before(self.reading.visit(page, line=line - 1 if line else None))

    def on_revisions_pane_revision_chosen(self, event: RevisionsPane.RevisionChosen) -> None:
        """Show the space as it was, at the page that is read."""
        self.go(SpaceLocation(self.space, revision=event.revision, page=self.reading.page))

    @property
    def _revision_here(self) -> PastRevision | None:
        """The revision under the cursor."""
        pane = self.lists.get(self.tab)
        return pane.current if isinstance(pane, RevisionsPane) else None

    def action_revision_revert(self) -> None:
        """Take back what the revision under the cursor changed."""
        from recto.tui.screens.reverting import RevertDialogs

        if (revision := self._revision_here) is not None:
            RevertDialogs(self, self.space).revert(revision.id)

    # Writing

    def action_page_edit(self) -> None:
        """Edit the page in the person's editor."""
        self.writing.edit(built_in=False)

    def action_page_edit_here(self) -> None:
        """Edit the page here."""
        self.writing.edit(built_in=True)

    def action_space_choose_address(self) -> None:
        """Choose where the space is seen."""
        self.writing.choose_address()

    def action_item_new(self) -> None:
        """Add a page."""
        self.writing.new_page()

    def action_item_rename(self) -> None:
        """Rename the page."""
        self.writing.rename_page()

    def action_item_delete(self) -> None:
        """Discard the draft of the page; without one, delete the page."""
        self.writing.delete()

    def action_space_comment(self) -> None:
        """Comment on the block under the cursor."""
        self.writing.comment(self.reading.cursor_line)

    @property
    def unsent(self) -> str | None:
        """The text being typed, as a noun, or ``None``."""
        return self.writing.unsent

    @while_whole
    def _show_drafts(self) -> None:
        """Show which drafts are on disk now."""
        self.pages.show_new(self.writing.editing.new_pages)
        self._show_draft()
        self._mark_pages()
        self.refresh_bindings()

    def _show_written(self, page: str) -> None:
        """Show a page that was written here, as soon as the tree holds it."""
        if page in self.reading.index:
            self._put_before(self.reading.visit(page))
        else:
            self._wanted = replace(self.location, page=page, position=None, panel=PAGE)

    def _show_draft(self) -> None:
        self.reading.note(self.writing.draft_note(self.reading.page or ""))

    @work(group="marks", exclusive=True, exit_on_error=False)
    async def _mark_comments(self) -> None:
        # Not by ``self.work``: cancelled before it began, its coroutine would be left over.
        await self.writing.mark_comments()

    # Change requests and comments

    @while_whole
    def _show_requests(self) -> None:
        """Show which change requests are known."""
        self.query_one(TabStrip).count(REQUESTS, len(self.activity.open_requests) or None)
        if isinstance(pane := self.lists.get(REQUESTS), RequestsPane):
            pane.show()

    @while_whole
    def _show_comments(self) -> None:
        """Show which comments are known."""
        waiting = sum(one.status != "resolved" for one in self.activity.comments)
        self.query_one(TabStrip).count(COMMENTS, waiting or None)
        if isinstance(pane := self.lists.get(COMMENTS), CommentsPane):
            pane.show()
        self._mark_pages()
        self._mark_comments()
        self.side.show(aside.COMMENTS)

    # Searching

    def action_space_search(self) -> None:
        """Search the space."""
        self.work(self._search(), "search")

    async def _search(self) -> None:
        from recto.store.search import search_organization, search_space
        from recto.tui.dialogs.search import Scope, SearchPages

        space, organization = self._shown_space, self._organization
        here = f"“{space.title}”" if space is not None else "this space"
        scopes = [Scope(here, lambda words: search_space(self.store, self.space, words))]
        if organization is not None:
            id = organization.key.argument("organization_id")
            name = f"all of “{organization.value.title}”" if organization.value is not None else "the organization"
            scopes.append(Scope(name, lambda words: search_organization(self.store, id, words)))
        dialog = SearchPages(scopes, *self._searched)
        found = await self.ask(dialog)
        self._searched = dialog.words, dialog.scope
        if found is not None:
            location = self._at_address(SpaceLocation(found.space, page=found.page, anchor=found.anchor))
            self.go(location, arrival=Arrival(words=dialog.words.strip()))

    def _at_address(self, location: SpaceLocation) -> SpaceLocation:
        """Return a location of this space at the same address, one of another where that is seen now."""
        if location.space != self.space:
            return self.store.at_choice(location)
        return replace(location, change_request=self.opened_at.change_request)

    # What can be done

    def action_view_refresh(self) -> None:
        """Ask again for what is shown."""
        if self._space is not None:
            self._space.refresh()
        if self.on_content:
            self.pages.reload()
            self.reading.reload()
            self.activity.reload_comments()
            self.links.reload()
        elif (pane := self.lists.get(self.tab)) is not None:
            pane.reload()

    @property
    def _takes_edits(self) -> bool:
        return not self.store.lacks("ContentChanges.write_content")

    def why_not(self, action: str) -> str | None:
        """Return why an action cannot be done now, in a few words; ``None`` where it can."""
        if not self.is_mounted:
            return None
        if action == "revision.revert" and self._revision_here is None:
            return "no revision is selected; 6 lists them"
        return (
            why_not(
                action,
                space=self._judged_space,
                page=self.reading.shown,
                on_pages=self.on_content,
                draft=self.reading.page in self.writing.editing.drafts,
                writes=self._takes_edits,
            )
            or self.reading.why_not(action)
            or super().why_not(action)
        )
