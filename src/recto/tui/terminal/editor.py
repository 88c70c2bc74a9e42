"""Runs the person's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from textual.app import App

COMMON = ("nvim", "vim", "vi", "hx", "micro", "nano", "emacs")
"""The editors tried if none is chosen."""

Editor = Callable[[Path, int], None]
"""Edits a file from a line on, counted from 1, until the editor is closed; raises ``EditorError``."""

_PLUS_LINE = frozenset(
    {"vi", "vim", "nvim", "view", "gvim", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe"}
)
"""The editors that take ``+LINE`` before the file."""

_FILE_COLON_LINE = {"hx": (), "helix": (), "code": ("--goto",), "codium": ("--goto",), "subl": (), "zed": ()}
"""The editors that take ``FILE:LINE``, with the option before it."""


class EditorError(Exception):
    """The editor could not be run, or failed."""


def find_editor(
    environment: Mapping[str, str] | None = None,
    *,
    chosen: str | None = None,
    which: Callable[[str], str | None] = shutil.which,
) -> list[str] | None:
    """Return the editor's command: the chosen editor, ``$EDITOR``, ``$VISUAL``, a common editor, else ``None``.

    Raises :class:`EditorError` for a command that cannot be read.
    """
    variables = os.environ if environment is None else environment
    for named in (chosen, variables.get("EDITOR"), variables.get("VISUAL")):
        try:
            words = shlex.split(named or "")
        except ValueError as error:
            raise EditorError(f"The editor “{named}” cannot be started: its quotes are not closed.") from error
        if words:
            return words
    found = next((name for name in COMMON if which(name)), None)
    return [found] if found else None


def command_at(command: list[str], file: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line, counted from 1, as far as the editor is known to take a line."""
    name = Path(command[0]).name.removesuffix(".exe")
    if line > 1 and name in _PLUS_LINE:
        return [*command, f"+{line}", str(file)]
    if line > 1 and name in _FILE_COLON_LINE:
        return [*command, *_FILE_COLON_LINE[name], f"{file}:{line}"]
    return [*command, str(file)]


def in_terminal(app: App[Any], command: list[str]) -> Editor:
    """Return an editor that takes over the terminal while the app stands aside."""

    def edit(file: Path, line: int) -> None:
        try:
            with app.suspend():
                ended = subprocess.run(command_at(command, file, line), check=False, env=_environment())
        except SuspendNotSupported as error:
            raise EditorError("This terminal cannot be handed to an editor.") from error
        except OSError as error:
            raise EditorError(f"The editor “{command[0]}” could not be started: {error.strerror}.") from error
        if ended.returncode != 0:
            raise EditorError(f"The editor “{command[0]}” ended with code {ended.returncode}, so nothing is sent.")

    return edit


def _environment() -> dict[str, str]:
    """Return the environment of an editor, without the token, which its extensions could read."""
    return {name: value for name, value in os.environ.items() if name != "RECTO_TOKEN"}
