"""However the program is ended, the terminal is as it was and what was typed is kept."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recto.server.platform import Owner, Platform
from recto.store.drafts import Drafts
from support.shell import RECTO, environment
from support.terminal import Terminal

ENTER = "\r"
ALTERNATE_SCREEN_LEFT = b"\x1b[?1049l"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose workspace has nothing but its owner, so that it opens at once."""
    Platform.open(tmp_path / "workspace.db", owner=Owner("Ada Lovelace"), fill=lambda _: None).close()
    return tmp_path


@contextmanager
def program(home: Path, *arguments: str, **variables: str) -> Iterator[Terminal]:
    with Terminal([*RECTO, *arguments], environment=environment(home, **variables)) as terminal:
        yield terminal
        assert b"Traceback" not in terminal.written


def test_an_end_signal_restores_the_terminal(home: Path) -> None:
    with program(home) as terminal:
        terminal.wait_for("Ada's documentation", "jump")
        terminal.kill(signal.SIGTERM)
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        assert ALTERNATE_SCREEN_LEFT in terminal.written


def test_an_end_signal_while_opening_ends_the_program(home: Path) -> None:
    with program(home) as terminal:
        terminal.wait_for("Recto")
        terminal.kill(signal.SIGTERM)
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        assert ALTERNATE_SCREEN_LEFT in terminal.written


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_what_is_being_typed_is_a_draft_when_the_terminal_is_closed(home: Path, number: signal.Signals) -> None:
    (home / "book").mkdir()
    (home / "book" / "README.md").write_text("# Welcome\n\nA page.\n")
    with program(home, "open", str(home / "book")) as terminal:
        terminal.wait_for("A page.", "edit")
        terminal.press("c")
        terminal.wait_for("esc", "send")
        terminal.press("Nobody has sent this yet.")
        terminal.wait_for("Nobody has sent this yet.")
        terminal.kill(number)
        assert terminal.wait_for_end() in (-signal.SIGHUP, 128 + number)
    (draft,) = Drafts(home / "drafts" / "workspace").find()
    assert draft.path.read_text() == "Nobody has sent this yet."
