"""What only a real terminal shows: the mouse, links to click, and the clipboard, in tmux and over SSH too."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.shell import RECTO, environment
from support.terminal import Terminal

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")]

ENTER, QUIT = "\r", "\x11"
PAGE = "# Links\n\nA first paragraph to copy.\n\nRead [the manual](https://manual.example.org/start) on the web.\n"
COPIED = "A first paragraph to copy."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "docs"
    found.mkdir()
    (found / "README.md").write_text(PAGE, encoding="utf-8")
    return found


@contextmanager
def open_program(folder: Path, *command: str, **variables: str) -> Iterator[Terminal]:
    """Open the folder in the program, in a terminal; a command before it runs it."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    if settings := variables.pop("settings", ""):
        (home / "settings.toml").write_text(settings)
    with Terminal(
        [*command, *RECTO, "open", str(folder)], environment=environment(home, **variables), columns=120
    ) as terminal:
        terminal.wait_for(COPIED, "Read the manual", patience=60)
        yield terminal


def quit_program(terminal: Terminal) -> None:
    terminal.press(QUIT)
    assert terminal.wait_for_end(60) == 0
    assert b"Traceback" not in terminal.written


def osc_52(text: str) -> bytes:
    return b"\x1b]52;c;" + base64.b64encode(text.encode())


def divider(terminal: Terminal) -> tuple[int, int]:
    """Return the column and the row of the corner between the page tree and the page, counted from 1."""
    while True:
        for row, line in enumerate(terminal.text.split("\n"), 1):
            if (column := line.find("╮╭")) >= 0:
                return column + 1, row
        # The line is written in two parts, and only one of them has come.
        terminal.wait_for_more()


def test_the_divider_is_drawn_with_the_mouse(folder: Path) -> None:
    with open_program(folder) as terminal:
        assert b"\x1b[?1000h" in terminal.written
        column, row = divider(terminal)
        terminal.press(f"\x1b[<0;{column};{row + 5}M\x1b[<32;{column + 10};{row + 5}M\x1b[<0;{column + 10};{row + 5}m")
        while divider(terminal)[0] == column:
            terminal.wait_for_more()
        assert divider(terminal)[0] == column + 10
        quit_program(terminal)


def test_the_mouse_is_left_to_the_terminal_where_the_settings_say_so(folder: Path) -> None:
    with open_program(folder, settings="mouse = false\n") as terminal:
        quit_program(terminal)
        assert b"\x1b[?1000h" not in terminal.written


def test_links_are_links_of_the_terminal(folder: Path) -> None:
    with open_program(folder) as terminal:
        links = re.findall(rb"\x1b\]8;[^;]*;([^\x1b\x07]+)(?:\x1b\\|\x07)", terminal.written)
        assert b"https://manual.example.org/start" in links
        quit_program(terminal)


@pytest.mark.parametrize("variables", [{}, {"SSH_CONNECTION": "10.0.0.1 4711 10.0.0.2 22"}], ids=["here", "SSH"])
def test_what_is_copied_goes_to_the_clipboard_of_the_terminal(folder: Path, variables: dict[str, str]) -> None:
    with open_program(folder, **variables) as terminal:
        copy_first_paragraph(terminal)
        while osc_52(COPIED)[:-4] not in terminal.written:
            terminal.wait_for_more()
        quit_program(terminal)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_what_is_copied_in_tmux_goes_to_its_buffer_and_to_the_terminal_around_it(folder: Path) -> None:
    socket = str(folder.parent / "tmux")
    tmux = ("tmux", "-S", socket, "-f", os.devnull)
    options = {"status": "off", "set-clipboard": "on", "terminal-features[9]": "*:clipboard"}
    sets = [word for name, value in options.items() for word in ("set", "-g", name, value, ";")]
    around = (*tmux, *sets, "new-session", "-x", "120", "-y", "40")
    with open_program(folder, *around) as terminal:
        copy_first_paragraph(terminal)
        while osc_52(COPIED)[:-4] not in terminal.written.replace(b"]52;;", b"]52;c;"):
            terminal.wait_for_more()
        shown = subprocess.run((*tmux, "show-buffer"), capture_output=True, text=True, check=True)
        assert shown.stdout.strip() == COPIED
        quit_program(terminal)


def copy_first_paragraph(terminal: Terminal) -> None:
    terminal.press(ENTER)
    terminal.wait_until_still(1.0)  # the focus goes to the page, which changes colours alone
    terminal.press("j")
    terminal.wait_for(f"▌   {COPIED}")
    terminal.press("y")
    terminal.wait_for("Copied the text.")
