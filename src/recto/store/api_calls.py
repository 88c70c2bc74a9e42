"""Calls of any operation by hand: as values, as lines for a shell, and as a history on disk."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from recto.client.errors import Unsendable
from recto.client.json_calls import NOTHING, next_page_of, read_json
from recto.client.outgoing import make_outgoing
from recto.client.sender import failure_of
from recto.contract.api import routes
from recto.contract.describe import operation_id
from recto.contract.misfit import misfit
from recto.contract.model import json_name
from recto.contract.operation import Parameter, Place, Route
from recto.document.json_text import compact
from recto.frozen import frozen
from recto.store.json_file import JsonFile

MOST_CALLS = 100
"""The number of calls kept for each platform."""

_LONGEST = 16_384
"""The most characters of a call that is kept."""

_SECRET: Final = "share_key"
"""The parameter that is never stored."""

_SHARE_KEY: Final = '"$SHARE_KEY"'
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@?#]*@")
_KEYS = re.compile(r"([?&#](?:share_?key|jwt_token|access_token|token)=)[^&#\s\"']*", re.IGNORECASE)
_PLAIN = re.compile(r"(?!(?:null|true|false|-?\d+(?:\.\d+)?)$)(?![\[{])[^\x00-\x1f\x7f-\x9f]*")
"""A text that ``-f`` takes as it is, whatever its field is."""


@frozen
class ApiCall:
    """A call of an operation at a path.

    ``values`` are the parameters and the fields of the body that are given, as in JSON, by their names in Python.
    """

    route: Route
    values: Mapping[str, Any]

    @property
    def body(self) -> dict[str, Any] | None:
        """The fields of the body as they go out; ``None`` where the operation takes no body."""
        model = _body_of(self.route)
        if model is None:
            return None
        return {json_name(name): self.values[name] for name in model.annotation.model_fields if name in self.values}

    def arguments(self) -> dict[str, Any]:
        """Return what the call is sent with; raises :class:`Unsendable` for a body that does not fit the contract."""
        found: dict[str, Any] = {}
        for each in self.route.parameters:
            if each.place is not Place.BODY:
                found[each.name] = self.values.get(each.name)
                continue
            try:
                content = json.dumps(self.body).encode()
                found[each.name] = each.annotation.model_validate_json(
                    content, strict=True, by_alias=True, by_name=False
                )
            except ValidationError as error:
                why = f"The body cannot be sent. {misfit(error, 'The body')}."
                raise Unsendable(failure_of(self.route), why, "Change it and send it again.") from None
        return found

    def on_page(self, page: str) -> ApiCall:
        """Return the call for another page of the same list."""
        return ApiCall(self.route, {**self.values, "page": page})

    @property
    def target(self) -> str:
        """The path and the query, without a share key; raises :class:`Unsendable` where the path is not filled."""
        shown = {name: value for name, value in self.arguments().items() if name != _SECRET}
        return make_outgoing(self.route, {_SECRET: None, **shown}, failure_of(self.route)).target

    def without_secrets(self) -> ApiCall:
        """Return the call without share keys and without the credentials and keys in addresses."""
        kept = {name: _without_secrets(value) for name, value in self.values.items() if name != _SECRET}
        return ApiCall(self.route, kept)

    def queries(self) -> Iterable[tuple[str, str]]:
        """Yield name and value of each query parameter as they go out."""
        for each in self.route.parameters:
            value = self.values.get(each.name)
            if each.place is Place.QUERY and value is not None:
                for one in value if isinstance(value, list | tuple) else [value]:
                    yield each.json_name, one if isinstance(one, str) else json.dumps(one)


def names_of(route: Route) -> list[str]:
    """Return the names of the parameters and of the body's fields, in order."""
    body = _body_of(route)
    names = [each.name for each in route.parameters if each is not body]
    return [*names, *(body.annotation.model_fields if body is not None else ())]


def _body_of(route: Route) -> Parameter | None:
    return next((each for each in route.parameters if each.place is Place.BODY), None)


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return _KEYS.sub(r"\1", _CREDENTIALS.sub("", value))
    if isinstance(value, Mapping):
        return {name: _without_secrets(one) for name, one in value.items()}
    return [_without_secrets(one) for one in value] if isinstance(value, list | tuple) else value


# Lines for a shell


def api_line(call: ApiCall, options: Sequence[str] = ()) -> str:
    """Return the call as a line for a shell: ``recto api GET /orgs``; ``options`` name the platform.

    The token is where the program finds it, and a share key is ``$SHARE_KEY``. Raises :class:`Unsendable`.
    """
    shown = call.without_secrets()
    path = shown.target.removeprefix("/v1").partition("?")[0]
    words = ["recto", "api", *(shlex.quote(option) for option in options), call.route.method, shlex.quote(path)]
    for name, value in shown.queries():
        words += ["-q", shlex.quote(f"{name}={value}")]
    if call.values.get(_SECRET) is not None:
        words += ["-q", f"{json_name(_SECRET)}={_SHARE_KEY}"]
    body = shown.body or {}
    fields = [_field(name, value) for name, value in body.items()]
    if all(field is not None for field in fields):
        for field in fields:
            words += ["-f", shlex.quote(str(field))]
        return " ".join(words)
    return " ".join(["printf", "%s", shlex.quote(compact(body)), "|", *words, "--input", "-"])


def _field(name: str, value: Any) -> str | None:
    """Return a field as ``-f`` takes it; ``None`` where it would not come back as what it is."""
    if value is None or isinstance(value, bool | int):
        return f"{name}={json.dumps(value)}"
    return f"{name}={value}" if isinstance(value, str) and _PLAIN.fullmatch(value) else None


def curl_line(call: ApiCall, address: str) -> str | None:
    """Return the call as a ``curl`` line with ``$RECTO_TOKEN``; ``None`` where the platform has no address.

    Raises :class:`Unsendable`.
    """
    if "://" not in address:
        return None
    shown = call.without_secrets()
    url = shlex.quote(_without_credentials(address) + shown.target)
    if call.values.get(_SECRET) is not None:
        sign = "&" if "?" in shown.target else "?"
        url = f"{url}{shlex.quote(f'{sign}{json_name(_SECRET)}=')}{_SHARE_KEY}"
    words = ["curl", "-sS", *(["-X", call.route.method] if call.route.method != "GET" else []), url]
    words += ["-H", '"Authorization: Bearer $RECTO_TOKEN"']
    if shown.body is not None:
        words += ["-H", "'Content-Type: application/json'", "--data-raw", shlex.quote(compact(shown.body))]
    return " ".join(words)


def _without_credentials(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl().rstrip("/")


# Responses


@frozen
class ApiResponse:
    """The response to a call: its JSON, :data:`NOTHING` where it has none."""

    call: ApiCall
    value: Any
    size: int
    """The bytes of the response."""

    @classmethod
    def read(cls, call: ApiCall, content: bytes) -> ApiResponse:
        """Read a response; raises :class:`BadResponse`."""
        return cls(call, read_json(call.route, content), len(content))

    @property
    def is_empty(self) -> bool:
        """Whether it has no content."""
        return self.value is NOTHING

    @property
    def next_page(self) -> str | None:
        """Where the list goes on after this page of it."""
        return next_page_of(self.call.route, self.value)


# Calls made before


class CallHistory:
    """The calls made on a platform, the latest first, in a small file; without secrets."""

    def __init__(self, file: Path, address: str) -> None:
        self._file = JsonFile(file, "calls made in the console")
        self._address = _without_credentials(address) if "://" in address else address

    def load(self) -> list[ApiCall]:
        """Return the calls, in any thread; those of operations that there no longer are, are left out."""
        known = {operation_id(route): route for route in routes()}
        found = []
        for each in _entries_of(self._file.read(), self._address):
            route = known.get(str(each.get("operation"))) if isinstance(each, dict) else None
            values = each.get("values") if route is not None else None
            if route is not None and isinstance(values, dict):
                names = names_of(route)
                found.append(ApiCall(route, {name: value for name, value in values.items() if name in names}))
        return found

    def add(self, call: ApiCall) -> None:
        """Put a call first, without its duplicates. Failures of the disk go to the log."""
        shown = call.without_secrets()
        entry = {"operation": operation_id(call.route), "values": dict(shown.values)}
        if len(json.dumps(entry)) > _LONGEST:
            return

        def change(content: dict[str, Any]) -> None:
            others = (each for each in _entries_of(content, self._address) if each != entry)
            content[self._address] = [entry, *others][:MOST_CALLS]

        self._file.change(change)


def _entries_of(content: Mapping[str, Any], address: str) -> list[Any]:
    entries = content.get(address)
    return entries if isinstance(entries, list) else []
