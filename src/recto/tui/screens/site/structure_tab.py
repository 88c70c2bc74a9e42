"""The tab with a site's structure: a tree in which items are moved, what will change, and facts about it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from recto.contract.sites import Site, Sites
from recto.document.text import count
from recto.store.arrangement import Arrangement, Item, Kind, address_of, find_changed_addresses
from recto.store.locations import SiteLocation, SpaceLocation
from recto.store.mutation import Undecided
from recto.tui import actions
from recto.tui.actions import Action, bindings, not_loaded
from recto.tui.dialogs.confirm_moves import address_lines
from recto.tui.lists.fact_list import FactList
from recto.tui.lists.lift_tree import LandingLine, LiftTree
from recto.tui.look import signs
from recto.tui.look.fact_rows import fact, heading, rows
from recto.tui.look.lines import Line, plain
from recto.tui.look.times import both
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.applied_moves import AppliedMoves
from recto.tui.screens.pane import Pane
from recto.tui.screens.site.items import SiteItems, why_item_not
from recto.tui.screens.site.structure import StructurePane
from recto.tui.screens.site.tab import SiteTab
from recto.tui.widgets.line_view import Ground

if TYPE_CHECKING:
    from recto.store.mutation import Mutation
    from recto.store.progress import Progress
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.staging import Staging
    from recto.store.store import Store

_GROUP = "Site"

actions.register(
    Action("site.path", "Change the path", ("p",), _GROUP, writes=True),
    Action("site.condition", "Change the condition", ("c",), _GROUP, writes=True),
    Action("site.content", "Show another space", ("s",), _GROUP, writes=True),
    Action("site.make_default", "Make it the default", ("asterisk",), _GROUP, writes=True),
)

_CHANGING = {
    *("arrange.apply", "site.path", "site.condition", "site.content", "site.make_default"),
    *("item.new", "item.rename", "item.change", "item.delete"),
}


class StructureTab(SiteTab):
    """The structure of a site. Moves are staged; all other changes are made at once."""

    BINDINGS = bindings(
        "arrange.apply",
        "item.new",
        "item.rename",
        "item.change",
        "site.path",
        "site.condition",
        "site.content",
        "site.make_default",
        "item.delete",
        "item.open_in_browser",
        "item.copy_link",
    )

    def __init__(self, store: Store, address: SiteAddress, location: SiteLocation) -> None:
        super().__init__(store, address, id="structure-tab")
        self._structure = StructurePane(store, address, location, self._why_not_moved)
        self._about = StructureFacts(store, address)
        self._items = SiteItems(self, address)
        self._moves = AppliedMoves(self, address, self._show, _new_addresses)
        self.target = self._structure.target

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """What the tab lists."""
        return self._structure.in_focus

    def compose(self) -> ComposeResult:
        """Compose the structure, the facts beside it, and a line for where lifted items would land."""
        with Ground(classes="columns"):
            yield self._structure
            yield self._about
        yield LandingLine()

    def on_mount(self) -> None:
        """Follow the moves."""
        self.listen(self.store.runs, self._moves.follow)

    @property
    def row(self) -> int | None:
        """The row of the cursor; ``None`` while nothing is shown."""
        return self._structure.row if self._moves.staging is not None else None

    def reveal(self, item: str) -> None:
        """Put the cursor on an item, as soon as it is there."""
        self._structure.reveal(item)

    # Drawing

    def on_structure_pane_loaded(self, event: StructurePane.Loaded) -> None:
        """Show the structure, with the staged moves that still fit on top of it."""
        # A response that is being refreshed is older than the outcome of moves made here.
        if self._moves.staging is None or not (event.stale or self._moves.run):
            self._moves.take_in(event.arrangement)

    def _show(self, item: str | None) -> None:
        if self._moves.staging is not None:
            self._structure.show_staging(self._moves.staging, item)
        self._show_about()

    def _show_about(self) -> None:
        self._about.show_structure(self._moves, self._structure.item)
        self.refresh_bindings()

    def on_structure_pane_passed(self) -> None:
        """Show the facts about the item under the cursor."""
        self._show_about()

    def on_structure_pane_entered(self, event: StructurePane.Entered) -> None:
        """Go to the space of a site space, or to the page of a link."""
        if event.item.kind is Kind.LINK:
            self.action_item_open_in_browser()
        elif event.item.space is not None:
            self.go(self.store.at_choice(SpaceLocation(event.item.space)))

    # Moving

    def on_lift_tree_lift_changed(self, event: LiftTree.LiftChanged) -> None:
        """Show where lifted items would land, or the reason why they cannot."""
        self.query_one(LandingLine).show(event)
        self.refresh_bindings()

    def on_lift_tree_move_wanted(self, event: LiftTree.MoveWanted) -> None:
        """Stage a move."""
        self._moves.add(event.move)

    def action_arrange_apply(self) -> None:
        """Show what will be done, and do it."""
        self.work(self._moves.apply(), "apply", unless_running="moves")

    def undo(self) -> bool:
        """Undo the last staged move or, if none is staged, the last moves; return whether there were any."""
        if self._moves.staged:
            self._moves.drop_last()
        elif self._moves.undoable is not None:
            self.work(self._moves.take_back(), "undo", unless_running="moves")
        else:
            return False
        return True

    # Items

    def action_item_new(self) -> None:
        """Add a section, a group or a space."""
        self.work(self._add(), "change", unless_running="change")

    async def _add(self) -> None:
        if (made := await self._items.add(self._arrangement, self._structure.item)) is not None:
            self._structure.reveal(made)

    def action_item_rename(self) -> None:
        """Rename the item."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.rename(item))

    def action_item_change(self) -> None:
        """Change all that can be changed of the item in a form."""
        if (item := self._structure.item) is not None:
            self.work(self._items.change(self._arrangement, item), "change", unless_running="change")

    def action_item_delete(self) -> None:
        """Remove the item."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.delete(self._arrangement, item))

    def action_site_path(self) -> None:
        """Change the path of the item."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.path(self._arrangement, item))

    def action_site_condition(self) -> None:
        """Change on what condition the item is shown."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.condition(item))

    def action_site_content(self) -> None:
        """Point the site space to another space."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.content(self._arrangement, item))

    def action_site_make_default(self) -> None:
        """Make the item what its section, or the site, opens with."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.default(self._arrangement, item))

    def _change(self, ask: Callable[[], Coroutine[Any, Any, Mutation[Any] | None]]) -> None:
        self.work(self._make_change(ask), "change", unless_running="change")

    async def _make_change(self, ask: Callable[[], Coroutine[Any, Any, Mutation[Any] | None]]) -> None:
        """Ask, and make the change; where that fails, ask again with what was typed."""
        self._items.begin()
        while (mutation := await ask()) is not None:
            outcome = await self.send(mutation)
            if outcome.error is None:
                self._items.finish()
                if (made := getattr(outcome.value, "id", None)) is not None:
                    self._structure.reveal(made)
                self.say(f"{mutation.done}.")
                if self._items.next is not None:
                    await self.carry_out(self._items.next)
                return
            self.say_failed(outcome.error)
            if not self._items.has_typed or isinstance(outcome.error, Undecided):
                return

    def action_item_open_in_browser(self) -> None:
        """Open the published address, or the target of a link, in the browser."""
        if address := self._published:
            self.app.open_url(address)

    def action_item_copy_link(self) -> None:
        """Copy the address at which it is published, else that of the site."""
        site = self.site.value
        if address := self._published or (site.urls.app if site is not None else None):
            self.app.copy_to_clipboard(address)
            self.say(f"Copied {address}")

    @property
    def _arrangement(self) -> Arrangement:
        """The structure with its staged moves."""
        staging = self._moves.staging
        return staging.arrangement if staging is not None else Arrangement({}, {})

    @property
    def _published(self) -> str | None:
        item, site = self._structure.item, self.site.value
        address = item.url or item.published if item is not None else site.urls.published if site is not None else None
        return for_browser(address)

    def reload(self) -> None:
        """Request everything shown again."""
        super().reload()
        self._structure.reload()

    # What can be done

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if not self.is_mounted:
            return None
        if (reason := super().why_not(action)) is not None:
            return reason
        if action in _CHANGING and (reason := self.why_no_change) is not None:
            return reason
        if action == "arrange.apply":
            return None if self._moves.staged else "no moves are staged"
        if action == "item.copy_link" and self.site.value is not None and self.site.value.urls.app:
            return None
        if action in ("item.open_in_browser", "item.copy_link"):
            if self._published:
                return None
            is_link = self._structure.item is not None and bool(self._structure.item.url)
            is_published = self.site.value is not None and self.site.value.published
            return "its address is not on the web" if is_link or is_published else "not published"
        return why_item_not(action, self._structure.item)

    @property
    def why_no_change(self) -> str | None:
        """The reason why nothing of the structure can be changed now."""
        if self._moves.run is not None:
            return "moves are running"
        if self._structure.is_lifting:
            return "items are lifted; ‹arrange.drop› drops them"
        return not_loaded("the site", self._structure.structure) if self._moves.staging is None else None

    def _why_not_moved(self) -> str | None:
        return super().why_not("arrange.lift")

    # Leaving

    @property
    def unsaved(self) -> str | None:
        """The moves that are lost when the program ends."""
        moves = self._moves.staged
        return f"{count(moves, 'staged move')}, not applied" if moves else None

    def escape(self) -> bool:
        """Put lifted items back, or stop running moves; return whether there was anything."""
        if self._structure.is_lifting:
            self._structure.put_back()
            return True
        if self._moves.stop_steps():
            self.say("Stops after the current move.")
            return True
        return False

    @property
    def may_close(self) -> bool:
        """Whether no moves are staged or running."""
        return not self._moves.staged and self._moves.run is None


def _new_addresses(before: Arrangement, after: Arrangement) -> Sequence[Line]:
    return address_lines(find_changed_addresses(before, after))


class StructureFacts(Pane):
    """The moves, the item under the cursor, and the site."""

    def __init__(self, store: Store, site: SiteAddress) -> None:
        self._facts = FactList(id="facts")
        super().__init__(store, "About", self._facts, id="about")
        self._address = site
        self._of_structure: list[Line] = []

    def on_mount(self) -> None:
        """Follow the site."""
        self._site: Query[Site] = self.store.query(Sites.get_site, self._address.organization, self._address.id)
        self.follow(self._site, lambda _: self._show())

    def show_structure(self, moves: AppliedMoves, item: Item | None) -> None:
        """Show the moves and the item under the cursor."""
        staging, run, step_control = moves.staging, moves.run, moves.step_control
        found: list[Line] = []
        if run is not None and step_control is not None:
            found += progress_lines(
                run.mutation.doing, step_control.latest, [step.sentence for step in step_control.steps]
            )
        elif staging is not None:
            found += staged_lines(staging)
        if staging is not None and item is not None:
            found += item_lines(staging.arrangement, item)
        self._of_structure = found
        self._show()

    def _show(self) -> None:
        found = list(self._of_structure)
        if self._site.value is not None:
            found += site_lines(self._site.value, self.store.clock())
        elif self._site.error is not None:
            found += [heading("The site could not be loaded"), [(plain(str(self._site.error)), "error")]]
            found += [[("r", "accent"), (" tries again", "muted")]]
        self._facts.show(rows(found))


def staged_lines(staging: Staging) -> list[Line]:
    """Return the staged moves and the addresses that change with them."""
    if not staging.moves:
        return []
    total = len(staging.steps)
    lines: list[Line] = [heading("Staged", f"{count(len(staging.moves), 'move')}, not applied yet")]
    lines += [[("→ ", "changed"), (plain(one.sentence), "")] for one in staging.moves]
    if not total:
        lines.append([("Together these moves change nothing.", "muted")])
    lines += address_lines(staging.new_addresses) or [[("No address changes.", "muted")]]
    return [*lines, []]


def progress_lines(doing: str, progress: Progress | None, steps: Sequence[str]) -> list[Line]:
    """Return the progress of running moves."""
    done = progress.done if progress else 0
    lines: list[Line] = [heading(doing, f"{done} of {len(steps)}")]
    for index, step in enumerate(steps):
        sign, role = ("✓ ", "success") if index < done else ("… ", "accent") if index == done else ("· ", "faint")
        lines.append([(sign, role), (plain(step), "" if index <= done else "muted")])
    return [*lines, []]


def item_lines(arrangement: Arrangement, item: Item) -> list[Line]:
    """Return the facts about an item."""
    lines: list[Line] = [heading(item.name, item.kind.word)]
    if item.kind is Kind.OTHER:
        return [*lines, [("This version does not know this kind of item. It stays where it is.", "muted")], []]
    if item.description:
        lines.append([(plain(item.description), "muted")])
    if item.path:
        lines.append(fact("path", item.path))
    if item.url:
        lines.append(fact("leads to", item.url))
    if item.kind is Kind.SITE_SPACE:
        lines.append(fact("read at", address_of(arrangement, item)))
    if item.published:
        lines.append(fact("address", item.published))
    if item.default:
        where = "its section" if item.kind is Kind.SITE_SPACE and arrangement.parents[item.id] else "the site"
        lines.append(fact("default", f"{where} opens with it"))
    if item.kind is not Kind.GROUP:
        lines.append(fact("shown to", f"visitors for whom {item.condition}" if item.condition else "everyone"))
    if item.titles:
        lines.append(fact("title", ", ".join(f"{title} ({language})" for language, title in item.titles)))
    if item.hidden:
        lines.append(fact("hidden", "not in the navigation"))
    if item.draft:
        lines.append(fact("draft", "not published with the site"))
    if item.kind in (Kind.GROUP, Kind.SECTION):
        lines.append(fact("holds", _holds(arrangement, item)))
    return [*lines, []]


def _holds(arrangement: Arrangement, item: Item) -> str:
    kinds = [arrangement.items[id].kind for id in arrangement.under(item.id)]
    parts = [count(kinds.count(kind), kind.word) for kind in Kind if kinds.count(kind)]
    return ", ".join(parts) or "nothing yet"


def site_lines(site: Site, at: datetime) -> list[Line]:
    """Return the facts about the site."""
    visibility = signs.sign(signs.VISIBILITY, site.visibility)
    lines: list[Line] = [heading(site.title or site.id, "site")]
    lines.append(fact("visible to", visibility.word))
    lines.append(fact("published", "yes" if site.published else "no"))
    for name, address in (
        ("address", for_browser(site.urls.published)),
        ("host", site.hostname),
        ("name", site.basename),
    ):
        if address:
            lines.append(fact(name, address))
    if site.proxy and site.proxy.target:
        lines.append(fact("proxy", site.proxy.target))
    lines.append(fact("spaces", str(site.site_spaces)))
    if site.adaptive_content and site.adaptive_content.enabled:
        lines.append(fact("adaptive", "visitors see different content"))
    if site.created_at:
        lines.append(fact("made", both(site.created_at, at)))
    return lines
