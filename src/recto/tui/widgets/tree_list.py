"""A tree on the virtual list: items that expand, keep the cursor by id, and can be filtered as one types."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from textual import events
from textual.message import Message

from recto.tui import lines
from recto.tui.actions import bindings
from recto.tui.lines import Line, Span
from recto.tui.widgets.virtual_list import VirtualList

OPENED, CLOSED, LEAF = "▾ ", "▸ ", "  "


@dataclass(frozen=True, slots=True)
class TreeItem:
    """One item of a tree.

    ``detail`` stands at the right edge. ``lazy`` says that there are children that nobody has asked for yet:
    expanding such an item posts ``TreeList.Wanted``, and the screen shows the tree again when it has them.
    """

    id: str
    label: str
    sign: str = ""
    role: str = ""
    detail: Line = ()
    children: Sequence[TreeItem] = ()
    lazy: bool = False
    note: str = ""

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


class TreeRows:
    """The visible rows of a tree."""

    one_line = True

    def __init__(self, rows: list[TreeRow], draw: Callable[[TreeRow, int], Line]) -> None:
        self.rows = rows
        self._draw = draw
        self._index: dict[str, int] = {row.item.id: index for index, row in enumerate(rows)}

    def __len__(self) -> int:
        return len(self.rows)

    def key(self, index: int) -> Hashable:
        """Return the id of the item."""
        return self.rows[index].item.id

    def index(self, id: str) -> int | None:
        """Return the row of an item that is visible."""
        return self._index.get(id)

    def draw(self, index: int, width: int) -> Sequence[Line]:
        """Draw the row's one line."""
        return (self._draw(self.rows[index], width),)

    def text(self, index: int) -> str:
        """Return the item's label."""
        return self.rows[index].item.label

    def height(self, index: int, width: int) -> int:
        """Return 1."""
        return 1


@dataclass
class _Filter:
    text: str = ""
    kept: set[str] = field(default_factory=set)


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
    return lines.beside(safe, item.detail, width)


class TreeList(VirtualList):
    """A tree of items. Enter goes into an item; right and left expand, collapse, and go to child and parent."""

    BINDINGS = bindings("tree.expand", "tree.collapse")

    @dataclass
    class Wanted(Message):
        """An item with children that are not loaded was expanded."""

        tree: TreeList
        item: TreeItem

        @property
        def control(self) -> TreeList:
            """The tree, so that handlers can select by it."""
            return self.tree

    def __init__(
        self,
        items: Iterable[TreeItem] = (),
        *,
        draw: Callable[[TreeRow, int], Line] = draw_tree_row,
        expanded: Iterable[str] = (),
        selectable: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(selectable=selectable, id=id, classes=classes)
        self._items: tuple[TreeItem, ...] = tuple(items)
        self._draw = draw
        self._expanded: set[str] = set(expanded)
        self._filter = _Filter()
        self._rows = self._visible()

    # What is shown

    def show_items(self, items: Iterable[TreeItem], cursor: str | None = None) -> None:
        """Show other items; what was expanded stays so, and the cursor stays on its item."""
        self._items = tuple(items)
        if self._filter.text:
            self._filter = self._filtered(self._filter.text)
        if cursor is not None:
            self._expanded.update(item.id for item in self._path(cursor)[:-1])
        self.show(self._visible(), cursor)

    @property
    def items(self) -> tuple[TreeItem, ...]:
        """The items at the top of the tree."""
        return self._items

    @property
    def tree_rows(self) -> TreeRows:
        """The rows that are visible."""
        assert isinstance(self._rows, TreeRows)
        return self._rows

    @property
    def current(self) -> TreeItem | None:
        """The item under the cursor."""
        row = self.current_row
        return row.item if row else None

    @property
    def current_row(self) -> TreeRow | None:
        """The row under the cursor."""
        rows = self.tree_rows.rows
        return rows[self.cursor] if self.cursor < len(rows) else None

    @property
    def expanded(self) -> frozenset[str]:
        """The ids of the items that are open."""
        return frozenset(self._expanded)

    def item(self, id: str) -> TreeItem | None:
        """Return the item with this id, wherever in the tree it is."""
        path = self._path(id)
        return path[-1] if path else None

    def open_items(self, *ids: str) -> None:
        """Open items."""
        self._expanded.update(ids)
        self.show(self._visible())

    def close_items(self, *ids: str) -> None:
        """Close items; a cursor under one of them goes up to it."""
        here = self.cursor_key
        closed = set(ids)
        path = self._path(str(here)) if here is not None else []
        above = next((item.id for item in path if item.id in closed), None)
        self._expanded -= closed
        self.show(self._visible(), above)

    def reveal(self, id: str) -> bool:
        """Open everything above an item and put the cursor on it; says whether there is such an item."""
        path = self._path(id)
        if not path:
            return False
        self._expanded.update(item.id for item in path[:-1])
        self.show(self._visible(), id)
        return True

    def _path(self, id: str) -> list[TreeItem]:
        path: list[TreeItem] = []
        for depth, item in _walk(self._items):
            del path[depth:]
            path.append(item)
            if item.id == id:
                return path
        return []

    def _visible(self) -> TreeRows:
        rows: list[TreeRow] = []
        kept = self._filter.kept if self._filter.text else None
        stack: list[tuple[TreeItem, int, str | None]] = [(item, 0, None) for item in reversed(self._items)]
        while stack:
            item, depth, parent = stack.pop()
            if kept is not None and item.id not in kept:
                continue
            opened = item.id in self._expanded or (kept is not None and any(one.id in kept for one in item.children))
            rows.append(TreeRow(item, depth, parent, opened))
            if opened:
                stack.extend((child, depth + 1, item.id) for child in reversed(item.children))
        return TreeRows(rows, self._draw)

    def _index_of(self, key: Hashable) -> int | None:
        return self.tree_rows.index(str(key))

    # Expanding

    def action_tree_expand(self) -> None:
        """Open the item; go to its first child where it is open; go in where there is nothing to open."""
        row = self.current_row
        if row is None:
            return
        if not row.item.expandable:
            self.action_list_open()
        elif row.expanded:
            self.cursor += 1
        else:
            self.toggle(row.item)

    def action_tree_collapse(self) -> None:
        """Close the item, or go to its parent."""
        row = self.current_row
        if row is None:
            return
        if row.expanded and row.item.expandable and not self._filter.text:
            self.close_items(row.item.id)
        elif row.parent is not None:
            self.go_to(row.parent)

    def toggle(self, item: TreeItem) -> None:
        """Open an item that is closed, close one that is open."""
        if item.id in self._expanded:
            self.close_items(item.id)
            return
        if item.lazy and not item.children:
            self.post_message(self.Wanted(self, item))
        self.open_items(item.id)

    def on_click(self, event: events.Click) -> None:
        """A click on the mark before an item opens or closes it."""
        index = self.row_at(event)
        offset = event.get_content_offset(self)
        if index is not None and offset is not None and not self.is_marked:
            row = self.tree_rows.rows[index]
            start = 2 * row.depth
            if row.item.expandable and start <= offset.x + self.scroll_offset.x < start + len(CLOSED):
                event.prevent_default()
                self.cursor = index
                self.toggle(row.item)

    # Filtering

    def find(self, text: str) -> int:
        """Keep only the items whose label holds the text, with those above them; gives how many labels do."""
        here = self.cursor_key
        before = self._filter.text
        self._filter = self._filtered(text)
        self._needle = text
        rows = self._visible()
        hits = [row.item.id for row in rows.rows if text and text.casefold() in row.item.label.casefold()]
        if text:
            target = here if here in hits else (hits[0] if hits else here)
        else:
            # The item that was found stays under the cursor when the whole tree is back.
            target = here
            if before and here is not None:
                self._expanded.update(item.id for item in self._path(str(here))[:-1])
                rows = self._visible()
        self.show(rows, target)
        self.refresh_bindings()
        return len(hits)

    def _filtered(self, text: str) -> _Filter:
        wanted = text.casefold()
        kept: set[str] = set()
        path: list[str] = []
        if wanted:
            for depth, item in _walk(self._items):
                del path[depth:]
                path.append(item.id)
                if wanted in item.label.casefold():
                    kept.update(path)
        return _Filter(text, kept)


def _walk(items: Sequence[TreeItem]) -> Iterator[tuple[int, TreeItem]]:
    stack = [(0, item) for item in reversed(items)]
    while stack:
        depth, item = stack.pop()
        yield depth, item
        stack.extend((depth + 1, child) for child in reversed(item.children))


def with_children(items: Iterable[TreeItem], id: str, children: Sequence[TreeItem]) -> list[TreeItem]:
    """Return the tree with the children of one item in place, no longer lazy."""
    return [
        replace(item, children=tuple(children), lazy=False)
        if item.id == id
        else (replace(item, children=tuple(with_children(item.children, id, children))) if item.children else item)
        for item in items
    ]
