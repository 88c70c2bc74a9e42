"""The screens before whatever the public descriptions allow: they are drawn without an error, and nothing is unread.

``RECTO_GENERATED=50 uv run pytest tests/tui/screens/test_generated.py`` draws each for as many platforms.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from textual.pilot import Pilot

from recto.client.sender import Sender
from recto.store.drafts import Drafts
from recto.store.locations import ChangeRequestLocation, Location, SiteLocation, SpaceLocation
from recto.store.store import Store
from recto.tui.app import RectoApp
from support.platform import FrozenClock
from support.screens import screen_text, settled
from support.shapes import Shapes, reference_answers

NUMBER = int(os.environ.get("RECTO_GENERATED", "4"))
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, NUMBER))]

_WRONG = re.compile(r"[Uu]nexpected error|not what the API describes|unreadable|\x1b|Traceback")


@dataclass
class Made:
    """A platform that answers each question with something made up, the same each time."""

    seed: int

    def __post_init__(self) -> None:
        found = [(method, path, answer) for (method, path), answer in reference_answers().items() if method == "GET"]
        # A word in the path goes before what may stand for any.
        found.sort(key=lambda each: [part == "{}" for part in each[1].split("/")])
        self._answers = [(re.compile(re.escape(path).replace(r"\{\}", "[^/]+")), answer) for _, path, answer in found]
        self.asked = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a request; a thing that is asked for by its id has it."""
        path = request.url.path
        known = next((answer for pattern, answer in self._answers if pattern.fullmatch(path)), None)
        if known is None or request.method != "GET":
            return httpx.Response(404, json={"error": {"code": 404, "message": "Not Found"}})
        self.asked += 1
        asked = sum(map(ord, path)) + self.seed * 7919
        made: Any = Shapes(asked).answer(known)
        if "kind" in known and "id" in made:
            made["id"] = path.rpartition("/")[2]
        return httpx.Response(200, json=made)


@asynccontextmanager
async def open_app(made: Made, folder: Path, opening: Location | None) -> AsyncIterator[Pilot[None]]:
    clock = FrozenClock()

    async def open_store() -> Store:
        sender = Sender("https://x.y", "t", transport=lambda: httpx.MockTransport(made.answer))
        return Store(sender, Drafts(folder / "drafts", clock), clock=clock, address="https://x.y")

    app = RectoApp(open_store, opening=opening)
    async with app.run_test(size=(110, 34), notifications=True) as pilot:
        await settled(pilot)
        yield pilot


PLACES = {
    "organizations": (None, ["Z", "j", "j", "enter", "G", "k", "enter", "j", "escape", "escape", "g", "j", "r", "z"]),
    "space": (
        SpaceLocation("space1"),
        ["Z", "j", "j", "enter", "i", "b", "C", "t", "escape", "2", "j", "3", "j", "enter", "j", "escape", "4", "j",
         "5", "j", "6", "j", "1", "G", "r"],
    ),
    "change request": (
        ChangeRequestLocation("space1", "request1"),
        ["j", "2", "j", "enter", "j", "escape", "3", "j", "enter", "j", "escape", "4", "j", "1", "r"],
    ),
    "lists of an organization": (None, ["l", *["j"] * 30]),
    "site": (
        SiteLocation("organization1", "site1"),
        ["Z", "j", "j", "m", "j", "escape", "G", "r", "z", "2", "j", "3", "j", "enter", "escape", "4", "j", "enter",
         "escape", "5", "j", "enter", "escape", "6", "j", "j"],
    ),
    "revision": (SpaceLocation("space1", revision="revision1"), ["j", "enter", "j", "2", "j", "1", "r"]),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("seed", SEEDS)
async def test_a_screen_is_drawn_from_whatever_a_platform_may_say(place: str, seed: int, tmp_path: Path) -> None:
    opening, keys = PLACES[place]
    made = Made(seed)
    async with open_app(made, tmp_path, opening) as pilot:
        pressed: list[str] = []
        for key in ["", *keys]:
            if key:
                pressed.append(key)
                await pilot.press(key)
                await settled(pilot)
            told = "\n".join(screen_text(pilot.app)) + "\n".join(note.message for note in pilot.app._notifications)
            assert not _WRONG.search(told), f"after {pressed}:\n{told}"
    assert made.asked > 1
