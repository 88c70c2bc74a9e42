"""YAML as documentation uses it: read fast and within bounds, into values that JSON has.

Importing this imports PyYAML: modules that every start needs import it where they call it.

The parser is asked for its events first, which it gives without recursion: a text that is nested too deeply or unfolds
into too much through aliases is refused before anything is built from it. Building it would crash the interpreter.
Short texts that can do neither are built at once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml

from recto.pattern import pattern

MOST_NESTED = 50
"""The deepest nesting of lists and mappings."""

MOST_WEIGHT = 2_000_000
"""How much a text may expand into: its letters, and :data:`EACH` more for each value."""

EACH = 50

MOST_DIGITS = 3_000
"""The most characters of a whole number: Python neither reads nor writes longer ones in time that grows with them."""

_SHORT = 64 * 1024
_TOO_DEEP = f"it is nested more than {MOST_NESTED} deep"
_TOO_LONG = f"a whole number has more than {MOST_DIGITS:,} digits"
_WHOLE = pattern(r"[-+]?(?:0[xb][0-9a-fA-F_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*)\Z")
_WHOLE_TAG = "tag:yaml.org,2002:int"
_TEXT_TAG = "tag:yaml.org,2002:str"
_MAPPING_TAG = "tag:yaml.org,2002:map"


class YamlError(ValueError):
    """A text is not YAML, or is more than is read; ``line`` counts from 1 where it is known."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(f"{problem} (line {line})" if line else problem)
        self.problem = problem
        self.line = line


def read_yaml(text: str, *, aliases: bool = True) -> Any:
    """Return the value of a YAML text, in JSON's types. Raise :class:`YamlError` where it cannot be read."""
    try:
        return _read(text, _loaders()[0], aliases=aliases)
    except YamlError as error:
        if "escape code" not in error.problem or len(text) > _SHORT:
            raise
        # Characters written as two halves, as JSON writes them, are known to the slow loader alone.
        return _read(text, _loaders()[2], aliases=aliases)


def read_plain_yaml(text: str) -> Any:
    """Return the value of a YAML text with each plain value as the text it is written in (``500`` is ``"500"``)."""
    return _read(text, _loaders()[1], aliases=True)


def is_too_deep(error: yaml.MarkedYAMLError) -> bool:
    """Whether the scanner gave up on the nesting: libyaml 0.2.6 has a bound of its own, reached before any event."""
    return error.problem == "exceeded maximum nesting depth"


def _read(text: str, loader: Any, *, aliases: bool) -> Any:
    try:
        if not _is_harmless(text):
            _check_bounds(text, loader, aliases=aliases)
        value = yaml.load(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = _TOO_DEEP if is_too_deep(error) else error.problem
        raise YamlError(problem or "it cannot be read", line) from error
    except yaml.YAMLError as error:
        raise YamlError(str(error).partition("\n")[0] or "it cannot be read") from error
    except YamlError:
        raise
    except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
        # What an explicit tag says of its value is not so: ``!!bool perhaps``.
        raise YamlError("a value is not of the type that its tag names") from error
    return _as_json(value)


def _is_harmless(text: str) -> bool:
    """Whether a text is within all bounds by its length and its characters, as most front matter is.

    Each list or mapping has at least one of these characters, and each alias its own.
    """
    return len(text) <= MOST_DIGITS and "*" not in text and sum(map(text.count, "[{-:?")) <= MOST_NESTED


def _check_bounds(text: str, loader: Any, *, aliases: bool) -> None:
    """Count what a text unfolds into, event by event. Raise :class:`YamlError` once that is too much."""
    weight = 0
    begun: list[tuple[str | None, int]] = []
    anchored: dict[str, int] = {}
    for event in yaml.parse(text, Loader=loader):
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.ScalarEvent):
            if len(event.value) > MOST_DIGITS and _is_whole(event):
                raise YamlError(_TOO_LONG, line)
            weight += EACH + len(event.value)
            if event.anchor:
                anchored[event.anchor] = EACH + len(event.value)
        elif isinstance(event, yaml.AliasEvent):
            if not aliases:
                raise YamlError("aliases are not allowed", line)
            if event.anchor not in anchored:
                raise YamlError(f"the alias *{event.anchor} is not defined before it", line)
            weight += anchored[event.anchor]
        elif isinstance(event, yaml.CollectionStartEvent):
            begun.append((event.anchor, weight))
            weight += EACH
            if len(begun) > MOST_NESTED:
                raise YamlError(_TOO_DEEP, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = begun.pop()
            if anchor:
                anchored[anchor] = weight - before
        if weight > MOST_WEIGHT:
            raise YamlError("it unfolds into too many values", line)


def _is_whole(event: yaml.ScalarEvent) -> bool:
    """Whether a value is read as a whole number: by its tag, or written without one and without quotes."""
    return event.tag == _WHOLE_TAG or (event.implicit[0] and _WHOLE.match(event.value) is not None)


@cache
def _loaders() -> tuple[Any, Any, Any]:
    """Return the loader with types, the loader of plain texts, and the slow version of the first."""
    fast = _without_dates(getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return fast, getattr(yaml, "CBaseLoader", yaml.BaseLoader), _without_dates(yaml.SafeLoader)


def _without_dates(base: Any) -> Any:
    """Return a loader that reads dates as the text they are written in: JSON has no dates."""

    class Loader(base):  # type: ignore[misc]  # given at run time
        yaml_implicit_resolvers = {  # noqa: RUF012  # the base declares it so
            first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
            for first, resolvers in base.yaml_implicit_resolvers.items()
        }

        def construct_document(self, node: yaml.Node) -> Any:
            # Of names with texts, as most front matter is, the usual way takes twice as long.
            is_mapping = isinstance(node, yaml.MappingNode) and node.tag == _MAPPING_TAG
            if not (is_mapping and all(_is_text(key) for key, _ in node.value)):
                return super().construct_document(node)
            return {
                key.value: value.value if _is_text(value) else self.construct_object(value, deep=True)
                for key, value in node.value
            }

    return Loader


def _is_text(node: yaml.Node) -> bool:
    return node.tag == _TEXT_TAG and isinstance(node, yaml.ScalarNode)


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_as_json(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    return str(value)
