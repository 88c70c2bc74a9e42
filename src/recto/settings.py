"""Preferences: a TOML file, overridden by the environment, overridden by flags."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from recto import paths
from recto.frozen import fields_of, frozen

THEMES = ("dark", "light", "contrast")
PICTURES = ("ask", "always")
DATES = ("relative", "exact")
POLLING_OFF = "off"
FASTEST_POLLING, POLLING, SLOWEST_POLLING = 5, 8, 3_600
"""Seconds between two requests for news: the fewest, the default, the most."""
ENVIRONMENT = {"base_url": "RECTO_BASE_URL", "workspace": "RECTO_WORKSPACE", "theme": "RECTO_THEME"}

Keys = Mapping[str, tuple[str, ...]]


class SettingsError(Exception):
    """A setting cannot be read or used; the message names the file, the key and the allowed values."""


@frozen
class Settings:
    """What a person prefers.

    ``keys`` maps the name of an action to its keys; no keys switch the action's keys off. ``pictures`` says whether
    those among the files of a space are shown on request, or always. ``dates`` are relative ("2 h ago") or exact.
    ``polling`` is the seconds between two requests for what others changed, or ``None`` for none at all. ``fonts`` is a
    folder with fonts for PDFs, beside those of the system. ``translation_command`` is the program that translates, with
    its arguments, and ``glossary`` a TOML file that holds, for each language, words with their translations.
    """

    theme: str = "dark"
    base_url: str | None = None
    workspace: Path | None = None
    editor: str | None = None
    mouse: bool = True
    animations: bool = False
    read_only: bool = False
    pictures: str = "ask"
    dates: str = "relative"
    polling: int | None = POLLING
    fonts: Path | None = None
    translation_command: tuple[str, ...] = ()
    glossary: Path | None = None
    keys: Keys = field(default_factory=lambda: MappingProxyType({}))

    @property
    def workspace_file(self) -> Path:
        """The workspace file that is named, or the person's own."""
        return self.workspace or paths.workspace_file()


def load(
    file: Path, environment: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> Settings:
    """Read the settings: the file if there is one, then ``RECTO_…`` variables, then flags that are not ``None``.

    Raises ``SettingsError`` for a file that cannot be read, an unknown key or a value that is not allowed.
    """
    found = _check(_read(file), str(file))
    variables = os.environ if environment is None else environment
    for key, variable in ENVIRONMENT.items():
        if value := variables.get(variable, "").strip():
            found |= _check({key: value}, f"the environment variable {variable}")
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    return replace(Settings(), **(found | _check(given, "the command line")))


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} cannot be read: it is not UTF-8 text.") from error
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is not valid TOML: {error}.") from error


def _check(table: Mapping[str, object], where: str) -> dict[str, Any]:
    known = {one.name for one in fields_of(Settings)}
    checked: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise SettingsError(f"{where}: there is no setting “{key}”. There are {', '.join(sorted(known))}.")
        if key == "keys":
            checked[key] = _keys(value, where)
            continue
        try:
            checked[key] = check(key, value)
        except ValueError as error:
            raise SettingsError(f"{where}: “{key}” {error}.") from error
    return checked


_CHOICES = {"theme": THEMES, "pictures": PICTURES, "dates": DATES}


def check(key: str, value: object) -> object:
    """Return the value of a setting (other than ``keys``) as ``Settings`` holds it.

    Raises ``ValueError`` that goes on from the setting's name: "must be true or false, not …".
    """
    if key in ("mouse", "animations", "read_only"):
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {value!r}")
        return value
    if key == "polling":
        return _read_polling(value)
    if key == "translation_command":
        return _read_command(value)
    if key == "workspace" and isinstance(value, Path):
        return _expand(value)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"must be a text that is not empty, not {value!r}")
    if (choices := _CHOICES.get(key)) and value not in choices:
        raise ValueError(f"must be one of {', '.join(choices)}, not “{value}”")
    if key == "base_url" and not value.startswith(("http://", "https://")):
        raise ValueError(f"must begin with http:// or https://, not “{value}”")
    return _expand(Path(value)) if key in ("workspace", "fonts", "glossary") else value


def _read_polling(value: object) -> int | None:
    if value == POLLING_OFF:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not FASTEST_POLLING <= value <= SLOWEST_POLLING:
        allowed = f"“{POLLING_OFF}” or seconds from {FASTEST_POLLING} to {SLOWEST_POLLING:,}"
        raise ValueError(f"must be {allowed}, not {value!r}")
    return value


def _read_command(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) and each for each in value):
        raise ValueError('must be a list of a program and its arguments, such as ["translate", "--fast"]')
    program = value[0]
    return (str(_expand(Path(program))) if program.startswith("~") else program, *value[1:])


def _expand(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError(f"is {path}, but there is no such home folder") from error


def _keys(value: object, where: str) -> Keys:
    if not isinstance(value, Mapping):
        raise SettingsError(f"{where}: “keys” must be a table of action names, each with a key or a list of keys.")
    chosen: dict[str, tuple[str, ...]] = {}
    for name, given in _flat(value):
        keys = [given] if isinstance(given, str) else given
        if not isinstance(keys, list | tuple) or not all(isinstance(key, str) and key.strip() for key in keys):
            raise SettingsError(f"{where}: “keys.{name}” must be a key or a list of keys, not {given!r}.")
        chosen[name] = tuple(key if key == " " else key.strip() for key in keys)
    return MappingProxyType(chosen)


def _flat(table: Mapping[Any, object], prefix: str = "") -> list[tuple[str, object]]:
    # An action's name holds a dot, which TOML reads as a table in a table unless it is quoted: both spellings work.
    found: list[tuple[str, object]] = []
    for key, value in table.items():
        found += _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else [(f"{prefix}{key}", value)]
    return found
