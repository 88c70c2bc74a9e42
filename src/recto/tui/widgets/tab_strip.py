"""A strip of tabs that digits switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from recto.tui.lines import plain


class TabStrip(Widget):
    """Names with a digit each and a count where there is one; the active one stands out."""

    @dataclass
    class Switched(Message):
        """Another tab is shown."""

        strip: TabStrip
        index: int

        @property
        def control(self) -> TabStrip:
            """The strip, so that handlers can select by it."""
            return self.strip

    active: reactive[int] = reactive(0, init=False)

    def __init__(self, names: Sequence[str], *, active: int = 0, id: str | None = None) -> None:
        super().__init__(id=id)
        self.names = tuple(names)
        self._counts: dict[int, str] = {}
        self._places: list[tuple[int, int]] = []
        self.set_reactive(TabStrip.active, active)

    def __len__(self) -> int:
        return len(self.names)

    def count(self, index: int, count: str | int | None) -> None:
        """Set what stands beside a tab's name."""
        self._counts[index] = "" if count is None else str(count)
        self.refresh()

    def validate_active(self, index: int) -> int:
        """Keep to the tabs there are."""
        return max(0, min(index, len(self.names) - 1))

    def watch_active(self, index: int) -> None:
        """Tell which tab is shown."""
        self.post_message(self.Switched(self, index))

    def render(self) -> Content:
        """Write the names; where there is no room, the others shrink to their digits."""
        full = sum(cell_len(self._label(index)) + 3 for index in range(len(self.names)))
        short = full > self.size.width
        parts: list[tuple[str, str] | str] = []
        self._places = []
        x = 0
        for index in range(len(self.names)):
            on = index == self.active
            label = self._label(index) if on or not short else f"{index + 1}"
            parts.append((label, "bold underline $accent" if on else "$muted"))
            parts.append("   ")
            self._places.append((x, x + cell_len(label)))
            x += cell_len(label) + 3
        return Content.assemble(*parts)

    def _label(self, index: int) -> str:
        count = self._counts.get(index)
        return f"{index + 1} {plain(self.names[index])}" + (f" {plain(count)}" if count else "")

    def on_click(self, event: events.Click) -> None:
        """Switch to the tab that was clicked."""
        for index, (start, end) in enumerate(self._places):
            if start <= event.x < end:
                self.active = index
