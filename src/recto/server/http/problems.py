"""Errors of requests: a status, and a sentence for the person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class Problem(Exception):
    """A request that is answered with an error; ``message`` is shown to the person as it is."""

    status: ClassVar[int] = 500
    headers: ClassVar[Mapping[str, str]] = {}
    """The additional headers of the response."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadRequest(Problem):
    """The request does not fit the contract."""

    status = 400


class Unauthorized(Problem):
    """The token is missing or not accepted."""

    status = 401
    headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": "Bearer"}


class Forbidden(Problem):
    """The caller may see the thing but not do this with it."""

    status = 403


class NotFound(Problem):
    """It does not exist, or the caller may not see it."""

    status = 404


class MethodNotAllowed(Problem):
    """The address exists, but this server does not offer this operation on it."""

    status = 405


class Conflict(Problem):
    """Not possible in the current state, or without effect."""

    status = 409


class PreconditionFailed(Problem):
    """A precondition is not met."""

    status = 412


class TooLarge(Problem):
    """What was sent is larger than the server takes; the rest of it is not waited for."""

    status = 413
    headers: ClassVar[Mapping[str, str]] = {"Connection": "close"}


class TooSlow(Problem):
    """What was sent did not come in time; the rest of it is not waited for."""

    status = 408
    headers: ClassVar[Mapping[str, str]] = {"Connection": "close"}


class Unavailable(Problem):
    """The server cannot answer right now, but may in a moment."""

    status = 503


class Busy(Unavailable):
    """There is no room for what was sent now; it may be sent again in some seconds."""

    headers: ClassVar[Mapping[str, str]] = {"Retry-After": "5", "Connection": "close"}
