"""The screen as plain data and back: taken when the program is left, painted when it comes again."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from recto.store.locations import Location
from recto.tui.look.lines import plain
from recto.tui.pictures.cells import HALF, PLACEHOLDER
from recto.tui.private_names import lines_of_screen
from recto.tui.snapshot.files import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import App
    from textual.geometry import Size
    from textual.screen import Screen

_EDGE = 2
"""The columns at the right and the lines at the bottom that stay there on a terminal of another size."""

_CELL_OF_PICTURE = re.compile(f"[{HALF}{PLACEHOLDER}]")

_UPRIGHT, _LEVEL = "│┃║", "─━═"
"""The lines of borders, which go on where there is more room than there was."""


def look_of(app: App[Any]) -> str:
    """Name what a screen is drawn for: the theme, and the colours that the terminal has."""
    return f"{app.theme} {'none' if app.no_color else app.console.color_system}"


def strips_on(screen: Screen[Any]) -> list[Strip]:
    """Return what a screen shows, line by line, with everything that lies on it."""
    return lines_of_screen(screen)


def snapshot_of(strips: Sequence[Strip], location: Location, look: str) -> Snapshot:
    """Write lines down as data; what only a mouse could do with them goes."""
    numbers: dict[str, int] = {}
    lines = []
    for strip in strips:
        runs = groupby(_words(strip), key=lambda segment: _write(segment.style))
        lines.append(
            tuple(("".join(one.text for one in run), numbers.setdefault(style, len(numbers))) for style, run in runs)
        )
    return Snapshot(location, look, tuple(numbers), tuple(lines))


def _words(strip: Strip) -> Iterator[Segment]:
    """Yield a line without the cells of pictures: these are kept nowhere, and a terminal may hold them no more."""
    ground = Style.null()
    for segment in strip:
        if _CELL_OF_PICTURE.search(segment.text):
            yield Segment(" " * cell_len(segment.text), ground)
        else:
            ground = Style(bgcolor=segment.style.bgcolor) if segment.style else ground
            yield segment


def _write(style: Style | None) -> str:
    return str(style.clear_meta_and_links()) if style else ""


def strips_of(snapshot: Snapshot) -> list[Strip]:
    """Return the lines of a snapshot to draw. Raises ``rich.errors.StyleSyntaxError`` where a style is none."""
    styles = [Style.parse(style).clear_meta_and_links() for style in snapshot.styles]
    return [Strip([Segment(plain(text), styles[number]) for text, number in line]) for line in snapshot.lines]


def fit(strips: Sequence[Strip], size: Size) -> list[Strip]:
    """Cut or fill lines for another size; what stands at the right and at the bottom edge stays there."""
    if not strips or not size:
        return []
    strips = [_widen(strip, size.width) for strip in strips]
    above, below = strips[: -min(_EDGE, len(strips))], strips[-min(_EDGE, len(strips)) :]
    room = size.height - len(below)
    filler = [_filler(above[-1])] * (room - len(above)) if above else []
    return [*above[: max(0, room)], *filler, *below][: size.height]


def _widen(strip: Strip, width: int) -> Strip:
    have = strip.cell_length
    if have == width:
        return strip
    edge = min(_EDGE, have, width)
    parts = [strip.crop(0, min(have, width) - edge)]
    if width > have:
        last = strip.crop(have - edge - 1, have - edge)
        parts += [
            Strip([Segment((text if text in _LEVEL else " ") * (width - have), style)]) for text, style, _ in last
        ]
    return Strip.join([*parts, strip.crop(have - edge, have)])


def _filler(strip: Strip) -> Strip:
    """Return an empty line for under a line: the borders go on, the words do not."""
    return Strip(
        [
            Segment("".join(sign if sign in _UPRIGHT else " " * cell_len(sign) for sign in text), _ground(style))
            for text, style, _ in strip
        ]
    )


def _ground(style: Style | None) -> Style | None:
    return Style(color=style.color, bgcolor=style.bgcolor) if style else None
