"""A space, seen at an address: its page tree, the page that is read, a side pane, and its lists on tabs.

The screen is laid out from panes on ``Tabs``: ``PageTreePane``, ``ReadingPane`` and ``SidePane`` in ``Panels`` on the
first, a list on each further tab. ``CurrentPage`` keeps the tree and the page together. What several panes need is
asked once by a part that the screen holds and hands to them: ``Pages`` (the page tree), ``Activity`` (change requests
and comments), ``Neighbours`` (links) and ``ChangedPages`` (what the change request or the revision changes).
``SpaceAddress`` names the address and leads to another, at which another screen shows the space. Panes tell the screen
by messages what a person wants; the screen goes there, or lets ``Writing`` write it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual import events, work
from textual.app import ComposeResult

from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.content import Content, Page, PageTree
from recto.contract.spaces import Spaces
from recto.document.text import count
from recto.store.locations import ChangeRequestLocation, SpaceLocation
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.lists.lift_tree import LandingLine, LiftTree
from recto.tui.look import signs
from recto.tui.navigation.messages import Arrival, Block, Left, Visited
from recto.tui.screens.guarded_screen import while_whole
from recto.tui.screens.reading.destinations import ToPage
from recto.tui.screens.reading.page_index import FollowedPages, PageIndex, PageMarks, title_of
from recto.tui.screens.reading.page_tree_pane import PageTreePane
from recto.tui.screens.reading.reading_pane import ReadingPane
from recto.tui.screens.space import side
from recto.tui.screens.space.activity import Activity
from recto.tui.screens.space.changed_pages import ChangedPages
from recto.tui.screens.space.current_page import CurrentPage
from recto.tui.screens.space.following import LinkFollower
from recto.tui.screens.space.head import SpaceHead
from recto.tui.screens.space.neighbours import Neighbours
from recto.tui.screens.space.panels import PAGE, PARTS, SIDE, TREE, Panels
from recto.tui.screens.space.searching import SpaceSearch
from recto.tui.screens.space.side import SidePane
from recto.tui.screens.space.space_address import SpaceAddress
from recto.tui.screens.space.space_reasons import ADDRESSES, why_no_edits, why_not
from recto.tui.screens.space.space_tabs import (
    AS_IT_WAS,
    COMMENTS,
    FILES,
    ITS_CHANGES,
    LINKS,
    REQUESTS,
    SINCE,
    Tabs,
)
from recto.tui.screens.space.writing import Writing
from recto.tui.screens.view import View
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.store.drafts import DraftPlace
    from recto.store.query import Query
    from recto.store.revisions import PastRevision
    from recto.store.store import Store
    from recto.tui.page.cursor import Position
    from recto.tui.screens.space.difference import DifferencePane
    from recto.tui.screens.space.exchange import Exchange
    from recto.tui.screens.space.space_lists import CommentsPane, FilesPane, LinksPane, RevisionsPane

_NOT_WHILE_STAGED = frozenset(
    {
        *("page.edit", "page.edit_here", "item.new", "item.rename", "item.delete"),
        *("space.choose_address", "space.template", "space.git_import", "space.import", "arrange.apply"),
        *("change.undo", "change.redo"),
    }
)

_OF_TEXT = frozenset({"page.edit", "page.edit_here"})
"""What acts wherever the text of a page is seen, in a diff too."""

_OF_PRESENT = frozenset({*_OF_TEXT, *ADDRESSES})
"""What acts only on a page that the address has."""

_OF_PAGE_THERE = _OF_PRESENT | {"space.comment", "item.rename", "item.delete"}
"""What acts only on a page that others have not deleted."""

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
    Action("space.template", "Add the pages of a template", ("T",), _GROUP, writes=True),
    Action("space.git_import", "Import from Git", ("I",), _GROUP, writes=True),
    Action("space.git_export", "Export to Git", ("X",), _GROUP, writes=True),
    Action("space.export", "Export to a folder", ("O",), _GROUP),
    Action("space.git_legacy", "Remove the legacy Git installation", (), _GROUP, writes=True),
    Action("space.import", "Import content from a file or an address", ("B",), _GROUP, writes=True),
    Action("page.marks", "Show or hide marks of what the change request changed", ("equals_sign",), "Page"),
    Action("revision.page_now", "Open the current page", (), "Revision"),
)


class SpaceView(View[SpaceLocation]):
    """Shows a space at an address. Edits go to change requests; main and revisions are only read."""

    IS_FIRST = True
    BINDINGS = bindings(
        "page.marks",
        "page.changes",
        "page.copy",
        "page.pictures",
        "page.edit",
        "page.edit_here",
        "space.search",
        "space.comment",
        "list.filter",
        "space.outline",
        "space.comments",
        "space.facts",
        "space.links",
        "space.choose_address",
        "space.template",
        "space.git_import",
        "space.git_export",
        "space.git_legacy",
        "space.export",
        "content.pdf",
        "space.import",
        "item.new",
        "item.rename",
        "item.delete",
        "item.open_in_browser",
        "item.copy_link",
        "arrange.apply",
        "revision.page_now",
        "revision.revert",
        "view.refresh",
        "view.tree",
    )

    # Textual would put the focus on the tree first, away from the panel that was left.
    AUTO_FOCUS = ""

    def __init__(self, store: Store, location: SpaceLocation) -> None:
        super().__init__(store, location)
        self.space = location.space
        at = self._at = location.address
        past = isinstance(at, AtRevision)
        self.pages = FollowedPages(self, at, self._show_pages, self._take_index)
        self.activity = Activity(self, at, self._show_requests, self._show_comments)
        self.tabs = Tabs(store, at, self.activity, location.tab)
        self.tab_strip = self.tabs.strip
        self.reading = ReadingPane(store, at, id=PAGE)
        self.address = SpaceAddress(self, self.reading, self._show_address)
        self.head = SpaceHead(self, self.address)
        self.changed = ChangedPages(self, at, self._show_changes)
        self.links = Neighbours(self, at, self.reading, self._links_changed)
        self.search = SpaceSearch(self, self.head, self.address)
        self.page_tree = PageTreePane(
            store,
            "Pages",
            counted=not past,
            arrange=lambda: self.reading.index.arrangement,
            why_not_moved=self._why_not_moved,
        )
        kind = location.side if location.side in side.KINDS else None
        self.side = SidePane(store, self.space, self.reading, self.activity, self.links, kind)
        self.difference = self._make_difference(at) if isinstance(at, AtRevision) else None
        """How the page of a past revision differs from now."""
        self.panels = Panels(
            self.page_tree,
            self.reading,
            self.side,
            beside=self.difference,
            # A page that is gone to is read; a place that is come back to is as it was left.
            part=location.panel if location.panel in PARTS else PAGE if location.page else TREE,
            widths={TREE: location.tree_width, SIDE: location.side_width},
        )
        self.current = CurrentPage(
            self,
            at,
            self.address,
            self.changed,
            self.tabs,
            self.panels,
            self.page_tree,
            self.reading,
            self.difference,
        )
        self.following = LinkFollower(self, at, self.reading, self.links, self.current.focus)
        self.writing = Writing(
            self,
            self.address,
            at if isinstance(at, InChangeRequest) else Main(self.space),
            self.reading,
            self.activity,
            drafts_changed=self._show_drafts,
            comments_changed=self._show_comments,
            why_no_edits=lambda: why_no_edits(self.head.trusted_space, self._takes_edits),
            page_written=self.current.go_to_written,
            moves_changed=self._show_moves,
        )
        self._looks_around = False

    def _make_difference(self, at: AtRevision) -> DifferencePane:
        # Imported here, since most starts are for main.
        from recto.tui.screens.space.difference import DifferencePane

        return DifferencePane(self.store, at)

    @classmethod
    def first_queries(cls, store: Store, location: SpaceLocation) -> Sequence[Query[Any]]:
        """The page tree, the space, and the page that was left."""
        at, page = location.address, location.page
        return (
            store.query(Content.list_pages, at),
            store.query(Spaces.get_space, location.space),
            *([store.query(Content.get_page, at, page, format="markdown")] if page is not None else []),
        )

    def compose_body(self) -> ComposeResult:
        """Compose the tabs, the pages, and the list that is to be seen."""
        yield self.tabs.strip
        yield self.panels
        yield LandingLine()
        if self.tabs.holds(self.tabs.current):
            yield self.tabs.make(self.tabs.current)

    def on_mount(self) -> None:
        """Show the known part of the space, and ask for the rest."""
        if self.store.locations is not None:
            self.reading.recall(self.store.locations.recent(self.store.address), self.opened_at.subject)
        if not self.tabs.holds(self.tabs.current) or self.tabs.pane is not None:
            # Else a key has switched meanwhile: it is turned to when its list is there.
            self._turn_to(self.tabs.current)
        self.head.begin()
        if not self.pages.begin():
            self.page_tree.show_loading("the pages")
        self.reading.mark_links(self.links.is_broken)
        self.side.show()
        self.address.begin()
        self.work(self._ask(), "rest")

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Check whether the change request still takes edits."""
        self.address.look()

    def on_screen_suspend(self) -> None:
        """Look again when nothing covers the view any more."""
        self.address.on_covered()

    async def _ask(self) -> None:
        """Ask for the pages, and when their tree is there or known not to come for what can wait."""
        # First of all is a frame: a server in the same process would make that come late, and itself be no earlier.
        await self.until_first_painted()
        self.head.follow()
        await self.pages.ask()
        self.put_off(self._ask_for_rest)

    def _ask_for_rest(self) -> None:
        self.changed.begin()
        if not isinstance(self._at, AtRevision):
            self.activity.begin()
            self.writing.find_drafts()

    # The location

    @property
    def location(self) -> SpaceLocation:
        """The address, the page, the place in it, the tab, the panes, and the open branches of the tree."""
        if not self.is_mounted or not self.current.is_open:
            return self.opened_at
        return self._location_in(self.reading.page, self.reading.position)

    def _location_in(self, page: str | None, position: Position) -> SpaceLocation:
        index = self.reading.index
        opened, closed = self.page_tree.branches
        named = (title_of(index.pages[page]) if page in index.pages else "", self.address.short)
        return SpaceLocation(
            self.space,
            revision=self.opened_at.revision,
            change_request=self.opened_at.change_request,
            page=page,
            title=", ".join(filter(None, named)) if named[0] else "",
            position=position,
            tab=self.tabs.strip.active,
            panel=self.panels.part,
            side=self.side.kind,
            tree_width=self.panels.widths.get(TREE, 0),
            side_width=self.panels.widths.get(SIDE, 0),
            opened=opened,
            closed=closed,
        )

    def arrive(self, location: SpaceLocation) -> None:
        """Go to a page of this space."""
        if self.current.go_to(location):
            self._do_on_arrival()

    def _do_on_arrival(self) -> None:
        """Do what was to be done here, once there is a page to do it with."""
        arrival, self.arrival = self.arrival, None
        if arrival is not None and arrival.words:
            self.reading.mark_words(arrival.words)
        if arrival is not None and arrival.action:
            self.act_on_arrival(arrival.action)

    def _remember(self, location: SpaceLocation) -> None:
        """Remember a location now: the program may end without a word."""
        if self.store.locations is not None and location.page is not None:
            self.store.locations.remember(self.store.address, location)

    def on_reading_pane_read(self, event: ReadingPane.Read) -> None:
        """Remember where the person is."""
        if self.current.is_open:
            visited = self._location_in(event.page, event.position)
            self._remember(visited)
            self.post_message(Visited(visited))

    def on_reading_pane_left(self, event: ReadingPane.Left) -> None:
        """Remember where a page was left."""
        if self.current.is_open:
            left = self._location_in(event.page, event.position)
            self._remember(left)
            self.post_message(Left(left))

    def on_panels_parted(self) -> None:
        """Remember how wide the person wants the panes."""
        self._remember(self.location)

    @while_whole
    def _show_address(self) -> None:
        """Show the address as far as it is known."""
        if (base := self.address.base) is not None:
            self.changed.know_base(base)
            self.current.compare()
        self.head.show()

    # Tabs

    async def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        name = self.tabs.names[event.index]
        if self.tabs.holds(name) and name not in self.tabs.panes:
            await self.query_one(".body").mount(self.tabs.make(name))
        self._turn_to(name)

    def _turn_to(self, tab: str) -> None:
        """Show a tab, and focus it."""
        self.panels.display = not self.tabs.holds(tab)
        for name, pane in self.tabs.panes.items():
            pane.display = name == tab
        if self.tabs.holds(tab):
            # At once, as the panels do: of two digits in quick succession the second says where keys go.
            self.tabs.panes[tab].take_focus()
        else:
            if self.difference is not None:
                self.panels.put_page(self.reading if tab == AS_IT_WAS else self.difference)
                self.current.compare()
            self.panels.go_to(self.panels.part)
        self.refresh_bindings()

    # Panes

    def on_panels_entered(self, event: Panels.Entered) -> None:
        """Count the page as read when a person goes to it, and replace a deleted page by the tree's current page."""
        if event.part == PAGE:
            self.reading.mark_read()
        elif event.part == TREE and self.reading.is_deleted and (page := self.page_tree.current) is not None:
            self.current.pass_over(page)
        self.refresh_bindings()

    def action_view_next_panel(self) -> None:
        """Go to the next pane that is open."""
        self.panels.go_round(1)

    def action_view_previous_panel(self) -> None:
        """Go to the pane before."""
        self.panels.go_round(-1)

    def action_view_tree(self) -> None:
        """Go from the page to the tree, and from the side pane to the page."""
        self.panels.go_to(PAGE if self.panels.part == SIDE else TREE)

    async def action_space_outline(self) -> None:
        """Open or close the outline."""
        await self.panels.toggle_side(side.OUTLINE)

    async def action_space_comments(self) -> None:
        """Open or close the comments of the page."""
        await self.panels.toggle_side(side.COMMENTS)

    async def action_space_links(self) -> None:
        """Open or close the links of the page, and what points at it."""
        await self.panels.toggle_side(side.LINKS)

    async def action_space_facts(self) -> None:
        """Open or close the facts."""
        await self.panels.toggle_side(side.FACTS)

    def escape(self) -> bool:
        """Put lifted pages back, close the line to find in, then the side pane."""
        if self.page_tree.is_lifting:
            self.page_tree.put_back()
            return True
        if not self.query("FindLine") and self.panels.display and self.side.is_open:
            self.panels.close_side()
            return True
        return super().escape() or self.leave_zoom()

    def lacks_page(self, page: str) -> bool:
        """Whether a page is gone."""
        return self.current.is_open and page not in self.reading.index

    def go_to_parent(self, *, quit: bool = False) -> None:
        """In a single pane, go to the pane before it, else to the parent in the breadcrumb."""
        if not self.leave_zoom():
            super().go_to_parent(quit=quit)

    def leave_zoom(self) -> bool:
        """In a single pane, go from the side pane to the page, and from there to the tree."""
        if not self.panels.display or not self.panels.alone or self.panels.part == TREE:
            return False
        if self.panels.part == SIDE:
            self.panels.close_side()
        else:
            self.panels.go_to(TREE)
        return True

    # The page tree

    def _show_pages(self, query: Query[PageTree]) -> None:
        self.current.show_state(query, has_new=bool(self.writing.editing.new_pages))

    def _take_index(self, index: PageIndex) -> None:
        if index is not self.reading.index:
            self.reading.know(index)
            self.writing.take_in(index)
        self._mark_pages()
        self.current.show_tree(index)

    @while_whole
    def _show_changes(self) -> None:
        """Show the changes known so far."""
        self.reading.describe(self.changed.word_of(self.reading.page))
        if self.current.has_tree:
            self._take_index(self.reading.index)
            self.current.find_change()
        self._mark_changes()
        self.current.compare()

    def _mark_pages(self) -> None:
        waiting = (one for one in self.activity.comments if one.status != "resolved" and one.target.page is not None)
        if isinstance(self._at, AtRevision):
            self.page_tree.entitle("Pages", f"{len(self.changed.pages)} changed" if self.changed.pages else "")
        self.page_tree.mark(
            PageMarks(
                Counter(one.target.page.id for one in waiting if one.target.page is not None),
                {id: page.kind for id, page in self.changed.pages.items()},
                frozenset(self.writing.editing.drafts),
                self.links.broken.counts,
            )
        )

    def on_page_tree_pane_passed(self, event: PageTreePane.Passed) -> None:
        """Show the page under the cursor of the tree."""
        self.current.pass_over(event.page)

    def on_page_tree_pane_entered(self, event: PageTreePane.Entered) -> None:
        """Go into a page of the tree: read it, go where it leads, open or close the group."""
        # As long as only the beginning of the tree is there, none can be entered.
        page = self.reading.index.pages.get(event.page)
        if page is None:
            return
        if page.type == "link":
            self.following.follow(self.reading.target_of(page))
        elif self.tabs.current in (ITS_CHANGES, SINCE):
            self.panels.go_to(PAGE)
        elif page.type != "group" or not self.page_tree.toggle():
            self.current.focus(self.reading.visit(page.id))

    # Moving pages

    def on_lift_tree_lift_changed(self, event: LiftTree.LiftChanged) -> None:
        """Show where lifted pages would land, or the reason why they cannot."""
        self.query_one(LandingLine).show(event)
        self.refresh_bindings()

    def on_lift_tree_move_wanted(self, event: LiftTree.MoveWanted) -> None:
        """Stage a move."""
        self.writing.moves.add(event.move)

    def _why_not_moved(self) -> str | None:
        if isinstance(self._at, AtRevision):
            return "a past revision stays as it is"
        return why_no_edits(self.head.trusted_space, self._takes_edits)

    def action_arrange_apply(self) -> None:
        """Show what will be moved, and write it."""
        self.work(self.writing.moves.apply(), "apply", unless_running="edit")

    @while_whole
    def _show_moves(self, page: str | None) -> None:
        self.page_tree.show_staging(self.writing.moves.staging, page)
        self.refresh_bindings()

    def action_change_undo(self) -> None:
        """Undo the last staged move; if none is staged, the last change."""
        if self.writing.staged_moves:
            self.writing.moves.drop_last()
        else:
            super().action_change_undo()

    def shows_place(self, place: DraftPlace) -> bool:
        """Whether the page of a change is shown, stands in sight in the tree, or is not among the pages."""
        here = self._at.change_request if isinstance(self._at, InChangeRequest) else None
        if place.change_request != here or place.space != self.space or not self.tabs.on_content:
            return False
        page = place.page
        return page in (None, self.reading.page) or page not in self.reading.index or self.page_tree.shows(page)

    @property
    def staged(self) -> str | None:
        """The moves that are lost when the program ends."""
        moves = self.writing.staged_moves
        return f"{count(moves, 'staged move')}, not applied" if moves else None

    @property
    def may_close(self) -> bool:
        """Whether no moves are staged."""
        return not self.writing.staged_moves

    # The page

    def on_reading_pane_changed(self) -> None:
        """Show what there is about the page in sight, and what can be done with it."""
        self.reading.describe(self.changed.word_of(self.reading.page))
        self._show_draft()
        self.side.show()
        self.refresh_bindings()

    def on_reading_pane_shown(self) -> None:
        """Show what belongs to the page that can be seen now."""
        if not self._looks_around:
            self._looks_around = True
            # The broken links of the space can wait until there is something to read.
            self.put_off(self.links.begin)
        self._do_on_arrival()
        self._mark_comments()
        self._mark_changes()
        self.side.show()

    @work(group="changes", exclusive=True, exit_on_error=False)
    async def _mark_changes(self) -> None:
        page = self.reading.shown
        if page is not None:
            lines = await self.changed.lines_of(page) if self.changed.marked else {}
            if self.reading.shown is page:
                self.reading.mark_changes(lines)

    def action_page_changes(self) -> None:
        """Go to the changes of the page: at the same block, if its text is loaded."""
        if isinstance(self._at, InChangeRequest):
            shown = self.reading.shown
            block = Block(self.reading.cursor_line, shown.markdown or "") if shown is not None else None
            changes = ChangeRequestLocation(self.space, self._at.change_request, page=self.here.page)
            self.go(changes, arrival=Arrival(block=block))

    def action_page_marks(self) -> None:
        """Show or hide the marks of changes."""
        self.changed.marked = not self.changed.marked
        self.say("Changes are marked." if self.changed.marked else "Changes are not marked.")
        self._mark_changes()

    def on_reading_pane_cursor_moved(self) -> None:
        """Follow the reader in the outline."""
        self.side.follow_cursor()

    def action_page_pictures(self) -> None:
        """Show all pictures of the page."""
        self.reading.show_pictures()

    def action_page_copy(self) -> None:
        """Ask what to copy, and how."""
        self.reading.offer_copies()

    def action_item_open_in_browser(self) -> None:
        """Open the page or group under the cursor of the tree in the browser."""
        if (page := self.reading.page) is not None:
            self.reading.browse(ToPage(page))

    def action_item_copy_link(self) -> None:
        """Copy the address of the page or group under the cursor of the tree."""
        if (page := self.reading.page) is not None:
            self.reading.copy_address(page)

    # Links

    def on_reading_pane_link_chosen(self, event: ReadingPane.LinkChosen) -> None:
        """Go where a link leads, here or in the browser."""
        self.following.choose(event.href, browse=event.browse)

    @while_whole
    def _links_changed(self) -> None:
        """Show the known links."""
        count = self.links.broken.total
        self.tabs.count(LINKS, f"{signs.BROKEN.sign}{count:,}" if count else None)
        self.reading.mark_links(self.links.is_broken)
        self._mark_pages()
        self.side.show(side.LINKS, side.FACTS)

    # Choices in the side pane and in the lists

    def on_side_pane_line_chosen(self, event: SidePane.LineChosen) -> None:
        """Go to a heading of the page."""
        self.reading.go_to_line(event.line)
        self.panels.go_to(PAGE)

    def on_side_pane_link_chosen(self, event: SidePane.LinkChosen) -> None:
        """Go where a link leads."""
        self.following.follow(event.leads)

    def on_side_pane_thread_chosen(self, event: SidePane.ThreadChosen) -> None:
        """Show a thread."""
        self.writing.open_thread(event.comment)

    def on_comments_pane_thread_chosen(self, event: CommentsPane.ThreadChosen) -> None:
        """Show a thread."""
        self.writing.open_thread(event.comment)

    def on_files_pane_file_chosen(self, event: FilesPane.FileChosen) -> None:
        """Show a file."""
        self.following.show_file(event.file)

    def on_links_pane_link_chosen(self, event: LinksPane.LinkChosen) -> None:
        """Go to the place in which a link is written."""
        self.following.visit_writing(event.link)

    def on_revisions_pane_revision_chosen(self, event: RevisionsPane.RevisionChosen) -> None:
        """Show the space as it was, at the page that is read."""
        self.go(SpaceLocation(self.space, revision=event.revision, page=self.reading.page, panel=TREE))

    @property
    def _revision_here(self) -> str | None:
        """The id of the revision under the cursor, or that is seen."""
        if isinstance(self._at, AtRevision):
            return self._at.revision
        return self._past_here.id if self._past_here is not None else None

    @property
    def _past_here(self) -> PastRevision | None:
        """The revision under the cursor, or that is seen, once it is known."""
        if isinstance(self._at, AtRevision):
            return self.address.revision
        return self.tabs.revision

    def action_revision_revert(self) -> None:
        """Revert what the revision under the cursor changed."""
        from recto.tui.screens.revert_dialogs import RevertDialogs

        if (revision := self._revision_here) is not None:
            RevertDialogs(self, self.space).revert(revision)

    def action_revision_page_now(self) -> None:
        """Go to the page as it is now."""
        self.go(SpaceLocation(self.space, page=self.reading.page))

    # Writing

    def action_page_edit(self) -> None:
        """Edit the page in the person's editor."""
        self.writing.edit(built_in=False, line=self._line_here)

    def action_page_edit_here(self) -> None:
        """Edit the page here."""
        self.writing.edit(built_in=True, line=self._line_here)

    @property
    def _line_here(self) -> int:
        """The line of the page under the cursor, counted from 1."""
        if self.difference is not None and self.tabs.current in (ITS_CHANGES, SINCE):
            return self.difference.line_here
        return self.reading.cursor_line + 1

    def action_space_choose_address(self) -> None:
        """Choose where the space is seen."""
        self.writing.choose_address()

    @cached_property
    def _exchange(self) -> Exchange:
        # Imported when it is first asked for: most starts are for reading.
        from recto.tui.screens.space.exchange import Exchange

        return Exchange(self, lambda: self.head.space)

    def action_space_template(self) -> None:
        """Add the pages of a template to main."""
        self._exchange.add_template()

    def action_space_git_import(self) -> None:
        """Import a branch of a repository into main."""
        self._exchange.import_git()

    def action_space_git_export(self) -> None:
        """Push main to a branch of a repository."""
        self._exchange.export_git()

    def action_space_export(self) -> None:
        """Write the space, as it is seen, into a folder."""
        self._exchange.export_folder(self._at)

    def action_content_pdf(self) -> None:
        """Save the space, as it is seen, or the shown page as a PDF."""
        from recto.tui.screens.space.pdf_form import save_as_pdf

        if not isinstance(self._at, AtRevision):
            self.work_to_open(save_as_pdf(self, self._at, self.reading.shown), "pdf")

    def action_space_git_legacy(self) -> None:
        """Remove the legacy Git installation."""
        self._exchange.remove_git()

    def action_space_import(self) -> None:
        """Import content after the pages that are seen."""
        self._exchange.import_content(self._at)

    def action_item_new(self) -> None:
        """Add a page, or a file where these are listed."""
        if self.tabs.current == FILES:
            self.writing.add_file()
        else:
            self.writing.new_page()

    def action_item_rename(self) -> None:
        """Rename the page."""
        self.writing.rename_page()

    def action_item_delete(self) -> None:
        """Delete the selected pages; without any, discard the draft of the page, else delete the page."""
        self.writing.delete(self.page_tree.selected)

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
        requests = self.activity.open_requests
        self.tabs.count(REQUESTS, len(requests) or None, (one.id for one in requests))
        if self.tabs.requests is not None:
            self.tabs.requests.show()

    @while_whole
    def _show_comments(self) -> None:
        """Show which comments are known."""
        comments = self.activity.comments
        waiting = sum(one.status != "resolved" for one in comments)
        self.tabs.count(COMMENTS, waiting or None, (one.id for one in comments))
        if self.tabs.comments is not None:
            self.tabs.comments.show()
        self._mark_pages()
        self._mark_comments()
        self.side.show(side.COMMENTS)

    def action_space_search(self) -> None:
        """Search the space."""
        self.search.ask()

    def action_list_filter(self) -> None:
        """Ask which comments or change requests to show."""
        if self.tabs.filtered is not None:
            self.tabs.filtered.filter()

    # What can be done

    def action_view_refresh(self) -> None:
        """Refresh the view."""
        self.head.reload()
        self.address.reload()
        if (pane := self.tabs.pane) is not None:
            pane.reload()
            return
        # A past revision does not change.
        if not isinstance(self._at, AtRevision) or self.pages.follow().value is None:
            self.pages.reload()
        self.changed.reload()
        self.reading.reload()
        self.activity.reload_comments()
        self.links.reload()
        if self.difference is not None:
            self.difference.reload()

    @property
    def _page_here(self) -> Page | None:
        """The page or group under the cursor of the tree, whether its text is loaded or not."""
        return self.reading.index.pages.get(self.reading.page or "")

    @property
    def _takes_edits(self) -> bool:
        return not self.store.lacks("ContentChanges.write_content")

    def why_not(self, action: str) -> str | None:
        """Return why an action cannot be done now, in a few words; ``None`` where it can."""
        if not self.is_mounted:
            return None
        if action == "page.changes" and (reason := self.changed.why_no_changes(self.here.page)):
            return reason
        if action == "page.marks" and self.changed.is_not_offered:
            return "this server does not list changes"
        if action in _OF_PRESENT and self.reading.shown is None and self.changed.has_deleted(self.page_tree.current):
            return "the page is deleted here"
        if action in _OF_PAGE_THERE and self.reading.is_deleted:
            return "others have deleted the page"
        if action == "list.filter":
            return None if self.tabs.filtered is not None else "only among comments or change requests"
        if action == "revision.revert" and self._revision_here is None:
            return "no revision is selected; ‹view.tab_6› lists them"
        if action == "revision.revert" and self._past_here is not None and self._past_here.parent is None:
            return "it is the first revision"
        if action in _NOT_WHILE_STAGED and self.page_tree.is_lifting:
            return "pages are lifted; ‹arrange.drop› drops them"
        if action == "arrange.apply":
            return None if self.writing.staged_moves else "no moves are staged"
        if action == "change.undo" and self.writing.staged_moves:
            return None
        if action in _NOT_WHILE_STAGED and self.writing.staged_moves:
            return "moves are staged; ‹arrange.apply› applies them, ‹change.undo› undoes them"
        return (
            why_not(
                action,
                at=self._at,
                space=self.head.trusted_space,
                unknown=self.head.why_unknown,
                page=self._page_here if action in ADDRESSES else self.reading.shown,
                on_pages=self.tabs.on_content
                or (action in _OF_TEXT and bool(self.panels.display))
                or (action == "item.new" and self.tabs.current == FILES),
                has_tree=bool(self.panels.display),
                draft=not self.page_tree.selected and self.reading.page in self.writing.editing.drafts,
                writes=self._takes_edits,
            )
            or self.reading.why_not(action)
            or super().why_not(action)
        )
