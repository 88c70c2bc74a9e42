"""Parsing a large answer item by item: the parser holds the interpreter, and the screen is drawn by another thread."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from json import JSONDecoder
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter
from pydantic_core import from_json

from recto.breath import Breath
from recto.contract.model import READING

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_BLANKS = re.compile(r"[ \t\n\r]*")

_BEGINNING = 64 * 1024
"""How many characters of an answer its beginning has at least."""

_STEP = 32 * 1024
"""After how many characters others are let at the interpreter."""


class Pieces:
    """The lists of a model, each by the name it has on the wire, with the parser of its items."""

    def __init__(self, lists: dict[str, TypeAdapter[Any]]) -> None:
        self._lists = lists
        self._context = READING

    def validate(self, adapter: TypeAdapter[Any], content: bytes) -> Any:
        """Return the answer that ``content`` holds; raises :class:`pydantic.ValidationError` as the adapter does."""
        try:
            read = from_json(content)
            if isinstance(read, dict):
                for name, item in self._lists.items():
                    if isinstance(items := read.get(name), list):
                        read[name] = [item.validate_python(one, context=self._context) for one in items]
            return adapter.validate_python(read, context=self._context)
        except ValueError:
            # Of whatever is wrong, broken JSON or a value, it is said in terms of the whole.
            return adapter.validate_json(content, context=self._context)

    def read(self, adapter: TypeAdapter[Any], content: bytes) -> Iterator[tuple[Any, bool]]:
        """Yield the beginning of an answer, then the whole, each with whether it is that; raises as ``validate`` does.

        In the beginning lists end early, but with a whole item. An answer that is short or makes no sense without its
        end has no beginning. The whole comes somewhat later than by ``validate``, which cannot stop half way.
        """
        try:
            text = content.decode()
            read: dict[str, Any] = {}
            is_begun = False
            breath = Breath()
            for at in self._read_into(read, _Text(text)):
                breath.take()
                if not is_begun and at >= _BEGINNING:
                    is_begun = True
                    yield from self._beginning(adapter, read)
            whole = adapter.validate_python(read, context=self._context)
        except (ValueError, RecursionError):
            whole = adapter.validate_json(content, context=self._context)
        yield whole, True

    def _beginning(self, adapter: TypeAdapter[Any], read: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
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
        """Whether a sign comes next."""
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
        """Read values with commas between them for a step; returns whether one more follows, and them."""
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
        """Hold that nothing follows."""
        if self._skip() < len(self._text):
            raise ValueError

    def _skip(self) -> int:
        """Go over blanks, and return where that ends."""
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


def pieces_of(answer: Any) -> Pieces | None:
    """Return how an answer of this type is parsed in pieces; ``None`` where it is no model that has lists."""
    if not (isinstance(answer, type) and issubclass(answer, BaseModel)):
        return None
    answer.model_rebuild()  # its types may be named before they are made
    lists = {
        field.alias or name: TypeAdapter(typing.get_args(field.annotation)[0])
        for name, field in answer.model_fields.items()
        if typing.get_origin(field.annotation) is tuple and typing.get_args(field.annotation)[1:] == (...,)
    }
    return Pieces(lists) if lists else None
