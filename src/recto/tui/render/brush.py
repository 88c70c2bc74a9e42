"""Rows as segments: roles become styles, and a row wider than its place is scrolled sideways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from recto.tui.look.text_roles import Roles
from recto.tui.render.leaf import Part, Row, join_roles
from recto.tui.render.line_breaks import cells

_MOST_STYLES = 10_000
"""Styles that are kept: a picture may have another in each cell."""

_OUTSIDE = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f\x7f-\x9f]+", re.IGNORECASE)


def leads_outside(href: str) -> bool:
    """Whether a browser or a mail program opens an address."""
    return _OUTSIDE.fullmatch(href) is not None


class Brush:
    """Draws rows in the styles of a theme, over the style of the place they are drawn in."""

    def __init__(self, roles: Roles, base: Style) -> None:
        self._roles = roles
        self._base = base
        self._styles: dict[tuple[str, str, str, str | None], Style] = {}

    def style(self, role: str, ground: str = "", state: str = "", link: str | None = None) -> Style:
        """Return a style: what lies under the row, the role, then what the cursor or a find lays over it."""
        key = (role, ground, state, link)
        known = self._styles.get(key)
        if known is None:
            if len(self._styles) >= _MOST_STYLES:
                self._styles.clear()
            own = self._roles.style
            known = self._base + own(ground) + own(role) + own(state)
            if link is not None and leads_outside(link):
                known += Style(link=quote(link, safe="%/:=&?~#+!$,;'@()*[]", errors="replace"))
            self._styles[key] = known
        return known

    def row(
        self,
        row: Row,
        width: int,
        *,
        state: str = "",
        over: Sequence[tuple[int, int, str]] = (),
        sideways: int = 0,
    ) -> list[Segment]:
        """Draw a row on exactly ``width`` cells; ``over`` are roles laid over stretches of the leaf's text."""
        before = [Segment(text, self.style(role, "", state)) for text, role in row.before]
        taken = sum(cells(segment.text) for segment in before)
        room = width - taken
        if room < 0:
            return list(Strip(before).adjust_cell_length(width))
        body = [
            Segment(part.text, self.style(part.role, row.ground, join_roles(state, laid), part.link))
            for part, laid in _lay_over(row.parts, over)
        ]
        length = sum(cells(part.text) for part in row.parts)
        plain = self.style("", row.ground, state)
        if length <= room and not sideways:
            if length < room:
                body.append(Segment(" " * (room - length), plain))
            return before + body
        return before + self._window(Strip(body, length), room, sideways, row.ground, state)

    def _window(self, strip: Strip, room: int, sideways: int, ground: str, state: str) -> list[Segment]:
        """Show a part of a long row, with a sign at the side where there is more."""
        plain = self.style("", ground, state)
        sign = self.style("accent", ground, state)
        length = strip.cell_length
        left = min(sideways, length)
        right = left + room
        shown = list(strip.crop_extend(left, right, plain))
        if left and length and room > 2:
            shown = [Segment("‹", sign), *Strip(shown, room).crop(1, room)]
        if right < length and room > 2:
            shown = [*Strip(shown, room).crop(0, room - 1), Segment("›", sign)]
        return shown


def _lay_over(parts: Iterable[Part], over: Sequence[tuple[int, int, str]]) -> Iterator[tuple[Part, str]]:
    """Yield each part with the role laid over it, cut where that begins or ends."""
    for part in parts:
        if part.start < 0 or not over:
            yield part, ""
            continue
        reached = part.start
        end = part.start + len(part.text)
        for start, stop, role in over:
            start, stop = max(start, reached), min(stop, end)
            if start >= stop:
                continue
            if start > reached:
                yield _piece(part, reached, start), ""
            yield _piece(part, start, stop), role
            reached = stop
        if reached < end:
            yield _piece(part, reached, end), ""


def _piece(part: Part, start: int, end: int) -> Part:
    return Part(part.text[start - part.start : end - part.start], part.role, part.link, start)
