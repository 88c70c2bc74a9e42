"""The process is killed at named points of an import; afterwards all of it is there or nothing, and it can go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recto.server.exchange import import_folder
from recto.server.platform import Platform

pytestmark = pytest.mark.slow

SCRIPT = """
import sys
from pathlib import Path
from recto.server.exchange import import_folder
from recto.server.platform import Platform

platform = Platform.open(Path(sys.argv[1]))
import_folder(platform, Path(sys.argv[2]))
platform.close()
"""
BEFORE = [
    "import.after-texts",
    "import.after-files",
    "content.before-revision",
    "content.after-index:2",
    "import.after-space",
    "import.before-commit",
]


def kill_at(workspace: Path, folder: Path, checkpoint: str) -> int:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, str(workspace), str(folder)],
        env=os.environ | {"RECTO_KILL_AT": checkpoint},
        check=False,
    ).returncode


def make_folder(folder: Path) -> Path:
    folder.mkdir()
    (folder / "picture.png").write_bytes(b"\x89PNG")
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nText.\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("checkpoint", BEFORE)
def test_half_an_import_is_never_seen(tmp_path: Path, checkpoint: str) -> None:
    workspace, folder = tmp_path / "workspace.recto", make_folder(tmp_path / "folder")
    Platform.open(workspace).close()
    assert kill_at(workspace, folder, checkpoint) == -signal.SIGKILL
    platform = Platform.open(workspace)
    try:
        tables = ("spaces", "revisions", "imports", "search_sections")
        counts = platform.database.read_now(lambda c: [c.value(f"SELECT count(*) FROM {name}") for name in tables])
        assert counts == [0, 0, 0, 0]
        brought = import_folder(platform, folder).spaces[0]
        assert (brought.created, brought.pages) == (True, 2)
    finally:
        platform.close()


def test_an_import_that_was_committed_is_there(tmp_path: Path) -> None:
    workspace, folder = tmp_path / "workspace.recto", make_folder(tmp_path / "folder")
    Platform.open(workspace).close()
    assert kill_at(workspace, folder, "import.after-commit") == -signal.SIGKILL
    platform = Platform.open(workspace)
    try:
        brought = import_folder(platform, folder).spaces[0]
        assert (brought.created, brought.changed, brought.pages) == (False, False, 2)
    finally:
        platform.close()
