"""Started again, the real program goes on with the page that was left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.shell import RECTO, environment
from support.terminal import Terminal

TITLE, WORDS = "Getting going", "The words of the page that was read last."
OPENING = "Opening your documentation"
QUIT = "\x11"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")]


@contextmanager
def program(home: Path, *arguments: str, columns: int = 100, rows: int = 30) -> Iterator[Terminal]:
    with Terminal([*RECTO, *arguments], environment=environment(home), columns=columns, rows=rows) as terminal:
        yield terminal
        assert b"Traceback" not in terminal.written
        assert b"nobody foresaw" not in terminal.written


def leave(terminal: Terminal) -> None:
    terminal.press(QUIT)
    assert terminal.wait_for_end() == 0


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "README.md").write_text(f"# {TITLE}\n\n{WORDS}\n\n## Second part\n\nMore.\n")
    return folder


@pytest.fixture
def home(tmp_path: Path, book: Path) -> Path:
    """A home whose owner has left the program on a page."""
    with program(tmp_path / "home", "open", str(book)) as terminal:
        terminal.wait_for(WORDS, "edit")
        leave(terminal)
    return tmp_path / "home"


def painted_before(terminal: Terminal, words: str) -> str:
    """Return what was written to the terminal before these words."""
    return bytes(terminal.written).decode(errors="replace").partition(words)[0]


def test_the_page_is_painted_whole_and_early_keys_act_on_it(home: Path) -> None:
    with program(home) as terminal:
        terminal.wait_for(OPENING)
        terminal.press("t")
        terminal.wait_for("Outline", "Second part", WORDS)
        assert "loading" not in painted_before(terminal, WORDS)
        leave(terminal)
    with program(home) as terminal:
        terminal.wait_for("Outline", WORDS)
        leave(terminal)


def test_what_was_seen_on_one_platform_is_not_shown_on_another(home: Path, tmp_path: Path) -> None:
    with program(home, "--workspace", str(tmp_path / "other.db")) as terminal:
        terminal.wait_for("Recto guide", "jump")
        assert WORDS.encode() not in terminal.written
        leave(terminal)
