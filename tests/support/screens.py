"""Driving the interface in tests: waiting until all is still, and reading what is on the screen."""

from __future__ import annotations

import asyncio
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from textual import events
from textual._context import visible_screen_stack
from textual.app import App
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.worker import Worker

from recto.tui.dialogs.dialog import Dialog
from recto.tui.widgets.bars import StatusBar

_MARK = re.compile(r"‹[a-z_]+\.[a-z_0-9.]+›")
PATIENCE = 60.0
"""Seconds after which the interface is taken never to come to rest."""


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until no worker runs, the store has nothing under way and the screen has caught up with both.

    Work that asks the person something rests as long as its dialog is open.
    """
    app = pilot.app
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        await pilot.pause()
        store = getattr(app, "_store", None)
        if store is not None and store.pending:
            await store.idle()
            continue
        running = _list_running(app)
        if not running:
            return
        if (ahead := getattr(app, "typed_ahead", None)) is not None and ahead.holds:
            await asyncio.sleep(0.005)
            continue
        if isinstance(app.screen, Dialog) and not any(worker.node is app.screen for worker in running):
            return
        # A round of the event loop lets work go on; what runs in threads is waited for by the pilot's next pause.
        await asyncio.wait([worker._task for worker in running if worker._task is not None], timeout=0.01)
    raise AssertionError("The interface does not come to rest.")


def press_at_once(app: App[Any], *keys: str) -> None:
    """Press keys that come in one go, as from a terminal that is slow."""
    for key in keys:
        name = _character_to_key(key) if len(key) == 1 else key
        app.post_message(events.Key(name, _character_of(name)))


def _character_of(key: str) -> str | None:
    """Return the character that a key types, as the pilot does."""
    try:
        return unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key)))
    except KeyError:
        return key if len(key) == 1 else None


def steps_of(keys: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield what to press before each wait: the letters of a text in one go, any other key by itself."""
    for is_typed, run in groupby(keys, lambda key: len(key) == 1):
        together = tuple(run)
        yield from [together] if is_typed else zip(together, strict=True)


async def type_text(pilot: Pilot[Any], text: str) -> None:
    """Type a text as a person does: no letter waits until what the one before brought about is on the screen."""
    names = {" ": "space", "\n": "enter"}
    for letter in text:
        pilot.app.post_message(events.Key(names.get(letter, _character_to_key(letter)), letter))
    await settled(pilot)


async def paste(pilot: Pilot[Any], text: str) -> None:
    """Paste a text into what has the focus, as a terminal does: one event, however long the text is."""
    pilot.app.post_message(events.Paste(text))
    await pilot.pause()


def _list_running(app: App[Any]) -> list[Worker[Any]]:
    return [worker for worker in app.workers if not worker.is_finished]


def screen_text(app: App[Any]) -> list[str]:
    """Give what is on the screen, a text for each line, without spaces at the end."""
    visible_screen_stack.set(app._background_screens)
    strips = app.screen._compositor.render_strips(app.size)
    lines = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
    assert not any(map(_MARK.search, lines)), "\n".join(lines)  # each action has its key in the place of its mark
    return lines


def shows(app: App[Any], text: str) -> bool:
    """Say whether a text stands somewhere on the screen, within one line."""
    return any(text in line for line in screen_text(app))


def all_messages(app: App[Any]) -> list[str]:
    """Give what the program said: passing messages, and why the key pressed last did nothing."""
    reasons = [bar.reason for bar in app.screen.query(StatusBar) if bar.reason]
    return [*(note.message for note in app._notifications), *reasons]


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Wait for what a job in a thread brings about; fails with what is on the screen where it does not come."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        failures = [each.message for each in pilot.app._notifications if each.severity == "error"]
        assert not failures and time.monotonic() < deadline, "\n".join((*screen_text(pilot.app), *failures))
        await pilot.pause()


async def until_shown(pilot: Pilot[Any], text: str) -> None:
    """Wait until a text is on the screen or in a message."""
    await until(pilot, lambda: any(text in each for each in all_messages(pilot.app)) or shows(pilot.app, text))
