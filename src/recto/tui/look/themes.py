"""The look of the program: its themes (calm dark, calm light, high contrast), and the style sheets in their order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from textual.theme import Theme

if TYPE_CHECKING:
    from textual.css.stylesheet import Stylesheet

_OWN = (
    *("muted", "faint", "line", "cursor", "cursor-blurred", "selected", "found", "changed", "code", "on-cursor"),
    *("added-line", "removed-line", "changed-line", "added-word", "removed-word"),
)


def _theme(name: str, *, dark: bool, colours: dict[str, str]) -> Theme:
    variables = {name: colours[name] for name in _OWN}
    variables |= {
        "border": colours["accent"],
        "border-blurred": colours["line"],
        "scrollbar": colours["line"],
        "scrollbar-hover": colours["muted"],
        "scrollbar-active": colours["accent"],
        "scrollbar-background": colours["background"],
        "scrollbar-background-hover": colours["background"],
        "scrollbar-background-active": colours["background"],
        "scrollbar-corner-color": colours["background"],
        "input-selection-background": colours["selected"],
        "input-cursor-background": colours["foreground"],
        "input-cursor-foreground": colours["background"],
    }
    return Theme(
        name=name,
        dark=dark,
        primary=colours["accent"],
        secondary=colours["muted"],
        accent=colours["accent"],
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours["background"],
        panel=colours["panel"],
        success=colours["success"],
        warning=colours["warning"],
        error=colours["error"],
        variables=variables,
    )


DARK = _theme(
    "dark",
    dark=True,
    colours={
        "background": "#14171c",
        "panel": "#1b1f26",
        "foreground": "#d5d9e0",
        "muted": "#8b93a1",
        "faint": "#747d8c",
        "line": "#343b47",
        "accent": "#7cb7ff",
        "cursor": "#26405f",
        "on-cursor": "#b4c0d0",
        "cursor-blurred": "#222831",
        "selected": "#2c3a4d",
        "found": "#5c4d1a",
        "success": "#7ccf93",
        "warning": "#e3b65c",
        "error": "#f08a86",
        "changed": "#c7a4f0",
        "added-line": "#16281d",
        "removed-line": "#2e1b1e",
        "changed-line": "#241f2e",
        "added-word": "#25573a",
        "removed-word": "#6a2f34",
        "code": "#1b1f26",
    },
)

LIGHT = _theme(
    "light",
    dark=False,
    colours={
        "background": "#fcfcfa",
        "panel": "#f1f1ee",
        "foreground": "#23272e",
        "muted": "#5c6470",
        "faint": "#6e7681",
        "line": "#c9ccd1",
        "accent": "#0a5fbf",
        "cursor": "#cfe2fa",
        "on-cursor": "#4a525e",
        "cursor-blurred": "#e7e9ec",
        "selected": "#dce7f5",
        "found": "#fae7a0",
        "success": "#1c7436",
        "warning": "#8a5a00",
        "error": "#b3261e",
        "changed": "#6f3fb0",
        "added-line": "#e8f6ec",
        "removed-line": "#fbeaea",
        "changed-line": "#f2ecfa",
        "added-word": "#b9e6c6",
        "removed-word": "#f4c4c1",
        "code": "#f1f1ee",
    },
)

CONTRAST = _theme(
    "contrast",
    dark=True,
    colours={
        "background": "#000000",
        "panel": "#000000",
        "foreground": "#ffffff",
        "muted": "#e0e0e0",
        "faint": "#c4c4c4",
        "line": "#9a9a9a",
        "accent": "#ffd800",
        "cursor": "#0033cc",
        "on-cursor": "#ffffff",
        "cursor-blurred": "#3a3a3a",
        "selected": "#005a5a",
        "found": "#7a4a00",
        "success": "#5dff7f",
        "warning": "#ffc34d",
        "error": "#ff8f8f",
        "changed": "#e3b3ff",
        "added-line": "#003300",
        "removed-line": "#440000",
        "changed-line": "#2a0044",
        "added-word": "#007a1f",
        "removed-word": "#a30000",
        "code": "#1a1a1a",
    },
)

# The values are those of the sixteen colours themselves, so that none is rounded to another.
SIXTEEN = _theme(
    "sixteen",
    dark=True,
    colours={
        "background": "#000000",
        "panel": "#000000",
        "foreground": "#ffffff",
        "muted": "#aaaaaa",
        "faint": "#555555",
        "line": "#555555",
        "accent": "#55ffff",
        "cursor": "#0000aa",
        "on-cursor": "#ffffff",
        "cursor-blurred": "#555555",
        "selected": "#aa00aa",
        "found": "#aa5500",
        "success": "#55ff55",
        "warning": "#ffff55",
        "error": "#ff5555",
        "changed": "#ff55ff",
        "added-line": "#000000",
        "removed-line": "#000000",
        "changed-line": "#000000",
        "added-word": "#00aa00",
        "removed-word": "#aa0000",
        "code": "#000000",
    },
)
"""Stands in for the dark theme on terminals of sixteen colours."""

SIXTEEN_LIGHT = _theme(
    "sixteen-light",
    dark=False,
    colours={
        "background": "#ffffff",
        "panel": "#ffffff",
        "foreground": "#000000",
        "muted": "#555555",
        "faint": "#555555",
        "line": "#aaaaaa",
        "accent": "#0000aa",
        "cursor": "#55ffff",
        "on-cursor": "#000000",
        "cursor-blurred": "#aaaaaa",
        "selected": "#ff55ff",
        "found": "#ffff55",
        "success": "#00aa00",
        "warning": "#aa5500",
        "error": "#aa0000",
        "changed": "#aa00aa",
        "added-line": "#ffffff",
        "removed-line": "#ffffff",
        "changed-line": "#ffffff",
        "added-word": "#55ff55",
        "removed-word": "#ff5555",
        "code": "#ffffff",
    },
)
"""Stands in for the light theme on terminals of sixteen colours."""

THEMES = (DARK, LIGHT, CONTRAST, SIXTEEN, SIXTEEN_LIGHT)

ON_SIXTEEN = {DARK.name: SIXTEEN.name, LIGHT.name: SIXTEEN_LIGHT.name}
"""By the name of a theme, the one that stands in for it on terminals of sixteen colours."""


FIRST = ("base", "widgets", "page_view", "organizations", "space")
"""The style sheets of the screens with which most starts begin; later ones win."""

LATER = ("forms", "dialogs", "change_request", "site", "console")
"""The style sheets of forms and of the other screens; parsing them would take a thirtieth of each start."""


def style_sheets(names: Sequence[str] = FIRST) -> list[str | PurePath]:
    """Return the files of sheets: beside the package in a wheel, at the top of a checkout else."""
    package = Path(__file__).resolve().parents[2]
    beside = package / "styles"
    folder = beside if beside.is_dir() else package.parent.parent / "styles"
    return [folder / f"{name}.tcss" for name in names]


def read_later(stylesheet: Stylesheet) -> None:
    """Read the remaining sheets, unless that was done."""
    stylesheet.read_all([path for path in map(Path, style_sheets(LATER)) if not stylesheet.has_source(str(path))])
