"""A space: its page tree, the page that is read, one side panel, and its lists on tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from textual import work

from recto.contract.content import Page
from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space, Spaces
from recto.store.locations import SpaceLocation
from recto.store.search import search_organization, search_space
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.lists.tree_list import TreeList
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look.signs import LOCKED
from recto.tui.page.view import PageView
from recto.tui.screens.reading.page_index import title_of
from recto.tui.screens.space import aside
from recto.tui.screens.space.frame import SpaceFrame
from recto.tui.screens.space.inventory import Inventory
from recto.tui.screens.space.layout import PAGE, SIDE, TREE
from recto.tui.screens.space.neighbours import Neighbours
from recto.tui.screens.space.page_tree import Walk
from recto.tui.screens.space.reasons import why_not
from recto.tui.screens.space.side import Side
from recto.tui.screens.space.tab_names import COMMENTS
from recto.tui.screens.space.talk_lists import Lists
from recto.tui.screens.space.writing import Writing

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.comments import Comment
    from recto.store.query import Query
    from recto.store.store import Store

T = TypeVar("T")

_GROUP = "Space"
actions.register(
    Action("space.search", "Search this space, or the organization", ("s",), _GROUP, "search"),
    Action("space.comment", "Comment on the block under the cursor", ("c",), _GROUP, "comment", writes=True),
    Action("space.outline", "Outline of the page", ("t",), _GROUP, "outline"),
    Action("space.comments", "Comments on the page", ("C",), _GROUP),
    Action("space.facts", "Facts about the page", ("i",), _GROUP, "facts"),
    Action("space.links", "Links of the page, and what points at it", ("b",), _GROUP, "links"),
    Action("space.choose_request", "Choose the change request that edits go to", ("w",), _GROUP),
)


class SpaceView(SpaceFrame):
    """Shows a space. What is typed goes to change requests; the main content is only read."""

    BINDINGS = bindings(
        "page.edit",
        "page.edit_here",
        "space.search",
        "space.comment",
        "space.outline",
        "space.comments",
        "space.facts",
        "space.links",
        "space.choose_request",
        "item.new",
        "item.rename",
        "item.delete",
        "view.refresh",
    )

    # Textual would put the focus on the tree first, and who comes back to another panel would be led away from it.
    AUTO_FOCUS = ""

    def __init__(self, store: Store, location: SpaceLocation) -> None:
        super().__init__(store, location)
        self.lists = Lists(self, self.space)
        self.inventory = Inventory(self, self.space)
        self.writing = Writing(self, self.space, self.reader, self.lists, location.edits_to)
        self.neighbours = Neighbours(self, self.space, self.reader)
        self.pages = Walk(self, self.space, self.reader, self.lists, self.writing.editing, self.neighbours, location)
        side = location.side if location.side in aside.KINDS else None
        self.side = Side(self, self.space, self.reader, self.lists, self.neighbours, side)
        self._space: Query[Space] | None = None
        self._organization: Query[Organization] | None = None
        self._looks_around = False
        self._searched = ("", 0)
        """What was searched for last, and how far."""

    # What is shown

    def on_mount(self) -> None:
        """Show what is known of the space and of what is in it, and ask for the rest."""
        if self.store.locations is not None:
            self.reader.recall(self.store.locations.recent(self.store.address))
        if self.on_content or self.tab in self._lists:
            self.turn_to(self.tab)  # else a key has switched meanwhile: it is turned to when its list is there
        if self.store.known(Spaces.get_space, self.space) is not None:
            self._follow_space()
        else:
            self._show_head()
        self.pages.begin()
        self.side.show()
        self.work(self._go_on(), "rest")

    async def _go_on(self) -> None:
        """Ask for the pages, and when their tree is there or known not to come for what can wait."""
        # First of all is a frame: a server in the same process would make that come late, and itself be no earlier.
        await self.first_painted()
        if self._space is None:
            self._follow_space()
        await self.pages.ask()
        self.put_off(self._ask_for_rest)

    def _ask_for_rest(self) -> None:
        self.lists.begin()
        self.writing.find_drafts()

    def _follow_space(self) -> None:
        self._space = self.store.query(Spaces.get_space, self.space)
        self.follow(self._space, self._show_head)

    @property
    def _shown_space(self) -> Space | None:
        return self._space.value if self._space is not None else None

    def _show_head(self, _query: Query[Any] | None = None) -> None:
        space = self._shown_space
        if space is not None and self._organization is None and space.organization:
            self._organization = self.store.query(Organizations.get_organization, space.organization)
            self.follow(self._organization, self._show_head)
        organization = self._organization.value if self._organization is not None else None
        locked = f"{LOCKED.sign} {LOCKED.word}" if space is not None and space.edit_mode == "locked" else ""
        going = f"edits go to #{self.writing.editing.number}" if self._target is not None else ""
        self.show_where(
            *([organization.title] if organization is not None else []),
            space.title if space is not None else "Space",
            aside=" · ".join(part for part in (going, locked) if part),
        )
        self.refresh_bindings()

    @property
    def _target(self) -> ChangeRequest | None:
        return next((one for one in self.lists.open_requests if one.number == self.writing.editing.number), None)

    # What the parts tell of

    def page_shown(self, page: Page) -> None:
        """Hear from the reader that another text is in sight."""
        index = self.reader.index
        trail = index.trail(page.id)[:-1] if page.id in index else ()
        self.panels.panel(PAGE).entitle(title_of(page), below=f"in {' › '.join(trail)}" if trail else "")
        self._show_beside()

    def page_gone(self) -> None:
        """Hear from the reader that no page is in sight."""
        self._show_beside()

    def _show_beside(self) -> None:
        """Show what there is about the page in sight, and what can be done with it."""
        self._show_draft()
        self.side.show()
        self.refresh_bindings()

    def comments_changed(self) -> None:
        """Hear that other comments are known."""
        self.pages.show()
        self._mark_comments()
        if self.side.kind == aside.COMMENTS:
            self.side.show()

    def requests_changed(self) -> None:
        """Hear that other change requests are known, or that edits go to another one."""
        self._show_head()
        self.pages.follow_changes(self._target)

    def neighbours_changed(self) -> None:
        """Hear that more is known of links."""
        self.panels.sheet.tell_links(self.neighbours.is_broken)
        self.pages.show()
        if self.side.kind in (aside.LINKS, aside.FACTS):
            self.side.show()

    def drafts_changed(self) -> None:
        """Hear that other drafts are on disk."""
        if self.is_mounted:
            self._show_draft()
            self.pages.show()
            self.refresh_bindings()

    def _show_draft(self) -> None:
        self.panels.note(self.writing.draft_note(self.reader.page or ""))

    def place_changed(self) -> None:
        """Remember the place in the page: the program may end without a word."""
        if self.store.locations is not None and self.reader.page is not None:
            self.store.locations.remember(self.store.address, self.location)

    # Where one is

    @property
    def location(self) -> SpaceLocation:
        """Where one is: page, place in it, tab, panels, and what is open in the tree."""
        if not self.is_mounted or self.pages.wanted is not None:
            return self.opened_at
        page, index = self.reader.page, self.reader.index
        opened, closed = self.pages.branches()
        return SpaceLocation(
            self.space,
            page=page,
            title=title_of(index.pages[page]) if page in index.pages else "",
            position=self.reader.position,
            tab=self.tab,
            panel=self.panels.part,
            side=self.side.kind,
            tree_width=self.panels.widths.get(TREE, 0),
            side_width=self.panels.widths.get(SIDE, 0),
            edits_to=self.writing.editing.number,
            opened=opened,
            closed=closed,
        )

    def arrive(self, location: SpaceLocation) -> None:
        """Go to a page of this space."""
        page = location.page
        if self.pages.wanted is not None:
            self.pages.wanted = location
        elif page is not None and page not in self.reader.index:
            self.say("This space has no such page any more.")
        elif page is not None:
            self.show_content()
            self.read(lambda: self.visit(page, location.anchor))

    # Walking and reading

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the page that the tree's cursor stands on; go on with a list whose end is near."""
        self.inventory.passed(event)
        page = str(event.key)
        if event.list is self.panels.page_tree and page != self.reader.page and page in self.reader.index:
            self.reader.open(page)

    def on_tree_list_filtered(self, event: TreeList.Filtered) -> None:
        """Say how many of the pages are shown."""
        self.pages.filtered()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Read the page, or go where a row of a list leads."""
        if event.list is self.panels.page_tree:
            # As long as only the beginning of the tree is there, none can be entered.
            if (page := self.reader.index.pages.get(str(event.key))) is not None:
                self.enter(page)
        elif event.list is self.panels.aside:
            self.side.choose(event)
        elif not self.lists.choose(event):
            self.inventory.choose(event, self.reader.page)

    def on_page_view_shown(self, event: PageView.Shown) -> None:
        """Show what belongs to the page that can be seen now."""
        self.reader.landed()
        if not self._looks_around:
            self._looks_around = True
            # What is broken anywhere in the space can wait until there is something to read.
            self.put_off(self.neighbours.begin)
        self.panels.sheet.tell_links(self.neighbours.is_broken)
        self._mark_comments()
        self.side.show()

    def on_page_view_block_changed(self, event: PageView.BlockChanged) -> None:
        """Follow the reader in the outline."""
        self.side.follow_cursor()

    # Writing

    def action_page_edit(self) -> None:
        """Edit the page in the person's editor."""
        self.writing.edit(built_in=False)

    def action_page_edit_here(self) -> None:
        """Edit the page here."""
        self.writing.edit(built_in=True)

    def action_space_choose_request(self) -> None:
        """Choose where edits go."""
        self.writing.choose_request()

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
        self.writing.comment(self.panels.sheet.cursor_line)

    def open_thread(self, comment: Comment) -> None:
        """Show a thread."""
        self.writing.open_thread(comment)

    @property
    def unsent(self) -> str | None:
        """The text being typed, as a noun, or ``None``."""
        return self.writing.unsent

    @work(group="marks", exclusive=True, exit_on_error=False)
    async def _mark_comments(self) -> None:
        # Not by ``self.work``: cancelled before it began, its coroutine would be left over.
        await self.writing.mark_comments()

    # Searching

    def action_space_search(self) -> None:
        """Search the space."""
        self.work(self._search(), "search")

    async def _search(self) -> None:
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
            self.go(SpaceLocation(found.space, page=found.page, anchor=found.anchor))

    def action_view_refresh(self) -> None:
        """Ask anew for what is shown."""
        if self._space is not None:
            self._space.refresh()
        if self.on_content:
            self.pages.refresh()
            self.reader.refresh()
            self.lists.refresh(COMMENTS)
            self.neighbours.refresh()
        else:
            self.lists.refresh(self.tab)
            self.inventory.refresh(self.tab)

    def why_not(self, action: str) -> str | None:
        """Say why an action cannot be done now."""
        if not self.is_mounted:
            return None
        return why_not(
            action,
            space=self._shown_space,
            page=self.reader.shown,
            on_pages=self.on_content,
            draft=self.reader.page in self.writing.editing.drafts,
            writes=not self.store.lacks("ContentChanges.write_content"),
        ) or super().why_not(action)
