"""Reading an answer without those items of its lists that cannot be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic_core import from_json

from recto.client.outside import one_line
from recto.contract.model import ELSE, READING
from recto.contract.unread import Unread, note_unread

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter, ValidationError
    from pydantic_core import ErrorDetails

_MOST_ERRORS = 50_000
"""An answer with more errors than this is not what the API describes at all."""

_MOST_ROUNDS = 4
"""How often items are taken out: what is wrong beside them may show only then."""

_TAGS = frozenset({"object", "type", "kind", "operation"})
"""The fields by which the kinds of a union are told apart."""

Loc = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """An item of a list: the way to it, each container with the step into it, and what is wrong with it."""

    way: tuple[tuple[Any, int | str], ...]
    field: str
    why: str

    @property
    def place(self) -> tuple[int, int]:
        """The identity of the list, and the index in it."""
        found, index = self.way[-1]
        return id(found), int(index)

    def note(self) -> Unread:
        """Say what is known of the item."""
        found, index = self.way[-1]
        item = found[index]
        known = item if isinstance(item, dict) else {}
        name = next((str(step) for _, step in reversed(self.way) if isinstance(step, str)), "")
        said = {key: one_line(known[key], 80) for key in ("object", "id") if isinstance(known.get(key), str)}
        return Unread(name, int(index), field=one_line(self.field, 80), why=one_line(self.why, 120), **said)


def read_without(adapter: TypeAdapter[Any], content: bytes, error: ValidationError) -> Any:
    """Return an answer without the list items in which the errors are; the models that hold the lists note them.

    Raises the first :class:`pydantic.ValidationError` where an error is in no list.
    """
    try:
        raw = from_json(content)
    except ValueError:
        raise error from None
    taken: list[tuple[_Item, Unread]] = []
    latest = error
    for _ in range(_MOST_ROUNDS):
        if latest.error_count() > _MOST_ERRORS:
            raise error
        items = _items(latest.errors(include_url=False, include_context=False, include_input=False), raw)
        if items is None:
            raise error
        taken += [(item, item.note()) for item in items]
        _take_out(items)
        try:
            answer = adapter.validate_python(raw, context=READING)
        except ValidationError as another:
            latest = another
            continue
        _attach(answer, taken)
        return answer
    raise error


def _items(errors: Sequence[ErrorDetails], raw: Any) -> list[_Item] | None:
    """Return the innermost list items in which the errors are, each once; ``None`` where one is in none."""
    found: dict[tuple[int, int], _Item] = {}
    for error in _of_the_kinds_meant(_of_the_first_way(errors), raw):
        item = _item(error, raw)
        if item is None:
            return None
        found.setdefault(item.place, item)
    return list(found.values())


def _of_the_first_way(errors: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Return the errors with places in which no other way to read a value is named, each in the way that got on."""
    placed: list[tuple[Loc, ErrorDetails]] = []
    above: set[Loc] = set()
    for error in errors:
        loc = tuple(step for step in error["loc"] if step != ELSE)
        above.update(loc[:length] for length in range(len(loc)))
        placed.append((loc, error))
    return [{**error, "loc": loc} for loc, error in placed if not (error["loc"][-1:] == (ELSE,) and loc in above)]


def _steps(error: ErrorDetails, raw: Any) -> Iterator[tuple[int, Any, bool]]:
    """Yield the steps of an error's location: its index, the container, and whether the step is in the answer.

    The others name the kind of a union, or a field that is missing.
    """
    at = raw
    for index, step in enumerate(error["loc"]):
        is_there = step in at if isinstance(at, dict) else isinstance(at, list) and step in range(len(at))
        yield index, at, is_there
        if is_there:
            at = at[step]


def _of_the_kinds_meant(errors: Sequence[ErrorDetails], raw: Any) -> list[ErrorDetails]:
    """Return the errors without those of kinds of unions that were not meant: their tag, or form, is another."""
    kinds: dict[Loc, set[Loc]] = defaultdict(set)
    others: set[Loc] = set()
    passed: list[list[Loc]] = []
    for error in errors:
        loc = error["loc"]
        last = len(loc) - 1
        passed.append([])
        for index, _, is_there in _steps(error, raw):
            if is_there or (index == last and error["type"] == "missing"):
                continue
            kind = loc[: index + 1]
            kinds[loc[:index]].add(kind)
            passed[-1].append(kind)
            if index == last or (index == last - 1 and loc[last] in _TAGS):
                others.add(kind)
    # Where none was meant, the item itself is of no kind that can be read.
    unmeant = {kind for found in kinds.values() if not found <= others for kind in found & others}
    none_meant = {kind for found in kinds.values() if found <= others for kind in found}
    return [
        error
        for error, through in zip(errors, passed, strict=True)
        if not unmeant.intersection(through)
        and all(len(error["loc"]) - len(kind) <= 1 for kind in none_meant.intersection(through))
    ]


def _item(error: ErrorDetails, raw: Any) -> _Item | None:
    loc = error["loc"]
    way: list[tuple[Any, int | str]] = []
    fields: list[str] = []
    length = 0
    for index, at, is_there in _steps(error, raw):
        step = loc[index]
        if is_there:
            way.append((at, step))
        if is_there and isinstance(at, list):
            length, fields = len(way), []
        elif is_there or (index == len(loc) - 1 and error["type"] == "missing"):
            fields.append(str(step))
    return _Item(tuple(way[:length]), ".".join(fields), error["msg"]) if length else None


def _take_out(items: Sequence[_Item]) -> None:
    gone: dict[int, set[int]] = defaultdict(set)
    lists: dict[int, list[Any]] = {}
    for item in items:
        of, index = item.place
        gone[of].add(index)
        lists[of] = item.way[-1][0]
    for of, found in lists.items():
        found[:] = [one for index, one in enumerate(found) if index not in gone[of]]


def _attach(answer: Any, taken: Sequence[tuple[_Item, Unread]]) -> None:
    """Note each item at the model that holds its list, unless that was itself taken out."""
    notes: dict[int, tuple[BaseModel, list[Unread]]] = {}
    places: dict[int, dict[int, int]] = {}
    for item, note in taken:
        holder = _holder(answer, item, places)
        if holder is not None:
            notes.setdefault(id(holder), (holder, []))[1].append(note)
    for holder, found in notes.values():
        note_unread(holder, sorted(found, key=lambda note: (note.list, note.index)))


def _holder(answer: Any, item: _Item, places: dict[int, dict[int, int]]) -> BaseModel | None:
    """Follow the way to a list in what was read; indices have changed since, so items are told by their identity."""
    at, holder = answer, None
    for (container, step), (following, _) in zip(item.way, item.way[1:], strict=False):
        if isinstance(container, list):
            if id(container) not in places:
                places[id(container)] = {id(one): index for index, one in enumerate(container)}
            index = places[id(container)].get(id(following))
            if index is None or not isinstance(at, tuple | list):
                return None
            at = at[index]
        elif isinstance(at, BaseModel):
            holder, at = at, _value(at, str(step))
        elif isinstance(at, dict):
            at = at.get(step)
    return holder


def _value(model: BaseModel, name: str) -> Any:
    """Return the value of the field of this name on the wire."""
    for own, field in type(model).model_fields.items():
        names = field.validation_alias
        if name in (own, *(names.choices if isinstance(names, AliasChoices) else (names,))):
            return getattr(model, own)
    return None
