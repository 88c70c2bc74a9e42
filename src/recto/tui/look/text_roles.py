"""The roles of text (muted, an addition, a warning…) and how the theme in force shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.color import Color
from rich.style import Style

if TYPE_CHECKING:
    from textual.app import App

COLOURS = {
    "muted": "muted",
    "faint": "faint",
    "line": "line",
    "on-cursor": "on-cursor",
    "accent": "accent",
    "added": "success",
    "removed": "error",
    "changed": "changed",
    "success": "success",
    "warning": "warning",
    "error": "error",
    "text": "foreground",
}
GROUNDS = {
    "found": "found",
    "added-line": "added-line",
    "removed-line": "removed-line",
    "changed-line": "changed-line",
    "added-word": "added-word",
    "removed-word": "removed-word",
    "code": "code",
    "selected": "selected",
    "cursor": "cursor",
    "cursor-blurred": "cursor-blurred",
}
MANNERS = {
    "strong": Style(bold=True),
    "italic": Style(italic=True),
    "underline": Style(underline=True),
    "strike": Style(strike=True),
    "reverse": Style(reverse=True),
}
# Without colour a found or changed word would look like any other.
_GROUND_MANNERS = {
    "found": Style(underline=True),
    "added-word": Style(bold=True),
    "removed-word": Style(bold=True),
}

_RECEDING = re.compile(r"\b(muted|faint)\b")


def pixel_role(colour: str, ground: str = "") -> str:
    """Return the role of a cell of a picture, of which only the colours are known: six hexadecimal digits each."""
    return f"#{colour} on#{ground}" if ground else f"#{colour}"


def is_painted(role: str) -> bool:
    """Whether a role is that of a cell of a picture."""
    return "#" in role


class Roles:
    """The styles of all roles in a theme; several roles, separated by spaces, add up."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._styles: dict[str, Style] = {"": Style.null()}
        self._one: dict[str, Style] = dict(MANNERS)
        for role, variable in COLOURS.items():
            self._one[role] = Style(color=_colour(variables, variable))
        for role, variable in GROUNDS.items():
            ground = Style(bgcolor=_colour(variables, variable))
            self._one[role] = ground + _GROUND_MANNERS.get(role, Style.null())

    def style(self, role: str, *, on_ground: bool = False) -> Style:
        """Return the style of a role such as ``muted`` or ``added strong``; raises ``KeyError`` for an unknown role.

        ``on_ground`` lifts what recedes, which would be hard to read on the ground of the cursor or of a selection.
        """
        if on_ground:
            role = _RECEDING.sub("on-cursor", role)
        known = self._styles.get(role)
        if known is None:
            if is_painted(role):
                # A picture has as many colours as cells: whoever draws them may keep them.
                return Style.combine([_paint(one) if is_painted(one) else self._one[one] for one in role.split()])
            known = self._styles[role] = Style.combine([self._one[one] for one in role.split()])
        return known


_by_theme: dict[str, Roles] = {}


def roles(app: App[Any]) -> Roles:
    """Return the roles under the app's theme in force."""
    known = _by_theme.get(app.theme)
    if known is None:
        known = _by_theme[app.theme] = Roles(app.theme_variables)
    return known


def _paint(word: str) -> Style:
    """Return the style of a colour in a role of a picture."""
    behind, _sign, digits = word.partition("#")
    colour = Color.from_rgb(*bytes.fromhex(digits))
    return Style.from_color(None, colour) if behind else Style.from_color(colour)


def _colour(variables: Mapping[str, str], name: str) -> str | None:
    # A theme that is not ours lacks our variables: its text then keeps the plain colours.
    value = variables.get(name)
    return value[:7] if value and value.startswith("#") else None
