"""Rows of a space: pages, files, links, revisions, search."""

from __future__ import annotations

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.changes import ContentChanges
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

IN_REQUEST_PAGE = Place(
    "links of a page in a change request",
    lambda world: SpaceLocation(world.space, change_request=world.request),
    ("enter", "b"),
)
IN_REQUEST_FILES = Place(
    "files in a change request", lambda world: SpaceLocation(world.space, change_request=world.request), ("4",)
)
IN_REQUEST_LINKS = Place(
    "links in a change request", lambda world: SpaceLocation(world.space, change_request=world.request), ("5",)
)
REVISIONS = Place("revisions of a space", lambda world: SpaceLocation(world.space), ("6",))


async def search_organization(ada: Driver) -> None:
    await ada.press("s", "tab")
    await ada.type("review")
    assert "review" in ada.screen.casefold()


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
    Row(Content.list_files.at(InChangeRequest), IN_REQUEST_FILES, fields=WHOLE),
    Row(Content.get_revision.at(AtRevision), PAST, fields=WHOLE),
    Row(ContentChanges.list_changes.at(AtRevision), PAST),
    Row(Content.get_revision, REVISIONS, fields=WHOLE),
    Row(Links.list_links.at(InChangeRequest), IN_REQUEST_LINKS, fields={"status": CONSOLE, "broken_context": CONSOLE}),
    Row(Links.list_page_links.at(InChangeRequest), IN_REQUEST_PAGE),
    Row(Links.list_page_backlinks.at(InChangeRequest), IN_REQUEST_PAGE),
    Row(Search.search_organization, PAGES, "search.scope", {"query": "line"}, act=search_organization),
    Row(Links.list_links, LINKS, fields={"status": CONSOLE}),
    Row(Links.list_page_links, PAGE_LINKS, fields={"status": CONSOLE}),
    Row(Links.list_page_backlinks, PAGE_LINKS),
    Row(Search.search_space, PAGES, "space.search", {"query": "line"}, act=search_space),
)
