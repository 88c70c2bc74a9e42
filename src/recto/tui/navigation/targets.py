"""The targets of a jump: recent locations first, then everything that the platform lists, as it loads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from weakref import WeakKeyDictionary

from recto.client.errors import ClientError, NotFound
from recto.contract.addresses import Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.content import Content, walk_pages
from recto.contract.organizations import Organizations
from recto.contract.sites import Sites
from recto.contract.spaces import Spaces
from recto.contract.structure import Structure
from recto.document.text import on_one_line
from recto.frozen import frozen
from recto.store.arrangement import Arrangement
from recto.store.locations import (
    ChangeRequestLocation,
    Location,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    item_id,
)
from recto.store.search import search_organization, trail_of
from recto.tui.dialogs.jump import Target
from recto.tui.navigation.url_locations import find_location, for_browser
from recto.tui.screens.organizations.panes import COMBINED_INBOX, EVERYWHERE, INBOX, SUBJECTS
from recto.urls import is_url, read_url

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.contract.search import SearchHit, SpaceSearchHits
    from recto.contract.spaces import Space
    from recto.store.query import Query
    from recto.store.store import Store

_PLACE_NAMES = {INBOX: "Inbox"}
"""Names of places that are not those of their rows."""

_MOST_SECTIONS = 2
"""How many sections of a page are listed in which words were found."""


_AT_ONCE = 4
"""How many page trees are requested at the same time."""

_MOST_ASKED = 200
"""How many page trees are requested for one list of targets; the next goes on with others."""


@frozen
class _Kept:
    """The pages of a space, and for which state of it these are."""

    state: tuple[object, ...]
    targets: Sequence[Target]


_kept: WeakKeyDictionary[Store, dict[str, _Kept]] = WeakKeyDictionary()
"""The pages of spaces at main, by the space's id."""


async def targets(store: Store) -> AsyncIterator[Sequence[Target]]:
    """Return targets in portions; raises the first error at the end, when all else has been listed."""
    finder = _Finder(store)
    yield finder.recent()
    organizations = await finder.items(store.query_list(Organizations.list_organizations))
    yield [
        Target(one.title, "organization", "", OrganizationsLocation(item_id("organization", one.id)))
        for one in organizations
    ]
    spaces: list[tuple[Organization, Space]] = []
    for organization in organizations:
        found, portion = await finder.of_organization(organization)
        spaces += [(organization, space) for space in found]
        yield portion
    async for portion in finder.of_spaces(spaces):
        yield portion
    if finder.error is not None:
        raise finder.error


async def places(store: Store) -> list[Target]:
    """Return the lists of each organization: inbox, members, settings and the like; and the inbox of several."""
    organizations = await _Finder(store).items(store.query_list(Organizations.list_organizations))
    combined = Target(COMBINED_INBOX, "place", "", OrganizationsLocation(item_id(EVERYWHERE, "")))
    return [
        *(
            Target(
                _PLACE_NAMES.get(kind, subject.label),
                "place",
                one.title,
                OrganizationsLocation(item_id(kind, one.id), (item_id("organization", one.id),)),
            )
            for one in organizations
            for kind, subject in SUBJECTS.items()
        ),
        *([combined] if len(organizations) > 1 else ()),
    ]


class _Finder:
    """Asks the store, which remembers most of it already, and goes on where something cannot be listed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.error: ClientError | None = None

    def recent(self) -> list[Target]:
        """Return the recent locations that are looked for by title; past revisions of a page have its title too."""
        if self._store.locations is None:
            return []
        locations = self._store.locations.recent(self._store.address)
        return [
            Target(location.title, word, "visited", self._to_read(location))
            for location in locations
            if location.title and (word := _word(location)) is not None
        ]

    def _to_read(self, location: Location) -> Location:
        """Return a location to read: with the focus on the page, and a space at main where it is seen now."""
        if not isinstance(location, SpaceLocation):
            return location
        is_at_main = location.revision is None and location.change_request is None
        return replace(self._store.at_choice(location) if is_at_main else location, panel=None)

    async def items(self, query: Query[Any]) -> Sequence[Any]:
        """Return the items of a list, as far as it could be loaded."""
        value = (await query.wait()).value
        self.error = self.error or query.error
        return () if value is None else value.items

    async def of_organization(self, organization: Organization) -> tuple[Sequence[Space], list[Target]]:
        """Return an organization's spaces, and the targets in it but for pages."""
        listed, title = self._store.query_list, organization.title
        spaces = await self.items(listed(Spaces.list_spaces, organization.id))
        sites = await self.items(listed(Sites.list_sites, organization.id))
        requests = [
            *await self.items(listed(ChangeRequests.list_organization_change_requests, organization.id)),
            *await self.items(
                listed(ChangeRequests.list_organization_change_requests, organization.id, status="draft")
            ),
        ]
        names = {space.id: space.title for space in spaces}
        return spaces, [
            *(Target(one.title, "space", title, self._store.at_choice(SpaceLocation(one.id))) for one in spaces),
            *(Target(one.title, "site", title, SiteLocation(organization.id, one.id)) for one in sites),
            *(
                Target(
                    f"#{one.number} {one.subject or 'without a subject'}",
                    "change request",
                    f"{title} › {names.get(one.space, '')}",
                    ChangeRequestLocation(one.space, one.id),
                )
                for one in requests
            ),
        ]

    async def of_spaces(self, spaces: Sequence[tuple[Organization, Space]]) -> AsyncIterator[list[Target]]:
        """Yield the pages of spaces: first those that are known, then of spaces visited lately."""
        unknown: list[tuple[Organization, Space]] = []
        known: list[Target] = []
        for organization, space in spaces:
            kept = _kept.setdefault(self._store, {}).get(space.id)
            if kept is not None and kept.state == self._state_of(organization, space):
                known += kept.targets
            else:
                unknown.append((organization, space))
        yield known
        visited = {space: place for place, space in enumerate(self._visited_spaces())}
        unknown.sort(key=lambda one: visited.get(one[1].id, len(visited)))
        for first in range(0, min(len(unknown), _MOST_ASKED), _AT_ONCE):
            portion = unknown[first : min(first + _AT_ONCE, _MOST_ASKED)]
            for found in await asyncio.gather(*(self._ask_for_pages(*one) for one in portion)):
                yield found

    def _visited_spaces(self) -> list[str]:
        """Return the spaces of recent locations, the last visited first."""
        locations = self._store.locations.recent(self._store.address) if self._store.locations is not None else ()
        return list(dict.fromkeys(one.space for one in locations if isinstance(one, SpaceLocation)))

    def _state_of(self, organization: Organization, space: Space) -> tuple[object, ...]:
        """Return what differs where the pages of a space are to be listed again."""
        return self._store.at_choice(SpaceLocation(space.id)), space.revision, organization.title, space.title

    async def _ask_for_pages(self, organization: Organization, space: Space) -> list[Target]:
        """Return a space's pages, where it is seen now; those of main are kept until it has another revision."""
        at, state = self._store.at_choice(SpaceLocation(space.id)), self._state_of(organization, space)
        try:
            tree = await self._store.fetch_or_kept(Content.list_pages, at.address)
        except ClientError as error:
            if at.change_request is None:
                self.error = self.error or error
                return []
            # It may be gone, and the choice is not given up before the space is seen.
            at = SpaceLocation(space.id)
            try:
                tree = await self._store.fetch_or_kept(Content.list_pages, at.address)
            except ClientError as failed:
                self.error = self.error or failed
                return []
        where = f"{organization.title} › {space.title}"
        found = [
            Target(page.link_title or page.title, "page", where, replace(at, page=page.id), page.path)
            for page in walk_pages(tree.pages)
            if page.type != "group"
        ]
        if space.revision and at.change_request is None:
            _kept.setdefault(self._store, {})[space.id] = _Kept(state, found)
        return found


def _word(location: Location) -> str | None:
    """Return the kind of a location's target; ``None`` for targets that are not found by title."""
    match location:
        case SpaceLocation(revision=None):
            return "space" if location.page is None else "page"
        case ChangeRequestLocation():
            return "change request"
        case SiteLocation():
            return "site"
        case _:
            return None


async def by_words(store: Store, words: str) -> AsyncIterator[Sequence[Target]]:
    """Yield the sections of all organizations that hold the words; raises the first error at the end.

    Where they are an address, yield what it names.
    """
    if (address := read_url(words)) is not None:
        location = await find_location(store, address)
        yield [Target(f"{address.thing.kind} {address.thing.id}", "address", address.platform, location)]
        return
    if is_url(words) and (published := await find_published(store, words)) is not None:
        yield [Target(words.strip(), "address", "published", published)]
        return
    found: list[Target] = []
    failed: ClientError | None = None
    organizations = (await store.query_list(Organizations.list_organizations).wait()).value
    for organization in organizations.items if organizations is not None else ():
        some: list[Target] = []
        try:
            async for result in search_organization(store, organization.id, words):
                some = [target for space in result.spaces for hit in space.pages for target in _sections(space, hit)]
                yield (*found, *some)
        except ClientError as error:
            failed = failed or error
        else:
            found += some
    if failed is not None:
        raise failed


async def find_published(store: Store, address: str) -> Location | None:
    """Return the location of a page by the address at which a site shows it; ``None`` where no site does."""
    organizations = (await store.query_list(Organizations.list_organizations).wait()).value
    for organization in organizations.items if organizations is not None else ():
        sites = (await store.query_list(Sites.list_sites, organization.id).wait()).value
        for site in sites.items if sites is not None else ():
            if _path_below(site.urls.published, address) is None:
                continue
            structure = (await store.query(Structure.get_structure, organization.id, site.id).wait()).value
            items = Arrangement.of(structure).items.values() if structure is not None else ()
            shown = [(path, item) for item in items if (path := _path_below(item.published, address)) is not None]
            if not shown:
                return SiteLocation(organization.id, site.id)
            path, item = min(shown, key=lambda each: len(each[0]))
            if item.space is not None:
                return await _published_page(store, item.space, path, urlsplit(address.strip()).fragment)
    return None


async def _published_page(store: Store, space: str, path: str, anchor: str) -> Location:
    if not path:
        return SpaceLocation(space)
    try:
        page = await store.fetch(Content.get_page_by_path, Main(space), path)
    except NotFound:
        return SpaceLocation(space)
    return SpaceLocation(space, page=page.id, anchor=unquote(anchor))


def _path_below(published: str | None, address: str) -> str | None:
    """Return the path of an address below a published address; ``None`` where it is elsewhere."""
    if for_browser(published) is None or for_browser(address.strip()) is None:
        return None
    try:
        above, below = urlsplit(published or ""), urlsplit(address.strip())
        same = (above.scheme, above.hostname, above.port) == (below.scheme, below.hostname, below.port)
    except ValueError:
        return None
    root = above.path.strip("/")
    path = unquote(below.path).strip("/")
    if not same or not (f"{path}/".startswith(f"{root}/") or not root):
        return None
    return path.removeprefix(root).strip("/")


def _sections(space: SpaceSearchHits, hit: SearchHit) -> list[Target]:
    """Return a target for each section of a page in which words were found."""
    return [
        Target(
            hit.title,
            "words",
            trail_of(space, hit),
            SpaceLocation(space.id, page=hit.id, anchor=section.path.partition("#")[2]),
            found=on_one_line(section.body) or section.title,
            section=section.title,
        )
        for section in hit.sections[:_MOST_SECTIONS]
    ]
