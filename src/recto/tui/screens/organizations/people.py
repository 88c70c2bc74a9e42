"""The members and the teams of an organization: each member's spaces and teams, and each team's members."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, get_args

from recto.client.call import pages
from recto.contract.common import Role
from recto.contract.members import Member, Members, MemberSpace
from recto.contract.teams import CreateTeam, MemberTeam, Team, TeamMember, Teams, UpdateTeam
from recto.contract.users import Users
from recto.document.text import count
from recto.store.drafts import DraftPlace
from recto.store.locations import SpaceLocation
from recto.store.people_changes import (
    add_members,
    change_role,
    create_team,
    delete_team,
    make_sso_member,
    remove_member,
    remove_members,
    rename_team,
    roles_of,
    set_roles,
)
from recto.store.roles import GUEST, needs
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.choose_members import PAGE, find_members
from recto.tui.dialogs.choose_several import ChooseSeveral
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, ConfirmTitle
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.role_words import ROLES
from recto.tui.lists.columns import Column
from recto.tui.look import signs, times
from recto.tui.screens.list_pane import Listed, ListPane, Nothing, Option
from recto.tui.screens.organizations.details import Detail

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from recto.contract.common import ListPage, User
    from recto.contract.organizations import Organization
    from recto.contract.teams import TeamRole
    from recto.store.mutation import Outcome
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.dialogs.choose import Find

register(
    Action("member.team", "Add to a team", ("t",), "Organizations", "to a team", writes=True),
    Action("member.sign_on", "Make a sign-on member", ("S",), "Organizations", writes=True),
)

_NOT_MANAGED: Final = "needs an owner of the team, or the admin role"
_OWN_ROLE: Final = "This is your own membership: you can change nothing here afterwards."
_OWN_TEAM: Final = "You are an owner yourself: you can change nothing here afterwards."
_MANAGES_NONE: Final = "needs an owner of a team, or the admin role"
MEANINGS: Final[Mapping[str, str]] = {**ROLES, GUEST: "only what guests may see"}
"""What each role may do, most first."""


class MembersPane(ListPane[Member]):
    """The members of an organization, searched, filtered and sorted by the platform."""

    BINDINGS = bindings("item.change", "item.delete", "member.team", "member.sign_on")

    def __init__(self, store: Store) -> None:
        listed = Listed[Member](
            title="Members",
            what="the members",
            one="member",
            columns=(
                Column("Name", _name, width=22, least=14, grows=True),
                Column("E-mail", _email, width=26, least=20, rank=2),
                Column("Role", _role, width=14, least=8),
                Column("Joined", lambda member: times.ago(member.joined_at, store.clock()), width=12, rank=3),
                Column("Last seen", lambda member: times.ago(member.last_seen_at, store.clock()), width=12, rank=4),
                Column("Teams", lambda member: f"{member.teams:,}", width=5, at_right=True, rank=5),
            ),
            name=lambda member: signs.person(member.user),
            empty=Nothing("No members."),
            search="search",
            sorts=(
                Option("newest first", {"sort": "joinedAt", "order": "desc"}, "Joined"),
                Option("oldest first", {"sort": "joinedAt", "order": "asc"}, "Joined"),
                Option(
                    "last seen first",
                    {"sort": "lastSeenAt", "order": "desc"},
                    "Last seen",
                    without="members never seen or disabled",
                ),
            ),
            filters=(
                Option("all"),
                *(Option(f"role {role}", {"role": role}) for role in get_args(Role)),
                Option("guests", {"role": GUEST}),
            ),
        )
        super().__init__(store, listed, id="members", quiet=True)
        self._organization: Organization | None = None
        self._managed = ManagedTeams(self)

    def show_organization(self, organization: Organization) -> None:
        """List the members of an organization."""
        is_same = self._organization is not None and self._organization.id == organization.id
        self._organization = organization
        if not is_same:
            self._managed.look_in(organization)
            self.list_from(Members.list_members, organization.id)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show the spaces and the teams of the member."""
        event.stop()
        if self._organization is not None:
            self.post_message(Detail.Wanted(member_detail(self.store, self._organization, event.item)))

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the selected members."""
        if action in ("item.change", "item.delete", "member.sign_on") and (reason := self._why_not_admin()):
            return reason
        if reason := self.why_none_chosen(action, "item.change", "item.delete", "member.team", "member.sign_on"):
            return reason
        if action == "member.team" and (reason := self._managed.why_none):
            return reason
        if action == "member.sign_on" and all(member.sso for member in self.chosen):
            return "signs in through a provider already"
        return super().why_not(action)

    def _why_not_admin(self) -> str | None:
        return "no organization" if self._organization is None else needs(self._organization.permissions, "admin")

    # Roles

    def action_item_change(self) -> None:
        """Change the role of the selected members."""
        if self._organization is not None:
            self.work(self._change_role(self._organization, self.chosen), "role")

    async def _change_role(self, organization: Organization, members: Sequence[Member]) -> None:
        now = {member.role or GUEST for member in members}
        choices = [
            Choice(role, role, f"{meaning}, now" if now == {role} else meaning) for role, meaning in MEANINGS.items()
        ]
        chosen = await self.ask(Choose(f"Role of {_names_of(members)}", choices))
        changing = [member for member in members if chosen is not None and (member.role or GUEST) != chosen]
        if chosen is None or not changing:
            return
        role = next((role for role in get_args(Role) if role == chosen), None)
        losing = [] if role == "admin" else await self._losses_of(organization, changing)
        if losing:
            title, does = f"Change the role of {_names_of(changing)}", f"changes the role to {chosen}"
            question = ConfirmTitle(title, *losing, named=organization.title, does=does, undo=_undo_of(losing))
            if not await self.ask(question):
                return
        await self.change_each(
            changing,
            lambda member: change_role(organization.id, member, role),
            doing="Changing roles",
            done=f"Changed to {chosen}:",
        )

    async def _losses_of(self, organization: Organization, members: Sequence[Member]) -> list[str]:
        """Return what is lost if these members stop being admins, as sentences."""
        if not any(member.role == "admin" for member in members):
            return []
        lost = []
        ids = {member.id for member in members}
        me = await self.store.fetch_or_kept(Users.get_user)
        if me.id in ids:
            lost.append(_OWN_ROLE)
        admins = await self.store.fetch(Members.list_members, organization.id, role="admin")
        if admins.next is None and {admin.id for admin in admins.items if not admin.disabled} <= ids:
            lost.append("No admin would be left, which the platform may refuse.")
        return lost

    # Leaving

    def action_item_delete(self) -> None:
        """Remove the selected members, after a question."""
        if self._organization is not None:
            self.work(self._remove(self._organization, self.chosen), "remove members")

    async def _remove(self, organization: Organization, members: Sequence[Member]) -> None:
        title = f"Remove {_names_of(members)}"
        points = [f"{signs.person(member.user)}: {_belongs_to(member)}" for member in members]
        says = "They lose their spaces and teams here. What they wrote stays."
        losing = await self._losses_of(organization, members)
        me = await self.store.fetch_or_kept(Users.get_user)
        if me.id in {member.id for member in members}:
            losing = losing or ["This is your own membership: you leave the organization."]
        if losing:
            question: ConfirmTitle | Confirm = ConfirmTitle(
                title, says, *losing, points=points, named=organization.title, does="removes them", undo=NO_UNDO
            )
        else:
            question = Confirm(title, says, points=points, does="removes them", undo=NO_UNDO)
        if await self.ask(question):
            change = partial(remove_member, organization.id)
            await self.change_each(members, change, doing="Removing members", done="Removed")

    # Sign-on

    def action_member_sign_on(self) -> None:
        """Make the selected members sign in through an identity provider, after a question."""
        if self._organization is not None:
            members = [member for member in self.chosen if not member.sso]
            self.work(self._make_sso(self._organization.id, members), "sign-on member")

    async def _make_sso(self, organization: str, members: Sequence[Member]) -> None:
        question = Confirm(
            f"Make {_names_of(members)} a sign-on member",
            "From then on they sign in through an identity provider of the organization.",
            does="makes them sign-on members",
            undo=NO_UNDO,
        )
        if await self.ask(question):
            change = partial(make_sso_member, organization)
            await self.change_each(members, change, doing="Making sign-on members", done="Made sign-on:")

    # Teams

    def action_member_team(self) -> None:
        """Add the selected members to a team."""
        if self._organization is not None:
            self.work(self._add_to_team(self._organization.id, self.chosen), "add to team")

    async def _add_to_team(self, organization: str, members: Sequence[Member]) -> None:
        team = await choose_team(self, organization, f"Add {_names_of(members)} to a team")
        if team is not None:
            roles: dict[str, TeamRole] = dict.fromkeys((member.id for member in members), "member")
            outcome = await self.carry_out(add_members(organization, team, roles))
            if outcome.ok:
                self.rows.selection.clear()


class ManagedTeams:
    """The teams that the person manages in an organization; requested unless they are an admin, who manages all."""

    def __init__(self, pane: ListPane[Member] | ListPane[MemberTeam]) -> None:
        self._pane = pane
        self._found: Query[ListPage[Team]] | None = None

    def look_in(self, organization: Organization) -> None:
        """Request the teams of an organization that the person manages."""
        self._found = None
        is_admin = needs(organization.permissions, "admin") is None
        me = () if is_admin else (self._pane.store.query(Users.get_user),)
        self._pane.follow_instead("me", partial(self._ask, organization.id), *me)

    def _ask(self, organization: str, me: Query[User]) -> None:
        if me.value is not None:
            self._found = self._pane.store.query(Teams.list_teams, organization, owner=me.value.id, limit=1)
            self._pane.follow_instead("managed", lambda _: self._pane.refresh_bindings(), self._found)

    @property
    def why_none(self) -> str | None:
        """The reason why nothing can be done with any team; ``None`` while that is not known."""
        found = self._found.value if self._found is not None else None
        return _MANAGES_NONE if found is not None and not found.items else None


async def choose_team(pane: ListPane[Member] | ListPane[MemberTeam], organization: str, title: str) -> Team | None:
    """Ask for a team; teams that the person may not change are listed with the reason."""
    teams: dict[str, Team] = {}
    chosen = await pane.ask(Choose(title, find=find_teams(pane.store, organization, teams, managed=True)))
    return teams.get(chosen) if chosen is not None else None


def find_teams(store: Store, organization: str, teams: dict[str, Team], *, managed: bool = False) -> Find:
    """Return a search for teams by title; with ``managed``, for those that the person may change."""

    async def find(text: str) -> AsyncIterator[Sequence[Choice]]:
        async for page in pages(store.call, Teams.list_teams, organization, limit=PAGE, title=text or None):
            teams.update((team.id, team) for team in page.items)
            yield [
                Choice(
                    team.id,
                    team.title,
                    count(team.members, "member"),
                    _NOT_MANAGED if managed and not team.permissions.admin else "",
                )
                for team in page.items
            ]

    return find


def member_detail(store: Store, organization: Organization, member: Member) -> Detail:
    """Return the lists of a member: the spaces with their permissions there, and the teams."""
    name = signs.person(member.user)
    return Detail(name, MemberSpacesPane(store, organization, member), MemberTeamsPane(store, organization, member))


class MemberSpacesPane(ListPane[MemberSpace]):
    """The spaces that a member may see, with the effective permission."""

    def __init__(self, store: Store, organization: Organization, member: Member) -> None:
        listed = Listed[MemberSpace](
            title=f"Spaces of {signs.person(member.user)}",
            what="the spaces of the member",
            one="space",
            columns=(
                Column("Space", lambda one: one.space.title or "Untitled space", width=24, least=14, grows=True),
                Column("Role", lambda one: str(one.permission), width=8),
                Column("Since", lambda one: times.ago(one.space.created_at, store.clock()), width=12, rank=2),
            ),
            name=lambda one: one.space.title,
            empty=Nothing("No spaces that you have access to."),
            key=lambda one: one.space.id,
            sorts=(
                Option("newest first", {"order": "desc"}, "Since"),
                Option("oldest first", {"order": "asc"}, "Since"),
            ),
        )
        super().__init__(store, listed, id="member-spaces", quiet=True)
        self.list_from(Members.list_member_spaces, organization.id, member.id)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Go to the space."""
        event.stop()
        self.go(self.store.at_choice(SpaceLocation(event.item.space.id)))


class MemberTeamsPane(ListPane[MemberTeam]):
    """The teams that a member is in, with what the member is there."""

    BINDINGS = bindings("item.new", "item.change", "item.delete")

    def __init__(self, store: Store, organization: Organization, member: Member) -> None:
        listed = Listed[MemberTeam](
            title="Teams",
            what="the teams of the member",
            one="team",
            columns=(
                Column("Team", lambda one: one.team.title, width=24, least=14, grows=True),
                Column("Is", lambda one: str(one.member.role), width=8),
                Column("Members", lambda one: f"{one.team.members:,}", width=7, at_right=True, rank=2),
            ),
            name=lambda one: one.team.title,
            empty=Nothing("In no team yet.", "a", "adds to one"),
            key=lambda one: one.team.id,
            search="title",
        )
        super().__init__(store, listed, id="member-teams", quiet=True)
        self._organization = organization
        self._member = member
        self._managed = ManagedTeams(self)
        self.list_from(Teams.list_member_teams, organization.id, member.id)

    def on_mount(self) -> None:
        """Ask which teams the person manages."""
        self._managed.look_in(self._organization)

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the selected teams."""
        if action == "item.new" and (reason := self._managed.why_none):
            return reason
        if reason := self.why_none_chosen(action, "item.change", "item.delete"):
            return reason
        if action in ("item.change", "item.delete") and not all(one.team.permissions.admin for one in self.chosen):
            return _NOT_MANAGED
        return super().why_not(action)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show the members of the team."""
        event.stop()
        self.post_message(Detail.Wanted(team_detail(self.store, self._organization, event.item.team)))

    def action_item_new(self) -> None:
        """Add the member to a team."""
        self.work(self._add(), "add to team")

    async def _add(self) -> None:
        title = f"Add {signs.person(self._member.user)} to a team"
        team = await choose_team(self, self._organization.id, title)
        if team is not None:
            await self.carry_out(add_members(self._organization.id, team, {self._member.id: "member"}))

    def action_item_change(self) -> None:
        """Make the member an owner of the teams, or an ordinary member."""
        self.work(self._change(self.chosen), "role in team")

    async def _change(self, teams: Sequence[MemberTeam]) -> None:
        role = await self.ask(Choose(f"{signs.person(self._member.user)} in the team", TEAM_ROLES))
        if role is not None:
            lost = await self._losses(teams) if role != "owner" else None
            if lost and not await self.ask(
                ConfirmTitle(
                    "Give up the team",
                    lost,
                    named=self._title_to_type(teams),
                    does=f"makes you {role}",
                    undo=_undo_of([lost]),
                )
            ):
                return
            now: dict[str, TeamRole] = {self._member.id: "owner" if role == "owner" else "member"}
            await self.change_each(
                teams,
                lambda one: set_roles(
                    self._organization.id,
                    one.team,
                    now,
                    {self._member.id: "owner" if one.member.role == "owner" else "member"},
                ),
                doing="Changing roles",
                done=f"Made {role} of",
            )

    def action_item_delete(self) -> None:
        """Take the member out of the selected teams, after a question."""
        self.work(self._leave(self.chosen), "leave teams")

    async def _leave(self, teams: Sequence[MemberTeam]) -> None:
        title = f"Remove {signs.person(self._member.user)} from {count(len(teams), 'team')}"
        points = [one.team.title for one in teams]
        lost = await self._losses(teams)
        question: ConfirmTitle | Confirm = Confirm(title, points=points, does="removes them", undo=UNDO)
        if lost:
            named = self._title_to_type(teams)
            does, undo = "removes you", _undo_of([lost])
            question = ConfirmTitle(title, lost, points=points, named=named, does=does, undo=undo)
        if await self.ask(question):
            await self.change_each(
                teams,
                lambda one: remove_members(
                    self._organization.id,
                    one.team,
                    {self._member.id: "owner" if one.member.role == "owner" else "member"},
                ),
                doing="Leaving teams",
                done="Left",
            )

    async def _losses(self, teams: Sequence[MemberTeam]) -> str | None:
        owned = [self._member.id for one in teams if one.member.role == "owner"]
        return await ownership_lost(self.store, self._organization, owned)

    def _title_to_type(self, teams: Sequence[MemberTeam]) -> str:
        """Return the title to type: that of the team, or of the organization where there are several."""
        return teams[0].team.title if len(teams) == 1 else self._organization.title


async def ownership_lost(store: Store, organization: Organization, owners: Sequence[str]) -> str | None:
    """Return what the person loses if these members stop being owners of a team; ``None`` if nothing."""
    if not owners or (await store.fetch_or_kept(Users.get_user)).id not in owners:
        return None
    if needs(organization.permissions, "admin") is None:
        return "You are an owner yourself, and stop being one. As an admin you can still change it."
    return _OWN_TEAM


def _undo_of(losses: Sequence[str]) -> str:
    """Return the note on undoing a change: a person who gives up the permission cannot."""
    return NO_UNDO if {_OWN_ROLE, _OWN_TEAM}.intersection(losses) else UNDO


TEAM_ROLES = (
    Choice("member", "member", "is in the team"),
    Choice("owner", "owner", "renames the team and changes its members"),
)
"""What a member may be in a team."""


def _name(member: Member) -> str:
    return signs.person(member.user)


def _email(member: Member) -> str:
    return (member.user.email if member.user is not None else None) or ""


def _role(member: Member) -> list[tuple[str, str]]:
    if member.disabled:
        return [("disabled", "faint")]
    role = str(member.role or GUEST)
    return [(role, "accent" if role == "admin" else ""), *([(" · sso", "muted")] if member.sso else [])]


def _names_of(members: Sequence[Member]) -> str:
    return signs.person(members[0].user) if len(members) == 1 else count(len(members), "member")


def _belongs_to(member: Member) -> str:
    return f"{member.role or GUEST}, {count(member.spaces, 'space')}, {count(member.teams, 'team')}"


# Teams


class TeamsPane(ListPane[Team]):
    """The teams of an organization."""

    BINDINGS = bindings("item.new", "item.rename", "item.delete")

    def __init__(self, store: Store) -> None:
        listed = Listed[Team](
            title="Teams",
            what="the teams",
            one="team",
            columns=(
                Column("Team", lambda team: team.title, width=24, least=14, grows=True),
                Column("Members", lambda team: f"{team.members:,}", width=7, at_right=True),
                Column("Spaces", lambda team: f"{team.spaces:,}", width=6, at_right=True, rank=2),
                Column("Since", lambda team: times.ago(team.created_at, store.clock()), width=12, rank=3),
            ),
            name=lambda team: team.title,
            empty=Nothing("No teams yet.", "a", "creates one"),
            search="title",
        )
        super().__init__(store, listed, id="teams", quiet=True)
        self._organization: Organization | None = None

    def show_organization(self, organization: Organization) -> None:
        """List the teams of an organization."""
        is_same = self._organization is not None and self._organization.id == organization.id
        self._organization = organization
        if not is_same:
            self.list_from(Teams.list_teams, organization.id)

    def on_mount(self) -> None:
        """Follow who the person is, to offer the teams that they manage."""
        self.follow(self.store.query(Users.get_user), self._offer_own)

    def _offer_own(self, me: Query[User]) -> None:
        if me.value is not None:
            own = Option("those I manage", {"owner": me.value.id})
            self.listed = replace(self.listed, filters=(Option("all"), own))

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show the members of the team."""
        event.stop()
        if self._organization is not None:
            self.post_message(Detail.Wanted(team_detail(self.store, self._organization, event.item)))

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the selected teams."""
        if self._organization is None:
            return "no organization"
        if action in ("item.new", "item.delete") and (reason := needs(self._organization.permissions, "admin")):
            return reason
        if reason := self.why_none_chosen(action, "item.rename", "item.delete"):
            return reason
        if action == "item.rename" and self.current is not None and not self.current.permissions.admin:
            return _NOT_MANAGED
        return super().why_not(action)

    def action_item_new(self) -> None:
        """Make a team."""
        if self._organization is not None:
            self.work(self._new(self._organization.id), "new team")

    async def _new(self, organization: str) -> None:
        async def submit(body: CreateTeam) -> Outcome[Team]:
            return await self.send(create_team(organization, body.title.strip(), body.members))

        filling = Filling(
            NEW_TEAM,
            submit,
            find={"members": find_members(self.store, organization)},
            place=DraftPlace(organization=organization),
        )
        team = await self.ask(FormDialog(self.store, "New team", filling))
        if team is not None:
            self.say(f"Created the team “{team.title}”.")

    def action_item_rename(self) -> None:
        """Ask for another title of the team under the cursor."""
        if self._organization is not None and self.current is not None:
            self.work(self._rename(self._organization.id, self.current), "rename team")

    async def _rename(self, organization: str, team: Team) -> None:
        latest = Latest(team, partial(self.store.call, Teams.get_team, organization, team.id))

        async def submit(body: UpdateTeam) -> Outcome[Team]:
            return await self.send(rename_team(organization, team.id, body.title.strip(), latest.value.title))

        place = DraftPlace(organization=organization, block=team.id)
        filling = Filling(RENAMED_TEAM, submit, thing=team, reread=latest, place=place)
        renamed = await self.ask(FormDialog(self.store, "Rename the team", filling))
        if renamed is not None:
            self.say(f"Renamed the team to “{renamed.title}”.")

    def action_item_delete(self) -> None:
        """Delete the selected teams, after a question."""
        if self._organization is not None:
            self.work(self._delete(self._organization.id, self.chosen), "delete teams")

    async def _delete(self, organization: str, teams: tuple[Team, ...]) -> None:
        question = Confirm(
            f"Delete {_teams_named(teams)}",
            "Their members stay in the organization, without what the teams gave them.",
            points=[f"{team.title}: {count(team.members, 'member')}, {count(team.spaces, 'space')}" for team in teams],
            does="deletes them",
            undo=NO_UNDO,
        )
        if await self.ask(question):
            await self.change_each(teams, partial(delete_team, organization), doing="Deleting teams", done="Deleted")


NEW_TEAM: Final = Form(
    "new-team",
    CreateTeam,
    Field("title", "Title", required=True),
    Field("members", "Members", "others can be added later", kind=FieldKind.SEVERAL, required=False),
    whole=True,
    sends="Create the team",
)
RENAMED_TEAM: Final = Form("team", UpdateTeam, Field("title", "Title", required=True))


def team_detail(store: Store, organization: Organization, team: Team) -> Detail:
    """Return the list of the members of a team."""
    return Detail(team.title, TeamMembersPane(store, organization, team))


class TeamMembersPane(ListPane[TeamMember]):
    """The members of a team, with what each is in it."""

    BINDINGS = bindings("item.new", "item.change", "item.delete")

    def __init__(self, store: Store, organization: Organization, team: Team) -> None:
        listed = Listed[TeamMember](
            title=f"Members of {team.title}",
            what="the members of the team",
            one="member",
            columns=(
                Column("Name", lambda one: _name(one.organization), width=22, least=14, grows=True),
                Column("E-mail", lambda one: _email(one.organization), width=26, least=20, rank=2),
                Column("Is", lambda one: str(one.team.role), width=7),
                Column("Role", lambda one: _role(one.organization), width=14, least=8, rank=3),
            ),
            name=lambda one: _name(one.organization),
            empty=Nothing("No members in this team yet.", "a", "adds members"),
            key=lambda one: one.organization.id,
        )
        super().__init__(store, listed, id="team-members", quiet=True)
        self._organization = organization
        self._team = team
        self.list_from(Teams.list_team_members, organization.id, team.id)

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the selected members."""
        if action in ("item.new", "item.change", "item.delete") and not self._team.permissions.admin:
            return _NOT_MANAGED
        if reason := self.why_none_chosen(action, "item.change", "item.delete"):
            return reason
        return super().why_not(action)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show the spaces and the teams of the member."""
        event.stop()
        self.post_message(Detail.Wanted(member_detail(self.store, self._organization, event.item.organization)))

    def action_item_new(self) -> None:
        """Add members of the organization."""
        self.work(self._add(), "add members")

    async def _add(self) -> None:
        already = {one.organization.id for one in self.items}
        title = f"Add members to {self._team.title}"

        find = find_members(
            self.store, self._organization.id, lambda member: "already in it" if member.id in already else ""
        )
        chosen = await self.ask(ChooseSeveral(title, find=find))
        if chosen:
            roles: dict[str, TeamRole] = dict.fromkeys(chosen, "member")
            await self.carry_out(add_members(self._organization.id, self._team, roles))

    def action_item_change(self) -> None:
        """Make the selected members owners of the team, or ordinary members."""
        self.work(self._change(self.chosen), "role in team")

    async def _change(self, members: Sequence[TeamMember]) -> None:
        role = await self.ask(Choose(f"{_members_named(members)} in the team", TEAM_ROLES))
        changing = [one for one in members if role is not None and one.team.role != role]
        if not changing:
            return
        lost = await self._losses(changing) if role != "owner" else None
        if lost and not await self.ask(
            ConfirmTitle(
                "Give up the team", lost, named=self._team.title, does="makes them members", undo=_undo_of([lost])
            )
        ):
            return
        now: TeamRole = "owner" if role == "owner" else "member"
        roles = dict.fromkeys((one.organization.id for one in changing), now)
        outcome = await self.carry_out(set_roles(self._organization.id, self._team, roles, roles_of(changing)))
        if outcome.ok:
            self.rows.selection.clear()

    def action_item_delete(self) -> None:
        """Take the selected members out of the team, after a question."""
        self.work(self._remove(self.chosen), "remove from team")

    async def _remove(self, members: Sequence[TeamMember]) -> None:
        title, says = f"Remove {_members_named(members)} from {self._team.title}", "They stay in the organization."
        points = [_name(one.organization) for one in members] if len(members) > 1 else []
        does = "removes them from the team"
        question: ConfirmTitle | Confirm = Confirm(title, says, points=points, does=does, undo=UNDO)
        if lost := await self._losses(members):
            named, undo = self._team.title, _undo_of([lost])
            question = ConfirmTitle(title, says, lost, points=points, named=named, does=does, undo=undo)
        if await self.ask(question):
            outcome = await self.carry_out(remove_members(self._organization.id, self._team, roles_of(members)))
            if outcome.ok:
                self.rows.selection.clear()

    async def _losses(self, members: Sequence[TeamMember]) -> str | None:
        owners = [one.organization.id for one in members if one.team.role == "owner"]
        return await ownership_lost(self.store, self._organization, owners)


def _members_named(members: Sequence[TeamMember]) -> str:
    return _names_of([one.organization for one in members])


def _teams_named(teams: Sequence[Team]) -> str:
    return f"the team “{teams[0].title}”" if len(teams) == 1 else count(len(teams), "team")
