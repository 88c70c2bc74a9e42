"""Short Markdown texts drawn whole: comments in a thread, subjects, replies."""

from __future__ import annotations

from rich.style import Style
from textual.strip import Strip

from recto.document.markdown.page import parse_page
from recto.tui.look.lines import Span
from recto.tui.look.text_roles import Roles
from recto.tui.render.block_leaves import leaves_of
from recto.tui.render.brush import Brush
from recto.tui.render.leaf import Row

_ROWS = 5_000
"""The most rows of a text that is drawn whole; longer texts are pages and have a view of their own."""


def render_rows(text: str, width: int) -> list[Row]:
    """Lay a text out at a width in cells, all of it."""
    page = parse_page(text)
    rows: list[Row] = []
    for leaf in leaves_of(page.blocks, page.inline, whole=True):
        rows += [Row(leaf.gap_frame.rest, ())] * leaf.gap
        rows += leaf.rows(width)
        if len(rows) > _ROWS:
            break
    return rows[:_ROWS]


def render_lines(text: str, width: int) -> list[list[Span]]:
    """Draw a text as lines in roles, for the rows of a list; the list cuts lines wider than ``width``."""
    return [
        [*row.before, *((part.text, f"{row.ground} {part.role}".strip()) for part in row.parts)]
        for row in render_rows(text, width)
    ]


def render_markdown(text: str, width: int, roles: Roles, base: Style | None = None) -> list[Strip]:
    """Draw a text as strips of exactly ``width`` cells, in the styles of a theme over ``base``."""
    brush = Brush(roles, base or Style.null())
    return [Strip(brush.row(row, width), width) for row in render_rows(text, width)]
