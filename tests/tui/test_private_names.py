"""The private names of Textual that are relied on are there, and do what they are relied on for."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

import pytest
from textual import constants
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste
from textual.screen import Screen
from textual.widgets import Static

from recto.tui.private_names import (
    KeyAfterEscape,
    fail_in_one_sentence,
    keep_pastes_whole,
    report_mouse,
    tasks_of,
    tell_esc_from_alt,
    write_to_terminal,
)

SECRET = "token-5f2c"


class Fragile(App[None]):
    """An app that breaks at a key."""

    BINDINGS = [("a", "broken", "Break")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        yield Static("words")

    def __init__(self) -> None:
        super().__init__()
        fail_in_one_sentence(self, lambda error: f"It failed: {error}")

    def action_broken(self) -> None:
        token = SECRET
        raise ValueError(str(len(token)))


def test_textual_is_of_the_version_whose_names_were_read() -> None:
    assert version("textual").startswith("8.2."), "read the names again, then move the bound in pyproject.toml"


def test_the_names_are_there() -> None:
    names = ("_handle_exception", "_fatal_error", "_close_messages_no_wait")
    assert all(callable(getattr(App, name, None)) for name in (*names, "_check_bindings"))
    assert {"_exit", "_exception", "_exit_renderables", "_driver"} <= vars(App()).keys()
    assert callable(Screen._compositor_refresh)
    assert "_repaint_required" in vars(Screen())


async def test_a_failure_is_printed_in_the_sentence_of_the_app(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError):
        async with Fragile().run_test() as pilot:
            await pilot.press("a")
    assert capsys.readouterr().err.strip() == f"It failed: {len(SECRET)}"


async def test_the_tasks_of_workers_are_looked_at_without_cancelling_them() -> None:
    gate = asyncio.Event()
    async with Fragile().run_test() as pilot:
        worker = pilot.app.run_worker(gate.wait())
        (task,) = tasks_of([worker])
        await asyncio.wait({task}, timeout=0)
        assert not task.done()
        gate.set()
        await asyncio.wait({task})
        assert worker.is_finished


async def test_commands_go_to_the_terminal_with_what_textual_writes() -> None:
    class Kept(Driver):
        written: list[str] = []  # noqa: RUF012

        def write(self, data: str) -> None:
            self.written.append(data)

        def start_application_mode(self) -> None: ...
        def disable_input(self) -> None: ...
        def stop_application_mode(self) -> None: ...

    app = Fragile()
    write_to_terminal(app, "lost: there is no terminal yet")
    async with app.run_test():
        driver, app._driver = app._driver, Kept(app)
        write_to_terminal(app, "\x1b_G\x1b\\")
        app._driver = driver
    assert Kept.written == ["\x1b_G\x1b\\"]


async def test_the_mouse_is_reported_or_not_as_asked() -> None:
    for name in ("_enable_mouse_support", "_disable_mouse_support"):
        assert callable(getattr(LinuxDriver, name))
    written: list[str] = []
    app = App[None]()
    app._driver = driver = LinuxDriver(app, mouse=False)
    driver.write = written.append  # type: ignore[assignment,method-assign]
    driver.flush = lambda: None  # type: ignore[method-assign]
    report_mouse(app, True)
    assert "\x1b[?1000h" in written
    written.clear()
    report_mouse(app, False)
    assert "\x1b[?1000l" in written
    driver._enable_mouse_support()  # as after an editor
    assert "\x1b[?1000h" not in written


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("\x1bj", ["alt+j"]),
        ("\x1bJ", ["alt+shift+j"]),
        ("\x1b\r", ["escape", "enter"]),
        ("\x1b:q", ["escape", "colon", "q"]),
        ("\x1b\x13", ["escape", "ctrl+s"]),
        ("\x1bj\x1b", ["escape", "j", "escape"]),
        ("\x1b", ["escape"]),
        ("\x1b[A", ["up"]),
        ("\x1b\x7f", ["ctrl+w"]),
    ],
)
def test_esc_before_a_key_is_told_from_alt(monkeypatch: pytest.MonkeyPatch, typed: str, keys: list[str]) -> None:
    monkeypatch.setenv("ESCDELAY", "1")
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 1e-9)
    monkeypatch.setattr(XTermParser, "_sequence_to_key_events", XTermParser._sequence_to_key_events)
    tell_esc_from_alt()
    parser = XTermParser()
    found: list[str] = []
    for event in (*parser.feed(typed), *parser.tick()):
        assert isinstance(event, Key)
        apart = isinstance(event, KeyAfterEscape) and not event.has_alt
        found += [key.key for key in event.apart] if apart and isinstance(event, KeyAfterEscape) else [event.key]
    assert found == keys


@pytest.mark.parametrize("size", [1, 4, 7, 100])
def test_a_pasted_text_is_one_however_it_comes_and_what_escapes_in_it_is_no_key(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(XTermParser, "feed", XTermParser.feed)
    keep_pastes_whole()
    parser = XTermParser()
    texts = ("one\x1b[31mD\x1bq\x1b\r\x1b[20", "", "two\ttwo", "\x1b")
    sent = "k" + "j".join(f"\x1b[200~{text}\x1b[201~" for text in texts) + "l"
    found: list[str] = []
    for at in range(0, len(sent), size):
        for event in parser.feed(sent[at : at + size]):
            assert isinstance(event, Key | Paste)
            found.append(event.key if isinstance(event, Key) else event.text)
        assert list(parser.tick()) == []
    one, two, three, four = (text.replace("\x1b", "␛") for text in texts)
    assert found == ["k", one, "j", two, "j", three, "j", four, "l"]
