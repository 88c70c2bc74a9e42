"""Routes: finding the operation that a request is for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recto.contract.operation import Operation, Resource, Route


class OperationRoutes:
    """Finds operations of the contract by method and path, below a prefix.

    A caller in process has imported the module of the operation. So imported modules are searched first; the others,
    which take long to import, only if none of those has the operation.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._tree = _Branch()
        self._resources = -1

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """Return the operation that a path takes in a method, and the parts of the path by parameter."""
        found = self._find(method, path)
        if found is None and self._has_grown():
            found = self._find(method, path)
        if found is None and path.startswith(self._prefix):
            from recto.contract import api

            # Importing it declares all operations.
            assert api.RESOURCES
            if self._has_grown():
                found = self._find(method, path)
        return found

    def methods(self, path: str) -> set[str]:
        """Return the methods in which a path takes operations."""
        return {method for route, _ in self._at(path) for method in _methods_of(route)}

    def _find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        for route, values in self._at(path):
            if method in _methods_of(route):
                return route, dict(zip(_parameters_in(route), values, strict=True))
        return None

    def _at(self, path: str) -> Iterator[tuple[Route, list[str]]]:
        """Yield the operations at a path, with the parts of it that name something."""
        if path.startswith(self._prefix):
            yield from self._tree.below(path.removeprefix(self._prefix).split("/"), [])

    def _has_grown(self) -> bool:
        """Whether more is imported than was searched; all of it counts as searched from now on."""
        resources = list(_below(Resource))
        if len(resources) == self._resources:
            return False
        self._resources = len(resources)
        self._tree = _Branch()
        for resource in resources:
            for member in vars(resource).values():
                if isinstance(member, Operation):
                    for route in member.routes:
                        self._tree.add(route, route.path.split("/"))
        return True


class _Branch:
    """A node of the tree of paths: the operations whose paths begin alike, by the next segment."""

    def __init__(self) -> None:
        self._fixed: dict[str, _Branch] = {}
        self._named: _Branch | None = None
        self._ending: list[Route] = []
        self._taking_all: list[Route] = []

    def add(self, route: Route, segments: list[str]) -> None:
        """Add a route at the rest of its path."""
        if not segments:
            self._ending.append(route)
        elif segments[0].endswith(":path}"):
            self._taking_all.append(route)
        elif segments[0].startswith("{"):
            self._named = self._named or _Branch()
            self._named.add(route, segments[1:])
        else:
            self._fixed.setdefault(segments[0], _Branch()).add(route, segments[1:])

    def below(self, asked: list[str], values: list[str]) -> Iterator[tuple[Route, list[str]]]:
        """Yield the routes for these segments, and the values of their parameters after those found until here.

        Fixed segments come before parameters, which are never empty, and a rest last.
        """
        if not asked:
            yield from ((route, values) for route in self._ending)
            return
        first, rest = asked[0], asked[1:]
        if first in self._fixed:
            yield from self._fixed[first].below(rest, values)
        if self._named is not None and first:
            yield from self._named.below(rest, [*values, first])
        yield from ((route, [*values, "/".join(asked)]) for route in self._taking_all)


def _methods_of(route: Route) -> tuple[str, ...]:
    return ("GET", "HEAD") if route.method == "GET" else (route.method,)


def _parameters_in(route: Route) -> list[str]:
    """Return the parameters in a path, in order."""
    return [each[1:-1].removesuffix(":path") for each in route.path.split("/") if each.startswith("{")]


def _below(resource: type[Resource]) -> Iterable[type[Resource]]:
    for one in resource.__subclasses__():
        yield one
        yield from _below(one)
