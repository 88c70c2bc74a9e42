"""Requests and responses as they go over the wire, and turning an operation and its arguments into a request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from recto.client.errors import Unsendable
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.operation import Route


@frozen
class Outgoing:
    """A request ready to go: ``target`` is the path from ``/v1`` on, with its query."""

    method: str
    target: str
    content: bytes | None


@frozen
class Response:
    """A response; the names of ``headers`` are looked up in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


LONGEST_RESPONSE = 256 * 1024 * 1024
"""The most bytes that a response may have."""


@frozen
class Limits:
    """Limits of time, attempts and concurrency; times in seconds."""

    connect: float = 10.0
    """To reach the server."""
    read: float = 30.0
    """Between two pieces of the response to a read."""
    write: float = 120.0
    """Between two pieces of the response to a write, or of its request; longer than gateways usually wait."""
    total: float = 60.0
    """For a whole read."""
    write_total: float = 300.0
    """For a whole request that changes something."""
    parallel_reads: int = 6
    attempts: int = 3
    """How often a call that may be repeated is sent at most."""
    longest_wait: float = 60.0
    """The most that a call waits where the server asks it to; asked for more, it fails and says so."""


def platform_address(base_url: str) -> str:
    """Return the address of a platform without ``/v1`` and trailing slashes; :class:`Unsendable` if it is none."""
    address = re.sub(r"(?<!/)/v1$", "", base_url.strip().rstrip("/")).rstrip("/")
    try:
        parts = urlsplit(address)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole or parts.query or parts.fragment or parts.username or parts.password:
        raise Unsendable(
            "The address of the platform cannot be used.",
            "It has to look like https://api.example.com, without a user, a query or a fragment.",
        )
    return address


def usable_token(token: str | None) -> str | None:
    """Return the token as it goes into a header, None for no token; raise :class:`Unsendable` if it cannot."""
    stripped = (token or "").strip()
    if any(not "!" <= character <= "~" for character in stripped):
        raise Unsendable(
            "The token cannot be used.",
            "It contains spaces or other characters that a token cannot have.",
            "Set RECTO_TOKEN to the token alone, as the platform gave it.",
        )
    return stripped or None


def make_outgoing(route: Route, arguments: Mapping[str, Any], what: str) -> Outgoing:
    """Return the request of a call; raise :class:`Unsendable` where an argument cannot go into the path."""
    path = route.path
    query: list[str] = []
    content: bytes | None = None
    for parameter in route.parameters:
        value = arguments[parameter.name]
        if parameter.place.value == "path":
            path = _fill(path, parameter.name, _text(value), what)
        elif parameter.place.value == "body":
            content = None if value is None else value.to_json()
        else:
            query += (f"{quote(parameter.json_name)}={quote(text, safe='')}" for text in _query_texts(value))
    return Outgoing(route.method, f"/v1{path}" + (f"?{'&'.join(query)}" if query else ""), content)


def _fill(path: str, name: str, value: str, what: str) -> str:
    """Put a value in its place in the path; a value that would lead to another path is refused."""
    whole = f"{{{name}:path}}"
    segments = value.split("/") if whole in path else [value]
    if any(segment in ("", ".", "..") for segment in segments):
        raise Unsendable(what, f"“{name.replace('_', ' ')}” is empty or not a name.", "Choose it again.")
    slashes = "/" if whole in path else ""
    return path.replace(whole, f"{{{name}}}").replace(f"{{{name}}}", quote(value, safe=slashes))


def _query_texts(value: Any) -> Iterable[str]:
    """Return the texts as which a query parameter is sent."""
    if value is None:
        return []
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_text(item) for item in value]
    return [_text(value)]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)
