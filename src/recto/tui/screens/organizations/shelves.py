"""The contents of organizations: spaces, collections and sites, requested when an organization is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.collections import Collection, Collections
from recto.contract.sites import Site, Sites
from recto.contract.spaces import Space, Spaces
from recto.frozen import frozen
from recto.store.query import QueryState

if TYPE_CHECKING:
    from recto.contract.unread import Unread
    from recto.store.query import Listing, Query
    from recto.store.store import Store


@frozen
class Shelf:
    """The known contents of an organization; ``complete`` once all are known."""

    spaces: Sequence[Space] = ()
    collections: Sequence[Collection] = ()
    sites: Sequence[Site] = ()
    open_requests: int | None = None
    unread: Sequence[Unread] = ()
    """The spaces, collections and sites that could not be read."""
    complete: bool = False


Follow = Callable[["Query[Any]"], None]


class Shelves:
    """The shelves of the organizations that were opened; ``follow`` is called with each of their queries."""

    def __init__(self, store: Store, follow: Follow) -> None:
        self._store = store
        self._follow = follow
        self._asked: dict[str, _Asked] = {}

    def look_into(self, organization: str) -> None:
        """Request the contents of an organization, once."""
        if organization not in self._asked:
            asked = self._asked[organization] = _Asked(self._store, organization)
            for query in asked.queries:
                self._follow(query)

    def shelf(self, organization: str) -> Shelf | None:
        """Return the known contents of an organization; ``None`` before ``look_into``."""
        asked = self._asked.get(organization)
        return asked.shelf() if asked else None

    def failure(self, organization: str) -> Exception | None:
        """Return the reason why the contents of an organization could not be listed, if any."""
        asked = self._asked.get(organization)
        return next((query.error for query in asked.queries if query.error is not None), None) if asked else None

    def refresh(self) -> None:
        """Request everything again."""
        for asked in self._asked.values():
            for query in asked.queries:
                query.refresh()

    def space(self, id: str) -> Space | None:
        """Return a space that is known."""
        return next((space for shelf in self._known() for space in shelf.spaces if space.id == id), None)

    def collection(self, id: str) -> Collection | None:
        """Return a collection that is known."""
        return next((one for shelf in self._known() for one in shelf.collections if one.id == id), None)

    def site(self, id: str) -> Site | None:
        """Return a site that is known."""
        return next((site for shelf in self._known() for site in shelf.sites if site.id == id), None)

    def _known(self) -> list[Shelf]:
        return [asked.shelf() for asked in self._asked.values()]


class _Asked:
    """The queries of one organization."""

    def __init__(self, store: Store, organization: str) -> None:
        self._spaces: Query[Listing[Space]] = store.query_list(Spaces.list_spaces, organization)
        self._collections: Query[Listing[Collection]] = store.query_list(Collections.list_collections, organization)
        self._sites: Query[Listing[Site]] = store.query_list(Sites.list_sites, organization)
        self._open: Query[Listing[ChangeRequest]] = store.query_list(
            ChangeRequests.list_organization_change_requests, organization
        )

    @property
    def queries(self) -> tuple[Query[Any], ...]:
        return (self._spaces, self._collections, self._sites, self._open)

    def shelf(self) -> Shelf:
        waiting = self._open.value
        return Shelf(
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
            complete=all(query.state is QueryState.READY for query in self.queries),
        )
