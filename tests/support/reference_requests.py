"""Holds what the program asks to the reference: older services refuse, or pass over, what it does not name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from contract.reference.further import FIELDS, INNER_FIELDS, NEWER
from contract.reference.rows import ROWS, Key, query_of
from recto.client.outgoing import make_outgoing
from recto.contract.describe import full_path

if TYPE_CHECKING:
    from recto.client.outgoing import Outgoing
    from recto.contract.operation import Route


def hold_to_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each request fail that has a parameter, a value or a field that only we or newer services know."""

    def check(route: Route, arguments: Mapping[str, Any], what: str) -> Outgoing:
        request = make_outgoing(route, arguments, what)
        key = (route.method, full_path(route))
        # The notes of some tests are operations that no platform has.
        wrong = [] if key[1].startswith("/v1/books/") else beyond_reference(key, request)
        assert not wrong, f"{route!r} asks for what the reference does not have: {', '.join(wrong)}"
        return request

    monkeypatch.setattr("recto.client.sender.make_outgoing", check)


def beyond_reference(key: Key, request: Outgoing) -> list[str]:
    """Return what of a request the reference does not have."""
    row = ROWS[key]
    known = query_of(row)
    wrong = []
    for name, value in parse_qsl(urlsplit(request.target).query, keep_blank_values=True):
        values = known.get(name, {}).get("values")
        if name not in known or (values and value not in values) or {name, f"{name}={value}"} & NEWER:
            wrong.append(f"{name}={value}")
    body = json.loads(request.content) if request.content else {}
    return wrong + list(_fields_beyond(body, row["body"], FIELDS.get(key, set()), ""))


def _fields_beyond(body: Mapping[str, Any], told: Mapping[str, Any], more: set[str], under: str) -> list[str]:
    wrong = [
        under + name for name in body if name not in told and name not in more and under + name not in INNER_FIELDS
    ]
    for name, value in body.items():
        inner = told.get(name, {}).get("fields")
        if inner and isinstance(value, dict):
            wrong += _fields_beyond(value, inner, set(), f"{under}{name}.")
    return wrong
