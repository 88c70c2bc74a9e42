"""Folders, settings and searches that are made to hurt."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from benchmarks.twice.cases import case
from recto.document.yaml_text import MOST_NESTED, YamlError, read_yaml
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.search import find
from recto.server.exchange.archive import MAX_ARCHIVE_FILES, open_library
from recto.server.exchange.book import Kind
from recto.server.exchange.book_reader import take_apart
from recto.server.exchange.folder import FolderError
from recto.server.exchange.library import MAX_BOOKS, read_library
from recto.server.exchange.summary import MAX_ENTRIES, read_summary
from recto.server.exchange.summary_file import BookFiles, Line, SummaryItem, write_summary
from recto.server.platform import Owner, Platform
from support.content import make_space
from support.folders import write_folder


@case("settings: brackets", 30_000)
def brackets(size: int) -> Callable[[], object]:
    """So many opening brackets, which are refused."""
    text = "[" * size

    def read() -> None:
        with suppress(YamlError):
            read_yaml(text)

    return read


@case("settings: lists within lists", 200, largest=700)
def lists(size: int) -> Callable[[], object]:
    """So many lists that lie as deep in one another as they may."""
    text = f"- {'[' * (MOST_NESTED - 1)}{']' * (MOST_NESTED - 1)}\n" * size
    return lambda: read_yaml(text)


@case("settings: aliases", 9_000, largest=18_000)
def aliases(size: int) -> Callable[[], object]:
    """So many aliases of one value."""
    text = "- &a value\n" + "- *a\n" * size
    return lambda: read_yaml(text)


@case("settings: values", 19_000, largest=39_000)
def values(size: int) -> Callable[[], object]:
    """A list of so many values."""
    text = "- 1\n" * size
    return lambda: read_yaml(text)


@case("summary: entries", 9_000, largest=MAX_ENTRIES)
def entries(size: int) -> Callable[[], object]:
    """A list of so many links to one page."""
    text = "* [Title](page.md)\n" * size
    return lambda: read_summary(text)


@case("summary: more entries than are read", 100_000)
def refused(size: int) -> Callable[[], object]:
    """A list of so many links, which is refused."""
    text = "* [Title](page.md)\n" * size

    def read() -> None:
        with suppress(FolderError):
            read_summary(text)

    return read


@case("summary: spaces in a line", 500_000)
def spaces(size: int) -> Callable[[], object]:
    """A heading and an entry with so many spaces in them."""
    text = f"## a{' ' * size}b\n* [a](a.md{' ' * size}x)\n"
    return lambda: read_summary(text)


@case("summary: entries that are all new", 1_000)
def new_entries(size: int) -> Callable[[], object]:
    """A list of so many pages, written in place of a list of as many others."""
    before, after = (
        [Line(SummaryItem(0, Kind.DOCUMENT, "Page", f"{folder}/{number}.md")) for number in range(size)]
        for folder in "ab"
    )
    book = BookFiles({line.item.path: 1 for line in (*before, *after)}, "", "SUMMARY.md")
    text, _ = write_summary(before, book, None)
    return lambda: write_summary(after, book, text)


@case("page: spaces in a heading", 500_000)
def heading(size: int) -> Callable[[], object]:
    """A page whose heading, further down, has so many spaces in it."""
    text = f"Text.\n\n# a{' ' * size}b\n"
    return lambda: take_apart(text)


@case("folder: files without a page", 4_000)
def files(size: int) -> Callable[[], object]:
    """A folder of so many files, in one book of two pages."""
    top = Path(tempfile.mkdtemp())
    write_folder(
        top, {"SUMMARY.md": "* [A](a.md)\n", "a.md": "# A\n", **{f"x/{number}.md": "" for number in range(size)}}
    )
    return lambda: read_library(top)


@case("folder: books", 90, largest=MAX_BOOKS)
def books(size: int) -> Callable[[], object]:
    """A folder of so many books of ten pages."""
    top = Path(tempfile.mkdtemp())
    for number in range(size):
        listed = "".join(f"* [{page}]({page}.md)\n" for page in range(10))
        write_folder(top / str(number), {"SUMMARY.md": listed, **{f"{page}.md": "# A\n" for page in range(10)}})
    return lambda: read_library(top)


@case("archive: files without a page", 4_000, largest=MAX_ARCHIVE_FILES)
def archived_files(size: int) -> Callable[[], object]:
    """An archive of so many files, in one book of two pages."""
    listed = {"SUMMARY.md": "* [A](a.md)\n", "a.md": "# A\n"}
    return _opening({**listed, **{f"x/{number}.txt": "" for number in range(size)}})


@case("archive: bytes that pack to nothing", 20_000_000)
def archived_bytes(size: int) -> Callable[[], object]:
    """An archive of one file with so many equal bytes, which is refused by its ratio."""
    return _opening({"a.txt": "a" * size})


def _opening(files: Mapping[str, str]) -> Callable[[], object]:
    path = Path(tempfile.mkdtemp()) / "docs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)

    def read() -> None:
        with suppress(FolderError), open_library(path, lambda *_: None, lambda: False):
            pass

    return read


@case("search: one character that is everywhere", 1_500, largest=6_000)
def character(size: int) -> Callable[[], object]:
    """A search for one character in so many pages that all hold it."""
    platform = Platform.open(Path(tempfile.mkdtemp()) / "workspace.recto", owner=Owner("Ada"))
    text = "這是索引的說明，其中的文字。\n" * 20
    space = make_space(platform, [ImportedPage(f"p{number}", f"P {number}", text=text) for number in range(size)])
    platform.indexer.run()
    return lambda: platform.database.read_now(lambda connection: find(connection, [space], "的"))
