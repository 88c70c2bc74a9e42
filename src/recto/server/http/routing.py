"""Which operation a request is for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator

from starlette import routing
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from recto.contract.operation import Operation, Resource, Route

Endpoint = Callable[[Request], Awaitable[Response]]

_FOUND = "recto.route"


class OperationRoutes(BaseRoute):
    """The routes of all operations of the contract, each made when a request first comes near it.

    A caller in process has imported the module of the operation. So imported modules are searched first, and
    the rest, which takes its time to import, only for a request that none of it takes.
    """

    def __init__(self, prefix: str, endpoint: Callable[[Route], Endpoint]) -> None:
        self._prefix = prefix
        self._endpoint = endpoint
        self._routes: dict[Route, routing.Route] = {}
        self._tree = _Branch()
        self._resources = -1

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Find the operation by path and method, else any operation at the path."""
        found = self._best(scope)
        if found[0] is not Match.FULL and self._has_grown():
            found = self._best(scope)
        if found[0] is not Match.FULL:
            from recto.contract import api

            # Importing it is what declares all operations.
            assert api.RESOURCES
            if self._has_grown():
                found = self._best(scope)
        return found

    def methods(self, scope: Scope) -> set[str]:
        """Return the methods that an address takes."""
        near = (route for route in self._near(scope) if route.matches(scope)[0] is not Match.NONE)
        return {method for route in near for method in route.methods or ()}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request by the operation that was found; it refuses other methods itself."""
        route: routing.Route = scope[_FOUND]
        if scope["method"] in (route.methods or ()):
            answer = await scope["endpoint"](Request(scope, receive, send))
            await answer(scope, receive, send)
        else:
            await route.handle(scope, receive, send)

    def _best(self, scope: Scope) -> tuple[Match, Scope]:
        best: tuple[Match, Scope] = (Match.NONE, {})
        for route in self._near(scope):
            match, inner = route.matches(scope)
            if match.value > best[0].value:
                best = (match, {**inner, _FOUND: route})
        return best

    def _near(self, scope: Scope) -> Iterator[routing.Route]:
        """Give the routes of the operations whose fixed segments are those of the request."""
        if scope["type"] != "http":
            return
        # Where the application is one of several on a server, all its paths begin with its own.
        root, path = scope.get("root_path", ""), scope["path"]
        path = path.removeprefix(root) if path.startswith(f"{root}/") else path
        if not path.startswith(self._prefix):
            return
        for route in self._tree.below(path.removeprefix(self._prefix).split("/")):
            if route not in self._routes:
                self._routes[route] = routing.Route(
                    f"{self._prefix}{route.path}", self._endpoint(route), methods=[route.method]
                )
            yield self._routes[route]

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
    """The operations whose paths begin alike, by the next segment; an address is looked for along its own alone."""

    def __init__(self) -> None:
        self._fixed: dict[str, _Branch] = {}
        self._named: _Branch | None = None
        self._ending: list[Route] = []
        self._taking_all: list[Route] = []

    def add(self, route: Route, segments: list[str]) -> None:
        """Put a route where the rest of its path leads."""
        if not segments:
            self._ending.append(route)
        elif segments[0].endswith(":path}"):
            self._taking_all.append(route)
        elif segments[0].startswith("{"):
            self._named = self._named or _Branch()
            self._named.add(route, segments[1:])
        else:
            self._fixed.setdefault(segments[0], _Branch()).add(route, segments[1:])

    def below(self, asked: list[str]) -> Iterator[Route]:
        """Yield the routes for these segments: fixed segments before parameters, and a rest last."""
        if not asked:
            yield from self._ending
            return
        if asked[0] in self._fixed:
            yield from self._fixed[asked[0]].below(asked[1:])
        if self._named is not None:
            yield from self._named.below(asked[1:])
        yield from self._taking_all


def _below(resource: type[Resource]) -> Iterable[type[Resource]]:
    for one in resource.__subclasses__():
        yield one
        yield from _below(one)
