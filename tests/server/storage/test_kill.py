"""The process is killed at named points of a write; what was acknowledged is there afterwards, nothing half is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recto.server.storage.database import Database

pytestmark = pytest.mark.slow  # kills

SCRIPT = """
import sys
from pathlib import Path
from recto.server.storage.database import Database

def work(connection):
    for at in (2, 3):
        connection.insert("workspace", key=str(at), value="")

database = Database.open(Path(sys.argv[1]))
database.write_now(work)
database.close()
"""


def kill_at(path: Path, checkpoint: str) -> int:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], env=os.environ | {"RECTO_KILL_AT": checkpoint}, check=False
    ).returncode


def keys(path: Path) -> list[str]:
    database = Database.open(path)
    found = database.read_now(lambda connection: connection.column("SELECT key FROM workspace ORDER BY key"))
    database.close()
    return found


@pytest.mark.parametrize(
    ("checkpoint", "left"),
    [
        ("database.begin", ["1"]),
        ("database.statement", ["1"]),
        ("database.statement:2", ["1"]),
        ("database.before-commit", ["1"]),
        ("database.after-commit", ["1", "2", "3"]),
    ],
)
def test_a_change_is_wholly_there_or_not_at_all(tmp_path: Path, checkpoint: str, left: list[str]) -> None:
    path = tmp_path / "workspace.recto"
    database = Database.open(path)
    database.write_now(lambda connection: connection.insert("workspace", key="1", value=""))
    database.close()
    assert kill_at(path, checkpoint) == -signal.SIGKILL
    assert keys(path) == left


def test_a_workspace_that_was_never_finished_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "workspace.recto"
    assert kill_at(path, "database.before-migration-commit") == -signal.SIGKILL
    assert keys(path) == []
