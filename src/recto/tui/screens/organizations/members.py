"""The members of an organization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.members import Member, Members
from recto.tui.lists.columns import Column
from recto.tui.look import signs, times
from recto.tui.screens.list_pane import Listed, ListPane, Nothing, Option

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.store import Store

ROLES = ("admin", "create", "review", "edit", "comment", "read")


class MembersPane(ListPane[Member]):
    """The members of an organization, searched, filtered and sorted by the platform."""

    def __init__(self, store: Store) -> None:
        columns = (
            Column[Member]("Name", lambda member: signs.person(member.user), width=22, least=14, grows=True),
            Column[Member]("E-mail", _email, width=26, least=20, rank=2),
            Column[Member]("Role", lambda member: str(member.role or "guest"), width=7),
            Column[Member]("Joined", lambda member: times.ago(member.joined_at, store.clock()), width=12, rank=3),
            Column[Member]("Last seen", lambda member: times.ago(member.last_seen_at, store.clock()), width=12, rank=4),
        )
        listed = Listed[Member](
            title="Members",
            what="the members",
            one="member",
            columns=columns,
            name=lambda member: signs.person(member.user),
            empty=Nothing("No members."),
            search="search",
            sorts=(
                Option("newest first", {"sort": "joinedAt", "order": "desc"}, "Joined"),
                Option("oldest first", {"sort": "joinedAt", "order": "asc"}, "Joined"),
                Option("last seen first", {"sort": "lastSeenAt", "order": "desc"}, "Last seen"),
            ),
            filters=(
                Option("all"),
                *(Option(f"role {role}", {"role": role}) for role in ROLES),
                Option("guests", {"role": "guest"}),
            ),
        )
        super().__init__(store, listed, id="members", quiet=True)
        self._organization = ""

    def show_organization(self, organization: Organization) -> None:
        """List the members of an organization."""
        if organization.id != self._organization:
            self._organization = organization.id
            self.list_from(Members.list_members, organization.id)


def _email(member: Member) -> str:
    return (member.user.email if member.user is not None else None) or ""
