"""Columns of a list: laying them out at a width, and drawing rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from recto.frozen import frozen
from recto.tui.look.lines import Line, Span, fit, plain, width_of

T = TypeVar("T")

GAP = 2
"""Cells between two columns."""


@frozen
class Column(Generic[T]):
    """A column: its title, and the text of an item in it, as text or as a line of spans.

    It takes ``width`` cells, and up to ``least`` where there is little room (``least`` of 0: always ``width``). A
    column that ``grows`` takes the room that is left over. Where they do not fit even so, the highest
    ``rank`` falls away first; a column of rank 0 stays.

    >>> Column("Name", lambda member: member.name, width=24, least=12, grows=True)
    >>> Column("Joined", lambda member: ago(member.joined_at), width=12, rank=2)
    """

    title: str
    text: Callable[[T], str | Line]
    width: int
    least: int = 0
    grows: bool = False
    rank: int = 0
    at_right: bool = False
    """Whether its text stands at its right edge, as numbers do."""

    @property
    def narrowest(self) -> int:
        """The fewest cells it takes."""
        return self.least or self.width

    def line(self, item: T) -> Line:
        """Return the text of an item as a safe line."""
        text = self.text(item)
        return [(plain(text), "")] if isinstance(text, str) else [(plain(part), role) for part, role in text]


@frozen
class Layout(Generic[T]):
    """The columns that fit a width, and the cells that each takes."""

    columns: Sequence[Column[T]]
    widths: Sequence[int]

    def head(self, marked: str = "") -> str:
        """Return the titles above the columns; ``marked`` names the column with the sign that rows are sorted by it."""
        titles = (f"{one.title} ▾" if one.title == marked else one.title for one in self.columns)
        return "".join(text for text, _ in self._lay_out([(title, "")] for title in titles))

    def row(self, item: T) -> list[Span]:
        """Draw an item."""
        return self._lay_out(column.line(item) for column in self.columns)

    def _lay_out(self, cells: Iterable[Line]) -> list[Span]:
        laid: list[Span] = []
        for column, width, line in zip(self.columns, self.widths, cells, strict=True):
            cut = fit(line, width)
            blank = (" " * (width - width_of(cut)), "")
            laid += [blank, *cut] if column.at_right else [*cut, blank]
            laid.append((" " * GAP, ""))
        return laid[:-1]


def text_of(columns: Sequence[Column[T]], item: T) -> str:
    """Return the text of an item that is filtered."""
    return " ".join(text for column in columns for text, _ in column.line(item))


class Texts(Generic[T]):
    """The texts of items for filtering, made once for the same items instead of at each key."""

    def __init__(self, columns: Sequence[Column[T]]) -> None:
        self._columns = columns
        self._items: Sequence[T] = ()
        self._texts: list[str] = []

    def filter_items(self, items: Sequence[T], needle: str) -> list[T]:
        """Return the items whose text holds a needle, in lower or upper case."""
        if items is not self._items:
            self._items, self._texts = items, [text_of(self._columns, item).casefold() for item in items]
        wanted = needle.casefold()
        return [item for item, text in zip(items, self._texts, strict=True) if wanted in text]


def lay_out(columns: Sequence[Column[T]], width: int) -> Layout[T]:
    """Return the columns that fit a width in cells."""
    kept = list(columns)
    while len(kept) > 1 and _width_of(kept, narrowest=True) > width and (last := max(one.rank for one in kept)):
        kept.remove(next(one for one in reversed(kept) if one.rank == last))
    widths = [one.width for one in kept]
    left = width - _width_of(kept)
    for index in _sort_by_rank(kept):
        most = left if kept[index].grows else 0
        change = max(left, kept[index].narrowest - widths[index]) if left < 0 else most
        widths[index] += change
        left -= change
    if left < 0:
        # Not even the remaining columns fit: the first is the most useful.
        starts = [sum(widths[:index]) + GAP * index for index in range(len(kept))]
        widths = [min(cells, width - start) for cells, start in zip(widths, starts, strict=True) if start < width]
    return Layout(tuple(kept[: len(widths)]), tuple(widths))


def _width_of(columns: Sequence[Column[T]], *, narrowest: bool = False) -> int:
    cells = (one.narrowest if narrowest else one.width for one in columns)
    return sum(cells) + GAP * (len(columns) - 1)


def _sort_by_rank(columns: Sequence[Column[T]]) -> list[int]:
    """Return the indexes of the columns in the order in which they shrink, by rank."""
    return sorted(range(len(columns)), key=lambda index: (-columns[index].rank, -columns[index].width))
