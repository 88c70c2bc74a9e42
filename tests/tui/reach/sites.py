"""Rows of sites. Stream ``sites`` fills it."""

from __future__ import annotations

from recto.contract.sites import Sites
from recto.contract.structure import Structure
from recto.store.locations import SiteLocation
from tui.reach.organizations import ORGANIZATIONS
from tui.reach.row import Place, Row

STRUCTURE = Place("structure of a site", lambda world: SiteLocation(world.organization, world.site))

ROWS: tuple[Row, ...] = (
    Row(Sites.list_sites, ORGANIZATIONS),
    Row(Sites.get_site, STRUCTURE),
    Row(Structure.get_structure, STRUCTURE),
)
