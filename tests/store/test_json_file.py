"""A file that windows share: nothing is lost between them, nor while it cannot be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from recto import disk
from recto.store.json_file import Content, JsonFile

ADD = """
import sys
from pathlib import Path
from recto.store.json_file import JsonFile

file = JsonFile(Path(sys.argv[1]), "numbers")
for number in range(100):
    file.change(lambda content, key=f"{sys.argv[2]}{number}": content.update({key: 1}))
    file.flush()
"""


def put(key: str, file: JsonFile) -> None:
    def change(content: Content) -> None:
        content[key] = 1

    file.change(change)


def test_changes_of_several_programs_are_all_there(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    running = [subprocess.Popen([sys.executable, "-c", ADD, str(path), name]) for name in "abc"]
    assert [each.wait(60) for each in running] == [0, 0, 0]
    assert set(json.loads(path.read_bytes())) == {f"{name}{number}" for name in "abc" for number in range(100)}


def test_a_change_that_cannot_be_written_goes_with_the_next_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = JsonFile(tmp_path / "numbers.json", "numbers")
    with monkeypatch.context() as broken:

        def fail(*_: object, **__: object) -> None:
            raise OSError("No space left on device")

        broken.setattr(disk, "write", fail)
        put("one", file)
        put("two", file)
        file.flush()
    assert not (tmp_path / "numbers.json").exists()
    put("three", file)
    assert list(file.read()) == ["one", "two", "three"]


def test_a_file_that_cannot_be_read_now_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "numbers.json"
    path.write_text('{"zero": 1}')
    file = JsonFile(path, "numbers")
    with monkeypatch.context() as broken:

        def fail(_: Path) -> bytes:
            raise OSError("Too many open files")

        broken.setattr(Path, "read_bytes", fail)
        put("one", file)
        assert file.read() == {}
    put("two", file)
    assert list(file.read()) == ["zero", "one", "two"]


def test_a_lock_that_is_never_released_does_not_stop_the_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.store.json_file._TRIES", 2)
    file = JsonFile(tmp_path / "numbers.json", "numbers")
    lock = disk.lock(tmp_path / "numbers.lock")
    put("one", file)
    assert file.read() == {"one": 1}
    if lock is not None:
        os.close(lock)
