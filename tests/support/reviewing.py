"""A person before a change request, for tests that review with the keys alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.pilot import Pilot

from recto.store.locations import ChangeRequestLocation
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.navigation import views
from recto.tui.terminal.editor import Editor
from support.guide import Guide, open_store
from support.screens import all_messages, screen_text, settled, shows, type_text
from support.sites import Refusing
from support.views import ExampleView


@dataclass
class Seat:
    """A person before a change request: the keys, the screen, and the workspace behind it."""

    pilot: Pilot[None]
    store: Store
    transport: Refusing
    guide: Guide

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await settled(self.pilot)

    async def type(self, text: str) -> None:
        await type_text(self.pilot, text)

    @property
    def lines(self) -> list[str]:
        return screen_text(self.pilot.app)

    def line(self, text: str) -> str:
        found = next((line for line in self.lines if text in line), None)
        assert found is not None, f"{text!r} is not on the screen:\n" + "\n".join(self.lines)
        return found

    def shows(self, text: str) -> bool:
        return shows(self.pilot.app, text)

    def assert_shows(self, *texts: str) -> None:
        lines = self.lines
        missing = [text for text in texts if not any(text in line for line in lines)]
        assert missing == [], "\n".join(lines)

    def assert_told(self, text: str) -> None:
        told = all_messages(self.pilot.app)
        assert any(text in message for message in told), told

    async def action(self, letters: str) -> None:
        """Do an action by its name in the palette."""
        await self.press("colon")
        await self.type(letters)
        await self.press("enter")


Sit = Callable[..., AbstractAsyncContextManager[Seat]]


def seat_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Sit:
    """Return what opens the program at a change request, drafts in ``folder``; other views are empty ones."""
    real = views.view_class
    monkeypatch.setattr(
        views, "view_class", lambda at: real(at) if isinstance(at, ChangeRequestLocation) else ExampleView
    )

    @asynccontextmanager
    async def open_program(
        guide: Guide,
        size: tuple[int, int] = (140, 44),
        prepare: Callable[[Refusing], None] = lambda transport: None,
        page: str | None = None,
        editor: Editor | None = None,
    ) -> AsyncIterator[Seat]:
        store, transport = open_store(guide.platform, folder)
        prepare(transport)
        request = await guide.desk.get()

        async def open_view() -> Store:
            return store

        at = ChangeRequestLocation(guide.space, request["id"], page=page)
        app = RectoApp(open_view, opening=at, editor=editor)
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            yield Seat(pilot, store, transport, guide)
        await store.aclose()

    return open_program
