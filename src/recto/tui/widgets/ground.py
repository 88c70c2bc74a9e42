"""What has nothing of its own to draw: lines that are all alike are drawn once."""

from __future__ import annotations

from textual.containers import Container
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


def blank_lines(widget: Widget, crop: Region) -> list[Strip]:
    """Return empty lines on a widget's background."""
    blank = Strip.blank(crop.width, widget.visual_style.rich_style)
    background = widget.background_colors[1]
    for line_filter in widget.get_line_filters():
        blank = blank.apply_filter(line_filter, background)
    return [blank] * crop.height


class Ground(Container):
    """Holds others, and draws no more than the ground they stand on."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw empty lines."""
        return blank_lines(self, crop)
