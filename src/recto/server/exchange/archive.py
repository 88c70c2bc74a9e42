"""Zip archives of documentation: unpacked under bounds into a folder that is read as any other."""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from recto.frozen import frozen
from recto.server.exchange.book_reader import OnRead, ignore_text
from recto.server.exchange.folder import (
    MAX_FILE_BYTES,
    MAX_NESTED,
    FolderError,
    LeftOut,
    Progress,
    Reason,
)
from recto.server.exchange.library import Library, ListedBooks, list_library, read_books
from recto.server.exchange.storing import stop_if

MAX_ARCHIVE_FILES = 50_000
"""The most entries of an archive."""

MAX_DIRECTORY_BYTES = 8 * 1000 * 1000
"""The largest table of contents of an archive, which is held in memory."""

MAX_EXPANDED_BYTES = 1000 * 1000 * 1000
"""The most that an archive unpacks to."""

MAX_RATIO = 200
"""How many times its own size an archive may unpack to, beyond the first ten megabytes."""

_ANY_RATIO_BYTES = 10 * 1000 * 1000
_KINDS = "Other kinds are known by their endings: .md, .html and .docx."
_PIECE = 1024 * 1024
_SHOWN = 100
_FILES_BETWEEN = 50
_STEP = "Unpacking"
_DRIVE = re.compile(r"[A-Za-z]:")
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_IS_ENCRYPTED = 1
DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError)
"""The errors that :mod:`zipfile` raises for files that are no archives, or damaged."""

_END, _END_SIZE, _MOST_COMMENT = b"PK\x05\x06", 22, 65_535
_LOCATOR_64, _LOCATOR_64_SIZE = b"PK\x06\x07", 20
"""The records at the end of an archive, by https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT."""


@frozen
class _Entry:
    """A file of an archive, and its place in it below the folder that holds all of them."""

    info: zipfile.ZipInfo
    place: str


def is_archive(path: Path) -> bool:
    """Whether a path is a file that is named as a zip archive."""
    return path.suffix.lower() == ".zip" and path.is_file()


def _accept(path: Path, listed: ListedBooks) -> None:
    """Accept the books of a folder."""


@contextmanager
def open_library(
    path: Path,
    progress: Progress,
    cancelled: Callable[[], bool],
    check: Callable[[Path, ListedBooks], None] = _accept,
    take: OnRead = ignore_text,
    *,
    scratch: Path | None = None,
) -> Iterator[Library]:
    """Read a folder, or a zip archive of a folder; its files may be read as long as the context lasts.

    ``check`` is called with its real path and its books before these are read, ``take`` for each text.

    An archive is unpacked into a temporary folder (in ``scratch``, else where the system has them), under bounds on
    entries, expanded size and ratio. Archives in it stay files. If everything lies in a single folder, as forges pack
    it, that folder is read. An archive with a name that leads out of it is refused; links are left out, and so is what
    has the name of something before it. Raises as :func:`read_library` does.
    """
    if not is_archive(path):
        listed = list_library(path, progress)
        check(listed.folder.top, listed)
        yield read_books(listed, progress, cancelled, take=take)
        return
    with TemporaryDirectory(prefix="recto-", dir=scratch) as temporary:
        top = Path(temporary) / (path.stem.strip(". ") or "archive")
        top.mkdir()
        left_out = unpack(path, top, progress, cancelled)
        listed = list_library(top, progress)
        real = Path(os.path.realpath(path))
        check(real, listed)
        library = read_books(listed, progress, cancelled, take=take)
        everything = sorted((*library.left_out, *left_out), key=lambda each: each.place)
        yield replace(library, top=real, left_out=tuple(everything))


def unpack(path: Path, top: Path, progress: Progress, cancelled: Callable[[], bool]) -> list[LeftOut]:
    """Unpack an archive below a folder and return what was left out of it."""
    try:
        _check_directory(path)
        with zipfile.ZipFile(path) as archive:
            entries, left_out = _entries(path, archive.infolist())
            written = 0
            for done, entry in enumerate(entries):
                if done % _FILES_BETWEEN == 0:
                    progress(_STEP, done, len(entries))
                try:
                    written += _write(archive, entry, top, cancelled)
                except (FileExistsError, NotADirectoryError):
                    left_out.append(LeftOut(entry.place, Reason.TAKEN))
                except OSError as error:
                    raise _cannot_unpack(f"{entry.place[:_SHOWN]} in {path.name}", error) from error
                _check_size(path, written)
            return left_out
    except DAMAGED as error:
        kinds = "" if path.suffix.lower() == ".zip" else f" {_KINDS}"
        raise FolderError(f"{path.name} is not a zip archive that can be read, or is damaged.{kinds}") from error
    except OSError as error:
        raise _cannot_unpack(path.name, error) from error


def _cannot_unpack(name: str, error: OSError) -> FolderError:
    reason = error.strerror or str(error)
    return FolderError(f"{name} cannot be unpacked: {reason}. Unpack the archive and open the folder.")


def _check_directory(path: Path) -> None:
    """Refuse an archive whose table of contents is large, before the library reads it whole."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _MOST_COMMENT - _END_SIZE - _LOCATOR_64_SIZE))
        tail = file.read()
    at = tail.rfind(_END, 0, max(0, len(tail) - _END_SIZE + len(_END)))
    if at < 0:
        raise zipfile.BadZipFile
    is_64 = tail[max(0, at - _LOCATOR_64_SIZE) : at].startswith(_LOCATOR_64)
    if is_64 or int.from_bytes(tail[at + 12 : at + 16], "little") > MAX_DIRECTORY_BYTES:
        raise _too_many(path)


def _too_many(path: Path) -> FolderError:
    return FolderError(f"{path.name} holds more than {MAX_ARCHIVE_FILES:,} files. Unpack it and open a part of it.")


def _check_size(path: Path, expanded: int) -> None:
    if expanded > MAX_EXPANDED_BYTES:
        size = f"more than {MAX_EXPANDED_BYTES // 1_000_000:,} MB"
        raise FolderError(f"{path.name} unpacks to {size}. Unpack it and open a part of it.")
    if expanded > _ANY_RATIO_BYTES and expanded > MAX_RATIO * path.stat().st_size:
        raise FolderError(f"{path.name} unpacks to more than {MAX_RATIO} times its size, which no documentation does.")


def _entries(path: Path, infos: Sequence[zipfile.ZipInfo]) -> tuple[list[_Entry], list[LeftOut]]:
    """Return the files to unpack and those to leave out; raise ``FolderError`` for an archive that is refused."""
    if len(infos) > MAX_ARCHIVE_FILES:
        raise _too_many(path)
    found = [_Entry(info, _place(path, info.filename)) for info in infos if not info.filename.endswith(("/", "\\"))]
    common = _common_folder([entry.place for entry in found])
    entries: list[_Entry] = []
    left_out: list[LeftOut] = []
    for entry in found:
        place = entry.place.removeprefix(common)
        reason = _why_left_out(entry.info, place)
        if reason is not None:
            left_out.append(LeftOut(place, reason))
            continue
        if entry.info.flag_bits & _IS_ENCRYPTED or entry.info.compress_type not in _METHODS:
            raise FolderError(
                f"{place[:_SHOWN]} in {path.name} is encrypted or packed in an uncommon way. "
                "Unpack the archive and open the folder."
            )
        entries.append(_Entry(entry.info, place))
    _check_size(path, sum(entry.info.file_size for entry in entries))
    return entries, left_out


def _place(path: Path, name: str) -> str:
    """Return the place that the name of an entry means, which does not lead out of the archive."""
    parts = name.replace("\\", "/").split("/")
    if not parts[0] or ".." in parts or _DRIVE.match(name):
        raise FolderError(f"{path.name} names a file outside of itself, so nothing of it was unpacked.")
    return "/".join(part for part in parts if part != "" and part != ".")


def _common_folder(places: Sequence[str]) -> str:
    """Return the folder that contains all places, with a slash at its end; empty if there is none."""
    tops = {place.partition("/")[:2] for place in places if not place.startswith("__MACOSX/")}
    folder, slash = tops.pop() if len(tops) == 1 else ("", "")
    return f"{folder}/" if slash else ""


def _why_left_out(info: zipfile.ZipInfo, place: str) -> Reason | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return Reason.ARCHIVED_LINK
    if kind not in (0, stat.S_IFREG):
        return Reason.SPECIAL
    if info.file_size > MAX_FILE_BYTES:
        return Reason.LARGE_FILE
    return Reason.DEEP if len(PurePosixPath(place).parts) > MAX_NESTED else None


def _write(archive: zipfile.ZipFile, entry: _Entry, top: Path, cancelled: Callable[[], bool]) -> int:
    """Write a file, which is new, and return its size; no more is unpacked than its entry says."""
    target = top / entry.place
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with archive.open(entry.info) as packed, target.open("xb") as file:
        while piece := packed.read(_PIECE):
            stop_if(cancelled)
            written += file.write(piece)
    return written
