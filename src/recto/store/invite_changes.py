"""Changes of the invites of an organization, as mutations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.invites import CreateInvite, Invite, Invites, UpdateInvite
from recto.frozen import frozen
from recto.store.mutation import Mutation, new_in_list
from recto.store.query_keys import calls

if TYPE_CHECKING:
    from recto.contract.common import Role


@frozen
class Gift:
    """What an invite gives: a role, in the organization, or on a space or a collection of it."""

    role: Role | str
    space: str | None = None
    collection: str | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a body that gives it."""
        if self.space is not None:
            return {"level": self.role, "space": self.space}
        if self.collection is not None:
            return {"level": self.role, "collection": self.collection}
        return {"role": self.role}


def gift_of(invite: Invite) -> Gift:
    """Return what an invite gives."""
    return Gift(invite.role or invite.level or "read", _id(invite.space), _id(invite.collection))


def create_invite(organization: str, gift: Gift) -> Mutation[Invite]:
    """Make an invite; undoing deletes it."""
    return Mutation(
        doing="Creating an invite",
        done="Created an invite",
        call=lambda call: call(Invites.create_invite, organization, CreateInvite.model_validate(gift.fields)),
        lookup=new_in_list(lambda one: gift_of(one) == gift, Invites.list_invites, organization),
        stale=(calls(Invites.list_invites, organization_id=organization),),
        inverse=lambda invite: delete_invite(organization, invite),
    )


def change_invite(organization: str, invite: Invite, gift: Gift) -> Mutation[Invite]:
    """Have an invite give something else; undoing gives what it gave before."""
    before = gift_of(invite)
    is_there = (before.space, before.collection) == (gift.space, gift.collection) and "level" in gift.fields
    body = UpdateInvite.model_validate({"level": gift.role} if is_there else gift.fields)
    return Mutation(
        doing="Changing the invite",
        done="Changed the invite",
        call=lambda call: call(Invites.update_invite, organization, invite.id, body),
        stale=(calls(Invites.list_invites, organization_id=organization),),
        inverse=lambda changed: change_invite(organization, changed, before),
        lane=("invite", invite.id),
    )


def delete_invite(organization: str, invite: Invite) -> Mutation[None]:
    """Delete an invite; those who joined through it stay. It has no inverse, since a new invite has another link."""
    return Mutation(
        doing="Deleting the invite",
        done="Deleted the invite",
        call=lambda call: call(Invites.delete_invite, organization, invite.id),
        stale=(calls(Invites.list_invites, organization_id=organization),),
        lane=("invite", invite.id),
    )


def _id(thing: Any) -> str | None:
    return thing if thing is None or isinstance(thing, str) else str(thing.id)
