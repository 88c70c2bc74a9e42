"""The text of an API description, JSON or YAML, as plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

import yaml

from recto.document.yaml_text import is_too_deep

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of the longest description that is read."""

LONGEST_TEXT, LONGEST_WORD = 20_000, 200
"""The most characters shown of a text, and of a name: aliases can repeat them without end."""

_DEEPEST = 200
_MOST_MERGED = 100_000
"""Entries that ``<<`` may merge; a few lines of them can stand for more than any machine holds."""

_INTEGER = re.compile(r"[-+]?\d{1,30}")
_FLOAT = re.compile(r"[-+]?(?:\.\d{1,30}|\d{1,30}(?:\.\d{0,30})?)(?:[eE][-+]?\d{1,3})?")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NO_KEY = object()


Pause = Callable[[], object]
"""Called again and again during a long reading; what it raises ends that."""

_EVENTS_BETWEEN: Final = 5_000
"""Events of YAML, of which some 200,000 are read in a second."""


class Unreadable(Exception):
    """A description, or a part of it, cannot be shown; the message says why."""


def read_values(source: bytes, pause: Pause = lambda: None) -> Any:
    """Return what a JSON or YAML text says; names are as written. Raise :class:`Unreadable` where it says nothing.

    YAML is read event by event: that is several times quicker than a tree of nodes, lets other threads run between,
    and aliases, which can multiply without bound, stay references to the same value. It may still take a minute, in
    which ``pause`` is called from time to time.
    """
    if len(source) > MOST_BYTES:
        raise Unreadable(f"It is larger than {MOST_BYTES // (1024 * 1024)} MB.")
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("It is not text in UTF-8.") from None
    beginning = text.lstrip()[:1]
    if not beginning:
        raise Unreadable("It is empty.")
    return _json(text) if beginning == "{" else _yaml(text, pause)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"It is not valid JSON: {error.msg} (line {error.lineno}).") from None
    except RecursionError:
        raise Unreadable("It is nested too deeply.") from None
    except ValueError:
        raise Unreadable("It contains a number that is too long.") from None


def _yaml(text: str, pause: Pause) -> Any:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    building = _Building()
    try:
        for number, event in enumerate(yaml.parse(text, Loader=loader)):
            if number % _EVENTS_BETWEEN == 0:
                pause()
            if isinstance(event, yaml.ScalarEvent):
                building.scalar(event.value, event.anchor, plain=event.implicit[0])
            elif isinstance(event, yaml.AliasEvent):
                building.alias(event.anchor or "")
            elif isinstance(event, yaml.CollectionStartEvent):
                building.begin({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor)
            elif isinstance(event, yaml.CollectionEndEvent):
                building.end()
            elif isinstance(event, yaml.DocumentEndEvent):
                break
    except yaml.MarkedYAMLError as error:
        if is_too_deep(error):
            raise Unreadable("It is nested too deeply.") from None
        line = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise Unreadable(f"It is not valid YAML: {error.problem or 'it cannot be read'}{line}.") from None
    except yaml.YAMLError as error:
        raise Unreadable(f"It is not valid YAML: {str(error).partition(chr(10))[0] or 'it cannot be read'}.") from None
    return building.whole


class _Building:
    """The values of a YAML text as its events come."""

    def __init__(self) -> None:
        self.whole: Any = None
        self._open: list[tuple[Any, Any]] = []
        """The open collections, each with the key that waits for its value."""
        self._anchors: dict[str, Any] = {}
        self._merged = 0

    def scalar(self, text: str, anchor: str | None, *, plain: bool) -> None:
        """Add a value, or a key where the mapping expects a key."""
        if self._open and isinstance(self._open[-1][0], dict) and self._open[-1][1] is _NO_KEY:
            if anchor is not None:
                self._anchors[anchor] = text
            self._open[-1] = (self._open[-1][0], text)
        else:
            self._put(_value(text) if plain else text, anchor)

    def alias(self, anchor: str) -> None:
        """Add an alias."""
        if anchor not in self._anchors:
            raise Unreadable(f"It is not valid YAML: *{anchor} is not defined.")
        self._put(self._anchors[anchor], None)

    def begin(self, value: Any, anchor: str | None) -> None:
        """Open a list or a mapping."""
        if len(self._open) >= _DEEPEST:
            raise Unreadable("It is nested too deeply.")
        self._put(value, anchor)
        self._open.append((value, _NO_KEY))

    def end(self) -> None:
        """Close the innermost collection, and apply its merge keys."""
        ended, _name = self._open.pop()
        if isinstance(ended, dict) and "<<" in ended:
            self._merge(ended, ended.pop("<<"))

    def _put(self, value: Any, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        if not self._open:
            self.whole = value
            return
        within, name = self._open[-1]
        if isinstance(within, list):
            within.append(value)
        elif name is _NO_KEY:
            # A list or a mapping as a name: nothing that a description knows.
            self._open[-1] = (within, "?")
        else:
            self._open[-1] = (within, _NO_KEY)
            within[name] = value

    def _merge(self, within: dict[str, Any], value: Any) -> None:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                self._merged += len(each)
                if self._merged > _MOST_MERGED:
                    raise Unreadable("It merges too many parts.")
                for name, inner in each.items():
                    within.setdefault(name, inner)


def _value(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def text_of(value: Any, most: int = LONGEST_TEXT) -> str:
    """Return a text of at most so many characters, empty for any other value."""
    return value[: most + 1].strip()[:most] if isinstance(value, str) else ""


def word_of(value: Any) -> str:
    """Return a text that is a name or the like."""
    return text_of(value, LONGEST_WORD)


def words_of(value: Any) -> list[str]:
    """Return the names of a list, or a single name."""
    listed = value if isinstance(value, list) else [value]
    return [word_of(one) for one in listed if isinstance(one, str)]


def list_of(value: Any) -> list[Any]:
    """Return a list, empty for any other value."""
    return value if isinstance(value, list) else []


def mapping_of(value: Any) -> dict[str, Any]:
    """Return a mapping, empty for any other value."""
    return value if isinstance(value, dict) else {}
