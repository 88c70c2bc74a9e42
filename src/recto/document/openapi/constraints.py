"""Constraints of values in words: type, limits, allowed values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from recto.document.openapi.source import LONGEST_WORD, list_of, word_of

LONGEST_EXAMPLE = 20_000
"""Characters of the longest example that is shown."""

_MOST_VALUES = 500


def has_fields(merged: dict[str, Any]) -> bool:
    """Say whether a shape holds others by their names."""
    return any(
        isinstance(merged.get(key), dict) and merged[key]
        for key in ("properties", "patternProperties", "additionalProperties")
    )


def type_words(merged: dict[str, Any], name: str, kinds: list[str]) -> str:
    """Return a type in words."""
    if name and (not kinds or kinds == ["object"]):
        return name
    if not kinds:
        kinds = ["object"] if has_fields(merged) else []
        if not kinds and (values := list_of(merged.get("enum"))):
            kinds = ["string"] if all(isinstance(value, str) for value in values) else []
    words = " or ".join(kinds) or (
        "any" if not list_of(merged.get("oneOf")) + list_of(merged.get("anyOf")) else "object"
    )
    form = word_of(merged.get("format"))
    return f"{words} · {form}" if form and form not in kinds else words


def facts(merged: dict[str, Any]) -> Iterator[str]:
    """Yield the default of a value, its limits, and what it may be used for."""
    if "default" in merged:
        yield f"default {shown(merged['default'])}"
    low, high = _bounds(merged)
    yield from _between(low, high, "")
    for least, most, what in (
        ("minLength", "maxLength", "character"),
        ("minItems", "maxItems", "item"),
        ("minProperties", "maxProperties", "entry"),
    ):
        yield from _counted(merged.get(least), merged.get(most), what)
    if _is_number(merged.get("multipleOf")):
        yield f"a multiple of {merged['multipleOf']}"
    if merged.get("uniqueItems") is True:
        yield "no item twice"
    if pattern := word_of(merged.get("pattern")):
        yield f"matches {pattern}"
    if merged.get("readOnly") is True:
        yield "read only"
    if merged.get("writeOnly") is True:
        yield "write only"


def _bounds(merged: dict[str, Any]) -> tuple[str, str]:
    """Return the lowest and the highest number allowed, in words, from both ways in which that is written."""
    found = []
    for plain, exclusive, beyond in (
        ("minimum", "exclusiveMinimum", "more than"),
        ("maximum", "exclusiveMaximum", "less than"),
    ):
        value, without = merged.get(plain), merged.get(exclusive)
        if _is_number(without):
            found.append(f"{beyond} {without}")
        elif _is_number(value):
            found.append(f"{beyond} {value}" if without is True else str(value))
        else:
            found.append("")
    return found[0], found[1]


def _between(low: str, high: str, what: str) -> Iterator[str]:
    plain = [bool(text) and not text.startswith(("more", "less")) for text in (low, high)]
    if all(plain):
        yield f"{low} to {high}{what}"
        return
    if low:
        yield f"{'at least ' if plain[0] else ''}{low}{what}"
    if high:
        yield f"{'at most ' if plain[1] else ''}{high}{what}"


def _counted(least: Any, most: Any, what: str) -> Iterator[str]:
    low = least if isinstance(least, int) and not isinstance(least, bool) and least > 0 else None
    high = most if isinstance(most, int) and not isinstance(most, bool) and most >= 0 else None
    if low is None and high is None:
        return
    several = {"entry": "entries"}.get(what, f"{what}s")
    noun = f" {what if (high if high is not None else low) == 1 else several}"
    if low is not None and low == high:
        yield f"exactly {low}{noun}"
    else:
        yield from _between("" if low is None else str(low), "" if high is None else str(high), noun)


def values(merged: dict[str, Any]) -> Iterator[str]:
    """Yield the only values there may be."""
    if "const" in merged:
        yield shown(merged["const"])
    for value in islice(list_of(merged.get("enum")), _MOST_VALUES):
        yield shown(value)


def short_example(merged: dict[str, Any]) -> str:
    """Return the example of a value that is given, where it is neither a list nor has fields."""
    examples = merged.get("examples")
    value = merged.get("example", examples[0] if isinstance(examples, list) and examples else None)
    return shown(value) if value is not None and not isinstance(value, (dict, list)) else ""


def shown(value: Any) -> str:
    """Return a value as JSON; a text without quotes, where it cannot be mistaken for another value."""
    if isinstance(value, str):
        text = value[: LONGEST_WORD + 1]
        text = text if text.strip() else f'"{text}"'
    else:
        text = written(value, indent=None) or "…"
    return text if len(text) <= LONGEST_WORD else text[:LONGEST_WORD] + "…"


def written(value: Any, *, indent: int | None = 2) -> str:
    """Return a value as JSON, or nothing where it is longer than anyone reads."""
    budget = [LONGEST_EXAMPLE]
    try:
        text = json.dumps(_plain(value, budget, 0), ensure_ascii=False, indent=indent)
    except _TooLong:
        return ""
    return text if len(text) <= LONGEST_EXAMPLE else ""


class _TooLong(Exception):
    pass


def _plain(value: Any, budget: list[int], depth: int) -> Any:
    budget[0] -= 1 + (len(value) if isinstance(value, (str, dict, list)) else 0)
    if budget[0] < 0 or depth > 50:
        raise _TooLong
    if isinstance(value, dict):
        return {str(name): _plain(inner, budget, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, budget, depth + 1) for inner in value]
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
