"""The tree of organizations: what each holds, as items with ids that say what they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from recto.store.locations import item_id
from recto.tui.lists.tree_list import TreeItem
from recto.tui.lists.tree_rows import unread_items
from recto.tui.look import signs
from recto.tui.look.lines import Line, Span

if TYPE_CHECKING:
    from recto.contract.collections import Collection
    from recto.contract.organizations import Organization
    from recto.contract.sites import Site
    from recto.contract.spaces import Space
    from recto.contract.unread import Unread

ORGANIZATION, INBOX, MEMBERS, COLLECTION, SPACE, SITE = (
    "organization",
    "inbox",
    "members",
    "collection",
    "space",
    "site",
)


def parted(item: str) -> tuple[str, str]:
    """Return what an item is and the id in it."""
    kind, _, id = item.partition(":")
    return kind, id


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is known of an organization; ``complete`` once all of it is."""

    spaces: Sequence[Space] = ()
    collections: Sequence[Collection] = ()
    sites: Sequence[Site] = ()
    open_requests: int | None = None
    unread: Sequence[Unread] = ()
    """What could not be read of the spaces, collections and sites."""
    complete: bool = False


def organization_item(organization: Organization, shelf: Shelf | None) -> TreeItem:
    """Return an organization with its collections, spaces, sites and lists; without a shelf it opens lazily."""
    return TreeItem(
        item_id(ORGANIZATION, organization.id),
        organization.title or "Untitled organization",
        role="strong",
        children=_aligned(_children(organization, shelf)) if shelf is not None else (),
        lazy=shelf is None,
    )


def _aligned(items: Sequence[TreeItem]) -> list[TreeItem]:
    """Return the items with signs of the same width, so that names stand below each other; an emoji takes two cells."""
    width = max(cell_len(sign) for sign in _signs(items))
    return [_widened(item, width) for item in items]


def _signs(items: Iterable[TreeItem]) -> Iterator[str]:
    for item in items:
        yield item.sign
        yield from _signs(item.children)


def _widened(item: TreeItem, width: int) -> TreeItem:
    return replace(
        item,
        sign=set_cell_size(item.sign, width),
        children=tuple(_widened(child, width) for child in item.children),
    )


def _children(organization: Organization, shelf: Shelf) -> list[TreeItem]:
    waiting = shelf.open_requests
    return [
        *_shelved(shelf),
        *(_site(site) for site in shelf.sites),
        *unread_items(shelf.unread),
        TreeItem(
            item_id(INBOX, organization.id),
            "Change requests",
            sign=signs.CHANGE_REQUEST["open"].sign,
            detail=_muted(str(waiting)) if waiting else (),
        ),
        TreeItem(item_id(MEMBERS, organization.id), "Members", sign="◦"),
    ]


def _shelved(shelf: Shelf) -> list[TreeItem]:
    """Return collections and the spaces outside any, nested as on the platform."""
    known = {collection.id for collection in shelf.collections}
    collections: dict[str | None, list[Collection]] = defaultdict(list)
    spaces: dict[str | None, list[Space]] = defaultdict(list)
    for collection in shelf.collections:
        collections[collection.parent if collection.parent in known else None].append(collection)
    for space in shelf.spaces:
        spaces[space.parent if space.parent in known else None].append(space)

    def below(parent: str | None) -> list[TreeItem]:
        return [
            *(
                TreeItem(item_id(COLLECTION, collection.id), collection.title, sign="▪", children=below(collection.id))
                for collection in collections[parent]
            ),
            *(_space(space) for space in spaces[parent]),
        ]

    return below(None)


def _space(space: Space) -> TreeItem:
    detail: list[Span] = []
    if space.edit_mode == "locked":
        detail.append((f"{signs.LOCKED.sign} ", signs.LOCKED.role))
    if space.change_requests_open:
        detail.append((f"{signs.CHANGE_REQUEST['open'].sign} {space.change_requests_open}", "muted"))
    return TreeItem(
        item_id(SPACE, space.id), space.title or "Untitled space", sign=signs.emoji(space.emoji) or "▤", detail=detail
    )


def _site(site: Site) -> TreeItem:
    return TreeItem(item_id(SITE, site.id), site.title or "Untitled site", sign="◇", detail=_muted("site"))


def _muted(text: str) -> Line:
    return [(text, "muted")]
