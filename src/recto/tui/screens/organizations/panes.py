"""The lists of an organization: a row for each in the tree, and a pane beside it, imported when it is first shown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.store import Store
    from recto.tui.screens.organizations.inbox import InboxPane
    from recto.tui.screens.pane import Pane

INBOX, SITES, MEMBERS, TEAMS, INVITES, DELETED = "inbox", "sites", "members", "teams", "invites", "deleted"
SPECIFICATIONS, TRANSLATIONS, SIGN_ON, SETTINGS = "specifications", "translations", "sign-on", "settings"

EVERYWHERE = "everywhere"
"""The kind of the row below all organizations: the inbox over all of them."""
COMBINED_INBOX = "Combined inbox"
"""The name of that row."""

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
    SITES: Subject("Sites", "◇", f"{_HERE}.sites", "SitesPane"),
    MEMBERS: Subject("Members", "◦", f"{_HERE}.people", "MembersPane"),
    TEAMS: Subject("Teams", "◦", f"{_HERE}.people", "TeamsPane"),
    INVITES: Subject("Invites", "◦", f"{_HERE}.invites", "InvitesPane"),
    SPECIFICATIONS: Subject("OpenAPI specifications", "◦", f"{_HERE}.specifications", "SpecificationsPane"),
    TRANSLATIONS: Subject("Translations", "◦", f"{_HERE}.translations", "TranslationsPane"),
    DELETED: Subject("Deleted spaces", "†", f"{_HERE}.deleted_spaces", "DeletedSpacesPane"),
    SIGN_ON: Subject("Sign-on", "◦", f"{_HERE}.sign_on", "SignOnPane"),
    SETTINGS: Subject("Settings", "◦", f"{_HERE}.organization_settings", "SettingsPane"),
}
"""The rows by kind, in their order; one line here and a pane with ``show_organization`` make another."""


class OrganizationPane(Protocol):
    """The pane beside the row of a subject; it is a :class:`Pane`, made with the store."""

    def show_organization(self, organization: Organization) -> None:
        """Show the list of an organization; called again each time more is known of it."""
        ...

    def reload(self) -> None:
        """Request everything again."""
        ...


@runtime_checkable
class Maker(Protocol):
    """A pane that makes new items of its list, also while the focus is on its row in the tree."""

    def action_item_new(self) -> None:
        """Make a new item."""
        ...

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        ...


def make_pane(kind: str, store: Store) -> Pane:
    """Import and make the pane of a subject; its id is the kind."""
    subject = SUBJECTS[kind]
    pane: Pane = getattr(import_module(subject.module), subject.pane)(store)
    return pane


def make_inbox(store: Store) -> InboxPane:
    """Import and make the inbox over all organizations."""
    subject = SUBJECTS[INBOX]
    pane: InboxPane = getattr(import_module(subject.module), subject.pane)(store, EVERYWHERE)
    return pane


def import_panes() -> None:
    """Import the panes of all subjects, so that their actions are registered."""
    for subject in SUBJECTS.values():
        import_module(subject.module)
