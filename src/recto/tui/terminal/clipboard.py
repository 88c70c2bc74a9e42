"""Commands that take copied text, in addition to the terminal (OSC 52): tmux and the system's clipboard."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

Command = tuple[str, ...]
"""A command that takes the text as its input."""

_TMUX: Command = ("tmux", "load-buffer", "-w", "-")
_WAYLAND: Command = ("wl-copy",)
_X11: Sequence[Command] = (("xclip", "-selection", "clipboard", "-in"), ("xsel", "--clipboard", "--input"))
_PATIENCE = 3
"""Seconds a command may take."""


def commands(
    environment: Mapping[str, str] | None = None,
    *,
    which: Callable[[str], str | None] = shutil.which,
    platform: str = sys.platform,
) -> list[Command]:
    """Return the commands that take copied text here. Over SSH the system's clipboard is not the person's."""
    variables = os.environ if environment is None else environment
    found = [_TMUX] if variables.get("TMUX") and which(_TMUX[0]) else []
    if variables.get("SSH_CONNECTION") or variables.get("SSH_TTY"):
        return found
    own: list[Command] = []
    if platform == "darwin":
        own.append(("pbcopy",))
    if platform == "win32" or variables.get("WSL_DISTRO_NAME"):
        own.append(("clip.exe",))
    if variables.get("WAYLAND_DISPLAY"):
        own.append(_WAYLAND)
    if variables.get("DISPLAY"):
        own += _X11
    return [*found, *[command for command in own if which(command[0])][:1]]


def takes_none(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the terminal is known to have no clipboard: the console of Linux."""
    variables = os.environ if environment is None else environment
    return variables.get("TERM") in ("linux", "dumb")


def send(text: str, to: Sequence[Command]) -> bool:
    """Pass a text to the commands in turn; return whether any took it."""
    took = [_is_taken_by(text, command) for command in to]
    return any(took)


def _is_taken_by(text: str, command: Command) -> bool:
    try:
        ended = subprocess.run(
            command,
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0
