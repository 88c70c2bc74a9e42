"""Driving the interface in tests: waiting until all is still, and reading what is on the screen."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.worker import WorkerError

ROUNDS = 100


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until no worker runs, the store has nothing under way and the screen has caught up with both."""
    for _ in range(ROUNDS):
        await pilot.pause()
        if not await _worked(pilot.app):
            return
    raise AssertionError("The interface does not come to rest.")


async def _worked(app: App[Any]) -> bool:
    """Wait for what is under way; says whether there was anything."""
    store = getattr(app, "_store", None)
    loading = store is not None and store.pending > 0
    if loading:
        await store.idle()
    # A worker that asks the person something rests until the test answers.
    running = [worker for worker in app.workers if not worker.is_finished and not _waits_for_answer(app)]
    for worker in running:
        task = worker._task
        if task is not None:
            done, _ = await asyncio.wait({task}, timeout=0.02)
            if not done and _waits_for_answer(app):
                return loading
        else:
            try:
                await worker.wait()
            except WorkerError:
                continue
    return loading or bool(running)


def _waits_for_answer(app: App[Any]) -> bool:
    return app.screen.is_modal


def screen_text(app: App[Any]) -> list[str]:
    """Give what is on the screen, a text for each line, without spaces at the end."""
    width, height = app.size
    lines = app.screen._compositor.render_strips(app.size)
    del width
    return ["".join(segment.text for segment in line).rstrip() for line in lines[:height]]


def shows(app: App[Any], text: str) -> bool:
    """Say whether a text stands somewhere on the screen, within one line."""
    return any(text in line for line in screen_text(app))
