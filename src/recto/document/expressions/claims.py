"""The claims of an adaptive schema, and checks of conditions against them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from recto.document.expressions.language import Expression, ExpressionError, parse
from recto.document.expressions.values import truth
from recto.frozen import frozen

CLAIMS: Final = ("visitor", "claims")
"""Where a condition finds the claims of a visitor."""

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


@frozen
class Claim:
    """A claim of a single value, or of a list of them, at its place in the schema."""

    path: tuple[str, ...]
    """Its names, from ``visitor`` on."""
    kind: str
    """``boolean``, ``string``, ``number``, or a list: ``string[]``."""
    values: tuple[str, ...] = ()
    """The values it may have, where they are listed."""
    description: str = ""

    @property
    def expression(self) -> str:
        """How a condition names it."""
        return write_path(self.path)

    @property
    def is_unsigned(self) -> bool:
        """Whether visitors make it without proof."""
        return self.path[2:3] == ("unsigned",)


def write_path(path: Sequence[str]) -> str:
    """Return a path of names as an expression; steps that are no names stand in brackets."""
    first, *others = path
    return first + "".join(f".{one}" if _NAME.fullmatch(one) else f"[{json.dumps(one)}]" for one in others)


def claims(schema: Mapping[str, Any]) -> Iterator[Claim]:
    """Yield the claims of a schema in its order, skipping malformed parts."""
    yield from _claims(_properties(schema), CLAIMS)


def _claims(properties: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Claim]:
    for name, claim in properties.items():
        if not isinstance(claim, Mapping):
            continue
        here = (*path, name)
        if claim.get("type") == "object":
            yield from _claims(_properties(claim), here)
            continue
        items = claim.get("items")
        of = items if claim.get("type") == "array" and isinstance(items, Mapping) else claim
        kind = f"{of.get('type', '')}[]" if of is not claim else str(of.get("type", ""))
        values = of.get("enum")
        listed = tuple(str(value) for value in values) if isinstance(values, list | tuple) else ()
        yield Claim(here, kind, listed, str(claim.get("description") or ""))


class Verdicts:
    """Whether a visitor meets conditions.

    Each condition is parsed once, and evaluated again only after a change of a claim that it names.
    """

    def __init__(self, visitor: Mapping[str, Any] | None = None) -> None:
        self.visitor = visitor or {}
        """The claims by name; those in ``unsigned`` below that."""
        self._parsed: dict[str, Expression | None] = {}
        self._found: dict[str, tuple[str, bool]] = {}
        """The verdict on a condition, with the claims that it was made of."""

    def is_readable(self, condition: str) -> bool:
        """Whether a condition can be parsed."""
        return self._parse(condition) is not None

    def is_of_claims(self, condition: str) -> bool:
        """Whether a condition can be parsed and names nothing but the claims."""
        expression = self._parse(condition)
        return expression is not None and all(path[0] == CLAIMS[0] for path in expression.names())

    def is_met(self, condition: str) -> bool:
        """Whether the visitor meets a condition, to which all other names are undefined.

        A condition that cannot be parsed is never met.
        """
        expression = self._parse(condition)
        if expression is None:
            return False
        made_of = json.dumps([_value_at(self.visitor, path[2:]) for path in sorted(expression.names())])
        found = self._found.get(condition)
        if found is None or found[0] != made_of:
            found = self._found[condition] = (made_of, self._evaluate(expression))
        return found[1]

    def _parse(self, condition: str) -> Expression | None:
        if condition not in self._parsed:
            try:
                self._parsed[condition] = parse(condition)
            except ExpressionError:
                self._parsed[condition] = None
        return self._parsed[condition]

    def _evaluate(self, expression: Expression) -> bool:
        try:
            return truth(expression.evaluate({"visitor": {"claims": self.visitor}}))
        except ExpressionError:
            return False


def _value_at(visitor: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return the claim at a path, or what the path reaches of it."""
    here: Any = visitor
    for name in path:
        if not isinstance(here, Mapping):
            return here
        here = here.get(name)
    return here


def condition_fault(text: str) -> str | None:
    """Return why a condition cannot be parsed; ``None`` where it can, or is empty."""
    if not text.strip():
        return None
    try:
        parse(text)
    except ExpressionError as error:
        return f"{error}."
    return None


def unknown_in_condition(text: str, schema: Mapping[str, Any]) -> str | None:
    """Return a name in a condition that the schema lacks; ``None`` if there is none, or no schema."""
    try:
        names = sorted(parse(text).names())
    except ExpressionError:
        return None
    for path in names:
        if path[0] != CLAIMS[0] or (len(path) > 1 and path[1] != CLAIMS[1]):
            return f"“{write_path(path)}” is undefined: a condition knows only visitor.claims."
        if (unknown := _find_unknown(path, schema)) is not None:
            return unknown
    return None


def depends_on(text: str, claim: Claim) -> bool:
    """Whether a condition names a claim; a condition that cannot be parsed names none."""
    try:
        return any(path[: len(claim.path)] == claim.path for path in parse(text).names())
    except ExpressionError:
        return False


def _find_unknown(path: tuple[str, ...], schema: Mapping[str, Any]) -> str | None:
    here = schema
    for index, name in enumerate(path[2:], 2):
        known = _properties(here)
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f"; “{write_path((*path[:index], near[0]))}” is" if near else ""
            return f"“{write_path(path[: index + 1])}” is not in the adaptive schema{meant}."
        here = known[name]
        if not isinstance(here, Mapping) or here.get("type") != "object":
            return None
    return None


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}
