"""Steps common to all requests: the token, the address at which they came in, and error responses."""

from __future__ import annotations

import json
import logging
import sqlite3
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from recto.server.context import Context
from recto.server.http.asgi import Disconnected, Endpoint, Request, Response
from recto.server.http.problems import BadRequest, Problem, Unauthorized
from recto.server.jobs import Jobs
from recto.server.spaces.sweeping import Sweeper
from recto.server.storage.database import Connection, Database
from recto.urls import LOOPBACK

logger = logging.getLogger(__name__)

_LONGEST_MESSAGE = 2_000
_HTTP_PORT = 80

WELCOME = "recto.welcome"
"""Key in a request's state: a callable to call once the token is accepted."""

HAS_GONE = "recto.has-gone"
"""Key in a request's state: a callable that returns whether its caller has gone."""


class Workspace(Protocol):
    """The part of an open platform that the application uses."""

    @property
    def database(self) -> Database:
        """The database."""
        ...

    @property
    def sweeper(self) -> Sweeper:
        """The sweeper, which is nudged after each write."""
        ...

    @property
    def jobs(self) -> Jobs:
        """The jobs: long tasks outside of transactions."""
        ...

    def is_own(self, token: str) -> bool:
        """Whether a token is that of the program itself, for its own platform in this process."""
        ...

    def recognize(self, connection: Connection, token: str) -> str | None:
        """Return the id of the user for whom a token speaks."""
        ...

    @property
    def public_url(self) -> str | None:
        """The public address, where it differs from the address listened at."""
        ...

    @property
    def fonts(self) -> Path | None:
        """The folder with fonts for PDFs, beside those of the system."""
        ...

    @property
    def host(self) -> str | None:
        """The host name the platform was configured to listen at."""
        ...

    @property
    def after_large_bodies(self) -> Callable[[], None]:
        """Called on a thread of its own when large bodies were worked on and none is any more."""
        ...

    def context(
        self, connection: Connection, caller: str | None = None, base_url: str = "", prepared: Any = None
    ) -> Context:
        """Return the context of a call."""
        ...


def guard(doing: str, handle: Endpoint) -> Endpoint:
    """Return an endpoint that answers failures with error responses; ``doing`` is for the log."""

    async def endpoint(request: Request) -> Response:
        try:
            return await handle(request)
        except Problem as problem:
            return error_response(problem)
        except Disconnected:
            return error_response(BadRequest("The request broke off before it was complete."))
        except Exception as error:
            log_failure(doing, error)
            return error_response(
                Problem("Unexpected error in the server. Nothing was changed; details are in the log.")
            )

    return endpoint


def token_of(request: Request) -> str:
    """Return the token that the request carries."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("This needs a token: send the header “Authorization: Bearer <token>”.")
    return token.strip()


def caller_of(platform: Workspace, connection: Connection, request: Request) -> str:
    """Return the id of the user for whom the token of a request speaks.

    Raises :class:`Disconnected` where the caller has gone while the request waited.
    """
    if (has_gone := request.scope.get("state", {}).get(HAS_GONE)) is not None and has_gone():
        raise Disconnected
    caller = platform.recognize(connection, token_of(request))
    if caller is None:
        raise Unauthorized("The token is not valid here.")
    welcome(request)
    return caller


def welcome(request: Request) -> None:
    """Mark the connection of a request with a valid token as one to keep when others have to make room."""
    if (keep := request.scope.get("state", {}).get(WELCOME)) is not None:
        keep()


def base_url_of(platform: Workspace, request: Request) -> str:
    """Return what the addresses in a response begin with.

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


def error_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error response; what was sent may be repeated in it, up to a limit."""
    message = problem.message
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 1] + "…"
    body = json.dumps({"error": {"code": problem.status, "message": message}}, ensure_ascii=False).encode()
    return Response(problem.status, body, {**problem.headers, **(headers or {})})


def log_failure(doing: str, error: BaseException) -> None:
    """Log an unexpected error: the operation and the traceback, without values, which may be private."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    failure = f"{type(error).__name__}: {error}" if isinstance(error, sqlite3.Error) else type(error).__name__
    logger.error("%s failed with %s\n%s", doing, failure, frames)
