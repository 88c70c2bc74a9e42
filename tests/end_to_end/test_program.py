"""The real program in a real terminal, with a real editor."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from recto.server.platform import Platform
from recto.store.drafts import Drafts
from support.platform import Speaker
from support.shell import PATIENCE, RECTO, environment
from support.terminal import Terminal

LINE = "A line from the editor."
LAST = "A line just before the end."
ENTER, QUIT = "\r", "\x11"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def make_editor(folder: Path, *commands: str) -> Path:
    """Make an editor that does this with the file ``$1``."""
    editor = folder / "my editor"
    editor.write_text("#!/bin/sh\n" + "\n".join(commands) + "\n")
    editor.chmod(0o755)
    return editor


@contextmanager
def program(home: Path, editor: Path, **variables: str) -> Iterator[Terminal]:
    with Terminal(
        [*RECTO], environment=environment(home, EDITOR=f"'{editor}'", **variables), folder=editor.parent, columns=120
    ) as terminal:
        yield terminal
        assert b"Traceback" not in terminal.written


def start_once(home: Path, editor: Path) -> None:
    """Let the workspace be made, so that the next start has only its organization to ping."""
    with program(home, editor) as terminal:
        terminal.wait_for("Recto guide", "jump")
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0


def last_seen(home: Path) -> str | None:
    """Return when the workspace was told last that its person is there."""
    with closing(sqlite3.connect(f"file:{home / 'workspace.db'}?mode=ro", uri=True)) as workspace:
        (newest,) = workspace.execute("SELECT max(last_seen_at) FROM members").fetchone()
    return str(newest) if newest is not None else None


@contextmanager
def program_to_be_killed(home: Path, editor: Path, at: str) -> Iterator[Terminal]:
    """Start the program and wait for its first commit, the ping of the organization, which keys would put off."""
    start_once(home, editor)
    before, deadline = last_seen(home), time.monotonic() + PATIENCE
    with program(home, editor, RECTO_KILL_AT=at) as terminal:
        while last_seen(home) == before:
            assert time.monotonic() < deadline, terminal.text
            terminal.wait_for("Recto guide", "jump")
        yield terminal


def edit_welcome(terminal: Terminal) -> None:
    """Jump from the first screen to the page “Welcome” of the guide, and edit it for a new change request."""
    terminal.wait_for("Recto guide", "jump")
    terminal.press("f")
    terminal.wait_for("Go to")
    terminal.press("welcome")
    terminal.wait_for("Welcome  Recto guide")
    terminal.press(ENTER)
    terminal.wait_for("What Recto is, and what this guide is for.", "edit")
    terminal.press("e")
    terminal.wait_for("New change request “Edit Welcome”")
    terminal.press(ENTER)


async def texts(home: Path) -> tuple[str, str]:
    """Return the text of “Welcome” in the guide's main content, and in the one change request that edits it."""
    platform = Platform.open(home / "workspace.db")
    speaker = Speaker(platform)
    try:
        (request,) = platform.database.read_now(
            lambda connection: connection.all("SELECT space, id FROM change_requests WHERE subject = 'Edit Welcome'")
        )
        space = f"/spaces/{request['space']}"
        tree = (await speaker.get(f"{space}/content/pages"))["pages"]
        page = next(page["id"] for page in tree if page["title"] == "Welcome")
        places = (space, f"{space}/change-requests/{request['id']}")
        main, proposed = [
            (await speaker.get(f"{place}/content/page/{page}", format="markdown"))["markdown"] for place in places
        ]
        return main, proposed
    finally:
        platform.close()


async def test_a_page_is_edited_and_the_edit_found_in_a_change_request_and_merged(home: Path, tmp_path: Path) -> None:
    editor = make_editor(tmp_path, f"printf '\\n{LINE}\\n' >> \"$1\"", "printf '\\033[2JNothing else.'")
    with program(home, editor) as terminal:
        edit_welcome(terminal)
        terminal.wait_for("is in #4 “Edit Welcome”", "What Recto is, and what this guide is for.")
        terminal.press("+")
        terminal.wait_for("#4 Edit Welcome", "2 Changes 1", "## Where to go next")
        terminal.press("]")
        terminal.wait_for(LINE, "M merge")
        main, proposed = await texts(home)
        assert proposed == f"{main}\n{LINE}\n"
        terminal.press("M")
        terminal.wait_for("merges it into main")
        terminal.press("y")
        terminal.wait_until_gone("merges it into main")
        terminal.wait_for("merged")
        assert await texts(home) == (proposed, proposed)
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0
    assert Drafts(home / "drafts" / "workspace").find() == []


async def test_what_an_editor_saved_is_offered_again_when_the_program_was_killed(home: Path, tmp_path: Path) -> None:
    with program(home, make_editor(tmp_path, f"printf '\\n{LAST}\\n' >> \"$1\"", "kill -9 $PPID")) as terminal:
        edit_welcome(terminal)
        assert terminal.wait_for_end() < 0
    (draft,) = Drafts(home / "drafts" / "workspace").find()
    assert draft.path.read_text(encoding="utf-8").endswith(f"\n\n{LAST}\n")
    with program(
        home, make_editor(tmp_path, f"grep -q '{LAST}' \"$1\" && printf '\\n{LINE}\\n' >> \"$1\"")
    ) as terminal:
        terminal.wait_for("A draft of yours", "Edit Welcome")
        terminal.press("e")
        terminal.wait_for("is in #4 “Edit Welcome”")
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0
    main, proposed = await texts(home)
    assert proposed == f"{main}\n{LAST}\n\n{LINE}\n"
    assert Drafts(home / "drafts" / "workspace").find() == []


@pytest.mark.parametrize("at", ["database.after-commit:2", "edit.after-write"])
async def test_an_edit_that_was_cut_off_goes_on_in_the_change_request_that_was_made_for_it(
    home: Path, tmp_path: Path, at: str
) -> None:
    """The first commit of the program is the ping of the organization, then come the change request and its text."""
    editor = make_editor(tmp_path, f"printf '\\n{LINE}\\n' >> \"$1\"")
    with program_to_be_killed(home, editor, at) as terminal:
        edit_welcome(terminal)
        assert terminal.wait_for_end() < 0
    with program(home, editor) as terminal:
        terminal.wait_for("A draft of yours", "for #4 “Edit Welcome”")
        terminal.press("e")
        terminal.wait_for("is in #4 “Edit Welcome”")
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0
    main, proposed = await texts(home)
    assert proposed == f"{main}\n{LINE}\n\n{LINE}\n"
    assert Drafts(home / "drafts" / "workspace").find() == []


async def test_an_edit_that_arrived_is_not_offered_again(home: Path, tmp_path: Path) -> None:
    editor = make_editor(tmp_path, f"printf '\\n{LINE}\\n' >> \"$1\"")
    with program_to_be_killed(home, editor, "database.after-commit:3") as terminal:
        edit_welcome(terminal)
        assert terminal.wait_for_end() < 0
    assert len(Drafts(home / "drafts" / "workspace").find()) == 1
    with program(home, editor) as terminal:
        terminal.wait_for("What Recto is, and what this guide is for.", "2 Change requests 3")
        terminal.press("2")
        terminal.wait_for("#4 Edit Welcome")
        terminal.press("1")
        terminal.wait_for("What Recto is, and what this guide is for.")
        assert "A draft of yours" not in terminal.text
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0
    main, proposed = await texts(home)
    assert proposed == f"{main}\n{LINE}\n"
    assert Drafts(home / "drafts" / "workspace").find() == []
