"""A single description from a file and the files beside it that it refers to.

Each file is put whole under ``x-bundled`` at the top, by its path, and references lead there. Addresses of the web, and
files outside of the folder, stay references: nothing is fetched.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from recto.document.openapi.source import MOST_BYTES, Pause, Unreadable, read_values

_HOLDER: Final = "x-bundled"
_MOST_FILES: Final = 200


def bundle(name: str, read: Callable[[str], bytes], pause: Pause = lambda: None) -> str:
    """Return the description in a file with all that it refers to; unchanged where it refers to no other file.

    ``read`` gives the bytes of a file by its path below the folder, with slashes. Raises :class:`Unreadable` for a file
    that is none, or too many of them, and what ``read`` and ``pause`` raise.
    """
    source = read(name)
    whole = read_values(source, pause)
    bundled: dict[str, Any] = {}
    size, waiting = len(source), deque([(name, whole)])
    while waiting:
        place, values = waiting.popleft()
        for target in _redirect(values, place, name):
            if target in bundled or target == name:
                continue
            content = read(target)
            size += len(content)
            if len(bundled) >= _MOST_FILES or size > MOST_BYTES:
                raise Unreadable(f"It refers to more than {_MOST_FILES} files or {MOST_BYTES // (1024 * 1024)} MB.")
            try:
                bundled[target] = read_values(content, pause)
            except Unreadable as error:
                raise Unreadable(f"{target}: {error}") from error
            waiting.append((target, bundled[target]))
    if not bundled or not isinstance(whole, dict):
        try:
            return source.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Unreadable("It is not text in UTF-8.") from None
    return json.dumps({**whole, _HOLDER: bundled}, ensure_ascii=False)


def _redirect(values: Any, place: str, root: str) -> list[str]:
    """Point the references of a file into the bundle, and return the files that they name."""
    found: list[str] = []
    known: set[int] = set()
    open_ones = [values]
    while open_ones:
        value = open_ones.pop()
        if not isinstance(value, dict | list) or id(value) in known:
            continue
        known.add(id(value))
        open_ones += value.values() if isinstance(value, dict) else value
        if not isinstance(value, dict):
            continue
        reference = value.get("$ref")
        if isinstance(reference, str) and (target := _file_of(reference, place)) is not None:
            pointer = reference.partition("#")[2]
            escaped = target.replace("~", "~0").replace("/", "~1")
            value["$ref"] = f"#{pointer}" if target == root else f"#/{_HOLDER}/{escaped}{pointer}"
            found.append(target)
    return found


def _file_of(reference: str, place: str) -> str | None:
    """Return the path of the file that a reference leads to; ``None`` where it leads out of the folder."""
    path, _, pointer = reference.partition("#")
    if pointer and not pointer.startswith("/"):
        return None
    if not path:
        return place
    try:
        parts = urlsplit(path)
    except ValueError:
        return None
    if parts.scheme or parts.netloc or path.startswith(("/", "\\")):
        return None
    steps: list[str] = []
    for step in (*PurePosixPath(place).parent.parts, *unquote(parts.path).split("/")):
        if step == "..":
            if not steps:
                return None
            steps.pop()
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps) or None
