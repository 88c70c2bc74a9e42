"""Changes of the members of an organization, as mutations."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from recto.contract.members import Member, Members, UpdateMember
from recto.contract.sign_on import SignOn
from recto.contract.teams import Teams
from recto.store.mutation import Effect, Mutation, changes_items
from recto.store.query_keys import Chooser, calls

if TYPE_CHECKING:
    from recto.contract.common import Role


def change_role(organization: str, member: Member, role: Role | None) -> Mutation[Member]:
    """Change the role of a member (``None``: guest); undo restores the former role."""
    before = cast("Role | None", member.role)
    word = role or "guest"
    return Mutation(
        doing=f"Changing the role of {name_of(member)} to {word}",
        done=f"Changed the role of {name_of(member)} to {word}",
        call=lambda call: call(Members.update_member, organization, member.id, UpdateMember(role=role)),
        effects=(_show(organization, member, {"role": role}),),
        stale=_stale(organization),
        inverse=lambda changed: change_role(organization, changed, before),
        lane=("member", organization, member.id),
    )


def remove_member(organization: str, member: Member) -> Mutation[None]:
    """Remove a member from the organization and its teams; it has no inverse, since a person joins by themselves."""
    return Mutation(
        doing=f"Removing {name_of(member)}",
        done=f"Removed {name_of(member)}",
        call=lambda call: call(Members.delete_member, organization, member.id),
        effects=(
            changes_items(
                Members.list_members, lambda one: None if one.id == member.id else one, organization_id=organization
            ),
        ),
        stale=(*_stale(organization), calls(Teams.list_teams, organization_id=organization)),
        lane=("member", organization, member.id),
    )


def make_sso_member(organization: str, member: Member) -> Mutation[Member]:
    """Have a member sign in through an identity provider from now on; it has no inverse."""
    return Mutation(
        doing=f"Making {name_of(member)} a sign-on member",
        done=f"Made {name_of(member)} a sign-on member",
        call=lambda call: call(SignOn.make_sso_member, organization, member.id),
        effects=(_show(organization, member, {"sso": True}),),
        stale=_stale(organization),
        lane=("member", organization, member.id),
    )


def name_of(member: Member) -> str:
    """Return the name of a member, or the nearest to it."""
    user = member.user
    return (user.display_name or user.email if user is not None else None) or member.id


def _show(organization: str, member: Member, update: dict[str, object]) -> Effect:
    return changes_items(
        Members.list_members,
        lambda one: one.model_copy(update=update) if one.id == member.id else one,
        organization_id=organization,
    )


def _stale(organization: str) -> tuple[Chooser, ...]:
    return (
        calls(Members.list_members, organization_id=organization),
        calls(Members.list_member_spaces, organization_id=organization),
        calls(Teams.list_team_members, organization_id=organization),
    )
