"""Going anywhere by a few letters of its name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial

from textual.content import Content
from textual.widgets import Input
from textual.worker import Worker

from recto.client.errors import ClientError
from recto.frozen import frozen
from recto.store.locations import Location
from recto.tui.dialogs.choose import FinderDialog, Scored
from recto.tui.dialogs.excerpts import excerpt_around, mark_words, read_aloud
from recto.tui.dialogs.fuzzy import SCATTERED, Fuzzy
from recto.tui.failed_work import failure_of
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span
from recto.tui.widgets.remark import Remark
from recto.urls import is_url


@frozen
class Target:
    """A target of a jump: its title, what it is (``page``, ``space``) and what it is in."""

    title: str
    what: str
    where: str
    location: Location
    path: str = ""
    """The path of a page, which is searched, too."""
    found: str = ""
    """An excerpt around the words, if it was found by its text."""
    section: str = ""
    """The heading above those words."""


ByWords = Callable[[str], AsyncIterator[Sequence[Target]]]
"""Yields the places whose text holds words, more each time; raises ``ClientError``."""

_LEAST_FOUND = 12
"""The fewest cells in which an excerpt is worth showing."""

_IN_TITLE = 2.0
"""The weight of a match in the title, relative to one in the path or place."""

_ASTRAY = 1.0
"""The score below which letters are scattered over title, path and place: such matches come after matches in texts."""

_FEWEST_LETTERS = 3
"""The number of letters from which texts are searched, too."""

Targets = Callable[[], AsyncIterator[Sequence[Target]]]
"""Yields targets as they become known, in portions."""


class Jump(FinderDialog[Target, Location]):
    """Answers the location to go to; the list grows while the person types.

    Names that match stand above the places whose text holds the words.
    """

    ACCEPTS = "Open"

    def __init__(self, targets: Targets, by_words: ByWords | None = None) -> None:
        super().__init__("Go to", placeholder="title, path, words or address of a page; a space, change request, site")
        self._targets = targets
        self._by_words = by_words
        self._worded: tuple[str, Sequence[Target]] = ("", ())
        self.words = ""
        """The words by which the location was found that is answered, if it was by words."""
        self._known: dict[Hashable, int] = {}
        self._typed = ""
        self._searching: Worker[None] | None = None
        self._gathering = True
        self._accepts = False
        """Whether enter was pressed before a name matched: then the first name to come in that does is meant."""

    def on_mount(self) -> None:
        """Begin to gather targets."""
        self.run_worker(self._gather(), name="targets", exit_on_error=False)

    async def _gather(self) -> None:
        try:
            async for some in self._targets():
                self.add(some)
                if self._accepts and await self.catch_up():
                    self._choose_accepted(named=True)
        finally:
            self._gathering = False
        if self.is_whole:
            self.match()
            self._choose_accepted(named=False)

    def _choose_accepted(self, *, named: bool) -> None:
        if self._accepts and not (named and self._lacks_name):
            self.choose_current()

    @property
    def _lacks_name(self) -> bool:
        """Whether the cursor is on no match of a name, and was not moved to a match in a text."""
        found = self.query_one(VirtualList)
        rows = found.rows
        item = rows.item(found.cursor) if isinstance(rows, ItemRows) else None
        return item is None or (found.cursor == 0 and bool(item.found))

    async def action_dialog_accept(self) -> None:
        """Choose the target under the cursor; if no name matches yet, wait for names that are being loaded.

        Pressed again, it chooses a match in a text.
        """
        if await self.catch_up():
            is_second = self._accepts and len(self.query_one(VirtualList).rows) > 0
            self._accepts = self._gathering and self._lacks_name and not is_second
            if not self._accepts:
                self.choose_current()

    def list_matches(self) -> None:
        """Show the matches or, while no name matches, that names are still being listed."""
        super().list_matches()
        if self._gathering and self._matches.typed and self._lacks_name:
            verdict = self.query_one(".verdict", Remark)
            verdict.display = True
            verdict.show(Content.styled("No name matches yet: still listing pages…", "$muted"))

    def add(self, items: Sequence[Target]) -> None:
        """Add targets. A recent location that is listed now stays in its place, and keeps its position."""
        new: list[Target] = []
        known = len(self._items)
        replaced = False
        for one in items:
            at = self._known.setdefault(one.location.target, known + len(new))
            if at < known:
                self._items[at] = replace(one, location=self._items[at].location)
                replaced = True
            elif at == known + len(new):
                new.append(one)
        self._items += new
        self.match(again=replaced)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report that not everything could be listed, or that an address could not be found."""
        is_expected = isinstance(event.worker.error, ClientError)
        if (failure := failure_of(event)) is None:
            return
        if event.worker.name == "targets":
            self.notify(f"Some results could not be loaded: {failure}", severity="warning", markup=False)
        elif event.worker.name != "words" or is_url(self._typed) or not is_expected:
            self.notify(failure, severity="warning", markup=False)  # without words, names are still found

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search the texts, too; the finder itself matches names."""
        self._accepts = False
        words = self._typed = event.value.strip()
        if self._by_words is not None and len(words) >= _FEWEST_LETTERS:
            search = partial(self._search, words, self._by_words)
            self._searching = self.run_worker(search, name="words", group="words", exclusive=True, exit_on_error=False)
        elif self._searching is not None:
            self._searching.cancel()

    async def _search(self, words: str, by_words: ByWords) -> None:
        async for found in by_words(words):
            self._worded = (words, found)
            self.match()

    def score(self, query: Fuzzy, item: Target) -> float:
        """Return how well an item matches; a match in its title counts for more, scattered over the rest for less."""
        whole = query.score(self.text_of(item))
        title = query.score(item.title) if whole else 0.0
        if title:
            return max(whole, title + _IN_TITLE)
        return whole if whole >= SCATTERED else whole * _ASTRAY / SCATTERED

    def order(self, found: Sequence[Scored[Target]]) -> list[Target]:
        """Put matches in texts below matches of names."""
        words, worded = self._worded
        shown = worded if words and words == self._matches.typed else ()
        return [
            *(item for score, item in found if score >= _ASTRAY),
            *shown,
            *(item for score, item in found if score < _ASTRAY),
        ]

    def key_of(self, item: Target) -> Hashable:
        """Return the location; a target found by both its name and its text is listed twice."""
        return bool(item.found), item.location.target

    def text_of(self, item: Target) -> str:
        """Return the title, the path and the place."""
        return f"{item.title} {item.path} {item.where}" if item.path else f"{item.title} {item.where}"

    def draw(self, item: Target, width: int) -> Line:
        """Draw the title with what it is in, and its kind at the right."""
        left: list[Span] = [(lines.plain(item.title), "")]
        if item.section and item.section != item.title:
            left.append((f" › {lines.plain(read_aloud(item.section))}", ""))
        if item.found:
            words = self._worded[0].split()
            room = width - lines.width_of(left) - len(item.what) - 4
            if room >= _LEAST_FOUND:
                left.append((f"  {excerpt_around(lines.plain(read_aloud(item.found)), words, room)}", "muted"))
            left = mark_words(left, words)
        else:
            left.append((f"  {lines.plain(item.where)}", "muted"))
            if item.path:
                left.append((f"  /{lines.plain(item.path)}", "faint"))
        return lines.beside(left, [(item.what, "faint")], width)

    def choose(self, item: Target) -> None:
        """Answer with the location, and note the words that were found there."""
        self.words = self._worded[0] if item.found else ""
        self.dismiss(item.location)
