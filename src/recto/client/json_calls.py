"""Calls that return the JSON of a response unchanged, for ``recto api`` and the console."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from recto.client.errors import BadResponse
from recto.client.sender import failure_of
from recto.contract.api import routes
from recto.contract.common import ListPage
from recto.contract.describe import full_path
from recto.contract.operation import Route

NOTHING: Final = object()
"""The response of a call that has no content."""


def read_json(route: Route, content: bytes) -> Any:
    """Return the JSON of a response, :data:`NOTHING` where it is empty; raises :class:`BadResponse`."""
    if not content.strip():
        return NOTHING
    try:
        return json.loads(content, parse_constant=_refuse)
    except (ValueError, RecursionError):
        why = "The server's response is not JSON, or was cut short."
        raise BadResponse(failure_of(route), why, may_have_arrived=not route.reads) from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def is_list(route: Route) -> bool:
    """Whether an operation answers with a list that comes in pages."""
    return isinstance(route.response, type) and issubclass(route.response, ListPage)


def next_page_of(route: Route, value: Any) -> str | None:
    """Return the parameter for the next page of a list; ``None`` at its end."""
    after = value.get("next") if isinstance(value, dict) else None
    where = after.get("page") if isinstance(after, dict) else None
    is_page = isinstance(where, str) and where != ""
    return where if is_page and any(each.name == "page" for each in route.parameters) else None


def how_to_look(route: Route, arguments: Mapping[str, Any]) -> str:
    """Return the sentence that says that a change may have been made, and which call shows whether it was."""
    path = _nearest_readable_path(route, arguments)
    return f"It may have arrived. Look {f'with GET {path} ' if path else ''}before you send it again."


def _nearest_readable_path(route: Route, arguments: Mapping[str, Any]) -> str:
    """Return the path of the nearest thing that can be read: what was changed, its list, or what it belongs to."""
    readable = {full_path(each) for each in routes() if each.reads}
    pattern = full_path(route).split("/")
    while pattern and "/".join(pattern) not in readable:
        pattern.pop()
    path = "/".join(pattern).removeprefix("/v1")
    for parameter in route.parameters:
        path = path.replace(f"{{{parameter.json_name}}}", quote(str(arguments[parameter.name]), safe=""))
    return path
