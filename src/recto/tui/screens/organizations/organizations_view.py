"""The organizations: a tree of their contents, and the selected item beside it."""

from __future__ import annotations

import itertools
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.widgets import ContentSwitcher

from recto.client.errors import ClientError
from recto.contract.members import Member, Members
from recto.contract.organizations import Organization, Organizations
from recto.contract.users import Users
from recto.document.text import count
from recto.store.locations import (
    ChangeRequestLocation,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    item_id,
)
from recto.store.roles import GUEST, needs, role_of
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.lift_tree import LandingLine, LiftTree
from recto.tui.navigation.messages import HasLists
from recto.tui.screens.organizations.collection_tasks import CollectionTasks
from recto.tui.screens.organizations.organization_rows import ORGANIZATION, SITE, SPACE
from recto.tui.screens.organizations.organization_tasks import OrganizationTasks
from recto.tui.screens.organizations.organization_tree_pane import OrganizationTreePane, Selection
from recto.tui.screens.organizations.panes import EVERYWHERE, SUBJECTS, Maker, make_inbox, make_pane
from recto.tui.screens.organizations.selection_pane import SelectionPane
from recto.tui.screens.pane import Pane
from recto.tui.screens.view import View

if TYPE_CHECKING:
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.screens.organizations.details import Detail
    from recto.tui.screens.organizations.inbox import InboxPane
    from recto.tui.screens.organizations.panes import OrganizationPane

_GROUP = "Organizations"

register(
    Action("organization.import", "Import a folder", ("b",), _GROUP, "import", writes=True),
    Action("organization.join", "Join an organization by your e-mail domain", ("plus",), _GROUP, writes=True),
    Action("organization.remove_guide", "Remove Recto's guide", (), _GROUP, writes=True),
    Action("organization.rename_me", "Change your name and e-mail address", (), _GROUP, writes=True),
)


_CHANGING = frozenset(
    {
        *("arrange.apply", "item.new", "item.rename", "item.delete", "change.undo", "change.redo"),
        *(
            "organization.new_collection",
            "organization.item_settings",
            "organization.duplicate_space",
            "organization.transfer_item",
        ),
    }
)


class OrganizationsView(View[OrganizationsLocation]):
    """The screen below all others."""

    IS_FIRST = True
    BINDINGS = bindings(
        "organization.import",
        "organization.join",
        "item.new",
        "organization.new_collection",
        "item.rename",
        "organization.item_settings",
        "arrange.apply",
        "organization.duplicate_space",
        "organization.transfer_item",
        "item.delete",
        "item.open_in_browser",
        "item.copy_link",
        "view.tree",
        "view.refresh",
        "organization.remove_guide",
        "organization.rename_me",
    )

    def __init__(self, store: Store, location: OrganizationsLocation) -> None:
        super().__init__(store, location)
        self._tree = OrganizationTreePane(store, location)
        self._about = SelectionPane(store)
        self._panes: dict[str, Pane] = {}
        """The panes that were shown, by the kind of their row."""
        self._details: list[Detail] = []
        """The items that are shown in place of their list, the innermost last."""
        self._numbers = itertools.count()
        """Numbers of such items: an id must not be that of an item which was left and is still being removed."""
        self._shown = ("", "")
        """The kind and the id of the row whose pane is shown."""
        self._active: set[str] = set()
        """The organizations in which the person was reported to be active."""
        self._roles_asked: set[str] = set()
        """The organizations for which the person's membership was asked for."""
        self._memberships: dict[str, Query[Member]] = {}
        """The person's membership of organizations whose permissions do not tell their role."""
        self._tasks = OrganizationTasks(self, lambda: self.selection)
        self._collection_tasks = CollectionTasks(self, lambda: self.selection)

    @classmethod
    def first_queries(cls, store: Store, location: OrganizationsLocation) -> Sequence[Query[Any]]:
        """The organizations."""
        return (store.query_list(Organizations.list_organizations),)

    def compose_body(self) -> ComposeResult:
        """Compose the tree, and beside it the pane of the selected item."""
        yield self._tree
        with ContentSwitcher(initial="about", id="beside"):
            yield self._about
        yield LandingLine()

    def on_mount(self) -> None:
        """Focus the tree."""
        self.show_where("Recto")
        self._tree.take_focus()

    # The location

    @property
    def location(self) -> OrganizationsLocation:
        """The item under the cursor and the open ones."""
        return self._tree.location or self.opened_at

    def arrive(self, location: OrganizationsLocation) -> None:
        """Put the cursor on the item of a location."""
        if location.item is not None:
            self._tree.reveal(location.item, location.opened)
            self._tree.take_focus()

    # The selection

    @property
    def selection(self) -> Selection:
        """The item under the cursor."""
        return self._tree.selection

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The list beside the tree; if there is none, the list of the tree that the cursor is in."""
        beside = self._details[-1] if self._details else self._panes.get(self.selection.kind)
        return (beside.in_focus if isinstance(beside, HasLists) else ()) or self._tree.in_focus

    async def on_organization_tree_pane_selected(self, event: OrganizationTreePane.Selected) -> None:
        """Show the selected item."""
        at = event.selection
        if at.organization is None and at.kind != EVERYWHERE:
            return
        if (at.kind, at.id) != self._shown:
            shown = item_id(*self._shown)
            again = partial(self.call_later, self.on_organization_tree_pane_selected, event)
            if self.asks_to_leave(again, lambda: self._go_back_to(shown)):
                return
            self._leave_details()
        self._shown = (at.kind, at.id)
        self._show_trail(at)
        if at.organization is not None:
            self._report_active(at.organization)
            self._ask_for_role(at.organization)
        pane = await self._pane_of(at)
        if at.organization is None:
            cast("InboxPane", pane).show_organizations(at.organizations)
        elif pane is self._about:
            self._about.show_selection(at, at.organization)
        else:
            cast("OrganizationPane", pane).show_organization(at.organization)
        if not self._details:
            self.query_one(ContentSwitcher).current = pane.id
        self.refresh_bindings()

    def _go_back_to(self, item: str) -> None:
        """Put the cursor on the item that is shown beside the tree, and the focus into its pane."""
        self._tree.reveal(item)
        self._panes[self._shown[0]].take_focus()

    def _report_active(self, organization: Organization) -> None:
        """Report to the platform, once, that the person is active in an organization that is open."""
        if organization.id not in self._active and self._tree.is_open(organization.id):
            self._active.add(organization.id)
            self.put_off(lambda: cast("None", self.work(self._ping(organization.id), "ping")))

    async def _ping(self, organization: str) -> None:
        with suppress(ClientError):  # nothing is lost where it fails, and nothing is sent in a read-only program
            await self.store.call(Organizations.ping, organization)

    def _ask_for_role(self, organization: Organization) -> None:
        """Request the person's membership if they may not create, since all lower roles have the same permissions."""
        if organization.id not in self._roles_asked and needs(organization.permissions, "create") is not None:
            self._roles_asked.add(organization.id)
            self.put_off(lambda: cast("None", self.work(self._follow_membership(organization.id), "role")))

    async def _follow_membership(self, organization: str) -> None:
        with suppress(ClientError):  # no role is shown then
            me = await self.store.fetch_or_kept(Users.get_user)
            membership = self.store.query(Members.get_member, organization, me.id)
            self._memberships[organization] = membership
            self.follow(membership, lambda _: self._show_trail(self.selection))

    def _role_in(self, organization: Organization) -> str:
        membership = self._memberships.get(organization.id)
        if membership is not None and membership.value is not None:
            return membership.value.role or GUEST
        return "" if needs(organization.permissions, "create") is not None else role_of(organization.permissions)

    async def _pane_of(self, at: Selection) -> Pane:
        """Return the pane of an item, made when it is first shown."""
        if at.kind not in SUBJECTS and at.kind != EVERYWHERE:
            return self._about
        if at.kind not in self._panes:
            pane = make_inbox(self.store) if at.kind == EVERYWHERE else make_pane(at.kind, self.store)
            self._panes[at.kind] = pane
            pane.display = False
            await self.query_one(ContentSwitcher).mount(pane)
        return self._panes[at.kind]

    async def on_organization_tree_pane_entered(self, event: OrganizationTreePane.Entered) -> None:
        """Go to the space or the site, or into the list."""
        await self._enter(event.selection)

    async def on_selection_pane_opened(self) -> None:
        """Go to the space or the site whose facts are shown."""
        await self._enter(self.selection)

    async def _enter(self, at: Selection) -> None:
        if at.kind == SPACE:
            self.go(self.store.at_choice(SpaceLocation(at.id)))
        elif at.kind == SITE and at.organization is not None:
            self.go(SiteLocation(at.organization.id, at.id))
        else:
            (await self._pane_of(at)).take_focus()

    # Items of lists in place of their lists

    async def on_detail_wanted(self, event: Detail.Wanted) -> None:
        """Show an item of a list in place of the list, until the person goes back."""
        detail = event.detail
        detail.id = f"detail-{next(self._numbers)}"
        self._details.append(detail)
        await self.query_one(ContentSwitcher).mount(detail)
        self._show_innermost()

    def leave_zoom(self) -> bool:
        """Go back from an item to its list; false without an item."""
        if not self._details:
            return False
        gone = self._details.pop()
        self._show_innermost()
        gone.remove()
        return True

    def go_to_parent(self, *, quit: bool = False) -> None:
        """Go back from an item to its list, else to the parent in the breadcrumb."""
        if not self.leave_zoom():
            super().go_to_parent(quit=quit)

    def go_up(self, steps: int) -> None:
        """Go back from an item to those around it, and on to the organization."""
        beyond = steps - len(self._details)
        for _ in range(min(steps, len(self._details))):
            self.leave_zoom()
        if beyond > 0 and (organization := self.selection.organization) is not None:
            self._tree.reveal(item_id(ORGANIZATION, organization.id))
            self._tree.take_focus()

    def _show_innermost(self) -> None:
        at, beside = self.selection, self.query_one(ContentSwitcher)
        shown = self._details[-1] if self._details else self._panes.get(at.kind, self._about)
        beside.current = shown.id
        shown.take_focus()
        self._show_trail(at)

    def _leave_details(self) -> None:
        for detail in self._details:
            detail.remove()
        self._details.clear()

    def _show_trail(self, at: Selection) -> None:
        names = (at.label, *(detail.title for detail in self._details))
        if at.organization is None:
            self.show_where("Recto", *names)
        else:
            trail = dict.fromkeys((at.organization.title or "Untitled organization", *names))
            self.show_where("Recto", *trail, role=self._role_in(at.organization))

    def on_inbox_pane_chosen(self, event: InboxPane.Chosen) -> None:
        """Go to a change request."""
        self.go(ChangeRequestLocation(event.request.space, event.request.id))

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to go up also from an item to its list."""
        if action == "view_up" and self._details:
            return True
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the selected item."""
        if action == "view.up" and self._details:
            return None
        if action == "item.new" and (pane := self._maker()) is not None:
            return pane.why_not(action)
        at = self.selection
        if action in _CHANGING and self._tree.is_lifting:
            return "items are lifted; ‹arrange.drop› drops them"
        if action in _CHANGING and self._tree.moves.is_running:
            return "moves are running"
        if action == "arrange.apply":
            here = at.organization is not None and self._tree.moves.count_staged(at.organization.id)
            return None if here else "no moves are staged in this organization"
        if action == "change.undo" and self._tree.moves.staged:
            return None
        if action == "item.delete" and at.is_guide:
            return self._tasks.why_not("organization.remove_guide")
        return self._tasks.why_not(action) or self._collection_tasks.why_not(action) or super().why_not(action)

    def _maker(self) -> Maker | None:
        """Return the pane that creates items: that of the shown item, else the pane beside the tree."""
        shown: Iterable[object] = self._details[-1].lists if self._details else ()
        beside = self._panes.get(self.selection.kind)
        return next((pane for pane in (*shown, beside) if isinstance(pane, Maker)), None)

    def action_view_tree(self) -> None:
        """Go back from an item to its list, from a list to the tree."""
        if not self.leave_zoom():
            self._tree.take_focus()

    def action_view_refresh(self) -> None:
        """Request everything shown again."""
        self._tree.reload()
        for membership in self._memberships.values():
            membership.refresh()
        for pane in self._panes.values():
            cast("OrganizationPane", pane).reload()
        for detail in self._details:
            detail.reload()

    def action_organization_import(self) -> None:
        """Import a folder."""
        self.work(self._tasks.import_folder(), "import", unless_running="import")

    def action_organization_join(self) -> None:
        """Join an organization."""
        self.work(self._tasks.join(), "join", unless_running="join")

    def escape(self) -> bool:
        """Put lifted items back, stop running moves, else close the innermost."""
        if self._tree.is_lifting:
            self._tree.put_back()
            return True
        if self._tree.moves.stop_steps():
            self.say("Stops after the current move.")
            return True
        return super().escape() or self.leave_zoom()

    def action_organization_remove_guide(self) -> None:
        """Remove the guide."""
        self.work(self._remove_guide(), "remove guide")

    async def _remove_guide(self) -> None:
        if await self._tasks.remove_guide():
            self._tree.reload()

    def action_organization_rename_me(self) -> None:
        """Change the name and the e-mail address of the workspace's owner."""
        self.work(self._tasks.rename_me(), "rename me")

    # Collections and spaces

    def action_item_new(self) -> None:
        """Create a space, or what the pane beside the tree lists."""
        if (pane := self._maker()) is not None:
            pane.action_item_new()
        else:
            self._make(self._collection_tasks.new_space())

    def action_organization_new_collection(self) -> None:
        """Create a collection."""
        self._make(self._collection_tasks.new_collection())

    def action_organization_duplicate_space(self) -> None:
        """Duplicate the selected space."""
        self._make(self._collection_tasks.duplicate())

    def _make(self, making: Coroutine[Any, Any, str | None]) -> None:
        self.work(self._make_and_reveal(making), "new item")

    async def _make_and_reveal(self, making: Coroutine[Any, Any, str | None]) -> None:
        if (made := await making) is not None:
            self._tree.reveal(made)

    def action_item_rename(self) -> None:
        """Rename the selected collection or space."""
        self.work(self._collection_tasks.rename(), "rename")

    def action_organization_item_settings(self) -> None:
        """Change the settings of the selected collection or space."""
        self.work(self._collection_tasks.settings(), "settings")

    def action_organization_transfer_item(self) -> None:
        """Transfer the selected collection or space to another organization."""
        self.work(self._collection_tasks.transfer(), "transfer")

    def action_item_delete(self) -> None:
        """Delete the selected collection or space, or remove the guide."""
        if self.selection.is_guide:
            self.action_organization_remove_guide()
        else:
            self.work(self._collection_tasks.delete(), "delete")

    # Moving

    def on_lift_tree_lift_changed(self, event: LiftTree.LiftChanged) -> None:
        """Show where lifted items would land, or the reason why they cannot."""
        self.query_one(LandingLine).show(event)
        self.refresh_bindings()

    def on_lift_tree_move_wanted(self, event: LiftTree.MoveWanted) -> None:
        """Stage a move."""
        self._tree.stage(event.move)

    def action_arrange_apply(self) -> None:
        """Show what will be done in the selected organization, and do it."""
        if (organization := self.selection.organization) is not None:
            self.work(self._tree.moves.apply(organization.id), "apply", unless_running="moves")

    def action_change_undo(self) -> None:
        """Undo the last staged move; if none is staged, the last change."""
        at, moves = self.selection, self._tree.moves
        if at.organization is not None and moves.undo(at.organization.id):
            return
        if moves.staged:
            self.say("The staged moves are in another organization: go there to take them back.")
        elif moves.undoable is not None:
            self.work(moves.undoable.take_back(), "undo", unless_running="moves")
        else:
            super().action_change_undo()

    @property
    def staged(self) -> str | None:
        """The moves that are lost when the program ends."""
        moves = self._tree.moves.staged
        return f"{count(moves, 'staged move')}, not applied" if moves else None

    @property
    def may_close(self) -> bool:
        """Whether no moves are staged or running."""
        return not self._tree.moves.staged and not self._tree.moves.is_running

    def action_item_open_in_browser(self) -> None:
        """Open the selected item in the web app."""
        self.app.open_url(self.selection.address or "")

    def action_item_copy_link(self) -> None:
        """Copy the address of the selected item."""
        address = self.selection.address or ""
        self.app.copy_to_clipboard(address)
        self.say(f"Copied {address}")
