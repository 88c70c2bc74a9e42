"""A site: its structure as a tree in which items are moved, what will change, and facts about it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from recto.contract.organizations import Organization, Organizations
from recto.contract.sites import Site, Sites
from recto.document.text import count
from recto.store.arrangement import Arrangement, Kind, changed_addresses
from recto.store.locations import SiteLocation, SpaceLocation
from recto.store.mutation import Undecided
from recto.store.rearranging import Site as SiteAddress
from recto.store.roles import role_of
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.dialogs.moves import address_lines
from recto.tui.lists.lift_tree import LandingLine, LiftTree
from recto.tui.navigation.urls import for_browser
from recto.tui.screens.applied_moves import AppliedMoves
from recto.tui.screens.site.about import AboutPane
from recto.tui.screens.site.items import SiteItems, why_item_not
from recto.tui.screens.site.structure import StructurePane
from recto.tui.screens.view import View

if TYPE_CHECKING:
    from recto.store.mutation import Mutation
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.look.lines import Line

_GROUP = "Site"

actions.register(
    Action("site.path", "Change the path", ("p",), _GROUP, writes=True),
    Action("site.condition", "Change the condition", ("c",), _GROUP, writes=True),
    Action("site.make_default", "Make it the default", ("asterisk",), _GROUP, writes=True),
)

_CHANGING = {
    *("arrange.apply", "site.path", "site.condition", "site.make_default"),
    *("item.new", "item.rename", "item.delete", "change.undo", "change.redo"),
}


class SiteView(View[SiteLocation]):
    """Shows a site. Moves are staged; all other changes are made at once."""

    BINDINGS = bindings(
        "arrange.apply",
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
        self._structure = StructurePane(store, self._address, location)
        self._about = AboutPane(store, self._address)
        self._items = SiteItems(self, self._address)
        self._moves = AppliedMoves(self, self._address, self._show, _new_addresses)

    def compose_body(self) -> ComposeResult:
        """Put the structure, the facts beside it, and a line for where lifted items would land."""
        yield self._structure
        yield self._about
        yield LandingLine()

    def on_mount(self) -> None:
        """Follow the site and its moves."""
        address = self._address
        self._organization: Query[Organization] = self.store.query(Organizations.get_organization, address.organization)
        self._site: Query[Site] = self.store.query(Sites.get_site, address.organization, address.id)
        self._structure.take_focus()
        self.follow(self._organization, self._show_head)
        self.follow(self._site, self._show_head)
        self.listen(self.store.runs, self._moves.follow)

    # The location

    @property
    def location(self) -> SiteLocation:
        """The site, and the row of the cursor."""
        if self._moves.staging is None:
            return self.opened_at
        title = self._site.value.title if self._site.value else self.opened_at.title
        return SiteLocation(self._address.organization, self._address.id, row=self._structure.row, title=title)

    def arrive(self, location: SiteLocation) -> None:
        """Put the cursor on the item of a location."""
        if location.item is not None:
            self._structure.reveal(location.item)

    # What is shown

    def _show_head(self, _query: object) -> None:
        organization, site = self._organization.value, self._site.value
        trail = (organization.title if organization else "…", site.title if site else self.opened_at.title or "…")
        aside = ""
        if site is not None:
            aside = "published" if site.published else "not published"
        self.show_where(*trail, aside=aside, role=role_of(site.permissions) if site is not None else "")
        self.refresh_bindings()

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

    def on_lift_tree_refused(self, event: LiftTree.Refused) -> None:
        """Show the reason."""
        self.say(event.reason)

    def on_lift_tree_move_wanted(self, event: LiftTree.MoveWanted) -> None:
        """Stage a move."""
        self._moves.add(event.move)

    def action_arrange_apply(self) -> None:
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
        self._change(lambda: self._items.new(self._arrangement, self._structure.item))

    def action_item_rename(self) -> None:
        """Give the item another title."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.rename(item))

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

    def action_site_make_default(self) -> None:
        """Make the item what its section, or the site, opens with."""
        if (item := self._structure.item) is not None:
            self._change(lambda: self._items.default(self._arrangement, item))

    def _change(self, ask: Callable[[], Coroutine[Any, Any, Mutation[Any] | None]]) -> None:
        self.work(self._make_change(ask), "change", group="change")

    async def _make_change(self, ask: Callable[[], Coroutine[Any, Any, Mutation[Any] | None]]) -> None:
        """Ask, and make the change; where that fails, ask again with what was typed."""
        self._items.forget()
        while (mutation := await ask()) is not None:
            outcome = await self.send(mutation)
            if outcome.error is None:
                if (made := getattr(outcome.value, "id", None)) is not None:
                    self._structure.reveal(made)
                self.say(f"{mutation.done}.")
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
        site = self._site.value
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
        item, site = self._structure.item, self._site.value
        address = item.url or item.published if item is not None else site.urls.published if site is not None else None
        return for_browser(address)

    def action_view_refresh(self) -> None:
        """Request everything shown again."""
        self._organization.refresh()
        self._site.refresh()
        self._structure.reload()

    # What can be done

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if not self.is_mounted:
            return None
        if action in _CHANGING:
            if self._moves.run is not None:
                return "moves are running"
            if self._structure.is_lifting:
                return "items are lifted; enter drops them"
            if self._moves.staging is None:
                return "the site is not loaded"
        if action == "arrange.apply":
            return None if self._moves.staged else "no moves are staged"
        if action == "change.undo" and self._moves.staged:
            return None
        if action == "item.copy_link" and self._site.value is not None and self._site.value.urls.app:
            return None
        if action in ("item.open_in_browser", "item.copy_link"):
            if self._published:
                return None
            return (
                "its address is not on the web"
                if self._structure.item and self._structure.item.url
                else "not published"
            )
        return why_item_not(action, self._arrangement, self._structure.item) or super().why_not(action)

    # Leaving

    @property
    def staged(self) -> str | None:
        """The moves that are lost when the program ends."""
        moves = self._moves.staged
        return f"{count(moves, 'staged move')}, not applied" if moves else None

    def escape(self) -> bool:
        """Put lifted items back, or stop running moves."""
        if self._structure.is_lifting:
            self._structure.put_back()
            return True
        if self._moves.halt():
            self.say("Stops after the current move.")
            return True
        return super().escape()

    @property
    def may_close(self) -> bool:
        """Whether no moves are staged or running."""
        return not self._moves.staged and self._moves.run is None


def _new_addresses(before: Arrangement, after: Arrangement) -> Sequence[Line]:
    return address_lines(changed_addresses(before, after))
