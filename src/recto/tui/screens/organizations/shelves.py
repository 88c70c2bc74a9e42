"""What the store knows of the organizations' spaces, collections and sites, asked for when it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.collections import Collection, Collections
from recto.contract.sites import Site, Sites
from recto.contract.spaces import Space, Spaces
from recto.store.query import QueryState
from recto.tui.screens.organizations.tree import Shelf

if TYPE_CHECKING:
    from recto.store.query import Listing, Query
    from recto.store.store import Store

Follow = Callable[["Query[Any]"], None]


class Shelves:
    """The shelves of the organizations that were looked into; ``follow`` has each of their queries followed."""

    def __init__(self, store: Store, follow: Follow) -> None:
        self._store = store
        self._follow = follow
        self._asked: dict[str, _Asked] = {}

    def look_into(self, organization: str) -> None:
        """Ask what an organization holds, once."""
        if organization not in self._asked:
            asked = self._asked[organization] = _Asked(self._store, organization)
            for query in asked.queries:
                self._follow(query)

    def shelf(self, organization: str) -> Shelf | None:
        """Return what is known of an organization's things; ``None`` where nobody has looked into it."""
        asked = self._asked.get(organization)
        return asked.shelf() if asked else None

    def failure(self, organization: str) -> Exception | None:
        """Return why what an organization holds could not be listed, if it could not."""
        asked = self._asked.get(organization)
        return next((query.error for query in asked.queries if query.error is not None), None) if asked else None

    def refresh(self) -> None:
        """Ask anew for everything."""
        for asked in self._asked.values():
            for query in asked.queries:
                query.refresh()

    def space(self, id: str) -> Space | None:
        """Return a space that is known."""
        return next((space for shelf in self._known() for space in shelf.spaces if space.id == id), None)

    def collection(self, id: str) -> Collection | None:
        """Return a collection that is known."""
        return next((one for shelf in self._known() for one in shelf.collections if one.id == id), None)

    def site(self, id: str) -> tuple[str, Site] | None:
        """Return a site that is known, after the id of its organization."""
        for organization, asked in self._asked.items():
            for site in asked.shelf().sites:
                if site.id == id:
                    return organization, site
        return None

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
