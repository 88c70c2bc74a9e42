"""Makes a call's arguments of what stands in the path and in the query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recto.cli.failures import USAGE, CommandError
from recto.contract.describe import path_of
from recto.contract.operation import Parameter, Place, Route


def split_pair(given: str, option: str) -> tuple[str, str]:
    """Return name and value of ``name=value``; raises ``CommandError`` where there is no name or no sign."""
    name, sign, value = given.partition("=")
    if not sign or not name.strip():
        raise CommandError(f"{option} wants name=value, not “{given}”.", USAGE)
    return name.strip(), value


def query_arguments(route: Route, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the query arguments of a call by parameter name: a text, or several, as they were given, or ``None``.

    What they may hold is the platform's to say; that each has a name it knows is checked here.
    """
    known = {each.wire_name: each for each in route.parameters if each.place is Place.QUERY}
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in known:
            names = f"It knows {', '.join(known)}." if known else "It has none."
            raise CommandError(f"{route.method} {path_of(route)} has no query parameter “{name}”. {names}", USAGE)
        given.setdefault(name, []).append(value)
    return {parameter.name: _value(parameter, given.get(name)) for name, parameter in known.items()}


def _value(parameter: Parameter, given: list[str] | None) -> str | list[str] | None:
    if given is None:
        if parameter.required:
            raise CommandError(f"The query parameter “{parameter.wire_name}” has to be given: -q name=value.", USAGE)
        return None
    if parameter.holds_several:
        return given
    if len(given) > 1:
        raise CommandError(f"The query parameter “{parameter.wire_name}” is given {len(given)} times.", USAGE)
    return given[0]
