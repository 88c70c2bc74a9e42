"""Bodies of requests that weigh as much as they may."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

from benchmarks.twice.cases import case
from recto.contract.agent_instructions import SetInstructions
from recto.contract.teams import CreateTeam
from recto.server.http.bodies import BodyLimit, weigh
from recto.server.http.problems import BadRequest
from recto.server.http.requests import parse_body

_ANY = BodyLimit(bytes=1 << 30, tokens=1 << 30)


def _parse(model: type[CreateTeam | SetInstructions], body: bytes) -> Callable[[], object]:
    with suppress(BadRequest):
        parse_body(model, b"{}")

    def work() -> None:
        with suppress(BadRequest):
            weigh(body, _ANY)
            parse_body(model, body)

    return work


@case("body: wrong users", 1_000_000)
def wrong_users(size: int) -> Callable[[], object]:
    return _parse(CreateTeam, b'{"members": [' + b"1," * size + b"1]}")


@case("body: unknown fields", 5_000)
def unknown_fields(size: int) -> Callable[[], object]:
    return _parse(CreateTeam, json.dumps({f"a{at}": 1 for at in range(size)}).encode())


@case("body: wrong nodes in nodes", 500_000)
def wrong_nodes(size: int) -> Callable[[], object]:
    inner = b'{"object": "block", "type": "x", "nodes": [' + b"1," * size + b"1]}"
    return _parse(SetInstructions, b'{"instructions": {"object": "document", "nodes": [' + inner + b"]}}")


@case("body: strings", 200_000)
def strings(size: int) -> Callable[[], object]:
    return _parse(CreateTeam, b'{"members": [' + b'"\\"",' * size + b'""]}')


@case("body: brackets in one another", 500_000)
def brackets(size: int) -> Callable[[], object]:
    return _parse(CreateTeam, b'{"title": ' + b"[" * size + b"]" * size + b"}")
