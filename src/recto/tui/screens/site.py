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
from recto.store.move_plan import plan
from recto.store.moves import Refusal
from recto.store.places import Spot
from recto.store.rearranging import Conduct, Stopped, rearrange, rearranging
from recto.store.rearranging import Site as SiteAddress
from recto.store.staging import Staging, staged
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.moves import GO_ON, TAKE_BACK, ConfirmMoves, MovesStopped
from recto.tui.lines import Line, plain
from recto.tui.navigation import GoBack, GoPrevious, at_space
from recto.tui.screens.site_items import SiteItems
from recto.tui.screens.view import View
from recto.tui.signs import count
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.site_facts import (
    Facts,
    address_lines,
    heading,
    item_lines,
    progress_lines,
    rows,
    site_lines,
    staged_lines,
)
from recto.tui.widgets.site_tree import SiteTree
from recto.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from recto.store.mutation import Mutation, Run
    from recto.store.query import Query
    from recto.store.store import Store

_GROUP = "Site"

actions.register(
    Action("site.apply", "Apply the staged moves", ("A",), _GROUP, "apply"),
    Action("site.path", "Change the path", ("p",), _GROUP),
    Action("site.condition", "Change on what condition it is shown", ("c",), _GROUP),
    Action("site.make_default", "Make it the default of its section", ("asterisk",), _GROUP),
)

_CHANGING = {
    *("site.apply", "site.path", "site.condition", "site.make_default"),
    *("item.new", "item.rename", "item.delete", "change.undo", "change.redo"),
}


class SiteView(View):
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

    def __init__(self, store: Store, spot: Spot) -> None:
        super().__init__(store, spot)
        self._address = SiteAddress(spot.arguments["organization"], spot.arguments["site"])
        self._items = SiteItems(self, self._address)
        self._staging: Staging | None = None
        self._moving: Run[Any] | None = None
        self._cursor: str | None = spot.arguments.get("item")
        """The item to put the cursor on when it is there."""

    def compose_body(self) -> ComposeResult:
        """Put the tree, the facts beside it, and a line for where lifted items would land."""
        yield Panel("Structure", SiteTree(id="tree"), id="structure")
        yield Panel("About", Facts(id="facts"), id="about")
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
        self.hear(self.store.runs, self._hear_run)

    # What is shown

    @property
    def _tree(self) -> SiteTree:
        return self.query_one(SiteTree)

    @property
    def _item(self) -> Item | None:
        key = self._tree.cursor_key
        return self._staging.arrangement.items.get(str(key)) if self._staging is not None else None

    @property
    def spot(self) -> Spot:
        """The site, at the item under the cursor."""
        item = self._item if self.is_attached else None
        arguments = {"organization": self._address.organization, "site": self._address.id}
        title = self._site.value.title if self.is_attached and self._site.value else self.opened_at.title
        return Spot(self.opened_at.screen, arguments | ({"item": item.id} if item else {}), title)

    def arrive(self, spot: Spot) -> None:
        """Go to the item that the spot names."""
        if item := spot.arguments.get("item"):
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
        if not panel.follow(query, "the structure of the site") or query.value is None:
            return
        # What is shown while it is being asked for anew is older than what is known from one's own moves.
        if self._staging is not None and (query.stale or self._moving is not None):
            return
        base = Arrangement.of(query.value)
        before = self._staging
        if before is None or not before.moves:
            self._staging = Staging(base)
        else:
            self._staging, lost = before.onto(base)
            if not base.same_order(before.base):
                self._tell_moved_on(lost)
        self._show()

    def _tell_moved_on(self, lost: tuple[str, ...]) -> None:
        says = "The site has changed on the server. Your moves are staged on what it is now."
        if lost:
            says = f"The site has changed on the server. No longer staged: {' '.join(lost)}"
        self.notify(plain(says), severity="warning", timeout=10, markup=False)

    def _show(self, cursor: str | None = None) -> None:
        staging = self._staging
        if staging is None:
            return
        cursor = cursor or self._cursor
        found = cursor if cursor in staging.arrangement.items else None
        if found is not None:
            self._cursor = None
        self._tree.show_site(staging.arrangement, staging.origins, found)
        if found is not None:
            self._tree.reveal(found)
        panel = self.query_one("#structure", Panel)
        kinds = [item.kind for item in staging.arrangement.items.values()]
        counted = [count(kinds.count(kind), kind.word) for kind in Kind if kinds.count(kind)]
        below = f"{count(len(staging.moves), 'move')} staged" if staging.moves else ""
        panel.entitle("Structure", ", ".join(counted), below)
        if not staging.arrangement.items:
            panel.show_empty("There is nothing on this site yet: sections and spaces would be here.", "a", "adds one")
        self._show_facts()
        self.refresh_bindings()

    def _show_facts(self) -> None:
        told: list[Line] = []
        staging = self._staging
        if self._moving is not None and isinstance(conduct := self._moving.mutation.progress, Conduct):
            steps = [step.sentence for step in conduct.steps]
            told += progress_lines(self._moving.mutation.doing, conduct.latest, steps)
        elif staging is not None:
            told += staged_lines(staging, changed_addresses(staging.base, staging.arrangement))
        if staging is not None and (item := self._item) is not None:
            told += item_lines(staging.arrangement, item)
        if self._site.value is not None:
            told += site_lines(self._site.value, self.store.clock())
        elif self._site.error is not None:
            told += [heading("The site could not be loaded"), [(plain(str(self._site.error)), "error")]]
            told += [[("r", "accent"), (" tries again", "muted")]]
        self.query_one(Facts).show(rows(told))

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Tell about the item under the cursor."""
        if event.list is self._tree:
            self._show_facts()
            self.refresh_bindings()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go to the space that a site space shows; open or close anything else."""
        item = self._item
        if event.list is not self._tree or item is None:
            return
        if item.kind is Kind.SITE_SPACE and item.space is not None:
            self.go(at_space(item.space))
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
        if self._staging is None or self._moving is not None:
            return
        added = self._staging.add(event.move)
        if isinstance(added, Refusal):
            self.say(added.reason)
            return
        self._staging = added
        self._show(event.move.items[0])

    def action_site_apply(self) -> None:
        """Show what will be done, and do it."""
        self.work(self._apply(), "apply", group="apply")

    async def _apply(self) -> None:
        fresh = await self.store.fetch(Structure.get_structure, self._address.organization, self._address.id)
        base = Arrangement.of(fresh)
        if self._staging is not None and not base.same_order(self._staging.base):
            self._staging, lost = self._staging.onto(base)
            self._tell_moved_on(lost)
            self._show()
        staging = self._staging
        if staging is None or not staging.steps:
            self.say("Nothing is left to apply.")
            return
        steps = [step.sentence for step in staging.steps]
        changed = address_lines(changed_addresses(staging.base, staging.arrangement))
        title = f"Apply {count(len(steps), 'step')}"
        if await self.ask(ConfirmMoves(title, steps, changed, does="makes them, in this order")):
            await self._make(staging)

    async def _make(self, staging: Staging) -> None:
        moves = count(len(staging.steps), "move")
        mutation = rearranging(
            self._address,
            staging.base,
            staging.arrangement,
            doing=f"Making {moves}",
            done=f"Made {moves}",
            moving={step.item.id for step in staging.steps},
            conduct=Conduct(),
        )
        run = rearrange(self.store, mutation)
        self._hear_run(run)
        outcome = await run
        self._moving = None
        if outcome.value is not None:
            self._staging = Staging(outcome.value.after)
            self._show()
            self.say(f"{mutation.done}. u takes them back.")
        elif isinstance(outcome.error, Stopped):
            await self._stopped(outcome.error)
        elif outcome.error is not None:
            self._show()
            self.say_failed(outcome.error)

    async def _stopped(self, stopped: Stopped) -> None:
        """Stage what is left on what was done, and ask whether to go on or to take back."""
        again = staged(stopped.after, stopped.left)
        staging = again if isinstance(again, Staging) else Staging(stopped.after)
        self._staging = staging
        self._show()
        done, left = ([step.sentence for step in steps] for steps in (stopped.done, stopped.left))
        answer = await self.ask(MovesStopped(str(stopped), done, left))
        if answer == GO_ON:
            await self._make(staging)
        elif answer == TAKE_BACK:
            self._staging = Staging(stopped.after)
            await self._take_back()

    def _hear_run(self, run: Run[Any]) -> None:
        """Follow moves that are being made, taken back or made again."""
        if run.mutation.lane != self._address.lane or not isinstance(run.mutation.progress, Conduct):
            return
        self._moving = None if run.task.done() or run.state.value != "running" else run
        self._show_facts()
        self.refresh_bindings()

    # Undo

    def action_change_undo(self) -> None:
        """Take back the last staged move; where none is staged, the last change."""
        if self._staging is not None and self._staging.moves:
            last = self._staging.moves[-1]
            self._staging = self._staging.without_last()
            self._show(last.move.items[0])
            self.say(f"No longer staged: {last.sentence}")
        elif self._undoable_moves is not None:
            self.work(self._take_back(), "undo", group="apply")
        else:
            super().action_change_undo()

    @property
    def _undoable_moves(self) -> Conduct | None:
        undoable = self.store.history.undoable
        if undoable is None or undoable.lane != self._address.lane:
            return None
        return undoable.progress if isinstance(undoable.progress, Conduct) else None

    async def _take_back(self) -> None:
        conduct = self._undoable_moves
        made = conduct.came_of_it if conduct is not None else None
        if made is None or not made.after.same_items(made.before):
            return
        steps = [step.sentence for step in plan(made.after, made.before)]
        changed = address_lines(changed_addresses(made.after, made.before))
        title = f"Take back {count(len(steps), 'move')}"
        if await self.ask(ConfirmMoves(title, steps, changed, does="takes them back, in this order")):
            await self._undo()

    # Items

    def action_item_new(self) -> None:
        """Add a section, a group or a space."""
        if self._staging is not None:
            self._change(self._items.new(self._staging.arrangement, self._item))

    def action_item_rename(self) -> None:
        """Give the item another title."""
        if (item := self._item) is not None:
            self._change(self._items.rename(item))

    def action_item_delete(self) -> None:
        """Remove the item."""
        if self._staging is not None and (item := self._item) is not None:
            self._change(self._items.delete(self._staging.arrangement, item))

    def action_site_path(self) -> None:
        """Change the path of the item."""
        if self._staging is not None and (item := self._item) is not None:
            self._change(self._items.path(self._staging.arrangement, item))

    def action_site_condition(self) -> None:
        """Change on what condition the item is shown."""
        if (item := self._item) is not None:
            self._change(self._items.condition(item))

    def action_site_make_default(self) -> None:
        """Make the site space the default of its section."""
        if self._staging is not None and (item := self._item) is not None:
            self._change(self._items.default(self._staging.arrangement, item))

    def _change(self, asked: Coroutine[Any, Any, Mutation[Any] | None]) -> None:
        self.work(self._make_change(asked), "change", group="change")

    async def _make_change(self, asked: Coroutine[Any, Any, Mutation[Any] | None]) -> None:
        mutation = await asked
        if mutation is None:
            return
        outcome = await self.store.run(mutation)
        if outcome.error is not None:
            self.say_failed(outcome.error)
            return
        self._cursor = getattr(outcome.value, "id", None)
        self.say(f"{mutation.done}.")

    def action_item_open_in_browser(self) -> None:
        """Open what is published in the browser."""
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
        address = item.published if item is not None else site.urls.published if site is not None else None
        return address if address and address.startswith(("https://", "http://")) else None

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
            if self._moving is not None:
                return "moves are being made"
            if self._tree.lift is not None:
                return "something is lifted; enter drops it, esc puts it back"
            if self._staging is None:
                return "the site is not loaded"
        if action == "change.undo" and self._staging is not None and self._staging.moves:
            return None
        return self._why_item_not(action) or super().why_not(action)

    def _why_item_not(self, action: str) -> str | None:
        item = self._item
        if action == "site.apply":
            return None if self._staging is not None and self._staging.moves else "no moves are staged"
        if action in ("item.open_in_browser", "item.copy_link"):
            return None if self._published else "it is not published"
        if action in ("item.rename", "item.delete", "site.path", "site.condition", "site.make_default"):
            if item is None:
                return "there is no item here"
            return _WHY_NOT.get((action, item.kind)) or self._why_default_not(action, item)
        return None

    def _why_default_not(self, action: str, item: Item) -> str | None:
        if action != "site.make_default" or self._staging is None:
            return None
        if item.default:
            return "it is the default already"
        return None if self._staging.arrangement.parents[item.id] else "it is in no section"

    # Leaving

    @property
    def lost_on_leaving(self) -> str | None:
        """What is staged and goes when one leaves."""
        moves = len(self._staging.moves) if self._staging is not None and self._moving is None else 0
        return f"{count(moves, 'staged move')}, not applied" if moves else None

    def escape(self) -> bool:
        """Put back what is lifted, or make no more of the moves under way."""
        if self._tree.lift is not None:
            self._tree.put_back()
            return True
        if self._moving is not None and isinstance(conduct := self._moving.mutation.progress, Conduct):
            conduct.halt()
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
        if self.lost_on_leaving is None:
            go()
        else:
            self.work(self._ask_to_leave(go), "leave")

    async def _ask_to_leave(self, go: Callable[[], object]) -> None:
        says = f"There are {self.lost_on_leaving}. Leaving the site forgets them."
        if await self.ask(Confirm("Leave the site", says, does="leaves and forgets them")):
            go()


_WHY_NOT = {
    ("item.rename", Kind.SITE_SPACE): "a site space is called as its space",
    ("item.rename", Kind.OTHER): "this version does not know what it is",
    ("item.delete", Kind.OTHER): "this version does not know what it is",
    ("site.path", Kind.GROUP): "a group has no path",
    ("site.path", Kind.OTHER): "this version does not know what it is",
    ("site.condition", Kind.GROUP): "a group has no condition",
    ("site.condition", Kind.OTHER): "this version does not know what it is",
    ("site.make_default", Kind.GROUP): "only a site space can be the default of its section",
    ("site.make_default", Kind.SECTION): "only a site space can be the default of its section",
    ("site.make_default", Kind.OTHER): "this version does not know what it is",
}
