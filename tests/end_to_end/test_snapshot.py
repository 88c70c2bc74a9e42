"""Started again, the real program shows at once what one saw last."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.shell import RECTO, environment
from support.terminal import Terminal

TITLE, WORDS = "Getting going", "The words of the page that was read last."
STANDS, OPENING = "as you left it", "Opening your documentation"
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


def test_the_page_is_in_what_is_painted_first_and_early_keys_act_on_it(home: Path) -> None:
    assert stat.S_IMODE((home / "sight.json").stat().st_mode) == 0o600
    with program(home) as terminal:
        terminal.wait_for(WORDS)
        terminal.press("t")
        assert OPENING not in painted_before(terminal, WORDS)
        assert STANDS in painted_before(terminal, WORDS)
        terminal.wait_for("Outline", "Second part", WORDS)
        assert STANDS not in terminal.text
        assert OPENING not in painted_before(terminal, "Outline")
        leave(terminal)
    with program(home) as terminal:
        terminal.wait_for("Outline", STANDS)
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0


def test_on_a_smaller_terminal_it_is_cut(home: Path) -> None:
    with program(home, columns=70, rows=20) as terminal:
        terminal.wait_for(TITLE, STANDS)
        terminal.wait_until_gone(STANDS)
        leave(terminal)


@pytest.mark.parametrize("damage", [b"{", b"\x1b[31m\x00"])
def test_a_damaged_file_is_as_good_as_none(home: Path, damage: bytes) -> None:
    (home / "sight.json").write_bytes(damage)
    with program(home) as terminal:
        terminal.wait_for(WORDS, "edit")
        assert OPENING in painted_before(terminal, WORDS)
        leave(terminal)
    with program(home) as terminal:
        terminal.wait_for(WORDS, STANDS)
        leave(terminal)


def test_where_a_folder_is_to_be_opened_nothing_old_is_shown(home: Path, book: Path) -> None:
    with program(home, "open", str(book)) as terminal:
        terminal.wait_for(WORDS, "edit")
        assert OPENING in painted_before(terminal, WORDS)
        assert STANDS.encode() not in terminal.written
        leave(terminal)


def test_what_was_seen_on_one_platform_is_not_shown_on_another(home: Path, tmp_path: Path) -> None:
    with program(home, "--workspace", str(tmp_path / "other.db")) as terminal:
        terminal.wait_for("Recto guide", "jump")
        assert WORDS.encode() not in terminal.written
        leave(terminal)
