"""Parsing a large answer item by item: the parser holds the interpreter, and the screen is drawn by another thread."""

from __future__ import annotations

import re
import time
import typing
from collections.abc import Iterator
from json import JSONDecoder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_BLANKS = re.compile(r"[ \t\n\r]*")

_BEGINNING = 64 * 1024
"""How many characters of an answer its beginning has at least."""

_BREATH = 32 * 1024
"""After how many characters others are let at the interpreter, for which they would wait some milliseconds else."""

_PAUSE = 0.00005
"""For how many seconds; none at all would be over before they wake up."""


class Pieces:
    """The lists of a model, each by the name it has on the wire, with the parser of its items."""

    def __init__(self, lists: dict[str, TypeAdapter[Any]]) -> None:
        self._lists = lists

    def validate(self, adapter: TypeAdapter[Any], content: bytes) -> Any:
        """Return the answer that ``content`` holds; raises :class:`pydantic.ValidationError` as the adapter does."""
        *_, (whole, _) = self.read(adapter, content)
        return whole

    def read(self, adapter: TypeAdapter[Any], content: bytes) -> Iterator[tuple[Any, bool]]:
        """Yield the beginning of an answer, then the whole, each with whether it is that; raises as ``validate`` does.

        In the beginning lists end early, but with a whole item. An answer that is short or makes no sense without its
        end has no beginning.
        """
        try:
            text = content.decode()
            read: dict[str, Any] = {}
            is_begun = False
            breathed = 0
            for at in self._read_into(read, _Text(text)):
                if at - breathed >= _BREATH:
                    breathed = at
                    time.sleep(_PAUSE)
                if not is_begun and at >= _BEGINNING:
                    is_begun = True
                    yield from self._beginning(adapter, read)
            whole = adapter.validate_python(read)
        except (ValueError, RecursionError):
            # Of whatever is wrong, broken JSON or a value, it is said in terms of the whole.
            whole = adapter.validate_json(content)
        yield whole, True

    @staticmethod
    def _beginning(adapter: TypeAdapter[Any], read: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
        try:
            beginning = adapter.validate_python(
                {name: value.copy() if isinstance(value, list) else value for name, value in read.items()}
            )
        except ValueError:
            return
        yield beginning, False

    def _read_into(self, read: dict[str, Any], text: _Text) -> Iterator[int]:
        """Read an object field by field and the lists item by item, and yield before each item where it begins."""
        for _ in text.parts("{", "}"):
            name = text.name()
            item = self._lists.get(name)
            if item is not None and text.is_next("["):
                items = read[name] = []
                for _ in text.parts("[", "]"):
                    yield text.at
                    items.append(item.validate_python(text.value()))
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

    def parts(self, opening: str, closing: str) -> Iterator[None]:
        """Step into an object or a list, and yield before each of its parts."""
        self._take(opening)
        if not self.is_next(closing):
            yield
            while not self.is_next(closing):
                self._take(",")
                yield
        self._take(closing)

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
        if self._text.find("\\u", begin, self.at) >= 0:
            from pydantic_core import from_json

            # This one does not take halves of characters, which cannot be written anywhere.
            value = from_json(self._text[begin : self.at])
        return value

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


def pieces_of(answer: Any) -> Pieces | None:
    """Return how an answer of this type is parsed in pieces; ``None`` where it is no model that has lists."""
    from pydantic import BaseModel, TypeAdapter

    if not (isinstance(answer, type) and issubclass(answer, BaseModel)):
        return None
    answer.model_rebuild()  # its types may be named before they are made
    lists = {
        field.alias or name: TypeAdapter(typing.get_args(field.annotation)[0])
        for name, field in answer.model_fields.items()
        if typing.get_origin(field.annotation) is tuple and typing.get_args(field.annotation)[1:] == (...,)
    }
    return Pieces(lists) if lists else None
