"""Widgets drawn line by line: blank ground, lines, and the text that the mouse selects in them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.containers import Container
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from recto.tui.look.lines import head
from recto.tui.look.text_roles import roles

if TYPE_CHECKING:
    from textual.selection import Selection


def blank_lines(widget: Widget, crop: Region) -> list[Strip]:
    """Return empty lines on a widget's background."""
    blank = Strip.blank(crop.width, widget.visual_style.rich_style)
    background = widget.background_colors[1]
    for line_filter in widget.get_line_filters():
        blank = blank.apply_filter(line_filter, background)
    return [blank] * crop.height


class Ground(Container):
    """A container that draws only its background."""

    virtual_size = Reactive(Size(0, 0), repaint=False)  # a layout gives it, and needs no other layout for it

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw empty lines."""
        return blank_lines(self, crop)


_MOST_LINES = 20_000
"""Lines copied at a time."""


class LineView(ScrollView):
    """Draws the visible lines of its content, which are numbered from its first."""

    # Common to all lines of a frame; looking it up goes all the way to the app.
    _ground: Style | None = None
    _room: Size | None = None

    virtual_size = Reactive(Size(0, 0))
    """The size of the whole content; Textual would lay out the whole screen at each change."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.mouse_selection = MouseSelection(self)

    # Content, defined by each view

    @property
    @abstractmethod
    def is_blank(self) -> bool:
        """Whether there is nothing to draw."""

    @abstractmethod
    def draw_line(self, number: int) -> Strip:
        """Return a line as it is drawn, whether it is in view or not."""

    def text_of_line(self, number: int) -> str | None:
        """Return the text to copy of a line; ``None`` for a line without text."""
        return self.draw_line(number).text

    @property
    @abstractmethod
    def text_start(self) -> int:
        """Cells before the text of a line, which are not copied."""

    # Drawing

    @property
    def ground(self) -> Style:
        """Style that lines are drawn on."""
        return self._ground if self._ground is not None else self.rich_style

    @property
    def room(self) -> Size:
        """Cells that are visible at a time."""
        return self._room if self._room is not None else self.scrollable_content_region.size

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the visible lines."""
        if self.is_blank:
            return blank_lines(self, crop)
        self._ground, self._room = self.rich_style, self.scrollable_content_region.size
        try:
            return super().render_lines(crop)
        finally:
            self._ground = self._room = None

    def render_line(self, y: int) -> Strip:
        """Draw a visible line."""
        number = round(self.scroll_y) + y
        return self.mouse_selection.lay_over(self.draw_line(number), number).simplify()

    def watch_virtual_size(self, before: Size, size: Size) -> None:
        """Lay out again only where other widgets, the scroll bars or the place in the content may have to move."""
        seen = self.container_size.height
        is_long = size.height > seen
        stays = is_long == self.show_vertical_scrollbar and (not is_long or self.scroll_offset.y + seen <= size.height)
        if self.styles.auto_dimensions or before.width != size.width or self.show_horizontal_scrollbar or not stays:
            self.refresh(layout=True)
        elif is_long:
            self.vertical_scrollbar.window_virtual_size = size.height

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Set the position of a scroll bar that appears; Textual only passes later moves on to it.

        The layout for which it appears would show it and set its size, and so ask for another layout.
        """
        if shown:
            self.vertical_scrollbar.position = self.scroll_y
            self.vertical_scrollbar.display = True
            self.vertical_scrollbar.set_reactive(Widget.virtual_size, self.container_size)

    # The mouse

    @property
    def has_selected_text(self) -> bool:
        """Whether text is selected with the mouse."""
        return self.text_selection is not None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text."""
        return self.mouse_selection.text(selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show another selection."""
        self.refresh()

    def on_enter(self, event: events.Enter) -> None:
        """Prepare for selecting: lines drawn under the mouse carry their place."""
        self.mouse_selection.enter()

    def on_leave(self, event: events.Leave) -> None:
        """Draw without places again."""
        self.mouse_selection.leave()


class MouseSelection:
    """The mouse selection in a view: how it is drawn, and what is copied."""

    def __init__(self, view: LineView) -> None:
        self._view = view
        self._is_under_mouse = False
        """Only then do lines carry their places, which costs a little."""

    def lay_over(self, strip: Strip, number: int) -> Strip:
        """Return a line with its selection, and with its place where the mouse may select more."""
        selection = self._view.text_selection
        span = selection.get_span(number) if selection is not None else None
        if span is not None:
            strip = self._highlight(strip, *span)
        return strip.apply_offsets(0, number) if self._is_under_mouse else strip

    def _highlight(self, strip: Strip, start: int, end: int) -> Strip:
        text, app = strip.text, self._view.app
        first = max(cell_len(text[:start]), self._view.text_start)
        last = cell_len(text[:end]) if end >= 0 else strip.cell_length
        if last <= first:
            return strip
        style = Style(reverse=True) if app.no_color else roles(app).style("selected")
        inside = Segment.apply_style(strip.crop(first, last), post_style=style)
        return Strip([*strip.crop(0, first), *inside, *strip.crop(last)], strip.cell_length)

    def text(self, selection: Selection) -> str:
        """Return the selected text as it is seen, without blanks at the end of lines."""
        view = self._view
        top = round(view.scroll_y)
        first = selection.start.y if selection.start is not None else top
        last = selection.end.y if selection.end is not None else top + view.scrollable_content_region.height - 1
        last = min(last, view.virtual_size.height - 1, first + _MOST_LINES)
        lines = []
        for number in range(first, last + 1):
            text = view.text_of_line(number)
            if text is None:
                continue
            start, end = selection.get_span(number) or (0, 0)
            begin = max(start, len(head(text, view.text_start)))
            lines.append(text[begin : end if end >= 0 else len(text)].rstrip())
        return "\n".join(lines)

    def enter(self) -> None:
        """Draw lines with their places, now that the mouse is over the view."""
        if not self._is_under_mouse:
            self._is_under_mouse = True
            self._view.refresh()

    def leave(self) -> None:
        """Draw lines without places from now on."""
        self._is_under_mouse = False
