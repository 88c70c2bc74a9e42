"""Rows of the tree of organizations and of the inbox."""

from __future__ import annotations

from recto.contract.change_requests import ChangeRequests
from recto.contract.organizations import Organizations
from recto.contract.users import Users
from recto.store.locations import OrganizationsLocation
from tui.reach.row import CONSOLE, Act, Driver, Place, Row

ORGANIZATIONS = Place(
    "Organizations", lambda world: OrganizationsLocation(f"organization:{world.organization}"), ("l",)
)
OWN = Place("an organization of one's own", lambda world: OrganizationsLocation(f"organization:{world.own}"))
INBOX = Place("Inbox", lambda world: OrganizationsLocation(f"inbox:{world.organization}"))

LISTED_INBOX = Place("Inbox, entered", INBOX.opening, ("enter",))
NARROWED = {"creator": "choice", "contributor": "choice", "requested_reviewer": CONSOLE, "order_by": CONSOLE}


def narrowing(key: str) -> Act:
    """Return what shows the change requests of persons, and all again."""

    async def narrow(ada: Driver) -> None:
        for words, shown in (
            ("Contributed to by Ada", "contributed to by Ada Lovelace"),
            ("By Ada", "by Ada Lovelace"),
        ):
            await ada.press(key)
            await ada.type(words)
            await ada.press("enter")
            assert shown in ada.screen, ada.screen
        await ada.press(key)
        await ada.type("By another")
        await ada.press("enter")
        await ada.type("ines")
        await ada.press("enter")
        assert "Change requests  by Ines Park" in ada.screen, ada.screen
        await ada.press(key)
        await ada.type("All change")
        await ada.press("enter")
        assert "Change requests  by Ines" not in ada.screen, ada.screen

    return narrow


ROWS: tuple[Row, ...] = (
    Row(Users.get_user, ORGANIZATIONS),
    Row(Organizations.list_organizations, ORGANIZATIONS),
    Row(ChangeRequests.list_organization_change_requests, INBOX, fields={"status": "shown"}),
    Row(ChangeRequests.list_organization_change_requests, LISTED_INBOX, "list.order", NARROWED, act=narrowing("s")),
)
