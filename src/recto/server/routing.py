"""Which operation a request is for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from recto.contract.operation import Operation, Resource

Endpoint = Callable[[Request], Awaitable[Response]]

_FOUND = "recto.route"


class OperationRoutes(BaseRoute):
    """The routes of all operations of the contract, each made when a request first comes near it.

    Who calls in process has imported what declares the operation. So what is imported is looked through first, and
    the rest, which takes its time to import, only for a request that none of it takes.
    """

    def __init__(self, prefix: str, endpoint: Callable[[Operation[..., Any]], Endpoint]) -> None:
        self._prefix = prefix
        self._endpoint = endpoint
        self._routes: dict[Operation[..., Any], Route] = {}
        self._sorted: tuple[Operation[..., Any], ...] = ()
        self._resources = -1

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Find the operation; where none has the method, one that has the path."""
        found = self._best(scope)
        if found[0] is not Match.FULL:
            from recto.contract import api

            # Importing it is what declares all operations.
            assert api.RESOURCES
            found = self._best(scope)
        return found

    def methods(self, scope: Scope) -> set[str]:
        """Return the methods that an address takes."""
        near = (route for route in self._near(scope) if route.matches(scope)[0] is not Match.NONE)
        return {method for route in near for method in route.methods or ()}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request by the operation that was found."""
        await scope[_FOUND].handle(scope, receive, send)

    def _best(self, scope: Scope) -> tuple[Match, Scope]:
        best: tuple[Match, Scope] = (Match.NONE, {})
        for route in self._near(scope):
            match, inner = route.matches(scope)
            if match.value > best[0].value:
                best = (match, {**inner, _FOUND: route})
        return best

    def _near(self, scope: Scope) -> Iterator[Route]:
        """Give the routes of the operations whose fixed segments are those of the request."""
        if scope["type"] != "http":
            return
        # Where the application is one of several on a server, all its paths begin with its own.
        root, path = scope.get("root_path", ""), scope["path"]
        path = path.removeprefix(root) if path.startswith(f"{root}/") else path
        if not path.startswith(self._prefix):
            return
        asked = path.removeprefix(self._prefix).split("/")
        for operation in self._operations():
            if _agree(operation.path.split("/"), asked):
                if operation not in self._routes:
                    self._routes[operation] = Route(
                        f"{self._prefix}{operation.path}", self._endpoint(operation), methods=[operation.method]
                    )
                yield self._routes[operation]

    def _operations(self) -> tuple[Operation[..., Any], ...]:
        resources = list(_below(Resource))
        if len(resources) != self._resources:
            self._resources = len(resources)
            members = (member for resource in resources for member in vars(resource).values())
            declared = (member for member in members if isinstance(member, Operation))
            self._sorted = tuple(sorted(declared, key=_precedence))
        return self._sorted


def _below(resource: type[Resource]) -> Iterable[type[Resource]]:
    for one in resource.__subclasses__():
        yield one
        yield from _below(one)


def _agree(declared: list[str], asked: list[str]) -> bool:
    for index, segment in enumerate(declared):
        if segment.endswith(":path}"):
            return True
        if index >= len(asked) or not (segment.startswith("{") or segment == asked[index]):
            return False
    return len(declared) == len(asked)


def _precedence(operation: Operation[..., Any]) -> tuple[tuple[int, str], ...]:
    """Sort a fixed segment before a parameter in the same place, and a parameter that takes the rest last."""
    return tuple(
        (2 if segment.endswith(":path}") else 1 if segment.startswith("{") else 0, segment)
        for segment in operation.path.split("/")
    )
