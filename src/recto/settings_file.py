"""Writes single settings to the settings file; its comments and its order are kept."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from pathlib import Path
from threading import Lock
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from recto import disk
from recto.settings import SettingsError

_KEYS = "keys"

_LOCK = Lock()
"""Held from reading the file to writing it: two changes at once would undo each other."""


def save(file: Path, key: str, value: str | bool | int | None) -> None:
    """Set a setting; ``None`` removes it, so that its default holds. Raises ``SettingsError``."""
    with _LOCK:
        document = _read(file)
        _put(document, (key,), value)
        _write(file, document)


def save_keys(file: Path, action: str, keys: tuple[str, ...] | None, former: Iterable[str] = ()) -> None:
    """Set the keys of an action, ``None`` for its own; its ``former`` names go. Raises ``SettingsError``."""
    with _LOCK:
        document = _read(file)
        table = document.setdefault(_KEYS, tomlkit.table())
        if not isinstance(table, MutableMapping):
            raise SettingsError(f"{file}: “keys” must be a table of action names, each with a key or a list of keys.")
        for name in former:
            _put(table, _path_of(table, name), None)
        value = None if keys is None else keys[0] if len(keys) == 1 else list(keys)
        _put(table, _path_of(table, action), value)
        if not table:
            del document[_KEYS]
        _write(file, document)


def _path_of(table: MutableMapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the path of an action in the table: under its name in quotes, else under the tables of its parts."""
    parts = tuple(name.split("."))
    return parts if name not in table and _find(table, parts) is not None else (name,)


def _find(table: MutableMapping[str, Any], path: tuple[str, ...]) -> MutableMapping[str, Any] | None:
    """Return the table that holds the end of a path; ``None`` where there is none."""
    for part in path[:-1]:
        below = table.get(part)
        if not isinstance(below, MutableMapping):
            return None
        table = below
    return table if path[-1] in table else None


def _put(table: MutableMapping[str, Any], path: tuple[str, ...], value: object) -> None:
    holder = _find(table, path)
    if value is not None:
        (table if holder is None else holder)[path[-1]] = value
    elif holder is not None:
        del holder[path[-1]]


def _read(file: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} cannot be read: it is not UTF-8 text.") from error
    except TOMLKitError as error:
        raise SettingsError(f"{file} is not valid TOML: {error}. Correct it, then try again.") from error


def _write(file: Path, document: tomlkit.TOMLDocument) -> None:
    # The file may be a link into a folder of a person's dot files; the link stays.
    target = file.resolve()
    try:
        disk.make_folder(target.parent)
        disk.write(target, tomlkit.dumps(document).encode())
    except OSError as error:
        raise SettingsError(f"{file} cannot be written: {error.strerror or error}.") from error
