"""How items of lists look that could not be read: a dim row each, which says what it is and leads nowhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from recto.tui.look.lines import Line, plain

if TYPE_CHECKING:
    from recto.contract.unread import Unread

SIGN = "×"
_KEY = "\0unread"


def unread_key(note: Unread) -> str:
    """Return the key of the row of an unread item, which no item has that could be read."""
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
