"""What a program painted and said while a test ran, kept as it was painted and read only where it is asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import pytest
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

from recto.tui.app import RectoApp

_FRAMES = re.compile(r"[\u2500-\u259f]")
"""Borders, bars and blocks."""


class Painted:
    """The updates of the screen and the messages of all programs of a test."""

    def __init__(self) -> None:
        self._updates: list[Any] = []
        self.messages: list[str] = []
        """What the programs said in passing."""

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Keep what programs paint and say from now on."""
        display, notify = RectoApp._display, RectoApp.notify

        def keep_update(app: RectoApp, screen: Any, update: Any) -> None:
            self._updates.append(update)
            display(app, screen, update)

        def keep_message(app: RectoApp, message: str, **options: Any) -> None:
            self.messages.append(message)
            notify(app, message, **options)

        monkeypatch.setattr(RectoApp, "_display", keep_update)
        monkeypatch.setattr(RectoApp, "notify", keep_message)

    def words(self) -> str:
        """Return all of it as one text: each message, and each column of the screen from top to bottom."""
        painted = (words for update in self._updates for words in _columns(update))
        return "\n".join(dict.fromkeys((*self.messages, *painted)))


def _columns(update: Any) -> Iterator[str]:
    """Return what an update paints from each column on: a sentence that is wrapped in its pane stands there whole."""
    columns: defaultdict[int, list[str]] = defaultdict(list)
    for line in _lines(update):
        for x, strip in line:
            columns[x].append(_FRAMES.sub(" ", strip.text))
    return (" ".join(" ".join(texts).split()) for texts in columns.values())


def _lines(update: Any) -> Iterator[Iterable[tuple[int, Strip]]]:
    if isinstance(update, LayoutUpdate):
        for line in update.strips:
            strips = list(line)
            yield zip(accumulate((strip.cell_length for strip in strips), initial=0), strips, strict=False)
    elif isinstance(update, ChopsUpdate):
        for parts in update.chops:
            yield ((x, strip) for x, strip in parts.items() if strip is not None)
