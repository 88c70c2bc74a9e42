"""Each operation of the contract does what it says, in process and over HTTP, as another operation sees it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, cast

import pytest
from pydantic import TypeAdapter

from contract.reference.guaranteed_fields import missing_fields
from end_to_end.scenarios import (  # noqa: F401
    change_requests,
    comments,
    content,
    directory,
    git,
    links,
    organizations,
    publishing,
    sign_on,
    sites,
    spaces,
    specifications,
    teams,
    translations,
)
from end_to_end.scenarios.table import SCENARIOS, Scenario
from end_to_end.scenarios.world import TOKEN, Places, World, fill
from recto.client.call import Call
from recto.client.sender import Sender, connect, embed
from recto.contract.api import routes
from recto.contract.operation import Operation, Route
from recto.server.platform import Platform
from recto.server.translations.engine import Engine
from support.engines import write_engine
from support.slow import with_slow
from support.web import web  # noqa: F401  each address leads to a page

R = TypeVar("R")

# Serves each workspace of a folder under its name, one at a time, as if the folder were one platform.
SERVER = """
import sys
from pathlib import Path
from recto.server.platform import Platform
from recto.server.http.uvicorn_server import serve
from recto.server import fetching
from recto.server.translations.engine import Engine

# Each address of the web leads to a page, as in support.web.
def get(self, address, **_):
    return fetching.Fetched(address, "text/markdown", "utf-8", b"# Only once\\n\\nWords of the web.\\n")

fetching.Fetcher.get = get

class Shelf:
    name = platform = None

    @property
    def application(self):
        return self

    async def __call__(self, scope, receive, send):
        name = scope["path"].split("/")[1]
        if name != self.name:
            self.close()
            self.name, self.platform = name, Platform.open(Path(sys.argv[1], name))
            self.platform.admit(sys.argv[2], self.platform.owner)
            self.platform.engine = Engine(tuple(sys.argv[3:]))
        await self.platform.application(scope | {"root_path": f"/{name}"}, receive, send)

    def close(self):
        if self.platform:
            self.platform.close()

shelf = Shelf()
serve(shelf, "127.0.0.1", 0, ready=lambda address: print(address, flush=True))
shelf.close()
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The workspace that each scenario gets a copy of, and the folder whose workspaces are served at an address.

    All of them translate with ``engine``.
    """

    file: Path
    places: Places
    folder: Path
    address: str
    engine: Engine


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    folder = tmp_path_factory.mktemp("served")
    file = tmp_path_factory.mktemp("prepared") / "workspace.recto"
    places = fill(file)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
    engine = write_engine(file.parent)
    command = [sys.executable, "-c", SERVER, str(folder), TOKEN, *engine.command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        yield Prepared(file, places, folder, server.stdout.readline().strip(), engine)
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0


class Listener:
    """A transport that remembers which operations went through it."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.heard: set[Route] = set()

        self.missing_fields: dict[str, None] = {}
        """What the answers lacked of what such answers always carry."""

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Send on, and hold the answer as it comes to the list of what answers always carry."""
        route = operation.route(arguments)
        self.heard.add(route)
        answer = await self._sender.ask(route, route.flat(arguments))
        if operation.response is NoneType:
            return cast("R", None)
        self.missing_fields |= dict.fromkeys(missing_fields(route, answer))
        return cast("R", TypeAdapter(operation.response).validate_json(answer))


@pytest.fixture(params=with_slow(["in process", "over HTTP"], ["over HTTP"]))
async def listener(request: pytest.FixtureRequest, prepared: Prepared, tmp_path: Path) -> AsyncIterator[Listener]:
    if request.param == "in process":
        platform = Platform.open(Path(shutil.copy(prepared.file, tmp_path)))
        platform.engine = prepared.engine
        sender = embed(platform.application, platform.token)
        yield Listener(sender)
        await sender.aclose()
        platform.close()
    else:
        shutil.copy(prepared.file, prepared.folder / tmp_path.name)
        sender = connect(f"{prepared.address}/{tmp_path.name}", TOKEN)
        yield Listener(sender)
        await sender.aclose()


def _name_of(operation: Route) -> str:
    return f"{operation.resource.__name__}.{operation.name}"


def test_each_operation_has_a_scenario_and_each_scenario_an_operation() -> None:
    declared, proved = set(map(_name_of, routes())), set(map(_name_of, SCENARIOS))
    assert declared - proved == set(), "operations without a scenario"
    assert proved - declared == set(), "scenarios without an operation"


@pytest.mark.parametrize(
    ("operation", "scenario"), [pytest.param(*each, id=_name_of(each[0])) for each in SCENARIOS.items()]
)
async def test_it_does_what_it_says(
    operation: Route, scenario: Scenario, listener: Listener, prepared: Prepared
) -> None:
    await scenario(World(Call(listener), prepared.places))
    assert list(listener.missing_fields) == []
    assert operation in listener.heard
    assert len(listener.heard) > 1, "no other operation reads the effect back"
