"""Values of expressions and their operations, as in JavaScript, on plain data only.

A value is ``UNDEFINED``, ``None`` (JavaScript's ``null``), a truth value, a number, a text, a list (any sequence) or an
object (any mapping); whatever else is handed in counts as ``UNDEFINED``, so that nothing of Python is ever reached.
Unlike in JavaScript, a list or an object is never turned into a text or a number to compare it (it is equal to itself
alone, and neither less nor greater than anything), reading from ``null`` or ``UNDEFINED`` gives ``UNDEFINED``, and
texts are counted and ordered by characters instead of UTF-16 units. A text longer than ``LONGEST_TEXT`` cannot be put
together: it is ``UNDEFINED``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from itertools import chain
from typing import Any, Final


class Undefined(Enum):
    """The type of ``UNDEFINED``: what a name stands for that nothing was given for."""

    UNDEFINED = "undefined"

    def __bool__(self) -> bool:
        return False


UNDEFINED: Final = Undefined.UNDEFINED

LONGEST_TEXT: Final = 100_000
"""The most characters of a text that an expression puts together."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]+)?")
_NUMERAL = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")


def is_list(value: object) -> bool:
    """Whether a value is a list."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview)


def plain(value: object) -> Any:
    """Return a value as it is where it is plain data, ``UNDEFINED`` where not."""
    if value is None or isinstance(value, bool | int | float | str | Mapping) or is_list(value):
        return value
    return UNDEFINED


def truth(value: object) -> bool:
    """Whether a value counts as true: all do but undefined, null, false, 0, NaN and the empty text."""
    if isinstance(value, int | float):
        return bool(value) and value == value
    if isinstance(value, str):
        return bool(value)
    return value is not None and plain(value) is not UNDEFINED


def number_of(value: object) -> float:
    """Return a value as a number; NaN where it is none."""
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if value is None:
        return 0.0
    return _number_in(value.strip()) if isinstance(value, str) else math.nan


def _number_in(text: str) -> float:
    if not text:
        return 0.0
    if _NUMBER.fullmatch(text):
        return float(text)
    if _NUMERAL.fullmatch(text):
        return number_of(int(text[2:], {"x": 16, "o": 8, "b": 2}[text[1].lower()]))
    return {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}.get(text, math.nan)


def text_of(value: object) -> str:
    """Return a value as a text: numbers as JavaScript writes them, lists joined by commas, objects by their kind."""
    return "".join(_pieces_of(value))


def _pieces_of(value: object) -> Iterator[str]:
    waiting: list[object] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Sequence) and is_list(part):
            for place, item in enumerate(reversed(part)):
                waiting += [*([_COMMA] if place else []), "" if item is None or plain(item) is UNDEFINED else item]
        else:
            yield "," if part is _COMMA else _simple_text(part)


_COMMA = object()


def _simple_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _format_number(number_of(value))
    if value is None:
        return "null"
    return "[object Object]" if isinstance(value, Mapping) else "undefined"


def _format_number(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    shortest = repr(number)
    if 1e-6 <= abs(number) < 1e21:
        digits = format(Decimal(shortest), "f")
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    return re.sub(r"e([+-])0+", r"e\1", shortest).replace(".0e", "e")


def strictly_equal(left: object, right: object) -> bool:
    """Whether two values have the same type and are equal (``===``)."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return number_of(left) == number_of(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return plain(left) is plain(right)


def loosely_equal(left: object, right: object) -> bool:
    """Whether two values are equal (``==``): null and undefined are, truth values and texts count as numbers."""
    left, right = plain(left), plain(right)
    nothing = (None, UNDEFINED)
    if left in nothing or right in nothing:
        return left in nothing and right in nothing
    simple = isinstance(left, bool | int | float | str) and isinstance(right, bool | int | float | str)
    if simple and isinstance(left, str) != isinstance(right, str):
        return number_of(left) == number_of(right)
    if isinstance(left, bool | int | float) and isinstance(right, bool | int | float):
        return number_of(left) == number_of(right)
    return strictly_equal(left, right)


def less(left: object, right: object) -> bool:
    """Whether a value is less than another: texts by their characters, others as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    return number_of(left) < number_of(right)


def at_most(left: object, right: object) -> bool:
    """Whether a value is at most another, by the rule of ``less``."""
    if isinstance(left, str) and isinstance(right, str):
        return left <= right
    return number_of(left) <= number_of(right)


def add(left: object, right: object) -> Any:
    """Return two numbers added; two texts joined, also where only one of the values is a text, a list or an object."""
    left, right = plain(left), plain(right)
    if any(isinstance(value, str | Mapping) or is_list(value) for value in (left, right)):
        return join([left, right])
    return number_of(left) + number_of(right)


def join(values: Sequence[object]) -> Any:
    """Return the texts of some values put together; ``UNDEFINED`` as soon as they are too long."""
    pieces: list[str] = []
    length = 0
    for piece in chain.from_iterable(map(_pieces_of, values)):
        length += len(piece)
        if length > LONGEST_TEXT:
            return UNDEFINED
        pieces.append(piece)
    return "".join(pieces)


def member(value: object, key: object) -> Any:
    """Return what an object holds under a key, a list at a place or as ``length``, a text as ``length``."""
    if isinstance(value, Mapping):
        return plain(value.get(text_of(key), UNDEFINED))
    if isinstance(value, str):
        return len(value) if key == "length" else UNDEFINED
    if isinstance(value, Sequence) and is_list(value):
        if key == "length":
            return len(value)
        place = number_of(key) if isinstance(key, int | float) and not isinstance(key, bool) else math.nan
        return plain(value[int(place)]) if place in range(len(value)) else UNDEFINED
    return UNDEFINED


def _text_includes(text: str, part: object) -> bool:
    return isinstance(part, str | int | float) and text_of(part) in text


def _includes(items: Sequence[object], item: object) -> bool:
    # JavaScript's ``includes`` finds NaN, which ``===`` does not.
    missing = isinstance(item, float) and math.isnan(item)
    return any(strictly_equal(one, item) or (missing and isinstance(one, float) and math.isnan(one)) for one in items)


def _place(value: object, length: int, default: int) -> int:
    if value is UNDEFINED:
        return default
    number = number_of(value)
    if math.isnan(number):
        return 0
    place = int(max(-length, min(length, number)))
    return max(0, length + place) if place < 0 else place


def _slice(text: str, start: object = UNDEFINED, end: object = UNDEFINED) -> str:
    return text[_place(start, len(text), 0) : _place(end, len(text), len(text))]


def _char_at(text: str, place: object = 0) -> str:
    number = 0.0 if math.isnan(number_of(place)) else number_of(place)
    return text[int(number)] if 0 <= number < len(text) else ""


# Each function that a text has, with the number of arguments it takes at least and at most.
_OF_TEXT: Mapping[str, tuple[Callable[..., Any], int, int]] = {
    "includes": (_text_includes, 1, 1),
    "startsWith": (lambda text, part: isinstance(part, str) and text.startswith(part), 1, 1),
    "endsWith": (lambda text, part: isinstance(part, str) and text.endswith(part), 1, 1),
    "slice": (_slice, 0, 2),
    "charAt": (_char_at, 0, 1),
    "toUpperCase": (str.upper, 0, 0),
    "toLowerCase": (str.lower, 0, 0),
    "trim": (str.strip, 0, 0),
}

FUNCTIONS: Final = {name: (least, most) for name, (_, least, most) in _OF_TEXT.items()}
"""The functions that can be called on a value, with the least and the most arguments each takes."""


def call(value: object, function: str, arguments: Sequence[object]) -> Any:
    """Return what one of ``FUNCTIONS`` gives for a value; ``UNDEFINED`` where the value does not have it."""
    if isinstance(value, str):
        return _OF_TEXT[function][0](value, *arguments)
    if function == "includes" and isinstance(value, Sequence) and is_list(value):
        return _includes(value, arguments[0])
    return UNDEFINED
