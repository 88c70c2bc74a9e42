"""URLs: which of them a browser can open, and their locations in the program."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from recto.client.errors import ClientError, NotFound
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.content import Content
from recto.store.locations import (
    ChangeRequestLocation,
    Location,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    item_id,
)
from recto.urls import EMBEDDED_ADDRESS, Thing, ThingUrl, same_platform

if TYPE_CHECKING:
    from recto.store.store import Store


class ElsewhereError(ClientError):
    """The address is on a platform or in a workspace that is not open."""


def for_browser(address: str | None) -> str | None:
    """Return an address if a browser can open it; those of the platform in this program lead nowhere outside of it."""
    try:
        parts = urlsplit(address or "")
        host = parts.hostname or ""
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and host and not host.endswith(".invalid") else None


def only_here(address: str) -> str:
    """Return the warning that goes with a copied address of the platform in this program; of others, nothing."""
    inside = address.startswith(f"{EMBEDDED_ADDRESS}/")
    return " It works in this program only, until the workspace is served." if inside else ""


async def find_location(store: Store, address: ThingUrl) -> Location:
    """Return the location of an address; raises :class:`ElsewhereError`, and ``ClientError`` if there is none."""
    _check_place(store, address)
    thing = address.thing
    if thing.site:
        return SiteLocation(thing.organization, thing.site)
    if thing.collection:
        return OrganizationsLocation(item_id("collection", thing.collection))
    if not thing.space:
        return OrganizationsLocation(item_id("organization", thing.organization))
    page = await _page_id(store, thing) if thing.page else None
    if thing.change_request:
        request = await store.fetch(ChangeRequests.get_change_request, thing.space, thing.change_request)
        if page is None:
            return ChangeRequestLocation(thing.space, request.id)
        return SpaceLocation(thing.space, change_request=request.id, page=page, anchor=thing.anchor)
    if thing.revision:
        return SpaceLocation(thing.space, revision=thing.revision, page=page, anchor=thing.anchor)
    return SpaceLocation(thing.space, page=page, anchor=thing.anchor)


def _check_place(store: Store, address: ThingUrl) -> None:
    """Raise :class:`ElsewhereError` for an address of another platform, which is never opened here."""
    what = f"{address} cannot be opened here."
    if address.is_of_workspace:
        if store.workspace is None:
            raise ElsewhereError(what, "It is in a local workspace.", "Open it without --base-url.")
        if address.workspace not in ("", store.workspace.id):
            why = f"It is in the workspace {address.workspace}, and this is the workspace {store.workspace.id}."
            raise ElsewhereError(what, why, "Name the file of that workspace with --workspace FILE.")
    elif store.workspace is not None or not same_platform(address.platform, store.address):
        raise ElsewhereError(what, f"It is on {address.platform}.", other_platform(address))


def other_platform(address: ThingUrl) -> str:
    """Return how to open an address of another platform; no token is sent to a platform it was not meant for."""
    return f"Set RECTO_TOKEN to a token of that platform and run recto --base-url {address.platform} {address}"


async def _page_id(store: Store, thing: Thing) -> str:
    """Return the id of a page that is named by it or by its path."""
    at: Main | InChangeRequest | AtRevision = Main(thing.space)
    if thing.change_request:
        at = InChangeRequest(thing.space, thing.change_request)
    elif thing.revision:
        at = AtRevision(thing.space, thing.revision)
    if "/" not in thing.page:
        try:
            return (await store.fetch(Content.get_page, at, thing.page)).id
        except NotFound:
            pass
    return (await store.fetch(Content.get_page_by_path, at, thing.page)).id
