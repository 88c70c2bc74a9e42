from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recto import disk, paths
from recto.cli import logs
from recto.server.platform import Owner, Platform
from recto.server.storage.database import Database
from support.shell import recto

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems keep who may read a file elsewhere")


def others(folder: Path) -> list[str]:
    """Return what in a folder, itself included, others than the owner may do anything with."""
    return [
        f"{each.relative_to(folder)} {stat.filemode(each.stat().st_mode)}"
        for each in (folder, *folder.rglob("*"))
        if each.stat().st_mode & 0o077
    ]


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_a_workspace_is_its_owners_alone(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "new" / "home"
    with closing(Platform.open(folder / "workspace.db", owner=Owner("Ada"))):
        names = {each.name for each in folder.iterdir()}
        assert {"workspace.db", "workspace.db-wal", "workspace.db-shm"} <= names
        assert others(tmp_path / "new") == []
        assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}


def test_one_of_an_earlier_version_is_closed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECTO_HOME", str(tmp_path / "home"))
    file = paths.workspace_file()
    before = os.umask(0)
    try:
        file.parent.mkdir()
        Database.open(file).close()
        for ending in ("", "-wal", "-shm"):
            journal = file.with_name(file.name + ending)
            journal.touch()
            journal.chmod(0o644)
    finally:
        os.umask(before)
    file.parent.chmod(0o755)
    with closing(Database.open(file)):
        assert others(file.parent) == []


def test_an_existing_folder_stays_as_it_is(tmp_path: Path) -> None:
    (folder := tmp_path / "documents").mkdir()
    folder.chmod(0o755)
    with closing(Database.open(folder / "book.db")):
        assert others(folder) == [f". {stat.filemode(folder.stat().st_mode)}"]


def test_a_folder_whose_name_is_taken_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OSError, match="taken"):
        disk.make_folder(tmp_path / "taken")


def test_the_log_and_those_before_it_are_their_owners_alone(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 100)
    file = tmp_path / "log" / "recto.log"
    file.parent.mkdir(mode=0o700)
    file.parent.chmod(0o700)
    for name in ("recto.log", "recto.log.1"):
        (file.parent / name).touch()
        (file.parent / name).chmod(0o644)
    logs.start(file)
    for at in range(10):
        logging.getLogger("recto").warning("Something to write down, number %s.", at)
    assert len(list(file.parent.iterdir())) > 1
    assert others(file.parent) == []


@pytest.mark.slow
def test_a_program_that_ran_leaves_nothing_for_others(tmp_path: Path) -> None:
    home = tmp_path / "home"
    before = os.umask(0)
    try:
        assert recto(home, "token", "create").code in (0, 2)
        assert recto(home, "api", "GET", "/user").code == 0
    finally:
        os.umask(before)
    assert (home / "workspace.db").exists()
    assert others(home) == []
