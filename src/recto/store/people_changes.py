"""Changes of the members, teams and invites of an organization, as mutations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from recto.client.call import pages
from recto.client.errors import Unsupported
from recto.contract.common import MAX_LIMIT
from recto.contract.invites import CreateInvite, Invite, Invites, UpdateInvite
from recto.contract.members import Member, Members, UpdateMember
from recto.contract.sign_on import SignOn
from recto.contract.teams import (
    CreateTeam,
    SetTeamMember,
    Team,
    TeamMember,
    TeamRole,
    Teams,
    UpdateTeam,
    UpdateTeamMembers,
)
from recto.document.text import count
from recto.frozen import frozen
from recto.store.mutation import Effect, Mutation, changes_items, new_in_list, unless_changed
from recto.store.query_keys import Chooser, calls

if TYPE_CHECKING:
    from recto.client.call import Call
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
        stale=_stale_with_members(organization),
        inverse=unless_changed(
            lambda changed: change_role(organization, changed, before),
            ("role",),
            lambda call: call(Members.get_member, organization, member.id),
        ),
        once=True,
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
        stale=(*_stale_with_members(organization), calls(Teams.list_teams, organization_id=organization)),
        lane=("member", organization, member.id),
    )


def make_sso_member(organization: str, member: Member) -> Mutation[Member]:
    """Make a member sign in through an identity provider from now on; it has no inverse."""
    return Mutation(
        doing=f"Making {name_of(member)} a sign-on member",
        done=f"Made {name_of(member)} a sign-on member",
        call=lambda call: call(SignOn.make_sso_member, organization, member.id),
        effects=(_show(organization, member, {"sso": True}),),
        stale=_stale_with_members(organization),
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


def _stale_with_members(organization: str) -> tuple[Chooser, ...]:
    return (
        calls(Members.list_members, organization_id=organization),
        calls(Members.list_member_spaces, organization_id=organization),
        calls(Teams.list_team_members, organization_id=organization),
    )


Roles = Mapping[str, TeamRole]
"""The roles of the members of a team, by their ids."""


def _stale_with_teams(organization: str) -> tuple[Chooser, ...]:
    # A team counts its members and a member their teams.
    operations = (Teams.list_teams, Teams.list_member_teams, Teams.list_team_members, Members.list_members)
    return tuple(calls(operation, organization_id=organization) for operation in operations)


def create_team(organization: str, title: str, members: Sequence[str]) -> Mutation[Team]:
    """Make a team of members given by their ids; undoing deletes it."""
    return Mutation(
        doing=f"Creating the team “{title}”",
        done=f"Created the team “{title}”",
        call=lambda call: call(Teams.create_team, organization, CreateTeam(title=title, members=tuple(members))),
        lookup=new_in_list(lambda one: one.title == title, Teams.list_teams, organization, title=title),
        stale=_stale_with_teams(organization),
        inverse=lambda team: delete_team(organization, team),
    )


def rename_team(organization: str, team: str, title: str, before: str) -> Mutation[Team]:
    """Rename a team; undo restores the former title."""

    def rename(shown: Team) -> Team:
        return shown.model_copy(update={"title": title}) if shown.id == team else shown

    return Mutation(
        doing=f"Renaming the team to “{title}”",
        done=f"Renamed the team to “{title}”",
        call=lambda call: call(Teams.update_team, organization, team, UpdateTeam(title=title)),
        effects=(changes_items(Teams.list_teams, rename, organization_id=organization),),
        stale=_stale_with_teams(organization),
        inverse=unless_changed(
            lambda _: rename_team(organization, team, before, title),
            ("title",),
            lambda call: call(Teams.get_team, organization, team),
        ),
        once=True,
        lane=("team", team),
    )


def delete_team(organization: str, team: Team) -> Mutation[None]:
    """Delete a team; its members stay in the organization."""
    return Mutation(
        doing=f"Deleting the team “{team.title}”",
        done=f"Deleted the team “{team.title}”",
        call=lambda call: call(Teams.delete_team, organization, team.id),
        effects=(
            changes_items(
                Teams.list_teams, lambda one: None if one.id == team.id else one, organization_id=organization
            ),
        ),
        stale=_stale_with_teams(organization),
        lane=("team", team.id),
    )


def add_members(organization: str, team: Team, members: Roles) -> Mutation[Roles]:
    """Add members to a team with their roles in it, all or none; undo removes those who were not in it.

    Without a list of the members of the team that is not known, and it cannot be undone.
    """
    who = count(len(members), "member")
    owners = {id: SetTeamMember(role=role) for id, role in members.items() if role != "member"}
    others = tuple(id for id in members if id not in owners)
    body = UpdateTeamMembers.model_validate(
        {**({"add": others} if others else {}), **({"memberships": owners} if owners else {})}
    )

    async def work(call: Call) -> Roles:
        already = set(members)
        with suppress(Unsupported):
            listed = pages(call, Teams.list_team_members, organization, team.id, limit=MAX_LIMIT)
            already = {one.organization.id async for page in listed for one in page.items}
        await call(Teams.update_team_members, organization, team.id, body)
        return {id: role for id, role in members.items() if id not in already}

    return Mutation(
        doing=f"Adding {who} to the team “{team.title}”",
        done=f"Added {who} to the team “{team.title}”",
        call=work,
        stale=_stale_with_teams(organization),
        inverse=lambda added: remove_members(organization, team, added) if added else None,
        lane=("team", team.id),
    )


def remove_members(organization: str, team: Team, members: Roles) -> Mutation[None]:
    """Remove members from a team, all or none; undo adds them with their former roles."""
    ids = tuple(members)

    async def work(call: Call) -> None:
        if len(ids) == 1:
            await call(Teams.remove_team_member, organization, team.id, ids[0])
        else:
            await call(Teams.update_team_members, organization, team.id, UpdateTeamMembers(remove=ids))

    who = count(len(ids), "member")
    return Mutation(
        doing=f"Removing {who} from the team “{team.title}”",
        done=f"Removed {who} from the team “{team.title}”",
        call=work,
        effects=(
            changes_items(
                Teams.list_team_members,
                lambda one: None if one.organization.id in members else one,
                organization_id=organization,
                team_id=team.id,
            ),
        ),
        stale=_stale_with_teams(organization),
        inverse=lambda _: add_members(organization, team, members),
        lane=("team", team.id),
    )


def set_roles(organization: str, team: Team, members: Roles, before: Roles) -> Mutation[None]:
    """Change the roles of team members, all or none; undo restores the former roles."""

    async def work(call: Call) -> None:
        roles = {id: SetTeamMember(role=role) for id, role in members.items()}
        if len(roles) == 1:
            ((id, role),) = roles.items()
            await call(Teams.set_team_member, organization, team.id, id, role)
        else:
            await call(Teams.update_team_members, organization, team.id, UpdateTeamMembers(memberships=roles))

    def change_item(one: TeamMember) -> TeamMember:
        role = members.get(one.organization.id)
        return one.model_copy(update={"team": one.team.model_copy(update={"role": role})}) if role is not None else one

    who, what = count(len(members), "member"), " and ".join(sorted(set(members.values())))
    return Mutation(
        doing=f"Making {who} of the team “{team.title}” {what}",
        done=f"Made {who} of the team “{team.title}” {what}",
        call=work,
        effects=(changes_items(Teams.list_team_members, change_item, organization_id=organization, team_id=team.id),),
        stale=_stale_with_teams(organization),
        inverse=lambda _: set_roles(organization, team, before, members),
        lane=("team", team.id),
    )


def roles_of(members: Sequence[TeamMember]) -> Roles:
    """Return the roles of the members of a team, by their ids."""
    return {one.organization.id: cast("TeamRole", one.team.role) for one in members}


@frozen
class InviteAccess:
    """The access that an invite gives: a role in the organization, or on a space or a collection of it."""

    role: Role | str
    space: str | None = None
    collection: str | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the body of a request."""
        if self.space is not None:
            return {"level": self.role, "space": self.space}
        if self.collection is not None:
            return {"level": self.role, "collection": self.collection}
        return {"role": self.role}


def access_of(invite: Invite) -> InviteAccess:
    """Return what an invite gives."""
    return InviteAccess(invite.role or invite.level or "read", _id(invite.space), _id(invite.collection))


def create_invite(organization: str, gift: InviteAccess) -> Mutation[Invite]:
    """Make an invite; undoing deletes it."""
    return Mutation(
        doing="Creating an invite",
        done="Created an invite",
        call=lambda call: call(Invites.create_invite, organization, CreateInvite.model_validate(gift.fields)),
        lookup=new_in_list(lambda one: access_of(one) == gift, Invites.list_invites, organization),
        stale=(calls(Invites.list_invites, organization_id=organization),),
        inverse=lambda invite: delete_invite(organization, invite),
    )


def change_invite(organization: str, invite: Invite, gift: InviteAccess) -> Mutation[Invite]:
    """Change the role or place that an invite gives; undo restores the former."""
    before = access_of(invite)
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
