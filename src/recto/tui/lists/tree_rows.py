"""The items of a tree and their visible rows, which are made on demand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from recto.frozen import frozen
from recto.tui.lists.rows import SIGN, unread_key
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span

if TYPE_CHECKING:
    from recto.contract.unread import Unread

T = TypeVar("T")

OPENED, CLOSED, LEAF = "▾ ", "▸ ", "  "


@frozen
class TreeItem:
    """An item of a tree.

    ``detail`` stands at the right edge, and of a closed item how many things are ``inside``. ``lazy`` says that there
    are children that have not been asked for: expanding such an item posts ``TreeList.Wanted``, and the screen shows
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
    mark: str = ""
    """Replaces the mark of an open or closed item; two cells wide."""
    note_role: str = "muted"
    holds: bool = False
    """Whether it has children that are neither made nor counted."""

    @property
    def expandable(self) -> bool:
        """Whether it has children."""
        return bool(self.children) or self.lazy or self.holds or self.inside > 0


@frozen
class TreeRow:
    """An item at its present place in the tree."""

    item: TreeItem
    depth: int
    parent: str | None
    expanded: bool


@frozen
class Filter:
    """A text, the items whose label holds it, and these with all above them; by their place."""

    text: str = ""
    hits: Sequence[int] = ()
    kept: Sequence[int] = ()


class Order(Generic[T]):
    """The nodes of a tree in order from the top, with the index of the parent and the depth of each."""

    def __init__(self, roots: Sequence[T], under: Callable[[T], Sequence[T]]) -> None:
        self.roots = roots
        self.nodes: list[T] = []
        self.parents: list[int] = []
        """The place of what each lies in; -1 at the top."""
        self.depths: list[int] = []
        stack = [(node, -1, 0) for node in reversed(roots)]
        while stack:
            node, parent, depth = stack.pop()
            place = len(self.nodes)
            self.nodes.append(node)
            self.parents.append(parent)
            self.depths.append(depth)
            if below := under(node):
                stack.extend([(child, place, depth + 1) for child in reversed(below)])

    @cached_property
    def ends(self) -> list[int]:
        """The index after the last descendant of each."""
        ends = list(range(1, len(self.nodes) + 1))
        for place in range(len(ends) - 1, -1, -1):
            parent = self.parents[place]
            if parent >= 0 and ends[place] > ends[parent]:
                ends[parent] = ends[place]
        return ends


class Flat:
    """All items in their order from the top, whether they are visible or not.

    ``make`` makes the item at a place, when it is looked at; until then its id and its label are enough.
    """

    def __init__(
        self, order: Order[Any], ids: Sequence[str], labels: Callable[[], list[str]], make: Callable[[int], TreeItem]
    ) -> None:
        self.ids = ids
        self.parents, self.depths, self.ends = order.parents, order.depths, order.ends
        # Where two have the same id, it means the first.
        self.places = dict(zip(reversed(ids), range(len(ids) - 1, -1, -1), strict=True))
        self._make_labels = labels
        self._make = make
        self._items: dict[int, TreeItem] = {}
        self._visible: list[int] = []
        self._visible_with: frozenset[str] | None = None
        """The open items with which those places were found to be visible."""

    @classmethod
    def of(cls, items: Sequence[TreeItem]) -> Flat:
        """Return items that are made already."""
        order = Order(items, lambda item: item.children)
        nodes = order.nodes
        return cls(order, [item.id for item in nodes], lambda: [item.label for item in nodes], nodes.__getitem__)

    def __len__(self) -> int:
        return len(self.ids)

    def item(self, place: int) -> TreeItem:
        """Return the item at a place."""
        item = self._items.get(place)
        if item is None:
            item = self._items[place] = self._make(place)
        return item

    @property
    def branches(self) -> list[str]:
        """The ids of the items that others lie in."""
        return [self.ids[place] for place in sorted({*self.parents} - {-1})]

    def visible(self, expanded: Collection[str]) -> list[int]:
        """Return the places of the items that nothing closed is above of."""
        wanted = frozenset(expanded)
        if wanted != self._visible_with:
            self._visible, self._visible_with = self._find_visible(wanted), wanted
        return self._visible

    def _find_visible(self, expanded: frozenset[str]) -> list[int]:
        ids, ends, count = self.ids, self.ends, len(self.ids)
        found: list[int] = []
        place = 0
        while place < count:
            found.append(place)
            place = place + 1 if ids[place] in expanded else ends[place]
        return found

    @cached_property
    def _labels(self) -> list[str]:
        """All labels, as they are compared."""
        return [_fold(label) for label in self._make_labels()]

    def path(self, id: str) -> list[TreeItem]:
        """Return the items from the top down to an item; empty without such an item."""
        place = self.places.get(id, -1)
        path = []
        while place >= 0:
            path.append(self.item(place))
            place = self.parents[place]
        return path[::-1]

    def filter(self, text: str) -> Filter:
        """Return the part of the tree that matches a text."""
        wanted = _fold(text)
        if not wanted:
            return Filter()
        hits = [place for place, label in enumerate(self._labels) if wanted in label]
        kept = set(hits)
        above: Collection[int] = hits
        while above:
            above = set(map(self.parents.__getitem__, above)) - {-1} - kept
            kept |= above
        return Filter(text, hits, sorted(kept))


def _fold(text: str) -> str:
    return text.replace("\n", " ").casefold()


class TreeRows(Sequence[TreeRow]):
    """The visible rows of a tree; each is made when it is looked at."""

    one_line = True

    def __init__(
        self, flat: Flat, places: Sequence[int], opened: Callable[[int], bool], draw: Callable[[TreeRow, int], Line]
    ) -> None:
        self.flat = flat
        self.places = places
        self.opened = opened
        self.draw_row = draw

    @property
    def rows(self) -> Sequence[TreeRow]:
        """The rows from the top."""
        return self

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> TreeRow: ...

    @overload
    def __getitem__(self, index: slice) -> list[TreeRow]: ...

    def __getitem__(self, index: int | slice) -> TreeRow | list[TreeRow]:
        if isinstance(index, slice):
            return [self._row(place) for place in self.places[index]]
        return self._row(self.places[index])

    def _row(self, place: int) -> TreeRow:
        flat = self.flat
        parent = flat.parents[place]
        inside = flat.ids[parent] if parent >= 0 else None
        return TreeRow(flat.item(place), flat.depths[place], inside, self.opened(place))

    def key(self, index: int) -> Hashable:
        """Return the id of the item."""
        return self.flat.ids[self.places[index]]

    def places_before(self, id: str, *, below: bool = False) -> int:
        """Return how many visible rows are above an item, or above and under it where ``below``."""
        place = self.flat.places.get(id, len(self.flat))
        return bisect_left(self.places, self.flat.ends[place] if below and place < len(self.flat) else place)

    def index_of(self, id: str) -> int | None:
        """Return the row of an item that is visible."""
        place = self.flat.places.get(id, -1)
        index = bisect_left(self.places, place)
        return index if index < len(self.places) and self.places[index] == place else None

    def draw(self, index: int, width: int) -> Sequence[Line]:
        """Draw the line of the row."""
        return (self.draw_row(self[index], width),)

    def text(self, index: int) -> str:
        """Return the item's label."""
        return self.flat.item(self.places[index]).label

    def height(self, index: int, width: int) -> int:
        """Return 1."""
        return 1


def unread_items(notes: Iterable[Unread]) -> list[TreeItem]:
    """Return an item for each that could not be read: dim, and with nothing in it."""
    return [TreeItem(unread_key(note), note.words, sign=SIGN, role="faint") for note in notes]


def draw_tree_row(row: TreeRow, width: int) -> list[Span]:
    """Draw an item: indentation, whether it is open, sign, label, note; its detail at the right edge.

    A note that has no room leaves the label half of it.
    """
    item = row.item
    fold = (OPENED if row.expanded else CLOSED) if item.expandable else LEAF
    left: list[Span] = [("  " * row.depth, ""), (item.mark, item.role) if item.mark else (fold, "faint")]
    if item.sign:
        left.append((f"{item.sign} ", "muted"))
    detail: Line = item.detail
    if item.inside and not row.expanded:
        detail = [*detail, (f" {item.inside:,}" if detail else f"{item.inside:,}", "faint")]
    label: Line = [(lines.plain(item.label), item.role)]
    if item.note:
        note: Span = (f"  {lines.plain(item.note)}", item.note_role)
        room = lines.room_beside([*left, *label, note], detail, width) - lines.width_of(left)
        label = [*lines.fit(label, max(room - lines.width_of([note]), room // 2)), note]
    return lines.beside([(lines.plain(text), role) for text, role in left] + list(label), detail, width)
