"""The links of a space and of its pages: where they lead, which are broken, and what points at a page or a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from recto.contract.unread import unread_of
from recto.frozen import frozen
from recto.store.growing_list import GrowingList, Grown
from recto.store.query_keys import QueryKey

if TYPE_CHECKING:
    from recto.contract.addresses import InChangeRequest, Main
    from recto.contract.links import ContentLink, LinkList, LinkStats, ReferencedContent
    from recto.store.query import Listing, Query
    from recto.store.store import Store

_PORTION = 200
"""How many links one call asks for."""

MOST = 1000
"""How many broken links of a space, or links of a page, are counted one by one."""


@frozen
class SpaceLink:
    """A link as it is listed: its status, where it leads, and the page and line in which it is written."""

    number: int
    status: str
    target: ReferencedContent
    written: str
    text: str = ""
    page: str | None = None
    title: str = ""
    line: int | None = None


@frozen
class LinkRest:
    """Where the links of a space go on, and what the platform says of all of them."""

    page: str | None
    stats: LinkStats


def links_of_space(store: Store, at: Main | InChangeRequest) -> GrowingList[SpaceLink]:
    """Return the links of a space, the broken ones first, as far as asked for."""
    from recto.contract.links import Links

    async def load(known: Grown[SpaceLink] | None) -> Grown[SpaceLink]:
        rest: LinkRest | None = known.rest if known is not None else None
        page = rest.page if rest is not None else None
        found: list[SpaceLink] = list(known.items) if known is not None else []
        if known is None:
            broken = await store.fetch(Links.list_links, at, limit=MOST, status="broken")
            found += _list(broken.items, 0)
        response = await store.fetch(Links.list_links, at, page, _PORTION)
        found += _list((link for link in response.items if link.status != "broken"), len(found))
        onward = response.next.page if response.next is not None else None
        unread = (*(known.unread if known is not None else ()), *unread_of(response))
        rest = LinkRest(onward, response.stats)
        # The platform counts targets, and each may be written in many places.
        return Grown(tuple(found), onward is None, len(found) if onward is None else None, unread, rest=rest)

    return store.growing_list(QueryKey.of(Links.list_links, {"at": at}, walks=True), load)


def _list(links: Iterable[ContentLink], number: int) -> list[SpaceLink]:
    """Return a link for each place in which it is written."""
    found: list[SpaceLink] = []
    for link in links:
        for place in link.location_references:
            page = place.page
            found.append(
                SpaceLink(
                    number + len(found),
                    link.status,
                    link.target_reference,
                    place.target,
                    place.text,
                    page.id if page is not None else None,
                    (page.title if page is not None else "") or _title(place.reusable_content),
                    place.line,
                )
            )
    return found


def _title(content: object) -> str:
    return str(getattr(content, "title", "") or "")


@frozen
class BrokenPlaces:
    """The broken links of a space: how many each page has, which, as they are written, and in how many places."""

    written: Mapping[str, frozenset[str]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    total: int = 0


def broken_links(store: Store, at: Main | InChangeRequest) -> Query[LinkList]:
    """Return the broken links of a space."""
    from recto.contract.links import Links

    return store.query(Links.list_links, at, limit=MOST, status="broken")


def broken_places(response: LinkList | None) -> BrokenPlaces:
    """Return the broken links by page."""
    written: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for link in response.items if response is not None else ():
        for place in link.location_references:
            if place.page is not None:
                written.setdefault(place.page.id, set()).add(place.target)
                counts[place.page.id] += 1
    places = sum(len(link.location_references) for link in response.items) if response is not None else 0
    return BrokenPlaces({page: frozenset(targets) for page, targets in written.items()}, counts, places)


def links_of_page(store: Store, at: Main | InChangeRequest, page: str) -> Query[LinkList]:
    """Return the links of a page, with what the platform knows of each target."""
    from recto.contract.links import Links

    return store.query(Links.list_page_links, at, page, limit=MOST)


def by_writing(response: LinkList | None) -> dict[str, ContentLink]:
    """Return the links of a page by how they are written in it."""
    found: dict[str, ContentLink] = {}
    for link in response.items if response is not None else ():
        for place in link.location_references:
            found.setdefault(place.target, link)
    return found


def backlinks_of_page(store: Store, at: Main | InChangeRequest, page: str) -> Query[Listing[ReferencedContent]]:
    """Return the backlinks of a page."""
    from recto.contract.links import Links

    return store.query_list(Links.list_page_backlinks, at, page)


def backlinks_of_file(store: Store, at: Main | InChangeRequest, file: str) -> Query[Listing[ReferencedContent]]:
    """Return the backlinks of a file."""
    from recto.contract.links import Links

    return store.query_list(Links.list_file_backlinks, at, file)
