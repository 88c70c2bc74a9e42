"""Searching for words: in a space as it is seen, and in all spaces of its organization."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recto.contract.addresses import InChangeRequest
from recto.store.locations import SpaceLocation
from recto.tui.navigation.messages import Arrival

if TYPE_CHECKING:
    from recto.tui.screens.space.head import SpaceHead
    from recto.tui.screens.space.space_address import SpaceAddress
    from recto.tui.screens.view import View


class SpaceSearch:
    """Asks for the words, and goes where they are found."""

    def __init__(self, view: View[SpaceLocation], head: SpaceHead, address: SpaceAddress) -> None:
        self._view = view
        self._head = head
        self._address = address
        self._searched = ("", 0)
        """What was searched for last, and how far."""

    def ask(self) -> None:
        """Search."""
        self._view.work(self._search(), "search")

    async def _search(self) -> None:
        from recto.store.search import RequestSearch, search_organization, search_space
        from recto.tui.dialogs.search_pages import Scope, SearchPages

        store, here = self._view.store, self._view.opened_at
        space, organization, id = self._head.space, self._head.organization, self._head.organization_id
        title = f"“{space.title}”" if space is not None else "this space"
        if isinstance(at := here.address, InChangeRequest):
            scopes = [Scope(f"{title} {self._address.short}", RequestSearch(store, at).search)]
        else:
            now = " as it is now" if here.revision is not None else ""
            scopes = [Scope(f"{title}{now}", lambda words: search_space(store, here.space, words))]
        if id is not None:
            name = f"all of “{organization.title}”" if organization is not None else "the organization"
            scopes.append(Scope(f"{name} at main", lambda words: search_organization(store, id, words)))
        dialog = SearchPages(scopes, *self._searched)
        found = await self._view.ask(dialog)
        self._searched = dialog.words, dialog.scope
        if found is None:
            return
        location = SpaceLocation(found.space, page=found.page, anchor=found.anchor)
        if found.space == here.space and here.revision is None:
            location = replace(location, change_request=here.change_request)
        else:
            location = store.at_choice(location)
        self._view.go(location, arrival=Arrival("page.edit" if dialog.edits else "", words=dialog.words.strip()))
