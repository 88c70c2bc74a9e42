"""The lists of an organization: a row for each in the tree, and a pane beside it, imported when it is first shown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.store import Store
    from recto.tui.screens.pane import Pane

INBOX, MEMBERS, TEAMS = "inbox", "members", "teams"

_HERE = "recto.tui.screens.organizations"


@frozen
class Subject:
    """A row below an organization, and the module and class of its pane."""

    label: str
    sign: str
    module: str
    pane: str


SUBJECTS = {
    INBOX: Subject("Change requests", "○", f"{_HERE}.inbox", "InboxPane"),
    MEMBERS: Subject("Members", "◦", f"{_HERE}.members", "MembersPane"),
    TEAMS: Subject("Teams", "◦", f"{_HERE}.teams", "TeamsPane"),
}
"""The rows by kind, in their order; one line here and a pane with ``show_organization`` make another."""


class OrganizationPane(Protocol):
    """What a pane has that stands beside the row of a subject; it is a :class:`Pane`, made with the store."""

    def show_organization(self, organization: Organization) -> None:
        """Show what it lists of an organization; called again each time more is known of it."""
        ...

    def reload(self) -> None:
        """Request everything again."""
        ...


def make_pane(kind: str, store: Store) -> Pane:
    """Import and make the pane of a subject; its id is the kind."""
    subject = SUBJECTS[kind]
    pane: Pane = getattr(import_module(subject.module), subject.pane)(store)
    return pane


def import_panes() -> None:
    """Import the panes of all subjects, so that their actions are registered."""
    for subject in SUBJECTS.values():
        import_module(subject.module)
