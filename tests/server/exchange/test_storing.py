"""What is stored of a folder while it is read, before anything refers to it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from recto.server.exchange import FolderError, import_folder, storing
from recto.server.exchange.storing import BackgroundStoring, Stored
from recto.server.http.problems import Forbidden, Unavailable
from recto.server.jobs import Job, JobCancelled
from recto.server.platform import Platform
from support.folders import write_folder
from support.platform import Speaker, join

PAGES = 120


@pytest.fixture(autouse=True)
def one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store each page in a transaction of its own."""
    monkeypatch.setattr(storing, "_TEXTS_AT_ONCE", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(
        tmp_path / "manual", {f"{number}.md": f"# {number}\n\nOf {number}.\n" for number in range(PAGES)}
    )


def count(platform: Platform, *tables: str) -> list[int]:
    return platform.database.read_now(lambda connection: [_count(connection, table) for table in tables])


def _count(connection: Any, table: str) -> int:
    number: int = connection.value(f"SELECT count(*) FROM {table}")
    return number


def stop_at(step: str) -> Any:
    def watch(job: Job) -> None:
        if job.record.step == step:
            job.cancel()

    return watch


def test_pages_are_stored_while_others_are_read(platform: Platform, folder: Path) -> None:
    stored: list[list[int]] = []

    def watch(job: Job) -> None:
        if job.record.step == "Reading pages":
            stored.append(count(platform, "texts", "blobs", "spaces"))

    import_folder(platform, folder, watch=watch)
    assert [done >= read - 5 for (done, _, _), read in zip(stored, (50, 100), strict=True)] == [True, True]
    assert all(texts == files and spaces == 0 for texts, files, spaces in stored)
    assert count(platform, "texts", "blobs", "spaces") == [PAGES, PAGES, 1]


async def test_what_will_be_refused_is_refused_before_anything_is_stored(
    platform: Platform, ada: Speaker, organization: str, folder: Path
) -> None:
    editor = join(platform, organization, "Eve Editor", "edit")
    with pytest.raises(Forbidden):
        import_folder(platform, folder, organization, caller=editor)
    assert count(platform, "texts", "blobs") == [0, 0]
    space = import_folder(platform, folder).spaces[0].space
    await ada.send("PATCH", f"/spaces/{space}", {"editMode": "locked"})
    write_folder(folder, {f"{number}.md": f"# {number}\n\nChanged.\n" for number in range(PAGES)})
    with pytest.raises(FolderError, match="is locked"):
        import_folder(platform, folder)
    assert count(platform, "texts", "blobs") == [PAGES, PAGES]


def test_what_was_stored_of_a_cancelled_import_is_not_stored_again(platform: Platform, folder: Path) -> None:
    with pytest.raises(JobCancelled):
        import_folder(platform, folder, watch=stop_at("Reading pages"))
    assert not [each for each in threading.enumerate() if each.name.startswith("recto-storing")]
    (texts, spaces), saved = count(platform, "texts", "spaces"), []
    assert 0 < texts < PAGES
    assert spaces == 0
    platform.database.on_left_over = lambda: None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(storing, "save_texts", lambda _, bodies: saved.extend(bodies))
        assert import_folder(platform, folder).spaces[0].created
    assert len(saved) == PAGES - texts


def test_what_was_stored_of_a_refused_folder_is_swept(platform: Platform, folder: Path) -> None:
    write_folder(folder, {".gitbook/vars.yaml": "["})
    with pytest.raises(FolderError, match="not valid YAML"):
        import_folder(platform, folder)
    assert min(count(platform, "texts", "blobs")) > 0
    platform.sweeper.sweep()
    assert count(platform, "texts", "blobs") == [0, 0]


def test_an_import_that_cannot_be_stored_fails_as_it_is_read(
    platform: Platform, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise Unavailable("The disk is full.")

    steps: list[str] = []
    monkeypatch.setattr(storing, "save_texts", refuse)
    with pytest.raises(Unavailable, match="The disk is full"):
        import_folder(platform, folder, watch=lambda job: steps.append(job.record.step))
    assert set(steps) == {"", "Listing files"}
    assert count(platform, "texts", "blobs", "spaces") == [0, 0, 0]


def test_few_transactions_wait(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    waiting: list[int] = []
    store = storing._store

    def note(*arguments: Any) -> Any:
        stored = store(*arguments)
        done.append(stored)
        return stored

    monkeypatch.setattr(storing, "_store", note)
    with BackgroundStoring(platform.database) as background:
        for number in range(PAGES):
            background.take(f"{number}.md", f"# {number}".encode(), str(number))
            waiting.append(number + 1 - len(done))
        stored = background.finish()
    assert max(waiting) <= storing._MOST_UNDER_WAY
    assert (len(stored.files), len(stored.texts), background.finish()) == (PAGES, PAGES, Stored())


def hashes(platform: Platform, table: str) -> Iterable[str]:
    return platform.database.read_now(lambda connection: connection.column(f"SELECT hash FROM {table}"))


def test_a_file_that_is_all_text_is_stored_as_both(platform: Platform, tmp_path: Path) -> None:
    import_folder(platform, write_folder(tmp_path / "manual", {"a.md": "No heading.\n", "empty.md": ""}))
    assert set(hashes(platform, "texts")) < set(hashes(platform, "blobs"))
    assert count(platform, "texts", "blobs") == [1, 2]
