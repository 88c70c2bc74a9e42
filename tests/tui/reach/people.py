"""Rows of members, teams and invites of an organization. Stream ``people`` fills it."""

from __future__ import annotations

from recto.contract.members import Members
from recto.store.locations import OrganizationsLocation
from tui.reach.row import Place, Row

MEMBERS = Place("Members", lambda world: OrganizationsLocation(f"members:{world.organization}"))

ROWS: tuple[Row, ...] = (Row(Members.list_members, MEMBERS),)
