"""The contents of organizations: spaces, collections and sites, requested when an organization is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.collections import Collection, Collections
from recto.contract.sites import Site, Sites
from recto.contract.spaces import Space, Spaces
from recto.store.locations import item_id
from recto.store.query import QueryState

if TYPE_CHECKING:
    from recto.contract.unread import Unread
    from recto.store.query import Listing, Query
    from recto.store.store import Store


@dataclass(frozen=True)
class OrganizationContents:
    """The known contents of an organization."""

    organization: str = ""
    spaces: Sequence[Space] = ()
    collections: Sequence[Collection] = ()
    sites: Sequence[Site] = ()
    open_requests: int | None = None
    requests: frozenset[str] = frozenset()
    """The ids of the open change requests that are known."""
    unread: Sequence[Unread] = ()
    """The spaces, collections and sites that could not be read."""
    complete: bool = False
    """Whether all collections and spaces are known."""
    knows_sites: bool = False
    """Whether all sites are known."""

    @cached_property
    def things(self) -> Mapping[str, Collection | Space | Site]:
        """The collections, spaces and sites, by their items of the tree."""
        return {
            item_id(kind, thing.id): thing
            for kind, listed in (("collection", self.collections), ("space", self.spaces), ("site", self.sites))
            for thing in listed
        }

    @cached_property
    def children(self) -> Mapping[str | None, Sequence[str]]:
        """The items in each collection and in the organization, collections first, by the item of what holds them."""
        top = item_id("organization", self.organization)
        known = {collection.id for collection in self.collections}
        found: dict[str | None, list[str]] = {}
        for kind, listed in (("collection", self.collections), ("space", self.spaces)):
            for thing in listed:
                parent = item_id("collection", thing.parent) if thing.parent in known else top
                found.setdefault(parent, []).append(item_id(kind, thing.id))
        return found


Follow = Callable[["Query[Any]"], None]


class Contents:
    """The content of the opened organizations; ``follow`` is called with each of their queries."""

    def __init__(self, store: Store, follow: Follow) -> None:
        self._store = store
        self._follow = follow
        self._asked: dict[str, _ContentQueries] = {}

    def look_into(self, organization: str) -> None:
        """Request the content of an organization, once."""
        if organization not in self._asked:
            asked = self._asked[organization] = _ContentQueries(self._store, organization)
            for query in asked.queries:
                self._follow(query)

    def of(self, organization: str) -> OrganizationContents | None:
        """Return the known contents of an organization; ``None`` before ``look_into``."""
        asked = self._asked.get(organization)
        return asked.contents() if asked else None

    def query_of(self, kind: str, organization: str) -> Query[Any] | None:
        """Return the list of an opened organization that holds the items of a kind; the spaces for other kinds."""
        asked = self._asked.get(organization)
        return asked.by_kind.get(kind, asked.by_kind["space"]) if asked else None

    def failure(self, organization: str) -> Exception | None:
        """Return the reason why the contents of an organization could not be listed, if any."""
        asked = self._asked.get(organization)
        return next((query.error for query in asked.queries if query.error is not None), None) if asked else None

    def refresh(self) -> None:
        """Request everything again."""
        for asked in self._asked.values():
            for query in asked.queries:
                query.refresh()


class _ContentQueries:
    """The queries of an organization."""

    def __init__(self, store: Store, organization: str) -> None:
        self._organization = organization
        self._known_contents: tuple[tuple[Any, ...], OrganizationContents] | None = None
        self._spaces: Query[Listing[Space]] = store.query_list(Spaces.list_spaces, organization)
        self._collections: Query[Listing[Collection]] = store.query_list(Collections.list_collections, organization)
        self._sites: Query[Listing[Site]] = store.query_list(Sites.list_sites, organization)
        self._open: Query[Listing[ChangeRequest]] = store.query_list(
            ChangeRequests.list_organization_change_requests, organization
        )

        self.by_kind: Mapping[str, Query[Any]] = {
            "space": self._spaces,
            "collection": self._collections,
            "site": self._sites,
        }

    @property
    def queries(self) -> tuple[Query[Any], ...]:
        return (self._spaces, self._collections, self._sites, self._open)

    def contents(self) -> OrganizationContents:
        """Return the known content; the same object while nothing changes."""
        known = tuple(each for query in self.queries for each in (query.value, query.state))
        if self._known_contents is None or any(
            now is not before for now, before in zip(known, self._known_contents[0], strict=True)
        ):
            self._known_contents = (known, self._read())
        return self._known_contents[1]

    def _read(self) -> OrganizationContents:
        waiting = self._open.value
        return OrganizationContents(
            organization=self._organization,
            spaces=self._spaces.value.items if self._spaces.value else (),
            collections=self._collections.value.items if self._collections.value else (),
            sites=self._sites.value.items if self._sites.value else (),
            unread=tuple(
                note
                for query in (self._collections, self._spaces, self._sites)
                if query.value
                for note in query.value.unread
            ),
            open_requests=(waiting.total if waiting.total is not None else len(waiting.items)) if waiting else None,
            requests=frozenset(one.id for one in waiting.items) if waiting else frozenset(),
            complete=all(query.state is QueryState.READY for query in (self._collections, self._spaces)),
            knows_sites=self._sites.state is QueryState.READY,
        )
