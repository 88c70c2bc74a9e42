"""The invites of an organization: what each gives, and where."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, get_args

from recto.contract.collections import Collection, Collections
from recto.contract.common import Role
from recto.contract.invites import Invite, Invites
from recto.contract.spaces import Space, Spaces
from recto.document.text import count
from recto.store.people_changes import InviteAccess, access_of, change_invite, create_invite, delete_invite
from recto.store.roles import needs
from recto.tui.actions import bindings
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, ConfirmTitle
from recto.tui.lists.columns import Column
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.organizations.people import MEANINGS

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.query import Listing, Query
    from recto.store.store import Store
    from recto.tui.look.lines import Line

_WHOLE: Final = "organization"
"""The choice of the whole organization."""


class InvitesPane(ListPane[Invite]):
    """The invites of an organization, with what each gives."""

    BINDINGS = bindings("item.new", "item.change", "item.delete", "item.copy_text")

    def __init__(self, store: Store) -> None:
        listed = Listed[Invite](
            title="Invites",
            what="the invites",
            one="invite",
            columns=(
                Column("To", self._place, width=28, least=14, grows=True),
                Column("Gives", lambda invite: str(invite.role or invite.level or ""), width=8),
                Column("Id", lambda invite: invite.id, width=22, least=10, rank=2),
                Column("State", _state, width=12, rank=3),
            ),
            name=self._name_of,
            empty=Nothing("No invites yet.", "a", "creates one"),
        )
        super().__init__(store, listed, id="invites", quiet=True)
        self._organization: Organization | None = None
        self._spaces: Query[Listing[Space]] | None = None
        self._collections: Query[Listing[Collection]] | None = None

    def show_organization(self, organization: Organization) -> None:
        """List the invites of an organization."""
        is_same = self._organization is not None and self._organization.id == organization.id
        self._organization = organization
        if not is_same:
            self._spaces = self.store.query_list(Spaces.list_spaces, organization.id)
            self._collections = self.store.query_list(Collections.list_collections, organization.id)
            self.follow_instead("places", lambda _: self.rows.redraw(), self._spaces, self._collections)
            self.list_from(Invites.list_invites, organization.id)

    # What an invite is to

    def _known_spaces(self) -> tuple[Space, ...]:
        return self._spaces.value.items if self._spaces is not None and self._spaces.value is not None else ()

    def _known_collections(self) -> tuple[Collection, ...]:
        listed = self._collections.value if self._collections is not None else None
        return listed.items if listed is not None else ()

    def _place(self, invite: Invite) -> Line:
        if invite.space is not None:
            return [(_title(invite.space, self._known_spaces()), ""), ("  space", "muted")]
        if invite.collection is not None:
            return [(_title(invite.collection, self._known_collections()), ""), ("  collection", "muted")]
        return [("the whole organization", "")]

    def _name_of(self, invite: Invite) -> str:
        return "".join(text for text, _ in self._place(invite))

    # Actions

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the selected invites."""
        organization = self._organization
        if organization is None:
            return "no organization"
        if action in ("item.new", "item.change", "item.delete") and not self._places(organization):
            return needs(organization.permissions, "admin")
        if reason := super().why_not(action):
            return reason
        if action == "item.new" and not organization.invite_links:
            return "invite links are off in the settings"
        if reason := self.why_none_chosen(action, "item.change", "item.delete", "item.copy_text"):
            return reason
        if action in ("item.change", "item.delete") and not all(map(self._may, self.chosen)):
            return "needs the admin role there"
        return None

    def _may(self, invite: Invite) -> bool:
        """Whether the person is an admin of the target of an invite."""
        gift = access_of(invite)
        place = gift.space or gift.collection or _WHOLE
        return self._organization is not None and any(each.id == place for each in self._places(self._organization))

    def _places(self, organization: Organization) -> list[Choice]:
        """Return the places that the person may invite to."""
        places = []
        if organization.permissions.admin:
            places.append(Choice(_WHOLE, "The whole organization", organization.title))
        for kind, things in (("collection", self._known_collections()), ("space", self._known_spaces())):
            places += [Choice(one.id, one.title or f"Untitled {kind}", kind) for one in things if one.permissions.admin]
        return places

    async def _ask_access(self, organization: Organization, before: InviteAccess | None) -> InviteAccess | None:
        """Ask for the target of an invite and the role; the present role is marked."""
        now = None if before is None else before.space or before.collection or _WHOLE
        places = sorted(self._places(organization), key=lambda place: place.id != now)
        place: str | None = places[0].id if places else None
        if len(places) > 1:
            place = await self.ask(Choose("Invite to", places))
        if place is None:
            return None
        roles = [
            Choice(role, role, MEANINGS[role] + (", now" if before is not None and before.role == role else ""))
            for role in reversed(get_args(Role))
        ]
        role = await self.ask(Choose("Those who come through it may", roles))
        if role is None:
            return None
        if role == "admin" and (before is None or before.role != "admin" or now != place):
            to = organization.title if place == _WHOLE else next(each.label for each in places if each.id == place)
            says = f"Anyone with the invite can become an admin of “{to}”."
            if not await self.ask(ConfirmTitle("Invite admins", says, named=to, does="makes the invite", undo=UNDO)):
                return None
        if place == _WHOLE:
            return InviteAccess(role)
        is_space = any(space.id == place for space in self._known_spaces())
        return InviteAccess(role, space=place) if is_space else InviteAccess(role, collection=place)

    def action_item_new(self) -> None:
        """Make an invite."""
        if self._organization is not None:
            self.work(self._new(self._organization), "new invite")

    async def _new(self, organization: Organization) -> None:
        gift = await self._ask_access(organization, None)
        if gift is not None:
            await self.carry_out(create_invite(organization.id, gift))

    def action_item_change(self) -> None:
        """Change the role or place that the invite under the cursor gives."""
        if self._organization is not None and self.current is not None:
            self.work(self._change(self._organization, self.current), "change invite")

    async def _change(self, organization: Organization, invite: Invite) -> None:
        gift = await self._ask_access(organization, access_of(invite))
        if gift is not None and gift != access_of(invite):
            await self.carry_out(change_invite(organization.id, invite, gift))

    def action_item_delete(self) -> None:
        """Delete the selected invites, after a question."""
        if self._organization is not None:
            self.work(self._delete(self._organization.id, self.chosen), "delete invites")

    async def _delete(self, organization: str, invites: tuple[Invite, ...]) -> None:
        question = Confirm(
            f"Delete {count(len(invites), 'invite')}",
            "Their links lead nowhere from then on. Those who joined through them stay.",
            points=[f"{self._name_of(invite)}: {invite.role or invite.level}" for invite in invites],
            does="deletes them",
            undo=NO_UNDO,
        )
        if await self.ask(question):
            change = partial(delete_invite, organization)
            await self.change_each(invites, change, doing="Deleting invites", done="Deleted")

    def action_item_copy_text(self) -> None:
        """Copy the id of the invite under the cursor: the platform gives no address for it."""
        if self.current is not None:
            self.app.copy_to_clipboard(self.current.id)
            self.say("Copied the id of the invite.")


def _title(thing: Any, known: tuple[Any, ...]) -> str:
    """Return the title of an invite's target, which may be given as its id alone."""
    found = next((one for one in known if one.id == thing), None) if isinstance(thing, str) else thing
    return str(found.title or "untitled") if found is not None else str(thing)


def _state(invite: Invite) -> Line:
    return [("adds nothing", "faint")] if invite.redundant else []
