"""Folders that are made to hurt: each costs what it weighs, is named in the report, and keeps nothing else out."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from recto.server.exchange import FolderError, book_reader, import_folder, summary
from recto.server.exchange import folder as folder_module
from recto.server.exchange.folder import MAX_FILE_BYTES, MAX_PAGE_BYTES, DiskFile, LeftOut, Reason, list_folder
from recto.server.exchange.library import MAX_BOOKS, read_library
from recto.server.exchange.listing import _Lister
from recto.server.exchange.summary import SummaryEntry, read_summary
from recto.server.platform import Platform
from support.folders import write_folder

SETTINGS = (".gitbook.yaml", ".gitbook/vars.yaml", ".gitbook/tags.yaml")


@pytest.mark.parametrize("place", SETTINGS)
@pytest.mark.parametrize("text", ["[" * 30_000, "{a: " * 30_000, "- " * 30_000])
def test_nested_settings_are_refused_by_name(tmp_path: Path, place: str, text: str) -> None:
    write_folder(tmp_path, {"a.md": "# A\n", place: text})
    with pytest.raises(FolderError, match=r"is not valid YAML: it is nested more than 50 deep \(line 1\)"):
        read_library(tmp_path)


def test_nested_front_matter_stays_in_the_text(platform: Platform, tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.md": f"---\nx: {'[' * 30_000}\n---\n\n# A\n", "b.md": "# B\n"})
    (space,) = import_folder(platform, tmp_path).spaces
    assert space.pages == 2
    assert [finding.lines for finding in space.findings] == [("a.md",)]


@pytest.mark.parametrize("place", [*SETTINGS, "structure.json", "customization.json"])
def test_settings_are_read_up_to_their_limit(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(tmp_path, {"one/SUMMARY.md": "* [A](a.md)\n", "one/a.md": "# A\n"})
    write_folder(tmp_path, {"two/SUMMARY.md": "* [A](a.md)\n", "two/a.md": "# A\n", "structure.json": STRUCTURE})
    within = place if place.endswith(".json") else f"one/{place}"
    write_folder(tmp_path, {within: ""})
    os.truncate(tmp_path / within, 50 * 1000 * 1000)
    read: list[int] = []
    open_file = DiskFile.open
    monkeypatch.setattr(DiskFile, "open", lambda file, mode: Counted(open_file(file, mode), read))
    with pytest.raises(FolderError, match=r"larger than 1 MB, which is the most that is read of such a file"):
        read_library(tmp_path)
    assert max(read) <= 1000 * 1000 + 1


class Counted:
    """A file that notes how many bytes were read of it."""

    def __init__(self, file: Any, read: list[int]) -> None:
        self._file, self._read = file, read

    def __enter__(self) -> Counted:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fileno(self) -> int:
        number: int = self._file.fileno()
        return number

    def read(self, most: int = -1) -> bytes:
        content: bytes = self._file.read(most)
        self._read.append(len(content))
        return content


STRUCTURE = '{"type": "siteSpaces", "structure": []}'


@pytest.mark.parametrize("text", ["[" * 100_000, '{"title": ' * 100_000, "9" * 10_000])
def test_a_nested_customization_names_no_title(tmp_path: Path, text: str) -> None:
    write_folder(tmp_path, {"one/SUMMARY.md": "* [A](a.md)\n", "one/a.md": "# A\n"})
    write_folder(tmp_path, {"two/SUMMARY.md": "* [A](a.md)\n", "two/a.md": "# A\n", "structure.json": STRUCTURE})
    write_folder(tmp_path, {"customization.json": text})
    plan = read_library(tmp_path).site
    assert plan is not None
    assert plan.title == tmp_path.name


@pytest.mark.parametrize("opened", ["[", '{"structure": [', '{"type": "sections", "structure": [{"children": ['])
def test_a_nested_structure_is_refused(tmp_path: Path, opened: str) -> None:
    write_folder(tmp_path, {"one/SUMMARY.md": "* [A](a.md)\n", "one/a.md": "# A\n"})
    write_folder(tmp_path, {"two/SUMMARY.md": "* [A](a.md)\n", "two/a.md": "# A\n", "structure.json": opened * 20_000})
    with pytest.raises(FolderError, match=r"structure\.json is not the structure of a site"):
        read_library(tmp_path)


def test_a_summary_without_end_is_read_up_to_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[SummaryEntry] = []

    def make(*parts: Any, **named: Any) -> SummaryEntry:
        made.append(SummaryEntry(*parts, **named))
        return made[-1]

    monkeypatch.setattr(summary, "SummaryEntry", make)
    for times in (200_000, 400_000):
        made.clear()
        with pytest.raises(FolderError, match=r"more than 20,000 entries, and a space can have at most 5,000 pages"):
            read_summary("* [A](a.md)\n" * times)
        assert len(made) == 20_001


@pytest.mark.parametrize("entries", [1_000, 2_000])
def test_each_entry_is_looked_for_once(tmp_path: Path, entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    find = _Lister._find

    def count_all(lister: _Lister, written: str) -> str | None:
        asked.append(written)
        return find(lister, written)

    monkeypatch.setattr(_Lister, "_find", count_all)
    listed = "".join(f"* [{number}]({number % 2}.md)\n" for number in range(entries))
    write_folder(tmp_path, {"SUMMARY.md": listed, "0.md": "", "1.md": ""})
    (book,) = read_library(tmp_path).books
    assert len(asked) == entries
    assert len(book.report.repeated) == entries - 2


def test_lists_that_lie_deep_in_one_another_are_refused_where_they_are() -> None:
    with pytest.raises(FolderError, match=r"Line 52 of the summary, “51”, is nested more than 50 deep"):
        read_summary("".join(f"{' ' * depth}* [{depth}](a.md)\n" for depth in range(5_000)))


def test_a_page_of_twenty_gigabytes_is_left_out_and_not_read(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path, {"a.md": "# A\n", "huge.md": "", "film.png": "", "fits.md": "# B\n"})
    os.truncate(tmp_path / "huge.md", 20 * 1000**3)
    os.truncate(tmp_path / "film.png", MAX_FILE_BYTES + 1)
    opened: list[str] = []
    open_file = DiskFile.open

    def note(file: DiskFile, mode: Any) -> Any:
        opened.append(Path(file.path).name)
        return open_file(file, mode)

    monkeypatch.setattr(DiskFile, "open", note)
    report = import_folder(platform, tmp_path)
    assert sorted(set(opened)) == ["a.md", "fits.md"]
    assert [space.pages for space in report.spaces] == [2]
    (finding,) = report.findings
    assert finding.lines == ("film.png: a file of more than 100 MB", "huge.md: a page of more than 4 MB")


def test_a_small_page_takes_no_more_memory_than_it_has_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(tmp_path, {"a.md": "# A\n"})
    asked: list[int] = []

    class Asked(Counted):
        def read(self, most: int = -1) -> bytes:
            asked.append(most)
            return super().read(most)

    open_file = DiskFile.open
    monkeypatch.setattr(DiskFile, "open", lambda file, mode: Asked(open_file(file, mode), []))
    assert list_folder(tmp_path).text("a.md") == "# A\n"
    assert asked == [4]


def test_a_page_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.md": "# A\n"})
    folder = list_folder(tmp_path)
    os.truncate(tmp_path / "a.md", MAX_PAGE_BYTES + 1)
    with pytest.raises(FolderError, match=r"a\.md is larger than 4 MB"):
        folder.text("a.md")


def test_a_name_that_is_not_utf8_is_left_out_and_the_rest_comes_in(platform: Platform, tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.md": "# A\n", "b.md": "# B\n"})
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))).write_text("# C\n")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/dir\xff"))).mkdir()
    report = import_folder(platform, tmp_path)
    assert [space.pages for space in report.spaces] == [2]
    (finding,) = report.findings
    assert finding.lines == ("caf\ufffd.md: the name is not UTF-8", "dir\ufffd: the name is not UTF-8")


def test_a_folder_whose_own_name_is_not_utf8_is_refused(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    folder.mkdir()
    with pytest.raises(FolderError, match=r"is not UTF-8\. Rename the folder"):
        list_folder(folder)


def test_links_devices_and_pipes_are_named_and_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(tmp_path, {"a.md": "# A\n", "inner/b.md": "# B\n"})
    os.mkfifo(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("plug.md")
    (tmp_path / "to-pipe.md").symlink_to("pipe.md")
    (tmp_path / "one.md").symlink_to("two.md")
    (tmp_path / "two.md").symlink_to("one.md")
    (tmp_path / "inner/up").symlink_to("..")
    (tmp_path / "inner/passwd.md").symlink_to("/etc/passwd")
    for number in range(2_000):
        (tmp_path / f"chain{number}.md").symlink_to(f"chain{number + 1}.md")
    listed = list_folder(tmp_path)
    assert sorted(listed.files) == ["a.md", "inner/b.md"]
    left_out = [each for each in listed.left_out if "chain" not in each.place]
    assert left_out == [
        LeftOut("inner/passwd.md", Reason.OUTSIDE),
        LeftOut("inner/up", Reason.FOLDER_LINK),
        LeftOut("one.md", Reason.NOWHERE),
        LeftOut("pipe.md", Reason.SPECIAL),
        LeftOut("plug.md", Reason.SPECIAL),
        LeftOut("to-pipe.md", Reason.NOWHERE),
        LeftOut("two.md", Reason.NOWHERE),
    ]
    assert {each.reason for each in listed.left_out if "chain" in each.place} == {Reason.NOWHERE}


def test_a_folder_without_end_is_refused_after_so_many_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module, "MAX_ENTRIES", 100)
    write_folder(tmp_path, {f"{number}.md": "" for number in range(300)})
    taken: list[Any] = []
    monkeypatch.setattr(folder_module._Listing, "_take", lambda _, *parts: taken.append(parts))
    with pytest.raises(FolderError, match="more than 100 files and folders"):
        list_folder(tmp_path)
    assert len(taken) == 100


def test_folders_that_lie_deep_in_one_another_are_left_out(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.md": "# A\n", "/".join("x" * 120) + "/deep.md": "# Deep\n"})
    listed = list_folder(tmp_path)
    assert list(listed.files) == ["a.md"]
    assert [each.reason for each in listed.left_out] == [Reason.DEEP]


def test_more_files_than_a_space_holds_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(book_reader, "MAX_FILES", 10)
    write_folder(tmp_path, {"a.md": "# A\n", **{f"{number:03}.png": b"x" for number in range(100)}})
    (book,) = read_library(tmp_path).books
    assert (len(book.files), book.report.files_left_out) == (10, 90)


def test_more_books_than_are_imported_at_once_are_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, {f"{number}/SUMMARY.md": "" for number in range(MAX_BOOKS + 1)})
    with pytest.raises(FolderError, match="holds 201 books, and at most 200 are imported at once"):
        read_library(tmp_path)


def test_the_files_of_a_book_are_found_without_going_through_those_of_others(tmp_path: Path) -> None:
    for number in range(50):
        write_folder(tmp_path / str(number), {"SUMMARY.md": "* [A](a.md)\n", "a.md": "# A\n"})
    folder = list_folder(tmp_path)
    looked: list[str] = []

    class Place(str):
        __slots__ = ()

        def startswith(self, *parts: Any) -> bool:
            looked.append(self)
            return super().startswith(*parts)

    folder.__dict__["_places"] = [Place(place) for place in folder._places]
    assert list(folder.under("7")) == ["7/SUMMARY.md", "7/a.md"]
    assert len(looked) == 3
