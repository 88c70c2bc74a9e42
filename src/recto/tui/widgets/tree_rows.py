"""The items of a tree and the rows in which they show: made when somebody looks at them, however many there are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import overload

from recto.tui import lines
from recto.tui.lines import Line, Span

OPENED, CLOSED, LEAF = "▾ ", "▸ ", "  "


@dataclass(frozen=True, slots=True)
class TreeItem:
    """One item of a tree.

    ``detail`` stands at the right edge, and of a closed item how many things are ``inside``. ``lazy`` says that there
    are children that nobody has asked for yet: expanding such an item posts ``TreeList.Wanted``, and the screen shows
    the tree again when it has them.
    """

    id: str
    label: str
    sign: str = ""
    role: str = ""
    detail: Line = ()
    children: Sequence[TreeItem] = ()
    lazy: bool = False
    note: str = ""
    inside: int = 0

    @property
    def expandable(self) -> bool:
        """Whether there is something under it."""
        return bool(self.children) or self.lazy


@dataclass(frozen=True, slots=True)
class TreeRow:
    """An item where it stands in the tree at the moment."""

    item: TreeItem
    depth: int
    parent: str | None
    expanded: bool


@dataclass(frozen=True)
class Filter:
    """What is looked for, the items whose label holds it, and these with all above them; by their place."""

    text: str = ""
    hits: Sequence[int] = ()
    kept: Sequence[int] = ()


class Flat:
    """All items in their order from the top, whether they are visible or not, with the place of what each lies in."""

    def __init__(self, items: Sequence[TreeItem]) -> None:
        self.items: list[TreeItem] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.places: dict[str, int] = {}
        stack = [(item, -1, 0) for item in reversed(items)]
        while stack:
            item, parent, depth = stack.pop()
            place = len(self.items)
            self.items.append(item)
            self.parents.append(parent)
            self.depths.append(depth)
            self.places.setdefault(item.id, place)
            if item.children:
                stack.extend((child, place, depth + 1) for child in reversed(item.children))
        self.ends = list(range(1, len(self.items) + 1))
        """The place after an item and all under it."""
        for place in range(len(self.items) - 1, -1, -1):
            parent = self.parents[place]
            if parent >= 0 and self.ends[place] > self.ends[parent]:
                self.ends[parent] = self.ends[place]

    def visible(self, expanded: Collection[str]) -> list[int]:
        """Return the places of the items that nothing closed is above of."""
        items, ends, count = self.items, self.ends, len(self.items)
        found: list[int] = []
        place = 0
        while place < count:
            found.append(place)
            place = place + 1 if items[place].id in expanded else ends[place]
        return found

    @cached_property
    def _labels(self) -> tuple[str, list[int]]:
        """All labels as one text, in which finding is quick, and where each begins."""
        folded = [item.label.replace("\n", " ").casefold() for item in self.items]
        return "\n".join(folded), list(accumulate((len(label) + 1 for label in folded), initial=0))

    def path(self, id: str) -> list[TreeItem]:
        """Return the items from the top down to one; nothing where there is no such item."""
        place = self.places.get(id, -1)
        path = []
        while place >= 0:
            path.append(self.items[place])
            place = self.parents[place]
        return path[::-1]

    def filtered(self, text: str) -> Filter:
        """Return what is kept of the tree where one looks for a text."""
        wanted = text.casefold().replace("\n", " ")
        if not wanted:
            return Filter()
        labels, begins = self._labels
        hits: list[int] = []
        at = labels.find(wanted)
        while at >= 0:
            place = bisect_right(begins, at) - 1
            hits.append(place)
            at = labels.find(wanted, begins[place + 1])
        kept = set(hits)
        for place in hits:
            parent = self.parents[place]
            while parent >= 0 and parent not in kept:
                kept.add(parent)
                parent = self.parents[parent]
        return Filter(text, hits, sorted(kept))


class TreeRows(Sequence[TreeRow]):
    """The visible rows of a tree; each is made when somebody looks at it."""

    one_line = True

    def __init__(
        self, flat: Flat, places: Sequence[int], opened: Callable[[int], bool], draw: Callable[[TreeRow, int], Line]
    ) -> None:
        self._flat = flat
        self._places = places
        self._opened = opened
        self._draw = draw

    @property
    def rows(self) -> Sequence[TreeRow]:
        """The rows from the top."""
        return self

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> TreeRow: ...

    @overload
    def __getitem__(self, index: slice) -> list[TreeRow]: ...

    def __getitem__(self, index: int | slice) -> TreeRow | list[TreeRow]:
        if isinstance(index, slice):
            return [self._row(place) for place in self._places[index]]
        return self._row(self._places[index])

    def _row(self, place: int) -> TreeRow:
        flat = self._flat
        parent = flat.parents[place]
        inside = flat.items[parent].id if parent >= 0 else None
        return TreeRow(flat.items[place], flat.depths[place], inside, self._opened(place))

    def key(self, index: int) -> Hashable:
        """Return the id of the item."""
        return self._flat.items[self._places[index]].id

    def index_of(self, id: str) -> int | None:
        """Return the row of an item that is visible."""
        place = self._flat.places.get(id, -1)
        index = bisect_left(self._places, place)
        return index if index < len(self._places) and self._places[index] == place else None

    def draw(self, index: int, width: int) -> Sequence[Line]:
        """Draw the row's one line."""
        return (self._draw(self[index], width),)

    def text(self, index: int) -> str:
        """Return the item's label."""
        return self._flat.items[self._places[index]].label

    def height(self, index: int, width: int) -> int:
        """Return 1."""
        return 1


def draw_tree_row(row: TreeRow, width: int) -> list[Span]:
    """Draw an item: indentation, whether it is open, sign, label; its detail at the right edge."""
    item = row.item
    mark = (OPENED if row.expanded else CLOSED) if item.expandable else LEAF
    left: list[Span] = [("  " * row.depth, ""), (mark, "faint")]
    if item.sign:
        left.append((f"{item.sign} ", "muted"))
    left.append((item.label, item.role))
    if item.note:
        left.append((f"  {item.note}", "muted"))
    safe: list[Span] = [(lines.plain(text), role) for text, role in left]
    detail: Line = item.detail
    if item.inside and not row.expanded:
        detail = [*detail, (f" {item.inside:,}" if detail else f"{item.inside:,}", "faint")]
    return lines.beside(safe, detail, width)
