"""How the page tree, the page and the side pane of a space stand beside each other, as many as there is room for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.message import Message

from recto.frozen import frozen
from recto.tui.screens.pane import Pane
from recto.tui.widgets.line_view import Ground

if TYPE_CHECKING:
    from recto.tui.screens.space.side import SidePane

TREE, PAGE, SIDE = "tree", "reader", "side"
"""The ids of the panes: page tree, page, and side pane."""

PARTS = (TREE, PAGE, SIDE)

BROAD, NARROW = 140, 80
"""Columns from which all three have room, and below which there is room for one."""

_NARROWEST = 16
"""Columns that a pane keeps."""


def arrange(width: int, part: str, *, side: bool) -> tuple[str, ...]:
    """Return the panes that are shown; ``part`` has the focus, ``side`` is whether the side pane is open."""
    if width < NARROW:
        return (part,)
    if not side:
        return (TREE, PAGE)
    if width >= BROAD:
        return (TREE, PAGE, SIDE)
    # There is room for a single pane beside the page: the tree while it has the focus, else the last opened.
    return (TREE, PAGE) if part == TREE else (PAGE, SIDE)


def _open_parts(side: bool) -> tuple[str, ...]:
    """Return the panes in the order in which tab goes round them."""
    return (TREE, PAGE, SIDE) if side else (TREE, PAGE)


class Panels(Ground):
    """Lays three panes out around the focused pane; ``beside`` may take the place of the page."""

    @frozen
    class Entered(Message):
        """The person is in another pane."""

        part: str

    class Parted(Message):
        """The person has moved a divider."""

    def __init__(
        self,
        tree: Pane,
        page: Pane,
        side: SidePane,
        *,
        beside: Pane | None = None,
        part: str,
        widths: Mapping[str, int],
    ) -> None:
        super().__init__(id="content")
        self._panes: dict[str, Pane] = {TREE: tree, PAGE: page, SIDE: side}
        self._side = side
        self._pages = (page, *(() if beside is None else (beside,)))
        """The panes that can stand at the place of the page."""
        self.widths = dict(widths)
        """The columns that the person gave the tree and the side pane; 0 leaves it to the style sheet."""
        self._drawn: tuple[str, int] | None = None
        """The pane whose divider the mouse is drawing, and how far right of the mouse the divider is."""
        self.part = part if part in _open_parts(side.is_open) else TREE
        """The pane with the person."""

    def compose(self) -> ComposeResult:
        """Compose the panes; the side pane where it is open."""
        yield self._panes[TREE]
        yield from self._pages
        if self._side.is_open:
            yield self._side

    def put_page(self, pane: Pane) -> None:
        """Put the page, or the pane given in place of it, at the page's place."""
        self._panes[PAGE] = pane
        self._lay_out()

    def go_to(self, part: str) -> None:
        """Focus a pane."""
        self._enter(part if part in _open_parts(self._side.is_open) else PAGE)
        self._panes[self.part].take_focus()

    def go_round(self, step: int) -> None:
        """Go to the next or previous pane."""
        parts = _open_parts(self._side.is_open)
        # The remembered pane may be closed by now.
        here = self._focused or (self.part if self.part in parts else PAGE)
        self.go_to(parts[(parts.index(here) + step) % len(parts)])

    async def toggle_side(self, kind: str) -> None:
        """Open the side pane with what it is to show, and go there; close it where it shows that."""
        if self._side.kind == kind:
            self.close_side()
            return
        self._side.kind = kind
        if not self._side.is_attached:
            await self.mount(self._side)
        self.go_to(SIDE)
        self._side.show()

    def close_side(self) -> None:
        """Close the side pane and go back to the page."""
        self._side.kind = None
        self._side.show()
        self.go_to(PAGE)

    @property
    def alone(self) -> bool:
        """Whether there is room for a single pane only."""
        return len(arrange(self.screen.size.width, self.part, side=False)) == 1

    def on_descendant_focus(self) -> None:
        """Know where the person is, also after a click; by now the focus may be elsewhere again."""
        part = self._focused
        if part is not None and part != self.part:
            self._enter(part)

    @property
    def _focused(self) -> str | None:
        """The pane that has the focus, of those that are open."""
        focused = self.screen.focused
        return next((part for part in _open_parts(self._side.is_open) if self._panes[part].target is focused), None)

    def on_resize(self, event: events.Resize) -> None:
        """Show as many panes as there is room for."""
        self._lay_out()

    def _lay_out(self) -> None:
        shown = arrange(self.screen.size.width, self.part, side=self._side.is_open)
        visible = [self._panes[part] for part in shown]
        for pane in (*self._pages, self._panes[TREE], self._panes[SIDE]):
            # Setting the same value again would lay out the whole screen.
            if pane.display != (pane in visible):
                pane.display = pane in visible
        for part in (TREE, SIDE):
            styles, width = self._panes[part].styles, self.widths.get(part)
            if width and len(shown) > 1:
                # The page keeps the most of a window that has become smaller.
                styles.width = min(width, self.screen.size.width // len(shown))
            else:
                styles.clear_rule("width")

    def _enter(self, part: str) -> None:
        self.part = part
        self._lay_out()
        self.post_message(self.Entered(part))

    # The dividers

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the divider under the mouse: the borders of two panes that stand beside each other."""
        for part, right in ((TREE, PAGE), (SIDE, SIDE)):
            off = self._panes[right].region.x - event.screen_x
            if not self.alone and off in (0, 1) and self._panes[part].display and self._panes[right].display:
                self._drawn = part, off
                self.capture_mouse()
                self.screen.clear_selection()  # the button marks no text while it moves the divider
                event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the divider along."""
        if self._drawn is not None:
            part, off = self._drawn
            own, divider = self._panes[part].region, event.screen_x + off
            self.widths[part] = max(_NARROWEST, divider - own.x if part == TREE else own.right - divider)
            self._lay_out()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Release the divider."""
        if self._drawn is not None:
            self._drawn = None
            self.release_mouse()
            self.post_message(self.Parted())
