"""The platform as a web application: one route for each declared operation, called in process or over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import logging
import re
import sqlite3
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import cache, partial
from http import HTTPStatus
from typing import Any, Protocol, TypeVar

from starlette import routing
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match

from recto.contract.operation import Parameter, Place, Route
from recto.frozen import frozen
from recto.server.content.files import find_download
from recto.server.context import Context
from recto.server.http.bodies import Remains, Room, Turns, room_for_tokens, weigh
from recto.server.http.problems import BadRequest, MethodNotAllowed, NotFound, Problem, Unauthorized
from recto.server.http.registry import Entry, entry, known_entry
from recto.server.http.requests import (
    address_arguments,
    announced_size,
    arguments_of,
    hold_permission,
    parse_body,
    read_body,
)
from recto.server.http.routing import Endpoint, OperationRoutes
from recto.server.http.thing_page import page_of
from recto.server.spaces.sweeping import Sweeper
from recto.server.storage.database import Connection, Database
from recto.urls import LOOPBACK, read_path

logger = logging.getLogger(__name__)

T = TypeVar("T")

_LONGEST_MESSAGE = 2_000
_HTTP_PORT = 80

WELCOME = "recto.welcome"
"""Key in a request's state: a callable to call once the token is accepted."""

_LONGEST_SMALL = 6
_PARSED_AT_ONCE = 8 * 1024
"""The largest body that is parsed on the event loop's thread, where that is faster than another thread."""


class Workspace(Protocol):
    """What the application answers from: an open platform."""

    @property
    def database(self) -> Database:
        """Where everything is kept."""
        ...

    @property
    def sweeper(self) -> Sweeper:
        """Nudged after each write: there may be something to sweep."""
        ...

    def recognize(self, connection: Connection, token: str) -> str | None:
        """Return the id of the user for whom a token speaks."""
        ...

    @property
    def public_url(self) -> str | None:
        """The public address, where it differs from the address listened at."""
        ...

    @property
    def host(self) -> str | None:
        """The host name the platform was configured to listen at."""
        ...

    @property
    def after_large_bodies(self) -> Callable[[], None]:
        """Called on a thread of its own when large bodies were worked on and none is any more."""
        ...

    def context(self, connection: Connection, caller: str | None = None, base_url: str = "") -> Context:
        """Return the context of a call."""
        ...


def make_application(platform: Workspace) -> Starlette:
    """Return the application that answers every operation of the contract from this platform."""
    front = _Front(platform)
    show_thing = _guarded("GET the page of a thing", partial(_show_thing, platform))
    application = Starlette(
        routes=[
            OperationRoutes("/v1", lambda route: _endpoint(front, route)),
            routing.Route("/v1/spaces/{space_id}/blobs/{blob}", _guarded("GET a file", partial(_download, platform))),
            routing.Route("/openapi.json", _guarded("GET the description", _describe)),
            *(routing.Route(f"/{each}/{{path:path}}", show_thing) for each in ("o", "c", "s")),
        ],
        exception_handlers={HTTPException: _no_route},
    )
    # The contract knows no redirects: an address with a slash too many is an unknown one.
    application.router.redirect_slashes = False
    return application


def _endpoint(front: _Front, route: Route) -> Endpoint:
    return _guarded(f"{route.method} {route.path}", partial(_answer, front, route))


def _guarded(doing: str, answer: Endpoint) -> Endpoint:
    """Return an endpoint that words every failure of ``answer`` as this API does; ``doing`` is for the log."""

    async def endpoint(request: Request) -> Response:
        try:
            return await answer(request)
        except Problem as problem:
            return error_response(problem.status, problem.message, problem.headers)
        except ClientDisconnect:
            return error_response(HTTPStatus.BAD_REQUEST, "The request broke off before it was complete.")
        except Exception as error:
            log_failure(doing, error)
            return error_response(
                HTTPStatus.INTERNAL_SERVER_ERROR,
                "Unexpected error in the server. Nothing was changed; details are in the log.",
            )

    return endpoint


async def _answer(front: _Front, route: Route, request: Request) -> Response:
    """Answer one request; all but reading it happens off the event loop, which may draw a screen as well."""
    if route.reads:
        body, location = await front.read(route, request)
    else:
        body, location = await front.write(route, request)
    headers = {"Location": location} if location else None
    if not body:
        return Response(status_code=route.status, headers=headers)
    return Response(body, route.status, headers, media_type="application/json")


class _Front:
    """Where requests come in: what they may do is read first, then their body, and only then is anything locked."""

    def __init__(self, platform: Workspace) -> None:
        self.platform = platform
        self.room = Room()
        self.room_for_tokens = room_for_tokens()
        self._remains = Remains(lambda: self._parsing.submit(platform.after_large_bodies))
        self._turns = Turns()
        self._parsing = ThreadPoolExecutor(1, thread_name_prefix="recto-parser")

    async def read(self, route: Route, request: Request) -> _Answered:
        """Answer a request that changes nothing, in one read transaction."""
        _token(request)  # without one nothing is asked of the workspace
        base_url = _base_url(self.platform, request)

        def work(connection: Connection) -> _Answered:
            context = self.platform.context(connection, _caller(self.platform, connection, request), base_url)
            found = _offered(route)
            return _handled(found, context, arguments_of(route, address_arguments(route, request)))

        return await self.platform.database.read(work)

    async def write(self, route: Route, request: Request) -> _Answered:
        """Answer a request that changes something: let it in, read and parse its body, and do it."""
        _token(request)  # without one nothing is asked of the workspace
        base_url = _base_url(self.platform, request)
        model = next((each for each in route.parameters if each.place is Place.BODY), None)
        found = known_entry(route.operation)
        if found is not None and found.prepare is not None and _is_light(model, request):
            answered = await self._write_light(route, found, model, request, base_url)
        else:
            answered = await self._write(route, model, request, base_url)
        self.platform.sweeper.nudge()
        return answered

    async def _write(self, route: Route, model: Parameter | None, request: Request, base_url: str) -> _Answered:
        """Let a request in before its body is read, and do what it is for."""

        def let_in(connection: Connection) -> tuple[str, Entry, dict[str, Any]]:
            caller = _caller(self.platform, connection, request)
            found, given = _offered(route), address_arguments(route, request)
            if model is not None:
                hold_permission(found, self.platform.context(connection, caller, base_url), route, given)
            return caller, found, given

        caller, found, given = await self.platform.database.read(let_in)

        def work(connection: Connection, prepared: Any = None) -> _Answered:
            context = replace(self.platform.context(connection, caller, base_url), prepared=prepared)
            return _handled(found, context, arguments_of(route, given))

        def prepare(connection: Connection) -> Any:
            assert found.prepare is not None
            return found.prepare(self.platform.context(connection, caller, base_url), **arguments_of(route, given))

        async def do() -> _Answered:
            if found.prepare is None:
                return await self.platform.database.write(work)
            async with self._turn(found, request):
                return await self.platform.database.write_prepared(prepare, work)

        if model is None:
            return await do()
        async with self.room.reserve(caller, announced_size(request, found.limit)):
            body = await read_body(request, found.limit)
            tokens = await self._at_parser(body, weigh, body, found.limit)
            async with self.room_for_tokens.reserve(caller, tokens):
                with self._remains.of(len(body), tokens):
                    given[model.name] = await self._at_parser(body, parse_body, model.annotation, body)
                    del body
                    answered = await do()
                    given.clear()
        return answered

    async def _write_light(
        self, route: Route, found: Entry, model: Parameter | None, request: Request, base_url: str
    ) -> _Answered:
        """Do what a request is for whose body is small: it is let in by the transaction in which it is prepared."""
        body = await read_body(request, found.limit) if model is not None else b""

        def prepare(connection: Connection) -> tuple[str, dict[str, Any], Any]:
            caller = _caller(self.platform, connection, request)
            context, given = self.platform.context(connection, caller, base_url), address_arguments(route, request)
            if model is not None:
                try:
                    weigh(body, found.limit)
                    given[model.name] = parse_body(model.annotation, body)
                except BadRequest:
                    hold_permission(found, context, route, given)  # who may not do it need not learn what its fault is
                    raise
            assert found.prepare is not None
            return caller, given, found.prepare(context, **arguments_of(route, given))

        def work(connection: Connection, prepared: tuple[str, dict[str, Any], Any]) -> _Answered:
            caller, given, plan = prepared
            context = replace(self.platform.context(connection, caller, base_url), prepared=plan)
            return _handled(found, context, arguments_of(route, given))

        async with self._turn(found, request):
            return await self.platform.database.write_prepared(prepare, work)

    def _turn(self, found: Entry, request: Request) -> AbstractAsyncContextManager[None]:
        return self._turns.take(request.path_params[found.turn]) if found.turn is not None else nullcontext()

    async def _at_parser(self, body: bytes, work: Callable[..., T], *given: Any) -> T:
        """Weigh or parse a body, large bodies in turn: a parser takes many times what the body does."""
        if len(body) <= _PARSED_AT_ONCE:
            return work(*given)
        return await asyncio.get_running_loop().run_in_executor(self._parsing, work, *given)


_Answered = tuple[bytes, str | None]
"""The body of an answer, and the address of what was made."""


def _is_light(model: Parameter | None, request: Request) -> bool:
    """Whether a request has no body, or a body small enough to parse at once."""
    announced = request.headers.get("content-length", "") if model is not None else "0"
    return announced.isdecimal() and len(announced) <= _LONGEST_SMALL and int(announced) <= _PARSED_AT_ONCE


def _offered(route: Route) -> Entry:
    found = entry(route.operation)
    if found is None:
        raise MethodNotAllowed(f"This server does not offer {route.method} {route.path}.")
    return found


def _handled(found: Entry, context: Context, given: dict[str, Any]) -> _Answered:
    answer = found.handler(context, **given)
    return b"" if answer is None else answer.to_json(), _location(context, found, given, answer)


def _base_url(platform: Workspace, request: Request) -> str:
    """Return what the addresses in an answer begin with.

    It is the address at which the connection came in. What the ``Host`` header says counts only where it is a name of
    this server.
    """
    root: str = request.scope.get("root_path", "")
    if platform.public_url is not None:
        return platform.public_url + root
    host, port = request.scope.get("server") or ("localhost", None)
    known = {host, *(LOOPBACK if host in LOOPBACK else ()), *((platform.host,) if platform.host else ())}
    named = request.headers.get("host", "").lower()
    given = next((each for each in known if _netloc(each, port) == named), host)
    return f"http://{_netloc(given, port)}{root}"


def _netloc(host: str, port: int | None) -> str:
    return (f"[{host}]" if ":" in host else host) + (f":{port}" if port and port != _HTTP_PORT else "")


async def _show_thing(platform: Workspace, request: Request) -> Response:
    """Answer a browser at the address of a thing; the answer tells nothing about the thing itself."""
    thing = read_path(request.scope["path"].removeprefix(request.scope.get("root_path", "")))
    if thing is None:
        raise NotFound(f"There is nothing at {request.url.path}.")
    return page_of(thing, f"{_base_url(platform, request)}{thing.path}")


async def _download(platform: Workspace, request: Request) -> Response:
    """Answer with the bytes of a file, with headers that keep a browser from running it."""
    _token(request)
    space, blob = request.path_params["space_id"], request.path_params["blob"]
    found = await platform.database.read(
        lambda connection: find_download(
            platform.context(connection, _caller(platform, connection, request)), space, blob
        )
    )
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return Response(found.content, HTTPStatus.OK, headers, media_type=found.content_type)


async def _describe(request: Request) -> Response:
    """Answer with the description of this API, which is public and takes no token."""
    described = await run_in_threadpool(_description)
    headers = {"ETag": described.tag, "Cache-Control": "public, max-age=3600", "Vary": "Accept-Encoding"}
    if described.tag in (each.strip() for each in request.headers.get("if-none-match", "").split(",")):
        return Response(None, HTTPStatus.NOT_MODIFIED, headers)
    if _GZIP.search(request.headers.get("accept-encoding", "")):
        return Response(
            described.compressed, headers=headers | {"Content-Encoding": "gzip"}, media_type="application/json"
        )
    return Response(described.plain, headers=headers, media_type="application/json")


_GZIP = re.compile(r"\b(gzip|x-gzip)\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)
"""Finds in a request that its answer may be compressed."""


@frozen
class _Description:
    plain: bytes
    compressed: bytes
    tag: str


@cache
def _description() -> _Description:
    from recto.contract.api import routes
    from recto.contract.describe import describe

    answered = [(route, entry(route.operation)) for route in routes()]
    located = {route for route, found in answered if found is not None and found.location is not None}
    offered = [route for route, found in answered if found is not None]
    plain = json.dumps(describe(offered, located), ensure_ascii=False, separators=(",", ":")).encode()
    tag = f'W/"{hashlib.sha256(plain).hexdigest()[:32]}"'
    return _Description(plain, gzip.compress(plain, mtime=0), tag)


def _token(request: Request) -> str:
    """Return the token that the request carries."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("This needs a token: send the header “Authorization: Bearer <token>”.")
    return token.strip()


def _caller(platform: Workspace, connection: Connection, request: Request) -> str:
    """Return the id of the user for whom the token of a request speaks."""
    caller = platform.recognize(connection, _token(request))
    if caller is None:
        raise Unauthorized("The token is not valid here.")
    if (welcome := request.scope.get("state", {}).get(WELCOME)) is not None:
        welcome()
    return caller


def _location(context: Context, found: Entry, given: dict[str, Any], answer: Any) -> str | None:
    if found.location is None:
        return None
    return context.location(found.location.format(answer=answer, **given))


def error_response(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    """Return an error as this API words it; what was sent may be in it, but not without end."""
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 1] + "…"
    body = json.dumps({"error": {"code": int(status), "message": message}}, ensure_ascii=False).encode()
    if status == HTTPStatus.UNAUTHORIZED:
        headers = {"WWW-Authenticate": "Bearer"} | (headers or {})
    return Response(body, int(status), headers, media_type="application/json")


async def _no_route(request: Request, error: Exception) -> Response:
    """Answer what no route took: an unknown address, or a method that the address does not have."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        message = f"{path} does not take {request.method}."
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    elif error.status_code == HTTPStatus.NOT_FOUND:
        message = f"There is nothing at {path}."
    else:
        message = error.detail
    return error_response(error.status_code, message, headers)


def _methods(request: Request) -> set[str]:
    """Return the methods that an address takes."""
    methods: set[str] = set()
    for route in request.app.routes:
        if isinstance(route, OperationRoutes):
            methods |= route.methods(request.scope)
        elif route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods
    return methods


def log_failure(doing: str, error: BaseException) -> None:
    """Log an unforeseen failure: what was being done, where it broke, but no values, which may be private."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    failure = f"{type(error).__name__}: {error}" if isinstance(error, sqlite3.Error) else type(error).__name__
    logger.error("%s failed with %s\n%s", doing, failure, frames)
