"""Where the files of this program live on each system; nothing is touched or made at import."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

NAME = "recto"


class NoHomeError(Exception):
    """There is no home folder to put files into; the message says what to set."""


def home() -> Path | None:
    """Return the single folder that ``RECTO_HOME`` names for everything; ``None`` where each kind has its own."""
    named = os.environ.get("RECTO_HOME", "").strip()
    try:
        return Path(named).expanduser() if named else None
    except RuntimeError as error:
        raise NoHomeError(f"RECTO_HOME is {named}, but there is no such home folder. Set it to another one.") from error


def config_dir() -> Path:
    """Return the folder of the settings file."""
    return home() or _absolute(platformdirs.user_config_path(NAME, appauthor=False))


def data_dir() -> Path:
    """Return the folder of data that cannot be fetched again: the workspace and the drafts."""
    return home() or _absolute(platformdirs.user_data_path(NAME, appauthor=False))


def cache_dir() -> Path:
    """Return the folder of what can be fetched again."""
    one = home()
    return one / "cache" if one else _absolute(platformdirs.user_cache_path(NAME, appauthor=False))


def responses_dir() -> Path:
    """Return the folder of the responses of hosted platforms."""
    return cache_dir() / "responses"


def state_dir() -> Path:
    """Return the folder of the state of earlier runs: the last location, the log."""
    return home() or _absolute(platformdirs.user_state_path(NAME, appauthor=False))


def settings_file() -> Path:
    """Return the settings file."""
    return config_dir() / "settings.toml"


def workspace_file() -> Path:
    """Return the database of the workspace that is opened when none is named."""
    return data_dir() / "workspace.db"


def drafts_dir() -> Path:
    """Return the folder of texts that are typed and not yet confirmed by a server."""
    return data_dir() / "drafts"


def log_file() -> Path:
    """Return the log."""
    return state_dir() / "log" / "recto.log"


def locations_file() -> Path:
    """Return the file of the recent locations."""
    return state_dir() / "places.json"


def exports_dir() -> Path:
    """Return the folder that remembers which files exports have written where."""
    return state_dir() / "exports"


def calls_file() -> Path:
    """Return the file of the calls that were made in the console."""
    return state_dir() / "calls.json"


def written_path(written: str) -> Path:
    """Return a path that a person wrote, from the root on and with ``~`` resolved.

    It stays relative where the folder that the program was started in is gone, as after a switch of branches: then
    nothing is there, and nothing can be written there.
    """
    # Unlike those of ``Path``, these take a home of no user as a name as well.
    path = os.path.expanduser(written)  # noqa: PTH111
    try:
        return Path(os.path.abspath(path))  # noqa: PTH100
    except FileNotFoundError:
        return Path(path)


def _absolute(folder: Path) -> Path:
    if not folder.is_absolute():  # ``~`` stayed as it was, and would become a folder of that name in the current folder
        raise NoHomeError("Your home folder is not known. Set HOME to it, or RECTO_HOME to a folder for Recto's files.")
    return folder
