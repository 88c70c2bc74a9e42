"""The errors between a request and its response.

::

    ClientError
    ├── Unsendable              the request cannot be made: a bad address, token or argument
    ├── ReadOnly                it would change something, and nothing is to be changed
    ├── Unreachable             no response, or the connection broke
    ├── TimedOut                no response in time
    ├── BadResponse             a response that is broken, cut short or not what the contract says
    │   └── Intercepted         a web page, or the way to another address: not the platform's API answered
    └── Refused                 the platform answered with an error status
        ├── BadRequest          400, 422
        ├── Unauthorized        401
        ├── NotAllowed          403
        ├── NotFound            404, 410
        ├── Unsupported         405, 501, and 404 of the operation itself: this server does not have it
        ├── Conflict            409
        ├── PreconditionFailed  412
        ├── TooManyRequests     429
        └── ServerFailed        5xx
            └── Unavailable     502, 503, 504 and the like: a gateway answered, not the server behind it

Each says what failed, why, and what to do next, in sentences for the person; none holds a token or an address with
its query. Those in ``CUT_OFF`` mean that the platform cannot be reached.
"""

from __future__ import annotations

import unicodedata
from typing import ClassVar, Final

_LOOK_FIRST = "It may have arrived all the same: look before you send it again."


class ClientError(Exception):
    """A request failed, or its response cannot be used."""

    default_next_step: ClassVar[str] = "Try again."
    may_arrive_later: bool = False
    """Whether the platform may still be working on the request, which then arrives only later."""

    def __init__(self, what: str, why: str, next_step: str | None = None, *, may_have_arrived: bool = False) -> None:
        super().__init__(what, why)
        self.what = what
        """What failed, as a sentence."""
        self.why = why
        """Why, as a sentence."""
        default = _LOOK_FIRST if may_have_arrived else self.default_next_step
        self.next_step = default if next_step is None else next_step
        """What the person can do now, as a sentence."""
        self.may_have_arrived = may_have_arrived
        """Whether the platform may have done what it was asked all the same."""

    def __str__(self) -> str:
        return f"{self.what} {self.why} {self.next_step}".strip()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.what!r}, {self.why!r})"


class Unsendable(ClientError):
    """The request cannot be made: a bad address, token or argument."""

    default_next_step = "Correct it in the settings or on the command line."


class ReadOnly(ClientError):
    """The request would change something although nothing may be changed; it was not sent."""

    default_next_step = "Start it without --read-only, and without read_only in the settings, to change something."

    def __init__(self, what: str) -> None:
        super().__init__(what, "Recto is read-only now.")


class Unreachable(ClientError):
    """No server answered at the address, or the connection broke."""

    default_next_step = "Check the address and the network, then try again."

    reason: str = "cannot be reached"
    """Why, in a few words: "connection refused"."""


class TimedOut(ClientError):
    """The response did not come in time."""

    default_next_step = "Try again; the server may be busy."

    may_arrive_later = True
    reason: str = "no response in time"


class BadResponse(ClientError):
    """The response is broken, cut short or not what the contract says."""

    default_next_step = "Check that the address is that of the platform's API, then try again."


class Intercepted(BadResponse):
    """Something other than the platform's API answered, such as the sign-on page of a network."""

    reason: str = "a web page answered"


class Refused(ClientError):
    """The platform answered with an error status."""

    default_why: ClassVar[str] = "The server refused."

    def __init__(
        self,
        what: str,
        why: str,
        next_step: str | None = None,
        *,
        status: int,
        message: str = "",
        may_have_arrived: bool = False,
    ) -> None:
        super().__init__(what, why, next_step, may_have_arrived=may_have_arrived)
        self.status = status
        """The HTTP status."""
        self.message = message
        """The platform's own words, made safe to show; empty where it gave none."""
        self.may_arrive_later = status in _LATE


class BadRequest(Refused):
    """The platform rejected what it was sent (400, 422)."""

    default_why = "The server does not accept what it was sent."
    default_next_step = "Change it and try again."


class Unauthorized(Refused):
    """The platform does not know the caller (401)."""

    default_why = "The server does not accept the token."
    default_next_step = "Set RECTO_TOKEN to a token that is valid on this server."


class NotAllowed(Refused):
    """The caller may see it but not do this with it (403)."""

    default_why = "Your role does not allow it."
    default_next_step = "Ask an admin for permission to do this."


class NotFound(Refused):
    """What was asked for does not exist, or the caller may not see it (404, 410)."""

    default_why = "It does not exist, or you may not see it."
    default_next_step = "Refresh: it may have been moved or deleted."


class Unsupported(Refused):
    """The server does not have the operation (405, 501, or 404 of the operation itself)."""

    default_why = "This server does not offer it."
    default_next_step = "Do it in the platform's web app."


class Conflict(Refused):
    """The other side has moved on, or nothing would change (409)."""

    default_why = "It conflicts with the current state."
    default_next_step = "Refresh, look at what changed, and try again."


class PreconditionFailed(Refused):
    """A precondition is not met (412)."""

    default_why = "Something else has to be done first."
    default_next_step = "Do that first, then try again."


class TooManyRequests(Refused):
    """The platform asks to wait (429)."""

    default_why = "The server asks for fewer requests."
    default_next_step = "Wait a moment and try again."

    retry_after: float | None = None
    """How many seconds the platform asks to wait, where it says."""


class ServerFailed(Refused):
    """The platform failed (5xx)."""

    default_why = "The server failed."
    default_next_step = "Try again in a moment."


class Unavailable(ServerFailed):
    """A gateway answered because the server behind it does not (502, 503, 504, 511, 520 to 530)."""

    @property
    def reason(self) -> str:
        """Why it cannot be reached, in a few words."""
        return f"error {self.status}"


CUT_OFF: Final = (Unreachable, TimedOut, Intercepted, Unavailable)
"""The errors of a platform that cannot be reached: no response comes, or not from the platform itself."""

_LATE = frozenset({504, 524})
"""The statuses with which gateways stop waiting for a server: 504, and 524 of Cloudflare."""

_BY_STATUS: dict[int, type[Refused]] = {
    400: BadRequest,
    401: Unauthorized,
    403: NotAllowed,
    404: NotFound,
    405: Unsupported,
    409: Conflict,
    410: NotFound,
    412: PreconditionFailed,
    422: BadRequest,
    429: TooManyRequests,
    501: Unsupported,
    **dict.fromkeys((502, 503, 504, 511, *range(520, 531)), Unavailable),
}


def refusal(
    what: str,
    status: int,
    message: str | None,
    *,
    reads: bool,
    retry_after: float | None = None,
    by_gateway: bool = True,
) -> Refused:
    """Return the error for an error status; ``message`` is the platform's, None where its body is not the platform's.

    ``by_gateway`` is whether it may come from a gateway before the server, which does not know what the server did.
    A 404 without the platform's own error body comes from a server that does not know the path at all.
    """
    kind = _BY_STATUS.get(status, ServerFailed if status >= 500 else Refused)
    if status == 404 and message is None:
        kind = Unsupported
    given = one_line(message or "")
    next_step = None
    if retry_after is not None and issubclass(kind, (TooManyRequests, ServerFailed)):
        next_step = f"Try again in {max(1, round(retry_after))} s."
    # A 503 says that nothing was done where it says when to come back, or is the server's own.
    not_taken_on = status == 501 or (status == 503 and (retry_after is not None or not by_gateway))
    unsure = not reads and status >= 500 and not not_taken_on
    error = kind(what, _reason(kind, given), next_step, status=status, message=given, may_have_arrived=unsure)
    if isinstance(error, TooManyRequests):
        error.retry_after = retry_after
    return error


def _reason(kind: type[Refused], given: str) -> str:
    """Prefer the platform's own words where they are more than the name of the status."""
    if len(given.split()) < 3:
        return kind.default_why
    sentence = given if given.endswith((".", "!", "?", "…")) else given + "."
    return sentence if sentence[0].isupper() else f"The server says: {sentence}"


# Cc: control characters (escape sequences begin with them); Cf: invisible ones, those that turn the direction of the
# text among them; Cs and Co: nothing that could be shown; Zl and Zp: line ends in disguise.
_UNSHOWABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_LONGEST = 400


def one_line(text: str, longest: int = _LONGEST) -> str:
    """Return the text as one line of at most ``longest`` characters without terminal control characters."""
    visible = "".join(" " if unicodedata.category(character) in _UNSHOWABLE else character for character in text[:4096])
    line = " ".join(visible.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
