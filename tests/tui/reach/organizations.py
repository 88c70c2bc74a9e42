"""Rows of the tree of organizations and of the inbox."""

from __future__ import annotations

from recto.contract.change_requests import ChangeRequests
from recto.contract.organizations import Organizations
from recto.contract.users import Users
from recto.store.locations import OrganizationsLocation
from tui.reach.row import CONSOLE, Place, Row

ORGANIZATIONS = Place(
    "Organizations", lambda world: OrganizationsLocation(f"organization:{world.organization}"), ("l",)
)
OWN = Place("an organization of one's own", lambda world: OrganizationsLocation(f"organization:{world.own}"))
INBOX = Place("Inbox", lambda world: OrganizationsLocation(f"inbox:{world.organization}"))

INBOX_FIELDS = {
    "status": "shown",
    "creator": CONSOLE,
    "contributor": CONSOLE,
    "requested_reviewer": CONSOLE,
    "order_by": CONSOLE,
}

ROWS: tuple[Row, ...] = (
    Row(Users.get_user, ORGANIZATIONS),
    Row(Organizations.list_organizations, ORGANIZATIONS),
    Row(ChangeRequests.list_organization_change_requests, INBOX, fields=INBOX_FIELDS),
)
