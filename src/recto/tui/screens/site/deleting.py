"""Deleting a site: what goes along is named, and its title typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.client.errors import Unsupported
from recto.contract.redirects import Redirects
from recto.contract.share_links import ShareLinks
from recto.document.text import count
from recto.store.rearranging import SiteAddress
from recto.store.sites import delete_site
from recto.tui.dialogs.confirm import NO_UNDO, ConfirmTitle

if TYPE_CHECKING:
    from recto.contract.common import ListPage
    from recto.contract.operation import Operation
    from recto.contract.sites import Site
    from recto.store.store import Store
    from recto.tui.screens.interactive import Interactive


async def ask_and_delete(host: Interactive, address: SiteAddress, site: Site) -> bool:
    """Delete a site when its title is typed; return whether it is deleted."""
    question = ConfirmTitle(
        "Delete the site",
        "Its addresses stop working, and its settings are lost. The spaces on it stay.",
        named=site.title,
        does="deletes the site",
        points=await _losses_of(host.store, address, site),
        undo=NO_UNDO,
    )
    if not await host.ask(question):
        return False
    return (await host.carry_out(delete_site(address, site.title))).ok


async def _losses_of(store: Store, address: SiteAddress, site: Site) -> list[str]:
    """Return what goes with a site, in words."""

    async def count_items(operation: Operation[Any, ListPage[Any]], one: str) -> list[str]:
        query = await store.query_list(operation, address.organization, address.id).wait()
        if query.value is None:
            return [] if isinstance(query.error, Unsupported) else [f"its {one}s, which could not be counted"]
        return [count(len(query.value.items), one)] if query.value.items else []

    return [
        count(site.site_spaces, "site space"),
        *await count_items(ShareLinks.list_share_links, "share link"),
        *await count_items(Redirects.list_redirects, "redirect"),
    ]
