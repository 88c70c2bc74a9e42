"""How a terminal can show pictures, as far as it is known without asking it: an answer could be taken for keys."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any

from recto.tui.pictures.cells import CellSize

if TYPE_CHECKING:
    from textual.app import App


class Means(Enum):
    """How pictures are drawn."""

    NOTHING = "nothing"
    """With too few colours a picture is noise: its name stands alone."""
    BLOCKS = "blocks"
    """Two pixels in a cell."""
    KITTY = "kitty"
    """The terminal draws them itself, by kitty's protocol with Unicode placeholders."""


def means_of(app: App[Any], environment: Mapping[str, str] | None = None) -> Means:
    """Return how the terminal of a program can show pictures."""
    colours = app.console.color_system
    if app.no_color or colours not in ("256", "truecolor"):
        return Means.NOTHING
    kitty = colours == "truecolor" and not app.is_web and speaks_kitty(environment or os.environ)
    return Means.KITTY if kitty else Means.BLOCKS


def speaks_kitty(environment: Mapping[str, str]) -> bool:
    """Whether the terminal is kitty or Ghostty, which know placeholders, with no multiplexer between."""
    if any(environment.get(name) for name in ("TMUX", "STY", "ZELLIJ")):
        # Their own settings decide what they pass on.
        return False
    # Variables about windows are inherited by other terminals that are started there; the kind of terminal is not.
    return environment.get("TERM") in ("xterm-kitty", "xterm-ghostty")


def cell_of_terminal() -> CellSize:
    """Return how many pixels a cell of the terminal has, where the system knows."""
    try:
        import fcntl
        import termios

        asked = fcntl.ioctl((sys.__stderr__ or sys.stderr).fileno(), termios.TIOCGWINSZ, bytes(8))
        rows, columns, width, height = struct.unpack("HHHH", asked)
    except (ImportError, OSError, ValueError, AttributeError):
        return CellSize()
    if not (rows and columns and width >= columns and height >= rows):
        return CellSize()
    return CellSize(width // columns, height // rows)
