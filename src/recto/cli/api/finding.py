"""Finds the operation that a method and a path mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from urllib.parse import parse_qsl, unquote

from recto.cli.failures import USAGE, CommandError
from recto.client.outgoing import platform_address
from recto.contract.api import routes
from recto.contract.describe import path_of
from recto.contract.operation import Route
from recto.frozen import frozen
from recto.urls import EMBEDDED_ADDRESS

_NEAR = 0.6
_SHOWN = 3
_VERSION = "/v1"


@frozen
class Found:
    """A path of an operation, what it is filled with by parameter name, and the query that stood behind the path.

    ``open`` are the names that are still to be filled in, where the path is a pattern.
    """

    route: Route
    values: dict[str, str]
    query: tuple[tuple[str, str], ...] = ()
    open: tuple[str, ...] = ()


def find(method: str, address: str, base_url: str | None = None) -> Found:
    """Return what a method and a path mean; ``/v1``, the platform's own address and the first slash may be left out.

    Raises ``CommandError`` with what comes near, where there is no such operation.
    """
    method = method.upper()
    path, query = _split(address, base_url)
    segments = path.split("/")[1:]
    every = list(routes())
    matching = sorted((each for each in every if _matches(each, segments)), key=_precedence)
    for route in matching:
        if route.method == method:
            values, unfilled = _values(route, segments)
            return Found(route, values, tuple(parse_qsl(query, keep_blank_values=True)), unfilled)
    if matching:
        taken = " and ".join(sorted({each.method for each in matching}))
        raise CommandError(f"{path} does not take {method}; it takes {taken}.", USAGE)
    near = "".join(f"\n  {each.method} {path_of(each)}" for each in _nearest_operations(method, segments, every))
    hint = f" Similar:{near}" if near else " `recto api` lists the operations."
    raise CommandError(f"There is no operation {method} {path}.{hint}", USAGE)


def _split(address: str, base_url: str | None) -> tuple[str, str]:
    """Return the path after ``/v1`` and the query; the address of another platform is none."""
    address, _, query = address.partition("#")[0].partition("?")
    if "://" in address:
        here = platform_address(base_url) if base_url else EMBEDDED_ADDRESS
        if not address.startswith(f"{here}/"):
            raise CommandError(f"{address} is not on the platform that is used, {here}.", USAGE)
        address = address.removeprefix(here)
    path = "/" + address.strip("/")
    return ("/" + path.removeprefix(_VERSION).strip("/") if f"{path}/".startswith(f"{_VERSION}/") else path), query


def _matches(route: Route, segments: Sequence[str]) -> bool:
    wanted = route.path.split("/")[1:]
    if wanted[-1].endswith(":path}"):
        if len(segments) < len(wanted):
            return False
    elif len(segments) != len(wanted):
        return False
    return all(_is_parameter(one) or one == given for one, given in zip(wanted, segments, strict=False))


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{")


def _precedence(route: Route) -> tuple[int, ...]:
    """Sort a fixed segment before a parameter in the same place, and a parameter that takes the rest last."""
    return tuple(2 if one.endswith(":path}") else int(_is_parameter(one)) for one in route.path.split("/"))


def _values(route: Route, segments: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what fills the path by parameter name, and the names in it that stand for something to be filled in."""
    values: dict[str, str] = {}
    unfilled: list[str] = []
    for at, wanted in enumerate(route.path.split("/")[1:]):
        if not _is_parameter(wanted):
            continue
        given = "/".join(segments[at:]) if wanted.endswith(":path}") else segments[at]
        values[wanted.strip("{}").removesuffix(":path")] = unquote(given)
        if _is_parameter(given) and given.endswith("}"):
            unfilled.append(path_of(route).split("/")[at + 1].strip("{}"))
    return values, tuple(unfilled)


def _nearest_operations(method: str, segments: Sequence[str], every: Iterable[Route]) -> list[Route]:
    """Return the few operations whose path comes nearest; what a person put for a parameter counts as right."""

    def nearness(route: Route) -> float:
        wanted = route.path.split("/")[1:]
        filled = [segments[at] if _is_parameter(one) and at < len(segments) else one for at, one in enumerate(wanted)]
        return SequenceMatcher(None, "/".join(filled), "/".join(segments), autojunk=False).ratio()

    ranked = [(nearness(each), each.method == method, each) for each in every]
    close = sorted((one for one in ranked if one[0] >= _NEAR), key=lambda one: one[:2], reverse=True)
    return [each for _, _, each in close[:_SHOWN]]
