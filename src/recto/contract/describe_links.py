"""How one operation leads to others: what it made is what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recto.contract.operation import Place, Route

_CREATED = 201


@dataclass(frozen=True, slots=True)
class Link:
    """An operation on what another one made, whose id goes in the path parameter ``made``."""

    to: Route
    made: str


def links(route: Route, routes: Iterable[Route]) -> Iterator[Link]:
    """Yield the operations on what ``route`` makes, in their order; none where it makes nothing that has an id.

    They are those whose path goes on from the thing made and names nothing else that is not known.
    """
    every = list(routes)
    thing = _thing(route, every)
    if thing is None:
        return
    made = _last(thing).strip("{}")
    known = {*_path_parameters(route), made}
    for each in every:
        if f"{each.path}/".startswith(f"{thing.path}/") and known.issuperset(_path_parameters(each)):
            yield Link(each, made)


def _thing(route: Route, routes: Iterable[Route]) -> Route | None:
    """Return an operation whose path is that of what ``route`` makes, or ``None`` where it makes nothing.

    What is made in a list is found under it; what is made elsewhere, as by a duplicate, where such things are read.
    """
    answer = route.answer
    if route.reads or "id" not in getattr(answer, "model_fields", {}):
        return None
    alike = [each for each in routes if each.answer == answer and _is_parameter(_last(each))]
    under = (each for each in alike if each.path == f"{route.path}/{_last(each)}")
    elsewhere = (each for each in alike if route.status == _CREATED and each.reads)
    return next(under, None) or next(elsewhere, None)


def _last(route: Route) -> str:
    return route.path.rpartition("/")[2]


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{") and not segment.endswith(":path}")


def _path_parameters(route: Route) -> list[str]:
    return [each.name for each in route.parameters if each.place is Place.PATH]
