"""Zip archives: read as the folders they hold, and refused before anything acts."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from recto.server.exchange import FolderError, archive, find_import_report, import_folder
from recto.server.exchange.archive import open_library
from recto.server.exchange.folder import MAX_NESTED, LeftOut, Reason
from recto.server.jobs import Job, JobCancelled
from recto.server.platform import Platform
from support.folders import write_folder

DOCS: dict[str, str | bytes] = {
    "SUMMARY.md": "* [Start](start.md)\n* [More](sub/more.md)\n",
    "start.md": "# Start\n\n[More](sub/more.md) ![](sub/a.png)\n",
    "sub/more.md": "# More\n",
    "sub/a.png": b"\x89PNG",
}


def pack(path: Path, files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return path


def entry_of(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def refused(path: Path, scratch: Path) -> str:
    """Open an archive that is refused, and return why; nothing of it stays, or lies beside."""
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(FolderError) as caught, open_library(path, lambda *_: None, lambda: False, scratch=scratch):
        pass
    assert sorted(path.parent.rglob("*")) == before
    return str(caught.value)


@pytest.mark.parametrize("prefix", ["", "docs-main/"])
def test_an_archive_is_read_as_its_folder(tmp_path: Path, scratch: Path, prefix: str) -> None:
    folder = write_folder(tmp_path / "docs", DOCS)
    path = pack(tmp_path / "docs.zip", {f"{prefix}{name}": content for name, content in DOCS.items()})
    with open_library(path, lambda *_: None, lambda: False, scratch=scratch) as packed:
        assert packed.top == path.resolve()
        with open_library(folder, lambda *_: None, lambda: False) as plain:
            assert [book.title for book in packed.books] == [book.title for book in plain.books] == ["docs"]
            assert packed.books[0].pages == plain.books[0].pages
            assert [file.source.read() for file in packed.books[0].files] == [b"\x89PNG"]
    assert list(scratch.iterdir()) == []


def test_an_archive_imported_again_changes_its_space(platform: Platform, tmp_path: Path) -> None:
    path = pack(tmp_path / "docs.zip", DOCS)
    (first,) = import_folder(platform, path).spaces
    assert (first.title, first.pages, first.files, first.created) == ("docs", 2, 1, True)
    (same,) = import_folder(platform, path).spaces
    assert (same.space, same.created, same.changed) == (first.space, False, False)
    pack(path, {**DOCS, "sub/more.md": "# More\n\nNew.\n"})
    (again,) = import_folder(platform, path).spaces
    assert (again.space, again.created, again.changed) == (first.space, False, True)
    found = platform.database.read_now(lambda connection: find_import_report(connection, first.space))
    assert found is not None
    assert found.folder == str(path.resolve())


@pytest.mark.parametrize(
    "name", ["../out.md", "a/../../out.md", "/out.md", "..\\out.md", "C:\\out.md", "C:out.md", "\\\\host\\out.md"]
)
def test_a_name_that_leads_out_has_nothing_unpacked(tmp_path: Path, scratch: Path, name: str) -> None:
    why = refused(pack(tmp_path / "docs.zip", {"a.md": "# A\n", name: "# Out\n"}), scratch)
    assert why == "docs.zip names a file outside of itself, so nothing of it was unpacked."


def test_what_is_no_plain_file_is_left_out_and_named(tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.md", "# A\n")
        packed.writestr(entry_of("passwd.md", stat.S_IFLNK | 0o777), "/etc/passwd")
        packed.writestr(entry_of("pipe", stat.S_IFIFO | 0o600), "")
        packed.writestr("x/" * MAX_NESTED + "deep.md", "# Deep\n")
        packed.writestr("__MACOSX/a.md", "rubbish")
    with open_library(path, lambda *_: None, lambda: False, scratch=scratch) as library:
        assert [page.title for page in library.books[0].walk()] == ["A"]
        assert library.left_out == (
            LeftOut("passwd.md", Reason.ARCHIVED_LINK),
            LeftOut("pipe", Reason.SPECIAL),
            LeftOut("x/" * MAX_NESTED + "deep.md", Reason.DEEP),
        )


def test_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pack(tmp_path / "docs.zip", {"a.md": b"a" * 11_000_000})
    monkeypatch.setattr(archive, "_write", lambda *_: pytest.fail("unpacked"))
    assert "more than 200 times its size" in refused(path, scratch)


def test_sizes_and_numbers_are_bounded(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pack(tmp_path / "docs.zip", {f"{number}.md": "# A\n" * 100 for number in range(4)})
    monkeypatch.setattr(archive, "MAX_ARCHIVE_FILES", 3)
    assert "more than 3 files" in refused(path, scratch)
    monkeypatch.setattr(archive, "MAX_ARCHIVE_FILES", 4)
    monkeypatch.setattr(archive, "MAX_EXPANDED_BYTES", 1599)
    assert "Unpack it and open a part of it." in refused(path, scratch)
    monkeypatch.setattr(archive, "MAX_EXPANDED_BYTES", 1600)
    with open_library(path, lambda *_: None, lambda: False, scratch=scratch) as library:
        assert len(library.books[0].pages) == 4
    monkeypatch.setattr(archive, "MAX_DIRECTORY_BYTES", 100)
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("read"))
    assert "more than 4 files" in refused(path, scratch)


def lie(content: bytes) -> bytes:
    """Have an archive say that its file is one byte long."""
    size = (400_000).to_bytes(4, "little")
    assert content.count(size) >= 2
    return content.replace(size, (1).to_bytes(4, "little"))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: b"PK\x05\x06",
        lambda content: b"x" * 100,
        lambda content: content[:60] + bytes(10) + content[70:],
        lie,
    ],
)
def test_a_damaged_archive_is_refused_in_a_sentence(
    tmp_path: Path, scratch: Path, change: Callable[[bytes], bytes]
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("a.md", bytes(range(250)) * 1600)
    path = tmp_path / "docs.zip"
    path.write_bytes(change(packed.getvalue()))
    assert refused(path, scratch) == "docs.zip is not a zip archive that can be read, or is damaged."


def test_what_is_packed_otherwise_or_cannot_be_written_is_refused_by_name(tmp_path: Path, scratch: Path) -> None:
    path = pack(tmp_path / "docs.zip", {"a.md": "# A\n"}, zipfile.ZIP_BZIP2)
    assert "a.md in docs.zip is encrypted or packed in an uncommon way" in refused(path, scratch)
    long = "x" * 300
    pack(path, {"a.md": "# A\n", long: ""})
    assert f"{long[:100]} in docs.zip cannot be unpacked: File name too long." in refused(path, scratch)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_entries_with_one_name_the_first_is_unpacked(tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name in ("a.md", "a.md", "sub", "sub/b.md", "sub/more/c.md", "more/d.md", "more"):
            packed.writestr(name, f"# {len(packed.infolist())}\n")
    with open_library(path, lambda *_: None, lambda: False, scratch=scratch) as library:
        assert [page.title for page in library.books[0].walk()] == ["0", "More", "5"]
        places = ("a.md", "more", "sub/b.md", "sub/more/c.md")
        assert library.left_out == tuple(LeftOut(place, Reason.TAKEN) for place in places)


def test_a_cancelled_import_leaves_nothing(platform: Platform, tmp_path: Path) -> None:
    path = pack(tmp_path / "docs.zip", DOCS)
    with pytest.raises(JobCancelled):
        import_folder(platform, path, watch=Job.cancel)
    count = platform.database.read_now(lambda connection: connection.value("SELECT count(*) FROM imports"))
    assert count == 0
