"""Running tasks in a process of their own, and killing it at a named point."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from recto.server.content.imported_tree import ImportedPage
from support.content import Desk, make_space
from support.killable_tasks import WORKSPACE, Order
from support.platform import Speaker, make_platform
from support.states import State, state_of

TESTS = Path(__file__).parents[1]

PAGES = (
    ImportedPage("one", "One", "one", text="First.\n\nSecond.\n"),
    ImportedPage("two", "Two", "two", text="Text.\n", children=(ImportedPage("three", "Three", "three", text="T.\n"),)),
    ImportedPage("gone", "Gone", "gone", text="To be removed.\n"),
)


def prepare(folder: Path) -> None:
    """Make a workspace in which there is something to do.

    Change request 1 edits a page, change request 2 the one that change request 3 has changed in the main content.
    """
    platform = make_platform(folder)

    async def work() -> None:
        ada = Speaker(platform)
        first, second, third = [await Desk.open(ada, space) for _ in range(3)]
        await first.edit("two", "# Two\n\nText, edited.\n")
        await second.edit("three", "# Three\n\nMine.\n")
        await third.edit("three", "# Third\n\nTheirs.\n")
        await third.merge()

    space = make_space(platform, PAGES)
    asyncio.run(work())
    platform.close()


def copy(start: Path, folder: Path) -> None:
    """Copy a folder; what it links to stays where it is, because the workspace knows imported folders by their path."""
    shutil.copytree(start, folder, symlinks=True)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a task ended: with which exit code, what it had acknowledged, and what it said of errors."""

    code: int
    acknowledged: list[str]
    errors: str

    @property
    def killed(self) -> bool:
        """Whether the process came to the point at which it was killed."""
        return self.code == -signal.SIGKILL


@cache
def _start_program() -> subprocess.Popen[str]:
    """Start the program whose forks do the tasks; it ends with the process of the tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_")}
    program = subprocess.Popen(
        [sys.executable, "-m", "support.killable_tasks"],
        cwd=TESTS,
        env=environment | {"RECTO_KILL_AT": "the checkpoint of each order"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(program.communicate)
    return program


def do(task: str, folder: Path, kill_at: str = "") -> Ended:
    """Run a task in a folder; ``kill_at`` is a checkpoint, with ``:n`` its nth pass."""
    program = _start_program()
    assert program.stdin is not None
    assert program.stdout is not None
    with TemporaryDirectory() as printed:
        out, errors = Path(printed) / "out", Path(printed) / "errors"
        print(json.dumps(Order(task, str(folder), kill_at, str(out), str(errors))), file=program.stdin, flush=True)
        code = int(program.stdout.readline())
        return Ended(code, out.read_text().split(), errors.read_text())


@dataclass(frozen=True, slots=True)
class Story:
    """A task, the folder in which it begins, and the states before and after it where nothing comes between."""

    task: str
    start: Path
    before: State
    after: State

    @classmethod
    def tell(cls, task: str, start: Path, scratch: Path) -> Story:
        """Run the task once without a kill, in a copy of the folder."""
        copy(start, scratch)
        ended = do(task, scratch)
        assert (ended.code, ended.acknowledged[-1:]) == (0, ["done"]), ended.errors
        story = cls(task, start, state_of(start / WORKSPACE), state_of(scratch / WORKSPACE))
        assert story.before.facts != story.after.facts
        return story

    def kill(self, folder: Path, at: str) -> Ended:
        """Run the task in a fresh copy and kill it at a point, which it must come to."""
        copy(self.start, folder)
        ended = do(self.task, folder, at)
        assert ended.killed, f"{self.task} never passes {at}: {ended}"
        return ended
