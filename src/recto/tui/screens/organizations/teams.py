"""The teams of an organization."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from recto.contract.teams import Team, Teams
from recto.document.text import count
from recto.store.team_changes import delete_team, rename_team
from recto.tui.actions import bindings
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.lists.columns import Column
from recto.tui.look import times
from recto.tui.screens.list_pane import Listed, ListPane, Nothing

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.store import Store


class TeamsPane(ListPane[Team]):
    """The teams of an organization."""

    BINDINGS = bindings("item.rename", "item.delete")

    def __init__(self, store: Store) -> None:
        listed = Listed[Team](
            title="Teams",
            what="the teams",
            one="team",
            columns=(
                Column("Title", lambda team: team.title, width=24, least=14, grows=True),
                Column("Members", lambda team: f"{team.members:,}", width=7, at_right=True),
                Column("Spaces", lambda team: f"{team.spaces:,}", width=6, at_right=True, rank=2),
                Column("Since", lambda team: times.ago(team.created_at, store.clock()), width=12, rank=3),
            ),
            name=lambda team: team.title,
            empty=Nothing("No teams yet."),
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

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the selected teams."""
        if reason := self.why_none_chosen(action, "item.rename", "item.delete"):
            return reason
        if action == "item.rename" and not all(team.permissions.admin for team in self.chosen[:1]):
            return "needs an owner of the team, or the admin role"
        if action == "item.delete" and (self._organization is None or not self._organization.permissions.admin):
            return "needs the admin role"
        return super().why_not(action)

    def action_item_rename(self) -> None:
        """Ask for another title of the team under the cursor."""
        if self._organization is not None and self.current is not None:
            self.work(self._rename(self._organization.id, self.current), "rename team")

    async def _rename(self, organization: str, team: Team) -> None:
        title = await self.ask(PromptLine("Rename the team", team.title))
        if title is not None and title.strip() != team.title:
            await self.carry_out(rename_team(organization, team.id, title.strip(), team.title))

    def action_item_delete(self) -> None:
        """Delete the selected teams, after a question."""
        if self._organization is not None:
            self.work(self._delete(self._organization.id, self.chosen), "delete teams")

    async def _delete(self, organization: str, teams: tuple[Team, ...]) -> None:
        question = Confirm(
            f"Delete {count(len(teams), 'team')}",
            "Their members stay in the organization. This cannot be undone.",
            points=[f"{team.title}: {count(team.members, 'member')}" for team in teams],
            does="deletes them",
        )
        if await self.ask(question):
            change = partial(delete_team, organization)
            await self.change_each(teams, change, doing="Deleting teams", done="Deleted")
