"""The platform as a web application: each declared operation at its address, called in process or over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import Any, TypeVar

from recto.contract.operation import Parameter, Place, Route
from recto.frozen import frozen
from recto.server.context import Context
from recto.server.http.asgi import Endpoint, Receive, Request, Response, Scope, Send, path_in
from recto.server.http.bodies import Remains, Room, Turns, room_for_tokens, weigh
from recto.server.http.problems import BadRequest, MethodNotAllowed, Unauthorized
from recto.server.http.registry import JobKind, Registration, entry, known_entry
from recto.server.http.request_guard import Workspace, base_url_of, caller_of, guard, token_of, welcome
from recto.server.http.requests import (
    address_arguments,
    announced_size,
    arguments_of,
    check_permission,
    parse_body,
    read_body,
)
from recto.server.http.routing import OperationRoutes
from recto.server.jobs import Begun, JobFailed
from recto.server.storage.database import Connection

T = TypeVar("T")

_ROUTES = OperationRoutes("/v1")
_LONGEST_SMALL = 6
_PARSED_AT_ONCE = 8 * 1024
"""The largest body that is parsed on the event loop's thread, where that is faster than another thread."""


class Application:
    """An ASGI application that serves the operations of the contract, and the web pages beside them."""

    def __init__(self, platform: Workspace) -> None:
        self._platform = platform
        self._handling = _Handling(platform)
        self._endpoints: dict[Route, Endpoint] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            endpoint, path_params = self._find(scope["method"], path_in(scope))
            response = await endpoint(Request(scope, receive, path_params))
            await response.send(send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close"})

    def _find(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
        """Return the endpoint at a path, and the parameters in the path."""
        found = _ROUTES.find(method, path)
        if found is None:
            from recto.server.http.web import endpoint_at

            return endpoint_at(self._platform, method, path, _ROUTES.methods(path)), {}
        route, path_params = found
        if route not in self._endpoints:
            self._endpoints[route] = guard(f"{route.method} {route.path}", partial(_respond, self._handling, route))
        return self._endpoints[route], path_params


async def _respond(handling: _Handling, route: Route, request: Request) -> Response:
    """Answer a request; all but reading it happens off the event loop, which may also draw a screen."""
    done = await (handling.read if route.reads else handling.write)(route, request)
    headers = {"Location": done.location} if done.location else None
    status = route.created if done.is_new and route.created is not None else route.status
    return Response(status, done.body, headers)


@frozen
class _Result:
    """The body of a response, the address of what was made, and whether it was made by this call."""

    body: bytes
    location: str | None = None
    is_new: bool = False


class _Handling:
    """Handles requests: permissions are checked first, then the body is read, and only then is anything locked."""

    def __init__(self, platform: Workspace) -> None:
        self.platform = platform
        self.room = Room()
        self.room_for_tokens = room_for_tokens()
        self._remains = Remains(lambda: self._parsing.submit(platform.after_large_bodies))
        self._turns = Turns()
        self._parsing = ThreadPoolExecutor(1, thread_name_prefix="recto-parser")
        self._good_tokens: set[str] = set()

    async def read(self, route: Route, request: Request) -> _Result:
        """Answer a read-only request in a read transaction."""
        kind = self._kind(route, request)
        base_url = base_url_of(self.platform, request)

        def work(connection: Connection) -> _Result:
            context = self.platform.context(connection, self._caller(connection, request), base_url)
            found = _offer(route)
            return _handle(found, context, arguments_of(route, address_arguments(route, request)))

        return await self.platform.database.read(work, kind)

    async def write(self, route: Route, request: Request) -> _Result:
        """Answer a request that changes something: admit it, read and parse its body, and carry it out."""
        kind = self._kind(route, request)
        base_url = base_url_of(self.platform, request)
        model = next((each for each in route.parameters if each.place is Place.BODY), None)
        found = known_entry(route.operation)
        if found is not None and found.job is None and _is_light(model, request):
            done = await self._write_light(route, found, model, request, base_url, kind)
        else:
            done = await self._write(route, model, request, base_url, kind)
        self.platform.sweeper.nudge()
        return done

    def _kind(self, route: Route, request: Request) -> Hashable:
        """Return the kind of a request, by which requests take turns; raises ``Unauthorized`` without a token.

        A connection is kept as soon as it shows a token that was valid before, since its turn may come late.
        """
        token = token_of(request)
        if token in self._good_tokens:
            welcome(request)
        return token, route.operation

    def _caller(self, connection: Connection, request: Request) -> str:
        try:
            caller = caller_of(self.platform, connection, request)
        except Unauthorized:
            self._good_tokens.discard(token_of(request))
            raise
        self._good_tokens.add(token_of(request))
        return caller

    async def _write(
        self, route: Route, model: Parameter | None, request: Request, base_url: str, kind: Hashable
    ) -> _Result:
        """Admit a request before its body is read, and handle it."""

        def let_in(connection: Connection) -> tuple[str, Registration, dict[str, Any]]:
            caller = self._caller(connection, request)
            found, given = _offer(route), address_arguments(route, request)
            if model is not None:
                check_permission(found, self.platform.context(connection, caller, base_url), route, given)
            return caller, found, given

        caller, found, given = await self.platform.database.read(let_in, kind)

        def work(connection: Connection, prepared: Any = None) -> _Result:
            context = self.platform.context(connection, caller, base_url, prepared)
            return _handle(found, context, arguments_of(route, given))

        def prepare(connection: Connection) -> Any:
            assert found.prepare is not None
            return found.prepare(self.platform.context(connection, caller, base_url), **arguments_of(route, given))

        async def do() -> _Result:
            if found.job is not None:
                return await self._run_job(found, caller, base_url, request, arguments_of(route, given))
            if found.prepare is None:
                return await self.platform.database.write(work)
            async with self._turn(found, request):
                return await self.platform.database.write_prepared(prepare, work, kind)

        if model is None:
            return await do()
        async with self.room.reserve(caller, announced_size(request, found.limit)):
            body = await read_body(request, found.limit)
            tokens = await self._run_parser(body, weigh, body, found.limit)
            async with self.room_for_tokens.reserve(caller, tokens):
                with self._remains.of(len(body), tokens):
                    given[model.name] = await self._run_parser(body, parse_body, model.annotation, body)
                    del body
                    done = await do()
                    given.clear()
        return done

    async def _write_light(
        self,
        route: Route,
        found: Registration,
        model: Parameter | None,
        request: Request,
        base_url: str,
        kind: Hashable,
    ) -> _Result:
        """Handle a request with a small body: it is admitted in the transaction in which the body is parsed."""
        body = await read_body(request, found.limit) if model is not None else b""

        def prepare(connection: Connection) -> tuple[str, dict[str, Any], Any]:
            caller = self._caller(connection, request)
            context, given = self.platform.context(connection, caller, base_url), address_arguments(route, request)
            if model is not None:
                if found.prepare is None:
                    check_permission(found, context, route, given)
                try:
                    weigh(body, found.limit)
                    given[model.name] = parse_body(model.annotation, body)
                except BadRequest:
                    check_permission(found, context, route, given)  # before the body is judged
                    raise
            return caller, given, found.prepare and found.prepare(context, **arguments_of(route, given))

        def work(connection: Connection, prepared: tuple[str, dict[str, Any], Any]) -> _Result:
            caller, given, plan = prepared
            context = self.platform.context(connection, caller, base_url, plan)
            return _handle(found, context, arguments_of(route, given))

        async with self._turn(found, request):
            return await self.platform.database.write_prepared(prepare, work, kind)

    async def _run_job(
        self, found: Registration, caller: str, base_url: str, request: Request, given: dict[str, Any]
    ) -> _Result:
        """Run the work of a handler as a job; it goes on when the caller disconnects."""
        platform = self.platform
        is_local = platform.public_url is None and platform.is_own(token_of(request))
        task = await platform.database.read(
            lambda connection: found.handler(platform.context(connection, caller, base_url), **given)
        )
        begun: Future[Begun] = Future()
        future = platform.jobs.start(task, caller=caller, base_url=base_url, is_local=is_local, begun=begun)
        result = asyncio.wrap_future(future)
        try:
            if found.job is JobKind.BEGUN and not await _has_failed_before(result, asyncio.wrap_future(begun)):
                first = begun.result() if begun.done() else Begun()
                return _Result(b"" if first.response is None else first.response.to_json(), is_new=first.is_new)
            response = await asyncio.shield(result)
        except JobFailed as error:
            raise BadRequest(str(error)) from error
        location = found.location and f"{base_url}/v1{found.location.format(response=response, **given)}"
        return _Result(response.to_json(), location)

    def _turn(self, found: Registration, request: Request) -> AbstractAsyncContextManager[None]:
        return self._turns.take(request.path_params[found.turn]) if found.turn is not None else nullcontext()

    async def _run_parser(self, body: bytes, work: Callable[..., T], *given: Any) -> T:
        """Weigh or parse a body, large bodies in turn: a parser takes many times what the body does."""
        if len(body) <= _PARSED_AT_ONCE:
            return work(*given)
        return await asyncio.get_running_loop().run_in_executor(self._parsing, work, *given)


async def _has_failed_before(result: asyncio.Future[Any], begun: asyncio.Future[Begun]) -> bool:
    """Wait until a job has begun or ended; return whether it failed before that."""
    result.add_done_callback(lambda done: done.cancelled() or done.exception())
    await asyncio.wait((result, begun), return_when=asyncio.FIRST_COMPLETED)
    return result.done() and not begun.done() and result.exception() is not None


def _is_light(model: Parameter | None, request: Request) -> bool:
    """Whether a request has no body, or a body small enough to parse at once."""
    announced = request.headers.get("content-length", "") if model is not None else "0"
    return announced.isdecimal() and len(announced) <= _LONGEST_SMALL and int(announced) <= _PARSED_AT_ONCE


def _offer(route: Route) -> Registration:
    found = entry(route.operation)
    if found is None:
        raise MethodNotAllowed(f"This server does not offer {route.method} {route.path}.")
    return found


def _handle(found: Registration, context: Context, given: dict[str, Any]) -> _Result:
    response = found.handler(context, **given)
    return _Result(b"" if response is None else response.to_json(), _location(context, found, given, response))


def _location(context: Context, found: Registration, given: dict[str, Any], response: Any) -> str | None:
    if found.location is None:
        return None
    return context.location(found.location.format(response=response, **given))
