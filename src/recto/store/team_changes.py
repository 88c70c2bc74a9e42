"""Changes of the teams of an organization, as mutations."""

from __future__ import annotations

from recto.contract.teams import Team, Teams, UpdateTeam
from recto.store.keys import Chooser, calls
from recto.store.mutation import Mutation, changes_items


def _lists(organization: str) -> tuple[Chooser, ...]:
    return (
        calls(Teams.list_teams, organization_id=organization),
        calls(Teams.list_member_teams, organization_id=organization),
    )


def rename_team(organization: str, team: str, title: str, before: str) -> Mutation[Team]:
    """Give a team another title; undoing gives it the one before."""

    def titled(shown: Team) -> Team:
        return shown.model_copy(update={"title": title}) if shown.id == team else shown

    return Mutation(
        doing=f"Renaming the team to “{title}”",
        done=f"Renamed the team to “{title}”",
        call=lambda call: call(Teams.update_team, organization, team, UpdateTeam(title=title)),
        effects=(changes_items(Teams.list_teams, titled, organization_id=organization),),
        stale=_lists(organization),
        inverse=lambda _: rename_team(organization, team, before, title),
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
        stale=_lists(organization),
        lane=("team", team.id),
    )
