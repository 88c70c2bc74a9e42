"""A tree on the virtual list: items expand, the cursor stays on its item, and typing filters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from textual import events
from textual.message import Message

from recto.frozen import frozen
from recto.tui.actions import bindings
from recto.tui.lists.tree_rows import CLOSED, Filter, Flat, TreeItem, TreeRow, TreeRows, draw_tree_row
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look.lines import Line

__all__ = ["TreeItem", "TreeList", "TreeRow", "with_children"]


class TreeList(VirtualList):
    """A tree of items. Enter goes into an item; right and left expand, collapse, and go to child and parent."""

    BINDINGS = bindings("tree.expand", "tree.collapse", "tree.expand_all", "tree.collapse_all")

    @frozen
    class Wanted(Message):
        """An item with children that are not loaded was expanded."""

        tree: TreeList
        item: TreeItem

        @property
        def control(self) -> TreeList:
            """The tree, so that handlers can select by it."""
            return self.tree

    @frozen
    class Filtered(Message):
        """Only the items that hold a text are shown, or with ``tree.needle`` empty all of them again."""

        tree: TreeList
        count: int

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
        leads: bool = True,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(selectable=selectable, id=id, classes=classes)
        self._leads = leads
        """Whether enter goes into an item; else it opens and closes the item."""
        if not leads:
            self.can_open = lambda index: self.tree_rows.rows[index].item.expandable
        self._flat = Flat.of(tuple(items))
        self._draw = draw
        self._details: Mapping[str, Line] = {}
        self._expanded: set[str] = set(expanded)
        self._filter = Filter()
        self._rows = self._visible()

    # Rows

    def show_items(self, items: Iterable[TreeItem], cursor: str | None = None) -> None:
        """Show other items; expanded items stay expanded, and the cursor stays on its item."""
        self.show_flat(Flat.of(tuple(items)), cursor)

    def show_flat(self, flat: Flat, cursor: str | None = None, *, opened: Iterable[str] = ()) -> None:
        """Show other items as :meth:`show_items` does, with those of these ids open; most need never be made."""
        self._flat = flat
        self._expanded.update(opened)
        if self._filter.text:
            self._filter = self._flat.filter(self._filter.text)
        if cursor is not None:
            self._expanded.update(item.id for item in self._path(cursor)[:-1])
        self.show(self._visible(), cursor)

    def mark(self, details: Mapping[str, Line]) -> None:
        """Set the details at the right edge, by the ids of items; only visible rows are drawn again."""
        self._details = details
        self.refresh()

    def _draw_row(self, row: TreeRow, width: int) -> Line:
        detail = self._details.get(row.item.id)
        return self._draw(row if detail is None else replace(row, item=replace(row.item, detail=detail)), width)

    @property
    def is_empty(self) -> bool:
        """Whether there are no items."""
        return not len(self._flat)

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
        """Collapse items; a cursor below such an item goes up to it."""
        here = self.cursor_key
        closed = set(ids)
        path = self._path(str(here)) if here is not None else []
        above = next((item.id for item in path if item.id in closed), None)
        self._expanded -= closed
        self.show(self._visible(), above)

    def reveal(self, id: str) -> bool:
        """Open everything above an item and put the cursor on it; return whether there is such an item."""
        path = self._path(id)
        if not path:
            return False
        self._expanded.update(item.id for item in path[:-1])
        self.show(self._visible(), id)
        return True

    def ids_above(self, id: str) -> list[str]:
        """Return the ids from the top down to an item; nothing where there is no such item."""
        flat, place = self._flat, self._flat.places.get(id, -1)
        found = []
        while place >= 0:
            found.append(flat.ids[place])
            place = flat.parents[place]
        return found[::-1]

    def _path(self, id: str) -> list[TreeItem]:
        return self._flat.path(id)

    def _visible(self) -> TreeRows:
        flat, kept = self._flat, self._filter.kept
        if self._filter.text:
            above = set(map(flat.parents.__getitem__, kept))
            return TreeRows(flat, kept, above.__contains__, self._draw_row)
        expanded = frozenset(self._expanded)
        return TreeRows(flat, flat.visible(expanded), lambda place: flat.ids[place] in expanded, self._draw_row)

    def _index_of(self, key: Hashable) -> int | None:
        return self.tree_rows.index_of(str(key))

    # Expanding

    def action_list_open(self) -> None:
        """Go into the item, or open and close it where items lead nowhere."""
        current = self.current
        if self._leads:
            super().action_list_open()
        elif current is not None and current.expandable:
            self.toggle(current)

    def action_tree_expand(self) -> None:
        """Open the item; if it is open, go to its first child; if it has none, go into it."""
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

    def action_tree_expand_all(self) -> None:
        """Open all items whose children are known; the cursor stays on its item."""
        self.open_items(*self._flat.branches)

    def action_tree_collapse_all(self) -> None:
        """Close all items; the cursor goes to its ancestor at the top."""
        self.close_items(*self._expanded)

    def why_not(self, action: str) -> str | None:
        """Return why all cannot be opened or closed."""
        if action in ("tree.expand_all", "tree.collapse_all"):
            if self._filter.text:
                return "not while finding"
            if action == "tree.collapse_all" and not self._expanded:
                return "all is collapsed"
        return super().why_not(action)

    def toggle(self, item: TreeItem) -> None:
        """Open a closed item, close an open item."""
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
        if index is not None and offset is not None and not self.has_selected_text:
            row = self.tree_rows.rows[index]
            start = 2 * row.depth
            if row.item.expandable and start <= offset.x + self.scroll_offset.x < start + len(CLOSED):
                event.prevent_default()
                self.cursor = index
                self.toggle(row.item)

    # Filtering

    def find(self, text: str) -> int:
        """Keep only the items whose label holds the text, with those above them; return how many labels do."""
        here = self.cursor_key
        before = self._filter.text
        self._filter = self._flat.filter(text)
        self._needle = text
        target = here
        if text:
            hits = self._filter.hits
            place = self._flat.places.get(str(here), -1)
            at = bisect_left(hits, place)
            if hits and (at == len(hits) or hits[at] != place):
                target = self._flat.ids[hits[0]]
        elif before and here is not None:
            # The item that was found stays under the cursor when the whole tree is back.
            self._expanded.update(item.id for item in self._path(str(here))[:-1])
        self.show(self._visible(), target)
        self.refresh_bindings()
        self.post_message(self.Filtered(self, self.found))
        return self.found

    @property
    def found(self) -> int:
        """Number of items that match the filter."""
        return len(self._filter.hits)


def with_children(items: Iterable[TreeItem], id: str, children: Sequence[TreeItem]) -> list[TreeItem]:
    """Return the tree with the children of an item in place, no longer lazy."""
    return [
        replace(item, children=tuple(children), lazy=False)
        if item.id == id
        else (replace(item, children=tuple(with_children(item.children, id, children))) if item.children else item)
        for item in items
    ]
