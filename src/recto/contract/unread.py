"""Notes of list items that could not be read, kept with the model that holds the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from recto.frozen import frozen

_NOTES = "_unread"
"""Where a model keeps its notes: beside its fields, under a name that no field can have, so that they never go out."""


@frozen
class Unread:
    """An item of a list that could not be read; its texts are fit to be shown."""

    list: str
    """The name of the list in the model that holds it."""
    index: int
    """Where in the list it was."""
    object: str = ""
    """What it says it is, such as ``space``; empty where it does not say."""
    id: str = ""
    """Its id; empty where it has none."""
    field: str = ""
    """Which of its fields could not be read; empty where it was all of it."""
    why: str = ""
    """The fault of the field."""

    @property
    def words(self) -> str:
        """The text to show for it."""
        name = " ".join(part for part in (self.object.replace("-", " ") or "item", self.id) if part)
        return f"unreadable {name}" + (f" ({self.field})" if self.field else "")


def unread_of(holder: BaseModel, *lists: str) -> tuple[Unread, ...]:
    """Return the unread items of a model's own lists, of all or of those of these names."""
    notes: tuple[Unread, ...] = holder.__dict__.get(_NOTES, ())
    return tuple(note for note in notes if note.list in lists) if notes and lists else notes


def note_unread(holder: BaseModel, notes: Iterable[Unread]) -> None:
    """Add notes to a model."""
    holder.__dict__[_NOTES] = (*unread_of(holder), *notes)


def all_unread(value: Any) -> Iterator[Unread]:
    """Yield the unread items of all lists in a model, or in the models of a sequence."""
    if isinstance(value, BaseModel):
        yield from unread_of(value)
        for name in type(value).model_fields:
            yield from all_unread(getattr(value, name))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from all_unread(item)
