"""The panels of a space's first tab: the page tree, the page, and one side panel, as many as there is room for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from recto.tui.lists.tree_list import TreeList
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look.lines import plain
from recto.tui.page.view import PageView
from recto.tui.screens.space.layout import PAGE, SIDE, TREE, arrange, reachable
from recto.tui.widgets.ground import Ground
from recto.tui.widgets.panel import Panel

_NARROWEST = 16
"""Columns that a panel keeps."""


class Panels(Ground):
    """Lays the panels out around the one a person is in."""

    @dataclass
    class Entered(Message):
        """The person is in another panel."""

        part: str

    class Parted(Message):
        """The person has drawn a divider to another place."""

    def __init__(self, part: str, *, side: bool, widths: Mapping[str, int] | None = None) -> None:
        super().__init__(id="content")
        self.widths = dict(widths or {})
        """The columns that the person gave the tree and the side panel, by part; 0 leaves it to the style sheet."""
        self._drawn: tuple[str, int] | None = None
        """The part whose divider the mouse is drawing, and how far right of the mouse the divider is."""
        self.side_open = side
        """Whether the side panel is open."""
        self.part = part if part in reachable(side) else TREE
        """The panel a person is in."""
        self.aside = VirtualList(id="aside")
        """The list in the side panel."""
        self._side = Panel("", self.aside, id=SIDE)

    def compose(self) -> ComposeResult:
        """Put the panels; the one at the side where it is open."""
        yield Panel("Pages", TreeList(id="pages"), id=TREE)
        yield Panel("Page", Static(id="draft"), PageView(id="page"), id=PAGE)
        if self.side_open:
            yield self._side

    @property
    def page_tree(self) -> TreeList:
        """The page tree."""
        return self.query_one("#pages", TreeList)

    @property
    def sheet(self) -> PageView:
        """The page."""
        return self.query_one("#page", PageView)

    def panel(self, part: str) -> Panel:
        """Return the panel of a part."""
        return self._side if part == SIDE else self.query_one(f"#{part}", Panel)

    def note(self, text: str) -> None:
        """Say something about the page above it; nothing where the text is empty."""
        line = self.query_one("#draft", Static)
        line.display = bool(text)
        line.update(plain(text))

    def go_to(self, part: str) -> None:
        """Put a person into a panel."""
        self._enter(part if part in reachable(self.side_open) else PAGE)
        # At once: what is typed next belongs there, and the first sight has the person in it.
        self.screen.set_focus(self._widget(self.part))

    def go_round(self, step: int) -> None:
        """Go to the panel after or before this one."""
        parts = reachable(self.side_open)
        # What is remembered may be a panel that was closed since.
        here = self._focused or (self.part if self.part in parts else PAGE)
        self.go_to(parts[(parts.index(here) + step) % len(parts)])

    async def open_side(self) -> None:
        """Open the side panel and go there."""
        if not self._side.is_attached:
            await self.mount(self._side)
        self.side_open = True
        self.go_to(SIDE)

    def close_side(self) -> None:
        """Close the side panel and go back to the page."""
        self.side_open = False
        self.go_to(PAGE)

    @property
    def alone(self) -> bool:
        """Whether there is room for one panel only."""
        return len(arrange(self.screen.size.width, self.part, side=False)) == 1

    def on_descendant_focus(self) -> None:
        """Know where a person is, also after a click; by now the focus may be elsewhere again."""
        part = self._focused
        if part is not None and part != self.part:
            self._enter(part)

    @property
    def _focused(self) -> str | None:
        """The panel that has the focus, of those that are open."""
        focused = self.screen.focused
        return next((part for part in reachable(self.side_open) if self._widget(part) is focused), None)

    def on_resize(self, event: events.Resize) -> None:
        """Show as many panels as there is room for."""
        self._lay_out()

    def _lay_out(self) -> None:
        """Show the panels there is room for."""
        shown = arrange(self.screen.size.width, self.part, side=self.side_open)
        for part in (TREE, PAGE, SIDE):
            self.panel(part).display = part in shown
        for part in (TREE, SIDE):
            width = self.widths.get(part)
            if width and len(shown) > 1:
                # The page keeps the most of a window that has become smaller.
                self.panel(part).styles.width = min(width, self.screen.size.width // len(shown))
            else:
                self.panel(part).styles.clear_rule("width")

    # The dividers

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the divider under the mouse: the borders of two panels that stand beside each other."""
        for part, right in ((TREE, PAGE), (SIDE, SIDE)):
            off = self.panel(right).region.x - event.screen_x
            if not self.alone and off in (0, 1) and self.panel(part).display and self.panel(right).display:
                self._drawn = part, off
                self.capture_mouse()
                event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the divider along."""
        if self._drawn is not None:
            part, off = self._drawn
            own, divider = self.panel(part).region, event.screen_x + off
            self.widths[part] = max(_NARROWEST, divider - own.x if part == TREE else own.right - divider)
            self._lay_out()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let the divider go."""
        if self._drawn is not None:
            self._drawn = None
            self.release_mouse()
            self.post_message(self.Parted())

    def _enter(self, part: str) -> None:
        self.part = part
        self._lay_out()
        self.post_message(self.Entered(part))

    def _widget(self, part: str) -> Widget:
        return {TREE: self.page_tree, PAGE: self.sheet, SIDE: self.aside}[part]
