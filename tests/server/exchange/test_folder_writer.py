from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recto.server.content.tree import digest
from recto.server.exchange.folder_writer import ExportError, FolderWriter, InTheWayError, WrittenFiles, load_names
from recto.server.jobs import JobCancelled
from support.calls import CountingSet
from support.folders import write_folder


def write(
    folder: Path, files: dict[str, bytes], stop: Callable[[], None] = lambda: None, **options: Any
) -> WrittenFiles:
    hashes = {path: digest(content) for path, content in files.items()}
    writer = FolderWriter(folder, hashes, files.__getitem__, folder.parent / "records", **options)
    return writer.write(lambda step, done, total: None, stop, stop)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_only_what_differs_is_written_and_what_is_gone_is_deleted(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    assert write(out, {"a.md": b"a", "b/c.md": b"c", "b/d/e.md": b"e"}) == WrittenFiles(3, 0, 0)
    kept = (out / "a.md").stat().st_mtime_ns
    write_folder(out, {"b/mine.md": "mine", "other/mine.md": "mine"})
    assert write(out, {"a.md": b"a", "b/c.md": b"C"}) == WrittenFiles(1, 1, 1)
    assert files_in(out) == {"a.md": b"a", "b/c.md": b"C", "b/mine.md": b"mine", "other/mine.md": b"mine"}
    assert not (out / "b/d").exists()
    assert (out / "a.md").stat().st_mtime_ns == kept


def test_the_files_are_walked_as_often_whatever_their_number(tmp_path: Path) -> None:
    walks: list[int] = []
    for count in (2, 20):
        out, kept = tmp_path / str(count) / "out", CountingSet(["kept.md"])
        write(out, {f"{number}.md": b"a" for number in range(count)})
        assert write(out, {}, kept=kept).deleted == count
        walks.append(kept.walks)
    assert walks[0] == walks[1]


def test_a_page_may_become_a_folder_and_a_folder_a_page(tmp_path: Path) -> None:
    write(tmp_path / "out", {"a": b"a", "b/c/d": b"d"})
    write(tmp_path / "out", {"a/b": b"b", "b": b"b"})
    assert files_in(tmp_path / "out") == {"a/b": b"b", "b": b"b"}


def test_an_edited_file_is_neither_replaced_nor_deleted_unasked(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, {"a.md": b"a", "b.md": b"b"})
    write_folder(out, {"a.md": "mine", "b.md": "mine"})
    with pytest.raises(InTheWayError, match=r"edited since: a\.md, b\.md\.$"):
        write(out, {"a.md": b"A"})
    assert files_in(out) == {"a.md": b"mine", "b.md": b"mine"}
    assert write(out, {"a.md": b"A"}, force=True) == WrittenFiles(1, 1, 0)


def test_links_above_a_file_are_not_followed(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    write(out, {"a.md": b"a"})
    elsewhere.mkdir()
    (out / "docs").symlink_to(elsewhere)
    with pytest.raises(InTheWayError, match=r"has links to other places above these files: docs/b\.md"):
        write(out, {"docs/b.md": b"b"}, force=True)
    assert not list(elsewhere.iterdir())


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    secret = write_folder(tmp_path, {"secret": "secret"}) / "secret"
    out = tmp_path / "out"
    write(out, {"a.md": b"a"})
    (out / "b.md").symlink_to(secret)
    with pytest.raises(InTheWayError):
        write(out, {"a.md": b"a", "b.md": b"b"})
    write(out, {"a.md": b"a", "b.md": b"b"}, force=True)
    assert (secret.read_bytes(), (out / "b.md").read_bytes()) == (b"secret", b"b")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_cancelled_nothing_is_changed_and_nothing_left(tmp_path: Path, number: int) -> None:
    out = tmp_path / "out"
    write(out, {"a.md": b"a", "b.md": b"b"})
    left = number

    def stop() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise JobCancelled

    with pytest.raises(JobCancelled):
        write(out, {"a.md": b"A", "b.md": b"B"}, stop)
    assert files_in(out) == {"a.md": b"a", "b.md": b"b"}
    assert sorted(path.name for path in out.iterdir()) == ["a.md", "b.md"]
    new = tmp_path / "new"
    left = 1
    with pytest.raises(JobCancelled):
        write(new, {"a.md": b"A"}, stop)
    assert not new.exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    write_folder(tmp_path, {"out": "a file"})
    with pytest.raises(ExportError, match="is a file"):
        write(tmp_path / "out", {"a.md": b"a"})


def test_what_could_not_be_fetched_stays_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, {"a.md": b"a", "a.png": b"picture"}, names={"file": "a.png"})
    assert load_names(out, tmp_path / "records") == {"file": "a.png"}
    assert write(out, {"a.md": b"a"}, kept={"a.png"}) == WrittenFiles(0, 0, 1)
    assert files_in(out) == {"a.md": b"a", "a.png": b"picture"}
    assert write(out, {"a.md": b"a"}) == WrittenFiles(0, 1, 1), "it is still known as an export's"
