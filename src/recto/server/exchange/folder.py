"""The files of a folder: listed once, found case-insensitively, read safely."""

from __future__ import annotations

import codecs
import os
import posixpath
import re
import sys
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path
from typing import IO, Literal, Protocol
from urllib.parse import unquote

from recto.frozen import frozen
from recto.server.jobs import JobFailed

Progress = Callable[[str, int, int | None], None]
"""Called with a step in a few words, how much of it is done, and how much there is in all, where that is known."""


class FolderError(JobFailed):
    """A folder cannot be imported; the message says why and what to do. Nothing was changed."""


class UnreadableFileError(FolderError):
    """A file cannot be read; ``reason`` says why in a few words."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


MAX_FILE_BYTES = 100 * 1000 * 1000
"""The largest file that the platform takes, in bytes."""

MAX_PAGE_BYTES = 4 * 1000 * 1000
"""The largest page, or other text that is read as a whole, in bytes."""

MAX_SETTINGS_BYTES = 1000 * 1000
"""The largest file of settings, in bytes."""

MAX_ENTRIES = 250_000
"""How many files and folders are looked at."""

MAX_NESTED = 100
"""The deepest nesting of folders."""

REPOSITORY = ".git"
"""The folder of a repository, which is no part of the documentation in it."""

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "_book", "__MACOSX"})
_HIDDEN_THAT_COUNT = frozenset({".gitbook", ".gitbook.yaml", ".gitbook.yml"})
_HIDDEN_BESIDE = re.compile(
    r"\.(?:bookignore|circleci|editorconfig|github|gitlab|gitlab-ci\.yml|gitattributes|gitignore|lycheeignore|mailmap"
    r"|markdownlint.*|mdlrc|nojekyll|nvmrc|pre-commit-config\.yaml|prettier.*|remark.*|ruby-version|textlint.*"
    r"|travis\.yml|vale|vale\.ini|vscode|yamllint.*)"
)
"""Hidden settings of documentation tools that are kept; other hidden files may hold secrets, and are not read."""
_MARKDOWN = (".md", ".markdown")
_ELSEWHERE = re.compile(r"\\|(?:^|/)[A-Za-z]:")


class Reason(StrEnum):
    """The reason why something in a folder is left out, in a few words."""

    OUTSIDE = "a link to something outside the folder"
    NOWHERE = "a link that leads to no file"
    FOLDER_LINK = "a link to a folder, which is read where it is"
    ARCHIVED_LINK = "a link, which is not followed in an archive"
    TAKEN = "something else in the archive has this name"
    COMMITTED_LINK = "a link, which is not followed in a repository"
    MODULE = "another repository"
    LARGE_STORAGE = "it is in Git's large file storage, which is not fetched"
    NAME = "the name is not UTF-8"
    ELSEWHERE = "the name leads to another place on other systems"
    SPECIAL = "a device, a socket or a pipe"
    LARGE_PAGE = "a page of more than 4 MB"
    LARGE_FILE = "a file of more than 100 MB"
    DEEP = "more than 100 folders deep"
    UNREADABLE = "no permission to read it"
    UNCONVERTED = "a page that is too large to be converted"
    NESTED = "a page that is nested too deep to be converted"
    BEYOND = "over the limit of pages and pictures of a website"
    UNFETCHED = "it could not be fetched"
    HIDDEN = "hidden, and not a setting of a documentation tool"
    MADE = "a folder that a program generates"
    EMPTY = "an empty folder"
    LINKED = "a link, which is written as the file that it leads to"
    EXECUTABLE = "executable; this permission is not kept"
    UNKEPT = "over the limit of files beside the pages"
    FORMULA = "the formulas in it, which cannot be converted"
    MARKUP = "a page that is not written in Markdown"


@frozen
class LeftOut:
    """Something in a folder that was not imported."""

    place: str
    reason: Reason


class FileSource(Protocol):
    """A file that can be read, on disk or in a commit."""

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """Open the file to be read."""
        ...

    def read(self, most: int = MAX_FILE_BYTES) -> bytes:
        """Return the bytes of the file, the first ``most`` where it has more."""
        ...


@frozen
class DiskFile:
    """A file on disk, by its path as a text: to make a ``Path`` takes as long as to read a page."""

    path: str

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """Open the file to be read."""
        return open(self.path, mode)  # noqa: PTH123

    def read(self, most: int = MAX_FILE_BYTES) -> bytes:
        """Return the bytes of the file, the first ``most`` where it has more."""
        with self.open("rb") as file:
            # As much memory is taken as may be read, so that it is not asked for more than there is.
            return file.read(min(os.fstat(file.fileno()).st_size, most))


@dataclass(frozen=True)
class Folder:
    """A folder and the sizes of the files in it by their places: relative, with ``/`` between the parts, in order.

    A symbolic link counts as the file it points at as long as that lies in the folder. Linked folders are not entered.
    Entries that are no files, or too large, are ``left_out`` and never read. ``beside`` are hidden files that are kept
    with a book and never read as part of it. ``sources`` are the files by their places where they do not lie on disk
    below ``top``. ``named`` is what messages call it where that is not its path. ``unkept`` is what documentation does
    not need and an export does not give back: hidden files, and that a file is a link or executable.
    """

    top: Path
    files: Mapping[str, int]
    left_out: tuple[LeftOut, ...] = ()
    beside: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, FileSource] | None = None
    named: str = ""
    unkept: tuple[LeftOut, ...] = ()

    def show(self, base: str = "") -> str:
        """Return what messages call the folder, or a folder in it."""
        return "/".join(part for part in (self.named or str(self.top), base) if part)

    def __contains__(self, place: str) -> bool:
        return place in self.files

    @cached_property
    def _start(self) -> str:
        return f"{self.top}/"

    @cached_property
    def _places(self) -> list[str]:
        return sorted(self.files)

    @cached_property
    def _folded_paths(self) -> dict[str, str]:
        return {_fold(place): place for place in reversed(self._places)}

    def find(self, place: str) -> str | None:
        """Return the file for a written path: as written, percent-decoded, or in another case."""
        if place in self.files:
            return place
        for spelling in (place, unquote(place)):
            normal = normal_place(spelling)
            if normal is None:
                continue
            if normal in self.files:
                return normal
            found = self._folded_paths.get(_fold(normal))
            if found is not None:
                return found
        return None

    def under(self, base: str) -> Iterator[str]:
        """Return the files below a place in order, ``""`` being the whole folder."""
        start = f"{base}/" if base else ""
        places = self._places
        return takewhile(lambda place: place.startswith(start), islice(places, bisect_left(places, start), None))

    def size(self, place: str) -> int:
        """Return a file's size in bytes."""
        return self.files[place]

    def text(self, place: str, most: int = MAX_PAGE_BYTES) -> str:
        """Return a file as text with ``\\n`` line ends and no byte-order mark.

        Raise ``FolderError`` where it is not UTF-8, has more than ``most`` bytes, or cannot be read.
        """
        text, bad_line = self.text_as_it_stands(place, most)
        if bad_line is not None:
            raise FolderError(
                f"{place} is not UTF-8 text (line {bad_line}). Save it as UTF-8 or remove it, then open the folder "
                "again."
            )
        return text

    def text_as_it_stands(self, place: str, most: int = MAX_PAGE_BYTES) -> tuple[str, int | None]:
        """Return a file as ``text`` does, with ``\ufffd`` for invalid bytes, and the first line with such.

        Raise ``UnreadableFileError`` where it has more than ``most`` bytes or cannot be read.
        """
        return decode_as_it_stands(self.content(place, most))

    def may_be_read(self, place: str) -> bool:
        """Whether the system lets this process read a file."""
        return self.sources is not None or os.access(self._start + place, os.R_OK)

    def source(self, place: str) -> FileSource:
        """Return where the bytes of a file are."""
        return DiskFile(self._start + place) if self.sources is None else self.sources[place]

    def content(self, place: str, most: int = MAX_PAGE_BYTES) -> bytes:
        """Return the bytes of a file.

        Raise ``UnreadableFileError`` where it has more than ``most`` or cannot be read.
        """
        try:
            raw = self.source(place).read(most + 1)
        except OSError as error:
            reason = error.strerror or str(error)
            raise UnreadableFileError(
                f"{place} cannot be read: {reason}. Make it readable, then open the folder again.", reason
            ) from error
        if len(raw) > most:
            size_limit = f"larger than {most // 1_000_000} MB"
            raise UnreadableFileError(
                f"{place} is {size_limit}, which is the most that is read of such a file. Split or remove it.",
                size_limit,
            )
        return raw


def decode_as_it_stands(content: bytes) -> tuple[str, int | None]:
    """Return the text of a file as ``Folder.text_as_it_stands`` does."""
    # What editors on Windows save as "Unicode" begins with the mark of UTF-16.
    encoding = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    content = content.removeprefix(codecs.BOM_UTF8)
    bad_line = None
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        text = content.decode(encoding, errors="replace")
        bad_line = content.count(b"\n", 0, error.start) + 1
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text, bad_line


def is_markdown(place: str) -> bool:
    """Whether a file is a page by its name."""
    return place.lower().endswith(_MARKDOWN)


def find_skipped(place: str) -> LeftOut | None:
    """Return the part of a place that is not looked at: hidden without being a setting, or made by a program.

    ``None`` where all of the place is looked at.
    """
    parts = place.split("/")
    for number, part in enumerate(parts, 1):
        if _is_skipped(part):
            return LeftOut("/".join(parts[:number]), Reason.HIDDEN)
        if part in SKIPPED_FOLDERS and number < len(parts):
            return LeftOut("/".join(parts[:number]), Reason.MADE)
    return None


def is_beside(place: str) -> bool:
    """Whether a file is kept with a book and never read as part of it: it is hidden."""
    return any(_is_hidden(part) for part in place.split("/"))


def _is_skipped(name: str) -> bool:
    return _is_hidden(name) and not _HIDDEN_BESIDE.fullmatch(name)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name not in _HIDDEN_THAT_COUNT


def list_folder(path: Path, *, named: str = "") -> Folder:
    """List a folder's files; ``named`` is what messages call it where that is not its path.

    Raise ``FolderError`` where there is none at ``path`` or it cannot be read.
    """
    if not path.exists():
        raise FolderError(f"There is no folder {path}. Check the path.")
    if not path.is_dir():
        raise FolderError(f"{path} is a file, not a folder or .zip archive. Choose the folder with the documentation.")
    if not _is_utf8(str(path)):
        raise FolderError(f"The name of {os.fsencode(path).decode(errors='replace')} is not UTF-8. Rename the folder.")
    listing = _Listing(Path(os.path.realpath(path)), named)
    try:
        listing.run()
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderError(
            f"{named or error.filename or path} cannot be read: {reason}. Make it readable, then try again."
        ) from error
    left_out = tuple(sorted(listing.left_out, key=lambda each: each.place))
    unkept = tuple(sorted(listing.unkept, key=lambda each: each.place))
    return Folder(listing.top, listing.files, left_out, listing.beside, named=named, unkept=unkept)


class _Listing:
    """Lists a folder, entry by entry."""

    def __init__(self, top: Path, named: str) -> None:
        self.top = top
        self._named = named or top
        self.files: dict[str, int] = {}
        self.beside: dict[str, int] = {}
        self.left_out: list[LeftOut] = []
        self.unkept: list[LeftOut] = []
        self._entries = 0
        self._folders: list[tuple[str, str, int]] = [(str(top), "", 0)]

    def run(self) -> None:
        while self._folders:
            folder, base, depth = self._folders.pop()
            if depth > MAX_NESTED:
                self.left_out.append(LeftOut(base.rstrip("/"), Reason.DEEP))
                continue
            try:
                self._scan(folder, base, depth)
            except OSError:
                if not base:
                    raise
                self.left_out.append(LeftOut(base.rstrip("/"), Reason.UNREADABLE))

    def _scan(self, folder: str, base: str, depth: int) -> None:
        before = self._entries
        with os.scandir(folder) as entries:
            for entry in entries:
                self._entries += 1
                if self._entries > MAX_ENTRIES:
                    raise FolderError(
                        f"{self._named} holds more than {MAX_ENTRIES:,} files and folders. "
                        "Choose the folder with the documentation."
                    )
                self._take(entry, base, depth)
        if self._entries == before and base:
            self.unkept.append(LeftOut(base.rstrip("/"), Reason.EMPTY))

    def _take(self, entry: os.DirEntry[str], base: str, depth: int) -> None:
        place = f"{base}{entry.name}"
        if _is_skipped(entry.name):
            if entry.name != REPOSITORY and _is_utf8(entry.name):
                self.unkept.append(LeftOut(place, Reason.HIDDEN))
        elif not _is_utf8(entry.name):
            self.left_out.append(LeftOut(os.fsencode(place).decode(errors="replace"), Reason.NAME))
        elif entry.is_symlink():
            self._take_link(entry, place)
        elif entry.is_dir(follow_symlinks=False):
            if entry.name in SKIPPED_FOLDERS:
                self.unkept.append(LeftOut(place, Reason.MADE))
            else:
                self._folders.append((entry.path, f"{place}/", depth + 1))
        elif entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            if self._take_file(place, status.st_size) and is_executable(status.st_mode):
                self.unkept.append(LeftOut(place, Reason.EXECUTABLE))
        else:
            self.left_out.append(LeftOut(place, Reason.SPECIAL))

    def _take_link(self, entry: os.DirEntry[str], place: str) -> None:
        try:
            entry.stat()  # the system ends loops and long chains of links
        except OSError:
            self.left_out.append(LeftOut(place, Reason.NOWHERE))
            return
        target = Path(os.path.realpath(entry.path))
        if not target.is_relative_to(self.top):
            self.left_out.append(LeftOut(place, Reason.OUTSIDE))
        elif target.is_file():
            if self._take_file(place, target.stat().st_size):
                self.unkept.append(LeftOut(place, Reason.LINKED))
        elif target.is_dir():
            self.left_out.append(LeftOut(place, Reason.FOLDER_LINK))
        else:
            self.left_out.append(LeftOut(place, Reason.NOWHERE))

    def _take_file(self, place: str, size: int) -> bool:
        """Add a file to the listing; return whether it is not left out."""
        reason = why_left_out(place, size)
        if reason is not None:
            self.left_out.append(LeftOut(place, reason))
        elif is_beside(place):
            self.beside[place] = size
        else:
            self.files[place] = size
        return reason is None


def is_executable(mode: int) -> bool:
    """Whether a file of this mode may be run; Windows has no such modes."""
    return bool(mode & 0o111) and sys.platform != "win32"


def why_left_out(place: str, size: int) -> Reason | None:
    """Return why a file of so many bytes is left out."""
    if _ELSEWHERE.search(place):
        return Reason.ELSEWHERE
    is_summary = place.rpartition("/")[2].casefold() == "summary.md"
    if is_markdown(place) and not is_summary and size > MAX_PAGE_BYTES:
        return Reason.LARGE_PAGE
    return Reason.LARGE_FILE if size > MAX_FILE_BYTES else None


def _is_utf8(name: str) -> bool:
    """Whether a file's name is valid UTF-8: invalid bytes come as lone surrogates."""
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def normal_place(place: str) -> str | None:
    """Normalize a written path; ``None`` if it leads out of the folder."""
    parts: list[str] = []
    for part in place.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def join_path(base: str, place: str) -> str:
    """Return ``place`` below ``base``, where either may be empty."""
    return f"{base}/{place}" if base and place else base or place


def path_below(place: str, folder: str) -> str:
    """Return the path that leads to ``place`` from a folder that it lies in, or is: the other way of ``join_path``."""
    return place[len(folder) + 1 :] if folder else place


def folders_above(place: str) -> Iterator[str]:
    """Yield the folders that a place lies in, from the inside out; the topmost is ``""``."""
    while place:
        place = posixpath.dirname(place)
        yield place


def relative_path(place: str, folder: str) -> str:
    """Return the path that leads to ``place`` from a folder, both written from the same top.

    The system is not asked for the folder it is in: that may be gone, as after a switch of branches.
    """
    return posixpath.relpath(f"/{place}", f"/{folder}")


def _fold(place: str) -> str:
    return unicodedata.normalize("NFC", place).casefold()
