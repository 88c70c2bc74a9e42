"""What a program said while a test ran, and showed before the first key and at the end: read where it is asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from itertools import accumulate
from typing import Any
from weakref import WeakSet

import pytest
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

from recto.tui.app import RectoApp
from recto.tui.screens.guarded_screen import GuardedScreen

_FRAMES = re.compile(r"[\u2500-\u259f]")
"""Borders, bars and blocks."""


class Transcript:
    """The messages of all programs of a test, and their screens before the first key and when the test was done."""

    def __init__(self) -> None:
        self._screens: list[LayoutUpdate] = []
        self._pressed: WeakSet[Pilot[Any]] = WeakSet()
        self.messages: list[str] = []
        """What the programs said in passing, and why keys did nothing."""

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Keep what programs say from now on, and how they end."""
        run_test, screenshot = RectoApp.run_test, RectoApp.export_screenshot
        notify, explain, press = RectoApp.notify, GuardedScreen.explain, Pilot.press

        def keep(app: App[Any]) -> None:
            self._screens += [screen._compositor.render_full_update() for screen in app.screen_stack]

        @asynccontextmanager
        async def run_and_keep(app: RectoApp, **options: Any) -> AsyncIterator[Pilot[Any]]:
            async with run_test(app, **options) as pilot:
                try:
                    yield pilot
                finally:
                    keep(app)

        def keep_and_export(app: RectoApp, **options: Any) -> str:
            exported = screenshot(app, **options)
            keep(app)
            return exported

        async def keep_and_press(pilot: Pilot[Any], *keys: str) -> None:
            if pilot not in self._pressed:
                self._pressed.add(pilot)
                keep(pilot.app)
            await press(pilot, *keys)

        def keep_message(app: RectoApp, message: str, **options: Any) -> None:
            self.messages.append(message)
            notify(app, message, **options)

        def keep_reason(screen: GuardedScreen[Any], reason: str) -> None:
            self.messages.append(reason)
            explain(screen, reason)

        monkeypatch.setattr(RectoApp, "run_test", run_and_keep)
        monkeypatch.setattr(RectoApp, "export_screenshot", keep_and_export)
        monkeypatch.setattr(RectoApp, "notify", keep_message)
        monkeypatch.setattr(GuardedScreen, "explain", keep_reason)
        monkeypatch.setattr(Pilot, "press", keep_and_press)

    def words(self) -> str:
        """Return all of it as one text: each message, and each column of the screens from top to bottom."""
        columns = (words for screen in self._screens for words in _columns(screen))
        return "\n".join(dict.fromkeys((*self.messages, *columns)))


def _columns(screen: LayoutUpdate) -> Iterator[str]:
    """Return what a screen shows from each column on: a sentence that is wrapped in its pane stands there whole."""
    columns: defaultdict[int, list[str]] = defaultdict(list)
    for line in _lines(screen):
        for x, strip in line:
            columns[x].append(_FRAMES.sub(" ", strip.text))
    return (" ".join(" ".join(texts).split()) for texts in columns.values())


def _lines(screen: LayoutUpdate) -> Iterator[Iterable[tuple[int, Strip]]]:
    for line in screen.strips:
        strips = list(line)
        yield zip(accumulate((strip.cell_length for strip in strips), initial=0), strips, strict=False)
