from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recto.server.http import routing
from support.platform import Speaker

ASKS = """
import asyncio, sys
from pathlib import Path
import httpx
from recto.server.platform import Owner, Platform

TEAMS = "recto.contract.teams"

async def ask(platform, *requests):
    transport = httpx.ASGITransport(app=platform.application)
    headers = {"Authorization": f"Bearer {platform.token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://recto.invalid/v1", headers=headers) as client:
        return [await client.request(*request) for request in requests]

platform = Platform.open(Path(sys.argv[1]), owner=Owner("Ada"), fill=lambda _: None)
from recto.contract import organizations, users
me, mine = asyncio.run(ask(platform, ("GET", "/user"), ("GET", "/orgs")))
assert (me.status_code, mine.status_code, TEAMS in sys.modules) == (200, 200, False), (me, mine, TEAMS in sys.modules)
assert "recto.server.http.web" not in sys.modules
teams = f"/orgs/{mine.json()['items'][0]['id']}/teams"
found, wrong, none = asyncio.run(ask(platform, ("GET", teams), ("POST", teams), ("GET", "/nothing/here")))
assert (found.status_code, wrong.status_code, none.status_code) == (200, 405, 404), (found, wrong, none)
assert wrong.headers["Allow"] == "GET, HEAD, PUT", wrong.headers["Allow"]
platform.close()
"""


def test_operations_are_found_whose_declaration_is_not_imported(tmp_path: Path) -> None:
    """In a process of its own: in this one everything is imported."""
    asked = subprocess.run(
        [sys.executable, "-c", ASKS, str(tmp_path / "workspace.db")], capture_output=True, text=True, check=False
    )
    assert (asked.returncode, asked.stderr) == (0, "")


async def test_what_declares_operations_is_not_looked_through_for_each_request(
    ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ada.get("/user")
    looked: list[object] = []

    def look(resource: object) -> tuple[()]:
        looked.append(resource)
        return ()

    monkeypatch.setattr(routing, "_below", look)
    await ada.get("/user")
    assert not looked


def test_a_server_has_all_operations_before_the_first_request() -> None:
    """Importing them takes a third of a second, for which the event loop would stand still."""
    code = "import sys, recto.server.http.uvicorn_server; assert 'recto.contract.api' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
