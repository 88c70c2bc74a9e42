"""Paths of files for pages that were made in Recto: from their names, and safe on every file system."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable

from recto.server.exchange.folder import SKIPPED_FOLDERS, join_path

LONGEST_NAME = 200
"""The longest name of a file, in bytes of UTF-8: file systems take 255, and a number and an ending may follow."""

LONGEST_FOLDER = 200
"""The longest path of a folder that new pages are put in, in bytes; pages further down are put beside each other."""

_FORBIDDEN = re.compile(
    r'[<>:"/\\|?*%#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]+|\s+'
)
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(?:\..*)?",
    re.IGNORECASE,
)
_TAKEN_NAMES = frozenset({"summary", "readme", *SKIPPED_FOLDERS})
"""Names with another meaning in the layout, or that the reader skips."""


def safe_name(name: str, otherwise: str = "page") -> str:
    """Return a name that a file or folder may have on every file system, without an ending of its own."""
    plain = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    plain = _FORBIDDEN.sub("-", plain).strip("-. ")
    plain = _cut(plain, LONGEST_NAME).rstrip("-. ")
    if not plain:
        return otherwise
    if _RESERVED.fullmatch(plain) or plain.casefold() in _TAKEN_NAMES:
        return f"{otherwise}-{plain}"
    return plain


def _cut(name: str, most: int) -> str:
    return name.encode()[:most].decode(errors="ignore")


class Paths:
    """The paths that are taken, and new ones beside them, none of which is another's but for case or spelling."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._numbers: dict[str, int] = {}
        for path in taken:
            self.take(path)

    def take(self, path: str) -> None:
        """Note that a file has a path."""
        folded = _fold(path)
        self._files.add(folded)
        while (folded := posixpath.dirname(folded)) and folded not in self._folders:
            self._folders.add(folded)

    def new(self, folder: str, name: str, ending: str) -> str:
        """Return a path that is free, and take it; a number is put behind the name where it must be."""
        if len(folder.encode()) > LONGEST_FOLDER:
            folder = _shorter(folder)
        folder = self._folder(folder)
        first = _fold(join_path(folder, f"{name}{ending}"))
        number = self._numbers.get(first, 1)
        while True:
            path = join_path(folder, f"{name}{f'-{number}' if number > 1 else ''}{ending}")
            if (folded := _fold(path)) not in self._files and folded not in self._folders:
                self.take(path)
                self._numbers[first] = number + 1
                return path
            number += 1

    def _folder(self, folder: str) -> str:
        """Return a folder of which no part is the name of a file."""
        made = ""
        for part in folder.split("/") if folder else ():
            number = 1
            while _fold(candidate := join_path(made, f"{part}{f'-{number}' if number > 1 else ''}")) in self._files:
                number += 1
            made = candidate
        return made


def _shorter(folder: str) -> str:
    """Return the longest part of a path of folders from the top that is short enough."""
    while len(folder.encode()) > LONGEST_FOLDER:
        folder = posixpath.dirname(folder)
    return folder


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
