"""A site: its structure as a tree in which items are moved, what will change, and facts about it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.widgets import Static

from recto.contract.organizations import Organization, Organizations
from recto.contract.sites import Site, Sites
from recto.contract.structure import SiteStructure, Structure
from recto.store.arrangement import Arrangement, Item, Kind, changed_addresses
from recto.store.locations import SiteLocation, SpaceLocation
from recto.store.rearranging import Site as SiteAddress
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.dialogs.confirm import Confirm
from recto.tui.lists.site_tree import SiteTree
from recto.tui.lists.virtual_list import FactList, VirtualList
from recto.tui.look.fact_rows import heading, rows
from recto.tui.look.lines import Line, plain
from recto.tui.look.signs import count
from recto.tui.navigation.addresses import for_browser
from recto.tui.navigation.messages import GoBack, GoPrevious
from recto.tui.screens.site.items import SiteItems, why_item_not
from recto.tui.screens.site.moves import SiteMoves
from recto.tui.screens.view import View
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.site_facts import (
    item_lines,
    progress_lines,
    site_lines,
    staged_lines,
)

if TYPE_CHECKING:
    from recto.store.mutation import Mutation
    from recto.store.query import Query
    from recto.store.store import Store

_GROUP = "Site"

actions.register(
    Action("site.apply", "Apply the staged moves", ("A",), _GROUP, "apply", writes=True),
    Action("site.path", "Change the path", ("p",), _GROUP, writes=True),
    Action("site.condition", "Change on what condition it is shown", ("c",), _GROUP, writes=True),
    Action("site.make_default", "Make it the default", ("asterisk",), _GROUP, writes=True),
)

_CHANGING = {
    *("site.apply", "site.path", "site.condition", "site.make_default"),
    *("item.new", "item.rename", "item.delete", "change.undo", "change.redo"),
}


class SiteView(View[SiteLocation]):
    """Shows a site. Moves are staged; all other changes are made at once."""

    BINDINGS = bindings(
        "site.apply",
        "item.new",
        "item.rename",
        "site.path",
        "site.condition",
        "site.make_default",
        "item.delete",
        "item.open_in_browser",
        "item.copy_link",
        "view.refresh",
    )

    def __init__(self, store: Store, location: SiteLocation) -> None:
        super().__init__(store, location)
        self._address = SiteAddress(location.organization, location.site)
        self._items = SiteItems(self, self._address)
        self._moves = SiteMoves(self, self._address, self._show)
        self._cursor: str | None = location.item
        """The item to put the cursor on when it is there."""
        self._row = location.row
        """The row to put the cursor on at first."""

    def compose_body(self) -> ComposeResult:
        """Put the tree, the facts beside it, and a line for where lifted items would land."""
        yield Panel("Structure", SiteTree(id="tree"), id="structure")
        yield Panel("About", FactList(id="facts"), id="about")
        yield Static(id="landing")

    def on_mount(self) -> None:
        """Follow the site and its structure."""
        address = (self._address.organization, self._address.id)
        self._organization: Query[Organization] = self.store.query(Organizations.get_organization, address[0])
        self._site: Query[Site] = self.store.query(Sites.get_site, *address)
        self._structure: Query[SiteStructure] = self.store.query(Structure.get_structure, *address)
        self._tree.focus()
        self.follow(self._organization, self._show_head)
        self.follow(self._site, self._show_head)
        self.follow(self._structure, self._take_in)
        self.listen(self.store.runs, self._moves.hear)

    # What is shown

    @property
    def _tree(self) -> SiteTree:
        return self.query_one(SiteTree)

    @property
    def _item(self) -> Item | None:
        key = self._tree.cursor_key
        return self._arrangement.items.get(str(key))

    @property
    def _arrangement(self) -> Arrangement:
        """What the site will look like."""
        staging = self._moves.staging
        return staging.arrangement if staging is not None else Arrangement({}, {})

    @property
    def location(self) -> SiteLocation:
        """The site, and the row of the cursor."""
        if not self.is_attached or self._moves.staging is None:
            return self.opened_at
        title = self._site.value.title if self._site.value else self.opened_at.title
        return SiteLocation(self._address.organization, self._address.id, row=self._tree.cursor, title=title)

    def arrive(self, location: SiteLocation) -> None:
        """Go to the item that the location names."""
        if item := location.item:
            self._tree.reveal(item)

    def _show_head(self, _query: object = None) -> None:
        organization, site = self._organization.value, self._site.value
        trail = (organization.title if organization else "…", site.title if site else self.opened_at.title or "…")
        aside = ""
        if site is not None:
            aside = "published" if site.published else "not published"
        self.show_where(*trail, aside=aside)
        self._show_facts()

    def _take_in(self, query: Query[SiteStructure]) -> None:
        """Show what the server has, with what is staged on top of it as far as it still fits."""
        panel = self.query_one("#structure", Panel)
        if not panel.show_state(query, "the structure of the site") or query.value is None:
            return
        # What is shown while it is being asked for anew is older than what is known from one's own moves.
        if self._moves.staging is None or not (query.stale or self._moves.run):
            self._moves.take_in(Arrangement.of(query.value))

    def _show(self, cursor: str | None = None) -> None:
        staging = self._moves.staging
        if staging is None:
            return
        cursor = cursor or self._cursor
        found = cursor if cursor in staging.arrangement.items else None
        if found is not None:
            self._cursor = None
        self._tree.show_site(staging.arrangement, staging.origins, found)
        if found is not None:
            self._tree.reveal(found)
        elif self._row is not None:
            self._tree.cursor = self._row
        self._row = None
        panel = self.query_one("#structure", Panel)
        kinds = [item.kind for item in staging.arrangement.items.values()]
        counted = [count(kinds.count(kind), kind.word) for kind in Kind if kinds.count(kind)]
        below = f"{count(len(staging.moves), 'move')} staged" if staging.moves else ""
        panel.entitle("Structure", ", ".join(counted), below)
        if not staging.arrangement.items and not staging.arrangement.unread:
            panel.show_empty("There is nothing on this site yet: sections and spaces would be here.", "a", "adds one")
        self._show_facts()
        self.refresh_bindings()

    def _show_facts(self) -> None:
        told: list[Line] = []
        staging, run, conduct = self._moves.staging, self._moves.run, self._moves.conduct
        if run is not None and conduct is not None:
            told += progress_lines(run.mutation.doing, conduct.latest, [step.sentence for step in conduct.steps])
        elif staging is not None:
            told += staged_lines(staging, changed_addresses(staging.base, staging.arrangement))
        if (item := self._item) is not None:
            told += item_lines(self._arrangement, item)
        if self._site.value is not None:
            told += site_lines(self._site.value, self.store.clock())
        elif self._site.error is not None:
            told += [heading("The site could not be loaded"), [(plain(str(self._site.error)), "error")]]
            told += [[("r", "accent"), (" tries again", "muted")]]
        self.query_one(FactList).show(rows(told))

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Tell about the item under the cursor."""
        if event.list is self._tree:
            self._show_facts()
            self.refresh_bindings()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go to the space that a site space shows, or where a link leads; open or close anything else."""
        item = self._item
        if event.list is not self._tree or item is None:
            return
        if item.kind is Kind.SITE_SPACE and item.space is not None:
            self.go(SpaceLocation(item.space))
        elif item.kind is Kind.LINK:
            self.action_item_open_in_browser()
        elif (row := self._tree.current) is not None and row.expandable:
            self._tree.toggle(row)

    # Moving

    def on_site_tree_lift_changed(self, event: SiteTree.LiftChanged) -> None:
        """Say where what is lifted would land, or why it cannot."""
        line = self.query_one("#landing", Static)
        line.display = event.lift is not None
        if event.lift is not None:
            place = event.lift.place
            line.set_class(place.reason is not None, "-refused")
            line.update(plain(("× " if place.reason else "► ") + place.sentence(self._tree.arrangement)))
        self.refresh_bindings()

    def on_site_tree_refused(self, event: SiteTree.Refused) -> None:
        """Say why not."""
        self.say(event.reason)

    def on_site_tree_move_wanted(self, event: SiteTree.MoveWanted) -> None:
        """Stage a move."""
        self._moves.add(event.move)

    def action_site_apply(self) -> None:
        """Show what will be done, and do it."""
        self.work(self._moves.apply(), "apply", group="moves")

    def action_change_undo(self) -> None:
        """Take back the last staged move; where none is staged, the last change."""
        if self._moves.staged:
            self._moves.drop_last()
        elif self._moves.undoable is not None:
            self.work(self._moves.take_back(), "undo", group="moves")
        else:
            super().action_change_undo()

    # Items

    def action_item_new(self) -> None:
        """Add a section, a group or a space."""
        self._change(lambda: self._items.new(self._arrangement, self._item))

    def action_item_rename(self) -> None:
        """Give the item another title."""
        if (item := self._item) is not None:
            self._change(lambda: self._items.rename(item))

    def action_item_delete(self) -> None:
        """Remove the item."""
        if (item := self._item) is not None:
            self._change(lambda: self._items.delete(self._arrangement, item))

    def action_site_path(self) -> None:
        """Change the path of the item."""
        if (item := self._item) is not None:
            self._change(lambda: self._items.path(self._arrangement, item))

    def action_site_condition(self) -> None:
        """Change on what condition the item is shown."""
        if (item := self._item) is not None:
            self._change(lambda: self._items.condition(item))

    def action_site_make_default(self) -> None:
        """Make the item what its section, or the site, opens with."""
        if (item := self._item) is not None:
            self._change(lambda: self._items.default(self._arrangement, item))

    def _change(self, ask: Callable[[], Coroutine[Any, Any, Mutation[Any] | None]]) -> None:
        self.work(self._make_change(ask), "change", group="change")

    async def _make_change(self, ask: Callable[[], Coroutine[Any, Any, Mutation[Any] | None]]) -> None:
        """Ask, and make the change; where that fails, ask again with what was typed."""
        self._items.forget()
        while (mutation := await ask()) is not None:
            outcome = await self.send(mutation)
            if outcome.error is None:
                self._cursor = getattr(outcome.value, "id", None)
                self.say(f"{mutation.done}.")
                return
            self.say_failed(outcome.error)
            if not self._items.has_typed:
                return

    def action_item_open_in_browser(self) -> None:
        """Open what is published, or where a link leads, in the browser."""
        if address := self._published:
            self.app.open_url(address)

    def action_item_copy_link(self) -> None:
        """Copy the address at which it is published."""
        if address := self._published:
            self.app.copy_to_clipboard(address)
            self.say(f"Copied {address}")

    @property
    def _published(self) -> str | None:
        item, site = self._item, self._site.value
        address = item.url or item.published if item is not None else site.urls.published if site is not None else None
        return for_browser(address)

    def action_view_refresh(self) -> None:
        """Ask for the site anew."""
        for query in (self._organization, self._site, self._structure):
            query.refresh()

    # What can be done

    def why_not(self, action: str) -> str | None:
        """Say why an action cannot be done now."""
        if not self.is_mounted:
            return None
        if action in _CHANGING:
            if self._moves.run is not None:
                return "moves are being made"
            if self._tree.lift is not None:
                return "something is lifted; enter drops it, esc puts it back"
            if self._moves.staging is None:
                return "the site is not loaded"
        if action == "site.apply":
            return None if self._moves.staged else "no moves are staged"
        if action == "change.undo" and self._moves.staged:
            return None
        if action in ("item.open_in_browser", "item.copy_link"):
            if self._published:
                return None
            return "its address is not on the web" if self._item and self._item.url else "it is not published"
        return why_item_not(action, self._arrangement, self._item) or super().why_not(action)

    # Leaving

    @property
    def lost_on_leaving(self) -> str | None:
        """What is staged and goes when one leaves."""
        moves = self._moves.staged
        return f"{count(moves, 'staged move')}, not applied" if moves else None

    def escape(self) -> bool:
        """Put back what is lifted, or make no more of the moves under way."""
        if self._tree.lift is not None:
            self._tree.put_back()
            return True
        if self._moves.halt():
            self.say("No more moves after this one.")
            return True
        return super().escape()

    def action_view_escape(self) -> None:
        """Undo the innermost, then go back."""
        if not self.escape():
            self._leave(lambda: self.post_message(GoBack()))

    def action_view_back(self) -> None:
        """Go back to where one came from."""
        self._leave(lambda: self.post_message(GoBack()))

    def action_view_previous(self) -> None:
        """Go to the view seen before."""
        self._leave(lambda: self.post_message(GoPrevious()))

    def action_view_quit(self) -> None:
        """Go back, and on the first view leave the program."""
        self._leave(lambda: self.post_message(GoBack(quit=True)))

    def _leave(self, go: Callable[[], object]) -> None:
        if self._moves.run is not None:
            self.say("Moves are being made: wait a moment, or esc stops them after the one under way.")
        elif self.lost_on_leaving is None:
            go()
        else:
            self.work(self._ask_to_leave(go), "leave")

    async def _ask_to_leave(self, go: Callable[[], object]) -> None:
        says = f"There are {self.lost_on_leaving}. Leaving the site forgets them."
        if await self.ask(Confirm("Leave the site", says, does="leaves and forgets them")):
            go()
