"""How a view comes to be seen: laid out for the size there is, then painted, each in a turn of its own.

Both are the longest that a view holds the event loop for. What stood on the screen before may cover it until it is
worth being seen.
"""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

from textual import events
from textual.geometry import Size
from textual.screen import Screen

from recto.tui.compositor import ViewCompositor
from recto.tui.turns import do_after_others, others_first

Result = TypeVar("Result")


class Painted(Screen[Result], inherit_bindings=False):
    """Is painted some rounds of the event loop after it was laid out, once for all that changed until then."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._compositor = ViewCompositor()
        self.covered = False
        """Whether what was painted before the view stands until ``uncover``."""
        self._fits = Size()
        """The size of the terminal whose classes the view has."""
        self._seen = asyncio.Event()
        """Set once the view has been painted, or would have been."""
        self._painting: asyncio.Event | None = None
        """Set when what is to be painted is; ``None`` while nothing is."""

    def take_size(self) -> None:
        """Have the classes for the terminal's size from the beginning: the first sight is laid out and drawn once."""
        self._fits = self.app.size
        for cells, steps in zip(
            self._fits, (self.app.HORIZONTAL_BREAKPOINTS, self.app.VERTICAL_BREAKPOINTS), strict=True
        ):
            fitting = [step for step in steps or () if step[0] <= cells]
            if fitting:
                self.add_class(max(fitting)[1], update=False)

    async def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Lay out for the first time, or again, when others have had their turn."""
        if not self._seen.is_set():
            event.refresh_styles = False  # the widgets were styled a moment ago, when they were made
        await others_first()

    async def on_resize(self, event: events.Resize) -> None:
        """Lay out for another size when others have had their turn; Textual asks for it once more when that is done."""
        if event.size == self._fits == self.app.size:
            event.prevent_default()
        else:
            await others_first()
            # What Textual asks for once more may have taken the place of a size that came meanwhile.
            self._fits = event.size = self.app.size

    def _compositor_refresh(self) -> None:
        # Under a cover everything is laid out as ever; to paint it in vain again and again would take half the start.
        if self.covered:
            self._seen.set()
            return
        self._compositor.update_widgets(self._dirty_widgets)
        self._dirty_widgets.clear()  # the compositor knows of them
        if self._painting is None:
            self._painting = asyncio.Event()
            do_after_others(self._paint)

    def _paint(self) -> None:
        painting, self._painting = self._painting, None
        try:
            if self.app._batch_count:
                self.call_later(self._compositor_refresh)
            elif self.is_attached:
                if not self._seen.is_set():
                    self._repaint_required = False  # all is painted now
                dirty_since = set(self._dirty_widgets)
                super()._compositor_refresh()
                self._dirty_widgets.update(dirty_since)
        except Exception as error:
            self.app._handle_exception(error)
        finally:
            self._seen.set()
            if painting is not None:
                painting.set()

    async def _invoke_and_clear_callbacks(self) -> None:
        # What is to come after a refresh comes after it has been painted.
        if self._painting is not None:
            await self._painting.wait()
        await super()._invoke_and_clear_callbacks()

    async def first_painted(self) -> None:
        """Wait until the view has been painted for the first time, or is known not to be painted now."""
        self.call_after_refresh(self._seen.set)
        await self._seen.wait()

    async def painted(self) -> None:
        """Wait until what has changed until now is painted."""
        painted = asyncio.Event()
        self.call_after_refresh(painted.set)
        await painted.wait()

    def cover(self) -> None:
        """Not be painted until ``uncover``: something else stands for the view."""
        self.covered = True

    def uncover(self) -> None:
        """Paint the view, where something else stood for it."""
        if self.covered:
            self.covered = False
            self.refresh()
