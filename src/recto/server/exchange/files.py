"""The files of a folder: listed once, found generously, read safely."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from recto.server.exchange.folder_error import FolderError

MAX_FILE_BYTES = 100 * 1000 * 1000
"""The largest file that the platform takes, in bytes."""

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "_book"})
_HIDDEN_THAT_COUNT = frozenset({".gitbook", ".gitbook.yaml", ".gitbook.yml"})


@dataclass(frozen=True)
class Folder:
    """A folder and the files in it, by their places: relative, with ``/`` between the parts.

    A symbolic link counts as the file it points at as long as that lies in the folder; the others are in
    ``outside`` and never read. Linked folders are not entered.
    """

    top: Path
    files: tuple[str, ...]
    outside: tuple[str, ...] = ()

    def __contains__(self, place: str) -> bool:
        return place in self._places

    @cached_property
    def _places(self) -> frozenset[str]:
        return frozenset(self.files)

    @cached_property
    def _by_folded(self) -> dict[str, str]:
        return {_folded(place): place for place in reversed(self.files)}

    def find(self, place: str) -> str | None:
        """Return the file that a written path means: as written, percent-decoded, or in another case of letters."""
        for spelling in (place, unquote(place)):
            normal = normal_place(spelling)
            if normal is None:
                continue
            if normal in self._places:
                return normal
            found = self._by_folded.get(_folded(normal))
            if found is not None:
                return found
        return None

    def under(self, base: str) -> Iterator[str]:
        """Return the files below a place, ``""`` being the whole folder."""
        start = f"{base}/" if base else ""
        return (place for place in self.files if place.startswith(start))

    def size(self, place: str) -> int:
        """Return a file's size in bytes."""
        return (self.top / place).stat().st_size

    def text(self, place: str) -> str:
        """Return a file as text with ``\\n`` line ends and no byte-order mark.

        Raise ``FolderError`` where it is not UTF-8, is too large, or cannot be read.
        """
        try:
            raw = (self.top / place).read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise FolderError(
                f"{place} cannot be read: {reason}. Make it readable, then open the folder again."
            ) from error
        if len(raw) > MAX_FILE_BYTES:
            raise FolderError(
                f"{place} is larger than 100 MB, which is the most that a space takes. Split or remove it."
            )
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise FolderError(
                f"{place} is not UTF-8 text (line {line}). Save it as UTF-8 or take it out, then open the folder again."
            ) from error
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def list_folder(path: Path) -> Folder:
    """List what is in a folder. Raise ``FolderError`` where there is none at ``path`` or it cannot be read."""
    if not path.exists():
        raise FolderError(f"There is no folder {path}. Check the path.")
    if not path.is_dir():
        raise FolderError(f"{path} is a file, not a folder. Name the folder that the documentation lies in.")
    top = Path(os.path.realpath(path))
    files: list[str] = []
    outside: list[str] = []
    try:
        _list(top, top, "", files, outside)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderError(
            f"{error.filename or path} cannot be read: {reason}. Make it readable, then try again."
        ) from error
    return Folder(top, tuple(sorted(files)), tuple(sorted(outside)))


def _list(top: Path, folder: Path, base: str, files: list[str], outside: list[str]) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name not in _HIDDEN_THAT_COUNT:
                continue
            place = f"{base}{entry.name}"
            if entry.is_symlink():
                target = Path(os.path.realpath(entry.path))
                if not target.is_relative_to(top):
                    outside.append(place)
                elif target.is_file():
                    files.append(place)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED_FOLDERS:
                    _list(top, Path(entry.path), f"{place}/", files, outside)
            elif entry.is_file(follow_symlinks=False):
                files.append(place)


def normal_place(place: str) -> str | None:
    """Return a written path without ``.`` and ``..``; ``None`` where it leads out of the folder."""
    parts: list[str] = []
    for part in place.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def joined(base: str, place: str) -> str:
    """Return ``place`` below ``base``, where either may be empty."""
    return f"{base}/{place}" if base and place else base or place


def _folded(place: str) -> str:
    return unicodedata.normalize("NFC", place).casefold()
