"""The rows of the organizations' tree: each is made when it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len, set_cell_size

from recto.contract.collections import Collection
from recto.contract.spaces import Space
from recto.frozen import frozen
from recto.store.locations import item_id
from recto.tui.lists.lift_tree import MOVED
from recto.tui.lists.rows import unread_key
from recto.tui.lists.tree_rows import Flat, Order, TreeItem, unread_items
from recto.tui.look import signs
from recto.tui.look.lines import Line, Span
from recto.tui.screens.organizations.panes import INBOX, SUBJECTS

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.contract.unread import Unread
    from recto.tui.screens.organizations.organization_contents import OrganizationContents

ORGANIZATION, COLLECTION, SPACE, SITE = "organization", "collection", "space", "site"

_COLLECTION_SIGN, _SPACE_SIGN, _SITE_SIGN = "▪", "▤", "◇"


@frozen
class Branch:
    """An organization of the tree; without ``contents`` they are not loaded yet.

    ``children`` are the items in each collection and in the organization, ``origins`` where those come from that are
    to be moved.
    """

    organization: Organization
    contents: OrganizationContents | None
    children: Mapping[str | None, Sequence[str]]
    origins: Mapping[str, str]


class _Rows:
    """The rows of an organization, by their items."""

    def __init__(self, branch: Branch) -> None:
        self.branch = branch
        self.top = item_id(ORGANIZATION, branch.organization.id)

    @cached_property
    def sign_width(self) -> int:
        """The cells that the widest sign takes, so that names stand below each other."""
        contents = self.branch.contents
        emojis = {space.emoji for space in contents.spaces} if contents is not None else set()
        found = {_COLLECTION_SIGN, _SPACE_SIGN, _SITE_SIGN, *(subject.sign for subject in SUBJECTS.values())}
        return max(map(cell_len, found | {signs.emoji(emoji) for emoji in emojis}))

    def under(self, item: str) -> Sequence[str | Unread]:
        """Return the direct children of an item."""
        contents = self.branch.contents
        placed = self.branch.children.get(item, ())
        if item != self.top or contents is None:
            return placed
        id = self.branch.organization.id
        sites = (item_id(SITE, site.id) for site in contents.sites)
        return (*placed, *sites, *contents.unread, *(item_id(kind, id) for kind in SUBJECTS))

    def label(self, item: str) -> str:
        """Return what an item is called."""
        if item == self.top:
            return self.branch.organization.title or "Untitled organization"
        kind = item.partition(":")[0]
        if kind in SUBJECTS:
            return SUBJECTS[kind].label
        thing = self.branch.contents.things.get(item) if self.branch.contents is not None else None
        return (thing.title if thing is not None else "") or f"Untitled {kind}"

    def row(self, item: str, *, holds: bool) -> TreeItem:
        """Return the row of an item."""
        if item == self.top:
            return TreeItem(item, self.label(item), role="strong", holds=holds, lazy=self.branch.contents is None)
        sign, detail = self._sign_and_detail(item)
        origin = self.branch.origins.get(item)
        return TreeItem(
            item,
            self.label(item),
            sign=set_cell_size(sign, self.sign_width),
            detail=detail,
            holds=holds,
            role="changed" if origin else "",
            note=f"{MOVED} {origin}" if origin else "",
            note_role="changed" if origin else "muted",
        )

    def _sign_and_detail(self, item: str) -> tuple[str, Line]:
        kind = item.partition(":")[0]
        contents = self.branch.contents
        thing = contents.things.get(item) if contents is not None else None
        if isinstance(thing, Space):
            return signs.emoji(thing.emoji) or _SPACE_SIGN, _space_detail(thing)
        if kind in SUBJECTS:
            waiting = contents.open_requests if contents is not None and kind == INBOX else None
            return SUBJECTS[kind].sign, [(str(waiting), "muted")] if waiting else ()
        if kind == SITE:
            return _SITE_SIGN, [("site", "muted")]
        return _COLLECTION_SIGN if kind == COLLECTION or isinstance(thing, Collection) else _SPACE_SIGN, ()


_Node: TypeAlias = "str | Unread | TreeItem"
"""The source of a row: the id of an item, an unread item, or the row itself."""


def rows_of(branches: Iterable[Branch], unread: Iterable[Unread] = (), below: Iterable[TreeItem] = ()) -> Flat:
    """Return the rows of all organizations; ``unread`` are those that could not be read, ``below`` the last rows."""
    by_top = {rows.top: rows for rows in map(_Rows, branches)}
    of: dict[str, _Rows] = dict(by_top)

    def under(node: _Node) -> Sequence[_Node]:
        if not isinstance(node, str):
            return ()
        rows = of[node]
        found = rows.under(node)
        of.update((child, rows) for child in found if isinstance(child, str))
        return found

    order: Order[_Node] = Order((*by_top, *unread, *below), under)
    nodes = order.nodes

    def make(place: int) -> TreeItem:
        node = nodes[place]
        if isinstance(node, TreeItem):
            return node
        if not isinstance(node, str):
            item, parent = unread_items([node])[0], order.parents[place]
            width = of[str(nodes[parent])].sign_width if parent >= 0 else 0
            return replace(item, sign=set_cell_size(item.sign, width)) if width else item
        return of[node].row(node, holds=order.ends[place] > place + 1)

    return Flat(
        order,
        [_id(node) for node in nodes],
        lambda: [of[node].label(node) if isinstance(node, str) else _words(node) for node in nodes],
        make,
    )


def _id(node: _Node) -> str:
    if isinstance(node, TreeItem):
        return node.id
    return node if isinstance(node, str) else unread_key(node)


def _words(node: Unread | TreeItem) -> str:
    return node.label if isinstance(node, TreeItem) else node.words


def _space_detail(space: Space) -> Line:
    detail: list[Span] = []
    if space.edit_mode == "locked":
        detail.append((f"{signs.LOCKED.sign} ", signs.LOCKED.role))
    if space.change_requests_open:
        detail.append((f"{signs.CHANGE_REQUEST['open'].sign} {space.change_requests_open}", "muted"))
    return detail
