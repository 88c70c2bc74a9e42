"""Schemas of API descriptions as models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import unquote

from recto.document.openapi.api_model import Field, Schema
from recto.document.openapi.source import LONGEST_WORD, list_of, mapping_of, text_of, word_of, words_of

LONGEST_EXAMPLE = 20_000
"""Characters of the longest example that is shown."""

_MOST_VALUES = 500


def has_fields(merged: dict[str, Any]) -> bool:
    """Whether a schema has named parts."""
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
        yield f"default {format_value(merged['default'])}"
    low, high = _bounds(merged)
    yield from _between(low, high, "")
    for least, most, what in (
        ("minLength", "maxLength", "character"),
        ("minItems", "maxItems", "item"),
        ("minProperties", "maxProperties", "entry"),
    ):
        yield from _count_limits(merged.get(least), merged.get(most), what)
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


def _count_limits(least: Any, most: Any, what: str) -> Iterator[str]:
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
        yield format_value(merged["const"])
    for value in islice(list_of(merged.get("enum")), _MOST_VALUES):
        yield format_value(value)


def short_example(merged: dict[str, Any]) -> str:
    """Return the example of a value that is given, where it is neither a list nor has fields."""
    examples = merged.get("examples")
    value = merged.get("example", examples[0] if isinstance(examples, list) and examples else None)
    return format_value(value) if value is not None and not isinstance(value, (dict, list)) else ""


def format_value(value: Any) -> str:
    """Return a value as JSON; a text without quotes, where it cannot be mistaken for another value."""
    if isinstance(value, str):
        text = value[: LONGEST_WORD + 1]
        text = text if text.strip() else f'"{text}"'
    else:
        text = format_short(value, indent=None) or "…"
    return text if len(text) <= LONGEST_WORD else text[:LONGEST_WORD] + "…"


def format_short(value: Any, *, indent: int | None = 2) -> str:
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


T = TypeVar("T")

MOST_FIELDS = 1_000
"""The most fields that are shown of an operation, or of a named schema."""

_DEEPEST = 12
_MOST_STEPS = 20
"""How many references may lead to each other, and how deep shapes may be put together of others."""

_MOST_READ = 5_000
_FIELDS_PER_READ = 100
"""How many fields that a schema takes over from another cost as much as a further schema."""

_MOST_LETTERS = 300_000
_MOST_LISTED = 100
_SEVERAL = {"oneOf": "one of", "anyOf": "any of"}
_ABOVE = "as above"

UNKNOWN = Schema("", cut="not in this description")
"""The shape for a reference without a target."""


class Schemas:
    """Reads the schemas of an operation, with a bounded number of fields; ``most_read`` bounds the parts merged."""

    def __init__(self, root: Mapping[str, Any], *, most_read: int = _MOST_READ) -> None:
        self._root = root
        self._left = MOST_FIELDS
        self._reads = most_read
        self._letters = _MOST_LETTERS
        self._more = False
        self._within: list[tuple[int, ...]] = []
        """The schemas being read, each within the last."""

    @property
    def is_cut(self) -> bool:
        """Whether anything was left out."""
        return self._more or min(self._left, self._reads, self._letters) < 0

    def first(self, listed: Iterable[T]) -> list[T]:
        """Return as many items as are shown of parameters, responses and the like."""
        found = list(islice(listed, _MOST_LISTED + 1))
        self._more |= len(found) > _MOST_LISTED
        return found[:_MOST_LISTED]

    # Texts, of which there may not be too many: aliases can repeat one without end

    def text(self, value: Any) -> str:
        """Return a description as plain text."""
        return "".join(self._within_limit((text_of(value),)))

    def example(self, value: Any) -> str:
        """Return an example as it is shown, empty where it is too long."""
        if self._letters < 0:
            return ""
        text = value if isinstance(value, str) and len(value) <= LONGEST_EXAMPLE else format_short(value)
        self._letters -= 0 if text else LONGEST_EXAMPLE
        return "".join(self._within_limit((text,)))

    def _within_limit(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        self._letters -= sum(map(len, texts))
        return texts if self._letters >= 0 else ()

    def examples(self, value: dict[str, Any]) -> Iterator[Any]:
        """Yield the examples of a parameter or a body: the single example, or the named ones."""
        if "example" in value:
            yield value["example"]
        for each in mapping_of(value.get("examples")).values():
            named, _name = self.resolve(each)
            if "value" in named:
                yield named["value"]

    # References

    def resolve(self, value: Any) -> tuple[dict[str, Any], str]:
        """Return the target of a reference, with the fields beside the reference, and its name."""
        name = ""
        beside: dict[str, Any] = {}
        for _ in range(_MOST_STEPS):
            if not isinstance(value, dict):
                return {}, name
            target = value.get("$ref")
            if not isinstance(target, str):
                return ({**value, **beside} if beside else value), name
            name = name or name_of(target)
            for key in ("description", "summary", "deprecated"):
                if key in value:
                    beside.setdefault(key, value[key])
            value = self._at(target)
            if value is None:
                return beside, name
        return {}, name

    def _at(self, target: str) -> Any:
        if not target.startswith("#"):
            return None
        value: Any = self._root
        for step in target[1:].split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and key.isascii() and key.isdigit() and len(key) < 7 and int(key) < len(value):
                value = value[int(key)]
            else:
                return None
        return value

    # Shapes

    def merge(self, value: Any) -> tuple[dict[str, Any], str]:
        """Return a schema merged with what it refers to and its ``allOf``, and its name; empty if it leads nowhere."""
        found, name = self.resolve(value)
        return self._merge_all_of(found, name, 0)

    def schema(self, value: Any, name: str = "") -> Schema:
        """Return the shape that a schema describes; ``name`` is what it is called unless it refers to another."""
        if value is False:
            return Schema("nothing")
        self._reads -= 1
        if not isinstance(value, dict) or self._reads < 0:
            return Schema()
        found, referred = self.resolve(value)
        name = referred or name
        if not found:
            missing = referred and not isinstance(self._at(value["$ref"]), dict)
            return Schema(name or "any", cut=UNKNOWN.cut if missing else "")
        merged, name = self._merge_all_of(found, name, 0)
        nullable = merged.get("nullable") is True
        kinds = [kind for kind in words_of(merged.get("type")) if kind != "null"]
        nullable |= len(kinds) < len(words_of(merged.get("type")))
        alternatives, choice, null_among = self._alternatives(merged)
        schema = self._shape(merged, name, kinds, alternatives, choice)
        return replace(
            schema,
            type=f"{schema.type} or null" if nullable or null_among else schema.type,
            description=self.text(merged.get("description")) or schema.description,
            facts=(*facts(merged), *schema.facts),
            values=self._within_limit(tuple(values(merged))) or schema.values,
            example=short_example(merged),
            deprecated=merged.get("deprecated") is True,
        )

    def _shape(
        self, merged: dict[str, Any], name: str, kinds: list[str], alternatives: list[dict[str, Any]], choice: str
    ) -> Schema:
        """Return the type and the content."""
        if (kinds[:1] == ["array"] or not kinds) and "items" in merged:
            with self._inside(merged["items"]) as reason:
                items = Schema(cut=reason) if reason else self.schema(merged["items"])
            each = tuple(f"each {fact}" for fact in items.facts)
            return replace(items, type=f"array of {items.type}", facts=each, example="", deprecated=False)
        fields: tuple[Field, ...] = ()
        options: tuple[Field, ...] = ()
        cut = ""
        if has_fields(merged) or alternatives:
            # Merged schemas are new objects each time; their fields identify them.
            with self._inside(
                merged.get("properties") or merged.get("oneOf") or merged.get("anyOf") or merged
            ) as reason:
                cut = reason
                if not cut:
                    fields = tuple(self._fields(merged))
                    options = tuple(self._options(alternatives))
        if options and not any(_tells_more(option.schema) for option in options) and not fields:
            return Schema(" or ".join(dict.fromkeys(option.schema.type for option in options)))
        return Schema(type_words(merged, name, kinds), fields=fields, alternatives=options, choice=choice, cut=cut)

    @contextmanager
    def _inside(self, value: Any) -> Iterator[str]:
        """Go into a shape; gives why that is not to be done, or nothing."""
        mark = tuple(
            map(id, value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value])
        )
        reason = _ABOVE if mark in self._within else "more within" if len(self._within) >= _DEEPEST else ""
        self._within.append(mark)
        yield reason
        self._within.pop()

    def _merge_all_of(self, found: dict[str, Any], name: str, depth: int) -> tuple[dict[str, Any], str]:
        """Merge a schema with its ``allOf``; it has the name of the only part with fields."""
        parts = found.get("allOf")
        if not isinstance(parts, list) or not parts or depth >= _MOST_STEPS:
            return found, name
        merged: dict[str, Any] = {}
        names: list[str] = []
        properties: dict[str, Any] = {}
        required: list[Any] = []
        own = {key: value for key, value in found.items() if key != "allOf"}
        for part in [*parts, own]:
            self._reads -= 1
            if self._reads < 0:
                break
            resolved, own_name = self.resolve(part) if part is not own else (own, "")
            whole, own_name = self._merge_all_of(resolved, own_name, depth + 1)
            names += [own_name] if own_name or has_fields(whole) else []
            if isinstance(whole.get("properties"), dict):
                self._reads -= len(whole["properties"]) // _FIELDS_PER_READ
                properties.update(whole["properties"])
            if isinstance(whole.get("required"), list):
                required += whole["required"]
            merged.update(whole)
        if properties:
            merged["properties"] = properties
        if required:
            merged["required"] = required
        return merged, name or (names[0] if len(names) == 1 else "")

    def _fields(self, merged: dict[str, Any]) -> Iterator[Field]:
        needed = {name for name in list_of(merged.get("required")) if isinstance(name, str)}
        for name, value in mapping_of(merged.get("properties")).items():
            self._left -= 1
            if self._left < 0:
                return
            yield _field(str(name), self.schema(value), required=name in needed)
        for name, value in [
            *mapping_of(merged.get("patternProperties")).items(),
            ("any other name" if merged.get("properties") else "any name", merged.get("additionalProperties")),
        ]:
            if isinstance(value, dict) and value:
                yield _field(str(name), self.schema(value))

    def _alternatives(self, merged: dict[str, Any]) -> tuple[list[dict[str, Any]], str, bool]:
        """Return the shapes of which one or several hold, how many do, and whether null is among them."""
        for key, choice in _SEVERAL.items():
            several = [value for value in list_of(merged.get(key)) if isinstance(value, dict)]
            if several:
                kept = [value for value in several if value.get("type") != "null"]
                by = word_of(mapping_of(merged.get("discriminator")).get("propertyName"))
                return kept, f"{choice}, by {by}" if by else choice, len(kept) < len(several)
        return [], "", False

    def _options(self, alternatives: list[dict[str, Any]]) -> Iterator[Field]:
        for value in alternatives:
            self._left -= 1
            if self._left < 0:
                return
            schema = self.schema(value)
            title = word_of(value.get("title"))
            yield Field(title or schema.type, schema, description=schema.description)

    # Fields that are no properties

    def field(self, name: str, value: dict[str, Any], schema: Any, *, place: str = "") -> Field:
        """Return a parameter or a header, whose shape is ``schema``."""
        self._left -= 1
        own = self.text(value.get("description"))
        return _field(
            name,
            self.schema(schema),
            place=place,
            required=value.get("required") is True or place == "path",
            description=own,
            deprecated=value.get("deprecated") is True,
            example=next(map(format_value, self.examples(value)), ""),
        )


def _field(
    name: str,
    schema: Schema,
    *,
    place: str = "",
    required: bool = False,
    description: str = "",
    deprecated: bool = False,
    example: str = "",
) -> Field:
    if example:
        schema = replace(schema, example=example)
    return Field(
        name[:LONGEST_WORD], schema, place, required, deprecated or schema.deprecated, description or schema.description
    )


def _tells_more(schema: Schema) -> bool:
    return bool(
        schema.fields or schema.alternatives or schema.description or schema.values or schema.facts or schema.cut
    )


def name_of(target: str) -> str:
    """Return the name of what a reference leads to, its last step."""
    name = unquote(target[-LONGEST_WORD:].rpartition("/")[2])
    return re.sub(r"\.(?:json|ya?ml)$", "", name).replace("~1", "/").replace("~0", "~")
