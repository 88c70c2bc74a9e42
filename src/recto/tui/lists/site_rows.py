"""What the tree of a site shows: its items as rows, and among them where lifted ones would land."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.landing import Landing
from recto.store.moves import Where
from recto.tui.lists.tree_list import TreeItem, TreeRow
from recto.tui.lists.tree_rows import CLOSED, LEAF, OPENED, unread_items
from recto.tui.look import lines
from recto.tui.look.lines import Span
from recto.tui.look.signs import LINK_SIGN, count

MOVED = "→"
"""Stands before where an item comes from that is to be moved."""

LANDING = "landing"
"""The id of the row that shows where lifted items would land."""


@dataclass(frozen=True, slots=True)
class Lift:
    """What is lifted, the places it could land, and at which of them it is."""

    ids: tuple[str, ...]
    places: list[Landing]
    at: int

    @property
    def place(self) -> Landing:
        """Where it would land."""
        return self.places[self.at]


@dataclass(frozen=True, slots=True)
class SiteRows:
    """The rows of an arrangement, made anew whenever something in it is lifted, moves or lands."""

    arrangement: Arrangement
    origins: Mapping[str, str]
    """Where items come from that are to be moved."""
    addresses: Mapping[str, str]
    """Where items are read."""
    lift: Lift | None
    was_open: frozenset[str]
    """What was open before something was lifted."""

    def under(self, parent: str | None) -> list[TreeItem]:
        """Return the rows of what is in an item, or at the top, each with those that are in it."""
        found: list[TreeItem] = []
        for id in self.arrangement.under(parent):
            if self._lands(id, Where.BEFORE):
                found.append(self._landing_row())
            found.append(self._row(self.arrangement.items[id]))
            if self._lands(id, Where.AFTER):
                found.append(self._landing_row())
        found += unread_items(self.arrangement.unread.get(parent, ()))
        if self._lands(parent, Where.INSIDE):
            found.append(self._landing_row())
        return found

    def _row(self, item: Item) -> TreeItem:
        children = self.under(item.id)
        if self.lift is not None and item.id not in self.was_open:
            # What is closed opens for nothing but what would land in it.
            children = [child for child in children if child.id == LANDING]
        is_lifted = self.lift is not None and item.id in self.lift.ids
        origin = self.origins.get(item.id)
        role = "faint" if is_lifted else "changed" if origin else "strong" if item.kind is Kind.GROUP else ""
        return TreeItem(
            item.id,
            item.name,
            sign=MOVED if origin else LINK_SIGN if item.kind is Kind.LINK else "",
            role=role,
            detail=[(self._detail(item), "faint")],
            children=children,
            lazy=bool(self.lift and not children and self.arrangement.under(item.id)),
            note="lifted" if is_lifted else origin or marks(item),
        )

    def _detail(self, item: Item) -> str:
        if item.kind is Kind.GROUP:
            inside = len(self.arrangement.under(item.id))
            return count(inside, "item") if inside else "empty"
        if item.kind is Kind.SECTION:
            return f"/{item.path}"
        if item.kind is Kind.LINK:
            return lines.plain(item.url or "")
        return self.addresses.get(item.id, "unknown to this version")

    def _lands(self, target: str | None, where: Where) -> bool:
        move = self.lift.place.move if self.lift else None
        return move is not None and move.target == target and move.where is where

    def _landing_row(self) -> TreeItem:
        assert self.lift is not None
        ids = self.lift.ids
        name = self.arrangement.items[ids[0]].name + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
        if self.lift.place.reason:
            return TreeItem(LANDING, name, sign="×", role="error", note="cannot go here")
        return TreeItem(LANDING, name, sign="►", role="accent strong", note="here")


def draw_site_row(row: TreeRow, width: int) -> list[Span]:
    """Draw an item; what moves shows where it comes from, and where lifted items land the sign stands before them."""
    item = row.item
    fold = (OPENED if row.expanded else CLOSED) if item.expandable else LEAF
    lands = item.id == LANDING
    left: list[Span] = [("  " * row.depth, ""), (f"{item.sign} ", item.role) if lands else (fold, "faint")]
    if item.sign == LINK_SIGN:
        left.append((f"{LINK_SIGN} ", "muted"))
    left.append((lines.plain(item.label), item.role))
    if item.note:
        moves = item.sign == MOVED
        left.append((f"  {item.sign} {lines.plain(item.note)}", "changed") if moves else (f"  {item.note}", "muted"))
    return lines.beside(left, item.detail, width)


def marks(item: Item) -> str:
    """Say what is special about an item, in a word each."""
    words = {"default": item.default, "conditional": item.condition, "hidden": item.hidden, "draft": item.draft}
    return " · ".join(word for word, has in words.items() if has)
