"""Private names of Textual that the program needs where no public name exists. No other module uses any.

Read in Textual 8.2.8; ``pyproject.toml`` keeps to 8.2, and ``tests/tui/test_private_names.py`` fails when a
name is gone or behaves differently.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

from rich.segment import Segments
from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.widget import MountError
from textual.worker import Worker


def fail_in_one_sentence(app: App[Any], sentence: Callable[[BaseException], str]) -> None:
    """Have an app fail with a sentence: Textual would print all local variables, tokens and texts among them.

    ``App._handle_exception`` and ``App._fatal_error`` are called for each exception that nothing caught; there is no
    public way to replace what they print.
    """
    handle = app._handle_exception

    def handle_exception(error: Exception) -> None:
        # Textual refuses to mount what was still on its way to the screen when the person left.
        if not (app._exit and isinstance(error, MountError)):
            handle(error)

    def print_sentence() -> None:
        says = sentence(app._exception or RuntimeError("unknown"))
        app._exit_renderables.append(Segments(app.console.render(says, app.console.options)))
        app._close_messages_no_wait()

    app._handle_exception = handle_exception  # type: ignore[method-assign]
    app._fatal_error = print_sentence  # type: ignore[method-assign]


def paint_once(screen: Screen[Any]) -> None:
    """Paint a change on a screen below a dialog once.

    ``Screen._compositor_refresh`` has the dialog paint it, and asks to be called again with the next message, whatever
    that is (``_repaint_required``): each painted both screens again for as long as the dialog was open.
    """
    hand_on = screen._compositor_refresh

    def hand_on_once() -> None:
        before = screen._repaint_required
        hand_on()
        screen._repaint_required = before

    screen._compositor_refresh = hand_on_once  # type: ignore[method-assign]


async def run_key_binding(app: App[Any], key: str) -> bool:
    """Run the action that a key is bound to at the focus; return whether there was any.

    ``App._check_bindings`` does it for ``App._on_key``, which drops a key without a binding; there is no public way to
    know whether a binding was found.
    """
    return await app._check_bindings(key)


def is_stopped(event: events.Event) -> bool:
    """Whether a handler has stopped an event.

    ``Message._stop_propagation`` is set by ``stop``; there is no public way to ask.
    """
    return event._stop_propagation


def tasks_of(workers: Iterable[Worker[Any]]) -> list[asyncio.Task[Any]]:
    """Return the tasks of those workers that have begun.

    ``Worker.wait`` cancels the worker when its caller is cancelled; there is no public way only to look.
    """
    return [worker._task for worker in workers if worker._task is not None]


class KeyAfterEscape(events.Key):
    """A key that came with an escape before it, as Textual understands both; ``apart`` is esc, and then the key."""

    def __init__(self, understood: events.Key, apart: Iterable[events.Key]) -> None:
        super().__init__(understood.key, understood.character)
        self.apart = tuple(apart)

    @property
    def has_alt(self) -> bool:
        """Whether both may be a single key: a letter with alt."""
        return len(self.apart) > 1 and self.key != self.apart[-1].key


_ESC = "\x1b"
_ESCAPE_DELAY = 0.05
"""Seconds for which what follows an escape may belong to it."""
_understand = XTermParser._sequence_to_key_events


def tell_esc_from_alt() -> None:
    """Deliver keys that come with an escape as :class:`KeyAfterEscape`.

    A terminal sends esc and a key in one go exactly as it sends alt and the key. Textual takes them for alt and a
    letter, but loses esc before any other key, such as enter or ctrl+s, and takes esc before a letter and esc for
    ``^``. There is no public way to know: ``XTermParser._sequence_to_key_events`` is given the keys one by one.
    """

    def to_keys(parser: XTermParser, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        esc = events.Key("escape", _ESC)
        if sequence == _ESC:
            return [KeyAfterEscape(events.Key("ctrl+left_square_bracket", None), [esc])]
        if alt or (len(sequence) == 2 and sequence[0] == _ESC and sequence[1].isprintable()):
            apart = [esc, *_understand(parser, sequence[-1])]
            return [KeyAfterEscape(key, apart) for key in _understand(parser, sequence, alt)]
        return _understand(parser, sequence, alt)

    XTermParser._sequence_to_key_events = to_keys  # type: ignore[method-assign,assignment]
    if "ESCDELAY" not in os.environ:
        constants.ESCAPE_DELAY = _ESCAPE_DELAY  # type: ignore[misc]


_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
_feed = XTermParser.feed


def keep_pastes_whole() -> None:
    """Have the terminal's input give each pasted text whole, with ``␛`` for an escape in it.

    Textual ends the text at an escape and takes what follows for keys, which would act; it waits for ever for an end
    that comes in two pieces. There is no public way: ``XTermParser.feed`` is given what the terminal sends.
    """
    pastes: WeakKeyDictionary[XTermParser, _Paste] = WeakKeyDictionary()

    def feed(parser: XTermParser, data: str) -> Iterable[Message]:
        paste = pastes.setdefault(parser, _Paste())
        for piece in paste.pieces(data) if data else [data]:
            yield from _feed(parser, piece)

    XTermParser.feed = feed  # type: ignore[method-assign,assignment]


class _Paste:
    """A pasted text, of which the terminal sends one piece after the other."""

    def __init__(self) -> None:
        self._is_open = False
        self._held: list[str] = []
        """What has come of the text."""
        self._last = ""
        """The last characters that came, which may be the beginning of a mark."""

    def pieces(self, data: str) -> Iterable[str]:
        """Yield what is to be read now: what is outside of texts, and each text when it is whole, with its marks."""
        while data:
            mark = _PASTED if self._is_open else _PASTE
            found = (self._last + data).find(mark)
            end = found + len(mark) - len(self._last) if found >= 0 else len(data)
            piece, data = data[:end], data[end:]
            self._last = (self._last + piece)[1 - len(mark) :] if found < 0 else ""
            if not self._is_open:
                yield piece
            else:
                self._held.append(piece)
            if found < 0:
                return
            if self._is_open:
                yield "".join(self._held).removesuffix(mark).replace(_ESC, "␛") + mark
                self._held.clear()
            self._is_open = not self._is_open


def write_to_terminal(app: App[Any], commands: str) -> None:
    """Send commands to the terminal of a running app, in order with what Textual writes; nothing before or after.

    ``App._driver`` alone writes in that order.
    """
    if app._driver is not None:
        app._driver.write(commands)


def report_mouse(app: App[Any], on: bool) -> None:
    """Make the terminal of a running app report the mouse, or stop it.

    ``Driver._mouse`` holds from the start on; ``_enable_mouse_support`` and ``_disable_mouse_support``, which the
    drivers for real terminals have, heed it.
    """
    driver = app._driver
    if driver is None or not hasattr(driver, "_enable_mouse_support"):
        return
    if on:
        driver._mouse = True
        driver._enable_mouse_support()
    else:
        driver._disable_mouse_support()  # type: ignore[attr-defined]
        driver._mouse = False
