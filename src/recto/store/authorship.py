"""The last change of a page, found in the merged change requests: pages do not name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.client.errors import Refused
from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequests

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.content import Page
    from recto.store.store import Store

_MOST_MERGED = 100
"""The most merged change requests that are looked through."""

_MOST_ASKED = 3
"""The most of them whose changes are requested."""


async def last_change(store: Store, space: str, page: Page) -> ChangeRequest | None:
    """Return the change request with which a page was changed last; ``None`` where it is not known.

    It was merged after the page was written, and it changed the page; raises ``ClientError``.
    """
    from recto.contract.changes import MAX_LISTED, ContentChanges

    written = page.updated_at
    if written is None:
        return None
    response = await store.fetch(ChangeRequests.list_change_requests, space, status="merged", limit=_MOST_MERGED)
    after = [
        (one.updated_at, one) for one in response.items if one.updated_at is not None and one.updated_at >= written
    ]
    for _, request in sorted(after, key=lambda pair: pair[0])[:_MOST_ASKED]:
        try:
            changes = await store.fetch(
                ContentChanges.list_changes, InChangeRequest(space, request.id), limit=MAX_LISTED
            )
        except Refused:
            return None
        changed = (getattr(change, "page", None) for change in changes.changes)
        if any(one is not None and one.id == page.id for one in changed):
            return request
    return None
