"""How a view comes to be seen: laid out at once for the size there is, after others at the event loop had their turn.

What stood on the screen before may cover it until it is worth being seen.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any, TypeVar

from textual import events
from textual.geometry import Size
from textual.screen import Screen

from recto.tui.turns import yield_to_loop

Result = TypeVar("Result")


class Painted(Screen[Result], inherit_bindings=False):
    """A screen of which it is known when it is painted."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._held: ExitStack | None = None
        """Holds back all painting while something else stands for the view."""
        self._fits = Size()
        """The size of the terminal whose classes the view has."""
        self._seen = asyncio.Event()
        """Set once the view has been painted, or would have been."""
        self._toasts = 0

    def on_mount(self) -> None:
        """Follow what is told in passing."""
        self.screen_layout_refresh_signal.subscribe(self, self._paint_over_toasts)

    def _paint_over_toasts(self, _screen: Screen[Any]) -> None:
        # Textual places everything anew for whoever asks for a place first after scrolling, and forgets what stood
        # there before: a message told in passing would stay on the screen when its time is over.
        before, self._toasts = self._toasts, len(self.query("Toast"))
        if self._toasts < before:
            self.refresh()

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
        await yield_to_loop()

    async def on_resize(self, event: events.Resize) -> None:
        """Lay out for another size when others have had their turn; Textual asks for it once more when that is done."""
        if event.size == self._fits == self.app.size:
            event.prevent_default()
        else:
            await yield_to_loop()
            # What Textual asks for once more may have taken the place of a size that came meanwhile.
            self._fits = event.size = self.app.size

    async def first_painted(self) -> None:
        """Wait until the view has been painted for the first time, or is known not to be painted now."""
        self.call_after_refresh(self._seen.set)
        await self._seen.wait()

    async def painted(self) -> None:
        """Wait until what has changed until now is painted."""
        painted = asyncio.Event()
        self.call_after_refresh(painted.set)
        await painted.wait()

    async def lay_out(self) -> None:
        """Lay out what came while the view was covered, so that its first frame is whole."""
        self._fits = Size()
        done = asyncio.Event()
        self.post_message(events.Resize(self.app.size, self.app.size))
        if self.call_later(done.set):
            await done.wait()
        await yield_to_loop()  # the widgets hear of their sizes

    @property
    def covered(self) -> bool:
        """Whether what was painted before the view stands until ``uncover``."""
        return self._held is not None

    def cover(self) -> None:
        """Not be painted until ``uncover``: something else stands for the view."""
        self._held = ExitStack()
        self._held.enter_context(self.app.batch_update())

    def uncover(self) -> None:
        """Paint the view, where something else stood for it."""
        if self._held is not None:
            self._held.close()
            self._held = None
            self.refresh()
