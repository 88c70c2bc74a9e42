"""Rows of a space: pages, files, links, revisions, search."""

from __future__ import annotations

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.content import Content
from recto.contract.links import Links
from recto.contract.organizations import Organizations
from recto.contract.search import Search
from recto.contract.spaces import Spaces
from recto.store.locations import SpaceLocation
from tui.reach.row import CONSOLE, Driver, Place, Row

PAGES = Place("page tree", lambda world: SpaceLocation(world.space))
PAGE = Place("page", lambda world: SpaceLocation(world.space), ("enter",))
PAGE_LINKS = Place("links of a page", lambda world: SpaceLocation(world.space), ("enter", "b"))
FILES = Place("files of a space", lambda world: SpaceLocation(world.space), ("4",))
LINKS = Place("links of a space", lambda world: SpaceLocation(world.space), ("5",))
IN_REQUEST = Place("page in a change request", lambda world: SpaceLocation(world.space, change_request=world.request))
PAST = Place("page then", lambda world: SpaceLocation(world.space, revision=world.revision), ("enter",))


async def search_space(ada: Driver) -> None:
    await ada.press("s")
    await ada.type("review")
    assert "review" in ada.screen.casefold()


WHOLE = {"metadata": CONSOLE, "computed": CONSOLE}
"""What a person never leaves out."""
PAGE_FIELDS = {"format": "shown", "evaluated": CONSOLE, **WHOLE}

ROWS: tuple[Row, ...] = (
    Row(Organizations.get_organization, PAGES),
    Row(Spaces.get_space, PAGES, fields={"share_key": CONSOLE}),
    Row(Content.list_pages, PAGES, fields=WHOLE),
    Row(Content.list_pages.at(InChangeRequest), IN_REQUEST, fields=WHOLE),
    Row(Content.list_pages.at(AtRevision), PAST, fields=WHOLE),
    Row(Content.get_page, PAGE, fields=PAGE_FIELDS),
    Row(Content.get_page.at(InChangeRequest), IN_REQUEST, fields=PAGE_FIELDS),
    Row(Content.get_page.at(AtRevision), PAST, fields=PAGE_FIELDS),
    Row(Content.list_files, FILES, fields=WHOLE),
    Row(Links.list_links, LINKS),
    Row(Links.list_page_links, PAGE_LINKS),
    Row(Links.list_page_backlinks, PAGE_LINKS),
    Row(Search.search_space, PAGES, "space.search", {"query": "line"}, act=search_space),
)
