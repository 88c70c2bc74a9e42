"""Rows of a virtual list, each with a key and drawn when it comes into view; and items that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from recto.tui.look.lines import Line, fit, plain

if TYPE_CHECKING:
    from recto.contract.unread import Unread

SIGN = "×"
_KEY = "\0unread"


def unread_key(note: Unread) -> str:
    """Return the key of the row of an unread item; no other item has it."""
    return f"{_KEY} {note.list} {note.index} {note.object} {note.id}"


def is_unread(key: Hashable) -> bool:
    """Whether a row is that of an unread item."""
    return isinstance(key, str) and key.startswith(_KEY)


def unread_line(note: Unread) -> Line:
    """Draw an unread item."""
    return [(f"{SIGN} ", "faint"), (plain(note.words), "faint")]


def unread_lines(notes: Iterable[Unread]) -> list[Line]:
    """Draw unread items, each on a line."""
    return [unread_line(note) for note in notes]


T = TypeVar("T")


class Rows(Protocol):
    """The rows of a list. ``draw`` and ``height`` are asked only for rows about to be visible, per width in cells."""

    def __len__(self) -> int:
        """The number of rows."""
        ...

    def key(self, index: int) -> Hashable:
        """The row's identity, by which the cursor and the selection stay on it through a refresh."""
        ...

    def draw(self, index: int, width: int) -> Sequence[Line]:
        """The row's lines, as many as its height."""
        ...

    def text(self, index: int) -> str:
        """The row's text, which is searched."""
        ...

    def height(self, index: int, width: int) -> int:
        """The number of lines the row takes, at least 1."""
        ...

    @property
    def one_line(self) -> bool:
        """Whether every row has a single line, so that heights need no measuring."""
        ...


class _Listed(Generic[T]):
    """The items of a sequence, and after them those that could not be read."""

    items: Sequence[T]
    unread: Sequence[Unread]
    _key: Callable[[T], Hashable]

    def __len__(self) -> int:
        return len(self.items) + len(self.unread)

    def item(self, index: int) -> T | None:
        """Return the item of a row; ``None`` where it could not be read, or where there is no such row."""
        return self.items[index] if 0 <= index < len(self.items) else None

    def key(self, index: int) -> Hashable:
        """Return the identity of an item."""
        return self._key(self.items[index]) if index < len(self.items) else unread_key(self._note(index))

    def _note(self, index: int) -> Unread:
        return self.unread[index - len(self.items)]

    def _draw_unread(self, index: int, width: int) -> Sequence[Line]:
        return (fit(unread_line(self._note(index)), width),)


class ItemRows(_Listed[T]):
    """Rows of a single line, drawn from the items of a sequence."""

    one_line = True

    def __init__(
        self,
        items: Sequence[T],
        draw: Callable[[T, int], Line],
        key: Callable[[T], Hashable] = lambda item: getattr(item, "id", item),
        text: Callable[[T], str] | None = None,
        unread: Sequence[Unread] = (),
    ) -> None:
        self.items = items
        self.unread = unread
        self._draw = draw
        self._key = key
        self._text = text

    def draw(self, index: int, width: int) -> Sequence[Line]:
        """Draw an item."""
        if index >= len(self.items):
            return self._draw_unread(index, width)
        return (self._draw(self.items[index], width),)

    def text(self, index: int) -> str:
        """Return the text of an item: as given at construction, else as drawn in a wide place."""
        if index >= len(self.items):
            return self._note(index).words
        item = self.items[index]
        return self._text(item) if self._text else "".join(part for part, _role in self._draw(item, 1000))

    def height(self, index: int, width: int) -> int:
        """Return 1."""
        return 1


class WrappedRows(_Listed[T]):
    """Rows of as many lines as their items take at a width; drawn lines are cached until the width changes."""

    one_line = False

    def __init__(
        self,
        items: Sequence[T],
        draw: Callable[[T, int], Sequence[Line]],
        key: Callable[[T], Hashable] = lambda item: getattr(item, "id", item),
        height: Callable[[T, int], int] | None = None,
        unread: Sequence[Unread] = (),
    ) -> None:
        self.items = items
        self.unread = unread
        self._draw = draw
        self._key = key
        self._height = height
        self._width = -1
        self._drawn: dict[int, Sequence[Line]] = {}

    def draw(self, index: int, width: int) -> Sequence[Line]:
        """Draw an item."""
        if index >= len(self.items):
            return self._draw_unread(index, width)
        if width != self._width:
            self._width = width
            self._drawn = {}
        known = self._drawn.get(index)
        if known is None:
            known = self._drawn[index] = self._draw(self.items[index], width)
        return known

    def text(self, index: int) -> str:
        """Return all text of an item."""
        if index >= len(self.items):
            return self._note(index).words
        return " ".join("".join(part for part, _role in line) for line in self._draw(self.items[index], 1000))

    def height(self, index: int, width: int) -> int:
        """Return the number of lines of an item: as given at construction, else by drawing it."""
        if index >= len(self.items):
            return 1
        if self._height:
            return self._height(self.items[index], width)
        return len(self.draw(index, width))


class Empty:
    """No rows."""

    one_line = True

    def __len__(self) -> int:
        return 0

    def key(self, index: int) -> Hashable:
        """Raise: there is no row."""
        raise IndexError(index)

    def draw(self, index: int, width: int) -> Sequence[Line]:
        """Raise: there is no row."""
        raise IndexError(index)

    def text(self, index: int) -> str:
        """Raise: there is no row."""
        raise IndexError(index)

    def height(self, index: int, width: int) -> int:
        """Raise: there is no row."""
        raise IndexError(index)
