"""A strip of tabs that digits switch."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.widget import Widget

from recto.frozen import frozen
from recto.tui.look.lines import fit, plain
from recto.tui.look.signs import NEWS_SIGN

if TYPE_CHECKING:
    from recto.store.news import News
    from recto.store.signal import Subscription

_GAP, _NARROW_GAP = 3, 2
"""Cells between two names, where there is room and where there is little."""

_LEAST_CUT = 4
"""The cells beside its digit from which on the beginning of a name is worth showing."""


class TabStrip(Widget):
    """Names with a digit each and a count if any; the active tab stands out.

    ``short`` maps names to shorter names for narrow screens. A tab that is not active is marked
    as long as there are ``news`` on it.
    """

    @frozen
    class Switched(Message):
        """Another tab is shown."""

        strip: TabStrip
        index: int

        @property
        def control(self) -> TabStrip:
            """The strip, so that handlers can select by it."""
            return self.strip

    @frozen
    class Clicked(Message):
        """A tab was clicked."""

        strip: TabStrip
        index: int

    virtual_size = Reactive(Size(0, 0), repaint=False)  # a layout gives it, and needs no other layout for it

    active: reactive[int] = reactive(0, init=False)

    def __init__(
        self,
        names: Sequence[str],
        *,
        short: Mapping[str, str] = MappingProxyType({}),
        active: int = 0,
        news: News | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._news = news
        self._ids: dict[int, frozenset[Hashable]] = {}
        """The ids of what each tab shows."""
        self._following_news: Subscription | None = None
        self.names = tuple(names)
        self._short = short
        self._counts: dict[int, str] = {}
        self._places: list[tuple[int, int]] = []
        self.set_reactive(TabStrip.active, active)

    def __len__(self) -> int:
        return len(self.names)

    def on_mount(self) -> None:
        """Follow the news."""
        if self._news is not None:
            self._following_news = self._news.changed.subscribe(lambda _: cast(None, self.refresh()))

    def on_unmount(self) -> None:
        """Stop following the news."""
        if self._following_news is not None:
            self._following_news.close()

    def count(self, index: int, count: str | int | None, ids: Iterable[Hashable] = ()) -> None:
        """Set what stands beside a tab's name; ``ids`` are those of what it shows, which may be news."""
        before = self._counts.get(index), self._ids.get(index)
        self._counts[index] = "" if count is None else str(count)
        self._ids[index] = frozenset(ids)
        if before != (self._counts[index], self._ids[index]):
            self.refresh()

    def validate_active(self, index: int) -> int:
        """Keep the index within the tabs."""
        return max(0, min(index, len(self.names) - 1))

    def watch_active(self, index: int) -> None:
        """Post which tab is shown."""
        self.post_message(self.Switched(self, index))

    def render(self) -> Content:
        """Render the names, shortened as needed."""
        labels, gap = self._fit_labels(self.size.width)
        parts: list[tuple[str, str] | str] = []
        self._places = []
        x = 0
        for index, label in enumerate(labels):
            parts.append((label, "bold underline $accent" if index == self.active else "$muted"))
            parts.append(" " * gap)
            self._places.append((x, x + cell_len(label)))
            x += cell_len(label) + gap
        return Content.assemble(*parts)

    def _fit_labels(self, width: int) -> tuple[Sequence[str], int]:
        """Return the labels and the gap between them: the fullest that fit, else the shortest there are."""
        labels: list[str] = []
        gap = 0
        for labels, gap, cut in self._ever_shorter():
            room = width - sum(cell_len(label) for label in labels) - gap * (len(labels) - 1)
            if room >= 0:
                if cut is not None and room >= _LEAST_CUT:
                    labels[cut] = self._cut(cut, cell_len(labels[cut]) + room)
                break
        return labels, gap

    def _ever_shorter(self) -> Iterator[tuple[list[str], int, int | None]]:
        """Yield ever shorter labels: narrower gaps, then short names, then digits, from the last on, the active label
        last.

        With digits comes the index of the label that may be cut instead, if there is room for that.
        """
        others = [index for index in reversed(range(len(self.names))) if index != self.active]
        labels = [self._label(index, name) for index, name in enumerate(self.names)]
        yield labels, _GAP, None
        yield labels, _NARROW_GAP, None
        for index in (*others, self.active):
            labels[index] = self._label(index, self._short.get(self.names[index], self.names[index]))
            yield labels, _NARROW_GAP, None
        for index in others:
            labels[index] = f"{index + 1}{self._sign(index)}"
            yield labels, _NARROW_GAP, index

    def _cut(self, index: int, room: int) -> str:
        """Return a label without its count, cut to the room that there is."""
        name, sign = self._short.get(self.names[index], self.names[index]), self._sign(index)
        cut = fit([(f"{index + 1} {plain(name)}", "")], room - cell_len(sign))
        return "".join(text for text, _ in cut) + sign

    def _label(self, index: int, name: str) -> str:
        count = self._counts.get(index)
        return f"{index + 1} {plain(name)}" + (f" {plain(count)}" if count else "") + self._sign(index)

    def _sign(self, index: int) -> str:
        """Return the sign of news, where something that the tab shows is new and was not looked at."""
        ids = self._ids.get(index)
        return NEWS_SIGN if ids and index != self.active and self._news and self._news.has_any(ids) else ""

    def on_click(self, event: events.Click) -> None:
        """Report the tab that was clicked."""
        for index, (start, end) in enumerate(self._places):
            if start <= event.x < end:
                self.post_message(self.Clicked(self, index))
