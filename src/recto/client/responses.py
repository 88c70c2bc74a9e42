"""Reads responses: validated, in pieces if they are large, without list items that cannot be read."""

from __future__ import annotations

import asyncio
import threading
import typing
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import JSONDecoder
from types import NoneType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from pydantic import AliasChoices, BaseModel, TypeAdapter, ValidationError
from pydantic_core import from_json

from recto.client.errors import BadResponse, one_line
from recto.contract.model import ELSE, READING
from recto.contract.unread import Unread, note_unread
from recto.frozen import frozen
from recto.pattern import pattern

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from recto.contract.operation import Operation

R = TypeVar("R")


@runtime_checkable
class Streaming(Protocol):
    """A transport that also gives the beginning of a large response."""

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None]
    ) -> R:
        """Send the operation, and call ``on_beginning`` where a part of its response can be shown before the rest."""
        ...


LARGE = 128 * 1024
"""From this many bytes on a response is parsed in a thread, piece by piece."""

_building = threading.Lock()


class Responses:
    """Parses responses; keeps a validator for each operation, built when its first response comes."""

    def __init__(self) -> None:
        self._adapters: dict[Operation[Any, Any], TypeAdapter[Any]] = {}
        self._pieces: dict[Operation[Any, Any], Pieces | None] = {}

    async def parse(
        self, operation: Operation[Any, R], what: str, content: bytes, on_beginning: Callable[[R], None] | None = None
    ) -> R:
        """Return the response that ``content`` holds, or raise :class:`BadResponse`.

        ``on_beginning`` is called with the beginning of a large response, where it makes sense by itself.
        """
        if operation.response is NoneType:
            return cast("R", None)
        if len(content) >= LARGE:
            return await self._parse_large(operation, what, content, on_beginning)
        if operation not in self._adapters:
            # Building a validator takes far longer than using it.
            await asyncio.to_thread(self._adapter, operation)
        return self._validate(operation, what, content)

    async def _parse_large(
        self, operation: Operation[Any, R], what: str, content: bytes, on_beginning: Callable[[R], None] | None
    ) -> R:
        steps = self._steps(operation, content, begins=on_beginning is not None)

        def step() -> tuple[R, bool]:
            try:
                return next(steps)
            except ValidationError as error:
                return self._without_unreadable(operation, what, content, error), True

        while True:
            response, is_whole = await asyncio.to_thread(step)
            if is_whole:
                return response
            if on_beginning is not None:
                on_beginning(response)

    def _steps(self, operation: Operation[Any, R], content: bytes, *, begins: bool) -> Iterator[tuple[R, bool]]:
        adapter = self._adapter(operation)
        with _building:
            if operation not in self._pieces:
                self._pieces[operation] = pieces_of(operation.response)
        pieces = self._pieces[operation]
        if pieces is None:
            yield adapter.validate_json(content, context=READING), True
        elif begins:
            yield from pieces.read(adapter, content)
        else:
            yield pieces.validate(adapter, content), True

    def _validate(self, operation: Operation[Any, R], what: str, content: bytes) -> R:
        try:
            return cast("R", self._adapter(operation).validate_json(content or b"null", context=READING))
        except ValidationError as error:
            return self._without_unreadable(operation, what, content, error)

    def _without_unreadable(self, operation: Operation[Any, R], what: str, content: bytes, error: ValidationError) -> R:
        """Read a response without the list items that cannot be read; :class:`BadResponse` where that does not help."""
        try:
            return cast("R", read_without(self._adapter(operation), content, error))
        except ValidationError:
            # The cause is left out: its text quotes the response.
            raise BadResponse(what, _misfit(error, content), may_have_arrived=not operation.reads) from None

    def _adapter(self, operation: Operation[Any, Any]) -> TypeAdapter[Any]:
        with _building:
            adapter = self._adapters.get(operation)
            if adapter is None:
                _complete(operation.response)
                adapter = TypeAdapter(operation.response)
                adapter.rebuild()
                self._adapters[operation] = adapter
        return adapter


def _complete(response: Any) -> None:
    """Complete a model, after the items of its lists: other responses are made of the same, which are built once."""
    if _is_model(response) and not response.__pydantic_complete__:
        for item in _items_of_lists(response).values():
            if _is_model(item):
                item.model_rebuild()
        response.model_rebuild()


def _is_model(response: Any) -> bool:
    return isinstance(response, type) and issubclass(response, BaseModel)


def _items_of_lists(model: type[BaseModel]) -> dict[str, Any]:
    """Return the types of the items of a model's lists, by the names of these on the wire."""
    return {
        field.alias or name: typing.get_args(field.annotation)[0]
        for name, field in model.model_fields.items()
        if typing.get_origin(field.annotation) is tuple and typing.get_args(field.annotation)[1:] == (...,)
    }


def _misfit(error: ValidationError, content: bytes) -> str:
    """Return a sentence about how a response differs from its declaration."""
    if not content.strip():
        return "The server's response is empty."
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "The server's response is not JSON, or was cut short."
    place = one_line(".".join(str(part) for part in first["loc"] if part != ELSE), 80)
    return f"The server's response is not what the API describes: {one_line(first['msg'], 120)}" + (
        f" (at {place})." if place else "."
    )


# Large responses, item by item: the parser holds the interpreter, and the screen is drawn by another thread

_BLANKS = pattern(r"[ \t\n\r]*")

_BEGINNING = 64 * 1024
"""The fewest characters of a beginning."""

_STEP = 32 * 1024
"""The number of characters after which the interpreter is released to other threads."""


class Pieces:
    """The lists of a model, each by the name it has on the wire, with the parser of its items."""

    def __init__(self, lists: dict[str, TypeAdapter[Any]]) -> None:
        self._lists = lists
        self._context = READING

    def validate(self, adapter: TypeAdapter[Any], content: bytes) -> Any:
        """Return the response that ``content`` holds; raises :class:`pydantic.ValidationError` as the adapter does."""
        try:
            read = from_json(content)
            if isinstance(read, dict):
                for name, item in self._lists.items():
                    if isinstance(items := read.get(name), list):
                        read[name] = [item.validate_python(one, context=self._context) for one in items]
            return adapter.validate_python(read, context=self._context)
        except ValueError:
            # An error, in the JSON or in a value, is reported from the validation of the whole.
            return adapter.validate_json(content, context=self._context)

    def read(self, adapter: TypeAdapter[Any], content: bytes) -> Iterator[tuple[Any, bool]]:
        """Yield the beginning of a response, then the whole, each with whether it is that; raises as ``validate`` does.

        In the beginning lists end early, but with a whole item. A response that is short or makes no sense without its
        end has no beginning. The whole comes somewhat later than by ``validate``, which cannot stop half way.
        """
        try:
            text = content.decode()
            read: dict[str, Any] = {}
            is_begun = False
            for at in self._read_into(read, _Text(text)):
                if not is_begun and at >= _BEGINNING:
                    is_begun = True
                    yield from self._read_beginning(adapter, read)
            whole = adapter.validate_python(read, context=self._context)
        except (ValueError, RecursionError):
            whole = adapter.validate_json(content, context=self._context)
        yield whole, True

    def _read_beginning(self, adapter: TypeAdapter[Any], read: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
        try:
            beginning = adapter.validate_python(
                {name: value.copy() if isinstance(value, list) else value for name, value in read.items()},
                context=self._context,
            )
        except ValueError:
            return
        yield beginning, False

    def _read_into(self, read: dict[str, Any], text: _Text) -> Iterator[int]:
        """Read an object field by field and the lists item by item, and yield now and then how far that is."""
        for _ in text.fields():
            name = text.name()
            item = self._lists.get(name)
            if item is not None and text.is_next("["):
                items = read[name] = []
                for begin, values in text.items():
                    if items:
                        yield begin
                    items.extend([item.validate_python(value, context=self._context) for value in values])
            else:
                read[name] = text.value()
        text.end()


class _Text:
    """JSON that is read from the beginning on; raises :class:`ValueError` where it is none."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decode = JSONDecoder().raw_decode
        self.at = 0

    def is_next(self, sign: str) -> bool:
        """Whether a character comes next."""
        return self._text.startswith(sign, self._skip())

    def fields(self) -> Iterator[None]:
        """Step into an object, and yield before each of its fields."""
        self._take("{")
        if not self.is_next("}"):
            yield
            while not self.is_next("}"):
                self._take(",")
                yield
        self._take("}")

    def items(self) -> Iterator[tuple[int, list[Any]]]:
        """Read a list, and yield its items, as many at once as make a step, and where these begin."""
        self._take("[")
        goes_on = not self.is_next("]")
        while goes_on:
            begin = self._skip()
            goes_on, values = self._values(begin)
            yield begin, values
        self._take("]")

    def _values(self, begin: int) -> tuple[bool, list[Any]]:
        """Read values with commas between them for a step; returns whether another follows, and the values."""
        text, decode, at = self._text, self._decode, begin
        values: list[Any] = []
        while True:
            value, end = decode(text, at)
            values.append(value)
            self.at = end
            goes_on = text.startswith(",", end) or self.is_next(",")
            if goes_on:
                self.at += 1
            if not goes_on or end - begin >= _STEP:
                return goes_on, _whole_characters(values, text[begin:end])
            at = self.at if text.startswith("{", self.at) else self._skip()

    def name(self) -> str:
        """Read the name of a field."""
        if not self.is_next('"'):
            raise ValueError
        name: str = self.value()
        self._take(":")
        return name

    def value(self) -> Any:
        """Read a value."""
        begin = self._skip()
        value, self.at = self._decode(self._text, begin)
        return _whole_characters([value], self._text[begin : self.at])[0]

    def end(self) -> None:
        """Check that nothing follows."""
        if self._skip() < len(self._text):
            raise ValueError

    def _skip(self) -> int:
        """Skip blanks; returns the next position."""
        found = _BLANKS.match(self._text, self.at)
        assert found is not None, "it matches nothing, too"
        self.at = found.end()
        return self.at

    def _take(self, sign: str) -> None:
        if not self.is_next(sign):
            raise ValueError
        self.at += 1


def _whole_characters(values: list[Any], text: str) -> list[Any]:
    """Return values that stand so in a text; raises where there are halves of characters: these go nowhere else."""
    if "\\u" not in text:
        return values
    found: list[Any] = from_json(f"[{text}]")
    return found


def pieces_of(response: Any) -> Pieces | None:
    """Return the pieces in which a response of this type is parsed; ``None`` unless it is a model with lists."""
    if not _is_model(response):
        return None
    response.model_rebuild()  # its types may be named before they are made
    lists = {name: TypeAdapter(item) for name, item in _items_of_lists(response).items()}
    return Pieces(lists) if lists else None


# Responses without those items of their lists that cannot be read

_MOST_ERRORS = 50_000
"""The most errors of a response that is still read; with more it is something else."""

_MOST_ROUNDS = 4
"""How often items are taken out; other errors may show only then."""

_TAGS = frozenset({"object", "type", "kind", "operation"})
"""The fields that distinguish the kinds of a union."""

Loc = tuple[int | str, ...]


@frozen
class _Item:
    """An item of a list: the path to it, each container with the step into it, and its error."""

    way: tuple[tuple[Any, int | str], ...]
    field: str
    why: str

    @property
    def place(self) -> tuple[int, int]:
        """The identity of the list, and the index in it."""
        found, index = self.way[-1]
        return id(found), int(index)

    def note(self) -> Unread:
        """Return a note of the item, with its type and id where they are known."""
        found, index = self.way[-1]
        item = found[index]
        known = item if isinstance(item, dict) else {}
        name = next((str(step) for _, step in reversed(self.way) if isinstance(step, str)), "")
        names = {key: one_line(known[key], 80) for key in ("object", "id") if isinstance(known.get(key), str)}
        return Unread(name, int(index), field=one_line(self.field, 80), why=one_line(self.why, 120), **names)


def read_without(adapter: TypeAdapter[Any], content: bytes, error: ValidationError) -> Any:
    """Return a response without the list items that have the errors; the models that hold the lists note them.

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
            response = adapter.validate_python(raw, context=READING)
        except ValidationError as another:
            latest = another
            continue
        _attach(response, taken)
        return response
    raise error


def _items(errors: Sequence[ErrorDetails], raw: Any) -> list[_Item] | None:
    """Return the innermost list items that have the errors, each once; ``None`` where an error is in no item."""
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
    """Yield the steps of an error's location: its index, the container, and whether the step is in the response.

    The others name the kind of a union, or a field that is missing.
    """
    at = raw
    for index, step in enumerate(error["loc"]):
        is_there = step in at if isinstance(at, dict) else isinstance(at, list) and step in range(len(at))
        yield index, at, is_there
        if is_there:
            at = at[step]


def _of_the_kinds_meant(errors: Sequence[ErrorDetails], raw: Any) -> list[ErrorDetails]:
    """Return the errors without those of union variants that were not meant: their tag, or form, is another."""
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


def _attach(response: Any, taken: Sequence[tuple[_Item, Unread]]) -> None:
    """Note each item at the model that holds its list, unless that was itself taken out."""
    notes: dict[int, tuple[BaseModel, list[Unread]]] = {}
    places: dict[int, dict[int, int]] = {}
    for item, note in taken:
        holder = _holder(response, item, places)
        if holder is not None:
            notes.setdefault(id(holder), (holder, []))[1].append(note)
    for holder, found in notes.values():
        note_unread(holder, sorted(found, key=lambda note: (note.list, note.index)))


def _holder(response: Any, item: _Item, places: dict[int, dict[int, int]]) -> BaseModel | None:
    """Follow the way to a list in what was read; indices have changed since, so items are found by their identity."""
    at, holder = response, None
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
