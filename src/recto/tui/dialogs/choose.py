"""Choosing from a list by a few letters."""

from __future__ import annotations

import asyncio
import heapq
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input

from recto.client.errors import ClientError
from recto.frozen import frozen
from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog, Result
from recto.tui.dialogs.fuzzy import Fuzzy
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.remark import Remark

if TYPE_CHECKING:
    from textual.worker import Worker

SHOWN = 200
"""The most items listed; typing another letter is quicker than reading further."""

AT_ONCE = 200
"""Items that are matched before the next frame; more are matched in a thread."""

_PORTION = 500
"""Items matched before looking whether other letters were typed."""

_TYPING = 0.15
"""The seconds without another letter after which the platform is asked."""

_NEAR_END = 20
"""How many rows before the last known one the next page is requested."""


@frozen
class Choice:
    """A choice: its label, by which it is found, its detail at the right, and the ``reason`` if it cannot be chosen."""

    id: str
    label: str
    detail: str = ""
    reason: str = ""


Find = Callable[[str], AsyncIterator[Sequence[Choice]]]
"""Yields the choices for a typed text, page by page; each page is requested when it is needed."""

_SHORT = 12
"""So many choices at most get a box of their own height."""

T = TypeVar("T")
Scored = tuple[float, T]


class FinderDialog(Dialog[Result], Generic[T, Result]):
    """A line to type a few letters in and the items that match, best first; enter chooses, arrows move.

    Where there may be too many to load, ``find`` requests items from the platform: the first page at once and after
    other letters, the next when the cursor nears the end.
    """

    BINDINGS = bindings("dialog.accept", "dialog.down", "dialog.up")
    ACCEPTS = "Choose"

    def __init__(
        self,
        title: str,
        items: Iterable[T] = (),
        *,
        placeholder: str = "a few letters",
        value: str = "",
        find: Callable[[str], AsyncIterator[Sequence[T]]] | None = None,
    ) -> None:
        super().__init__(title)
        self._items: list[T] = list(items)
        self._placeholder = placeholder
        self._value = value
        self._matches: Matches[T] = Matches("", self.score)
        self._listed: str | None = None
        """The letters whose matches are listed."""
        self._turn = asyncio.Lock()
        self._finder = find
        self._added = {self.key_of(item) for item in self._items}
        self._next_pages: AsyncIterator[Sequence[T]] | None = None
        """The pages for the typed text that were not requested yet."""
        self._finding: Worker[None] | None = None

    def compose_body(self) -> ComposeResult:
        """Compose the line and the list."""
        yield LineField(self._value, placeholder=self._placeholder)
        verdict = Remark(classes="verdict")
        verdict.display = False
        yield verdict
        found = VirtualList(guided=True)
        found.can_focus = False
        yield found

    def on_mount(self) -> None:
        """Show the first matches; typing replaces the first value."""
        self.query_one(LineField).select_all()
        self.match()
        self._look_for("")

    def on_unmount(self) -> None:
        """Drop the items: a timer of the dialog may keep it in memory for a while."""
        self._items, self._matches = [], Matches("", self.score)

    def key_of(self, item: T) -> Hashable:
        """Return the identity of an item."""
        return id(item)

    @abstractmethod
    def text_of(self, item: T) -> str:
        """Return the text of an item that is searched."""

    def score(self, query: Fuzzy, item: T) -> float:
        """Return how well an item matches, above 0, or 0 where it does not; called in a thread."""
        return query.score(self.text_of(item))

    def draw(self, item: T, width: int) -> Line:
        """Draw an item."""
        return lines.fit([(lines.plain(self.text_of(item)), "")], width)

    def order(self, found: Sequence[Scored[T]]) -> list[T]:
        """Return the items that match in the order in which they are shown; they come best first."""
        return [item for _score, item in found]

    def add(self, items: Sequence[T]) -> None:
        """Add items that have come in."""
        self._items += items
        self.match()

    def match(self, *, again: bool = False) -> None:
        """List the matches of the text: at once where few items are left to check, else from a thread."""
        if not self.is_whole:
            return
        matches = self._matches_of_typed(again=again)
        if self._turn.locked() or len(self._items) - matches.seen > AT_ONCE:
            self.run_worker(self.catch_up(), "matches", exit_on_error=False)
        else:
            matches.take(self._items, AT_ONCE)
            self.list_matches()

    async def catch_up(self) -> bool:
        """Match the typed text against all items and list the matches; false where the dialog is gone meanwhile.

        Stops as soon as something else is typed.
        """
        if not self.is_whole:
            return False
        matches = self._matches_of_typed()
        while matches is self._matches and matches.seen < len(self._items):
            async with self._turn:
                if matches is self._matches:
                    await asyncio.to_thread(matches.take, self._items, _PORTION)
        if matches is self._matches and self.is_whole:
            self.list_matches()
        return self.is_whole

    def _matches_of_typed(self, *, again: bool = False) -> Matches[T]:
        typed = self.query_one(LineField).value.strip()
        if again or typed != self._matches.typed:
            self._matches = Matches(typed, self.score)
        return self._matches

    def list_matches(self) -> None:
        """Show the matches; the cursor stays on its row while more arrive."""
        keep, self._listed = self._listed == self._matches.typed, self._matches.typed
        found = self.order(self._matches.best)
        rows = ItemRows(found, self.draw, key=self.key_of, text=self.text_of)
        shown = self.query_one(VirtualList)
        kept = shown.cursor_key if keep and shown.cursor > 0 else None
        keys = [self.key_of(item) for item in found]
        shown.show(rows, kept if kept in keys else next(iter(keys), None))
        verdict = self.query_one(".verdict", Remark)
        verdict.display = bool(self._matches.typed) and not found
        verdict.show(Content.styled(lines.plain(f"No match for “{self._matches.typed}”."), "$muted"))

    def on_input_changed(self, event: Input.Changed) -> None:
        """List the matches of the text, and request more."""
        event.stop()
        self.match()
        self._look_for(event.value.strip())

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Request the next page near the end of the list."""
        event.stop()
        if self._finding is not None and self._finding.is_finished and event.index >= len(event.list.rows) - _NEAR_END:
            self._request()

    def _look_for(self, text: str) -> None:
        if self._finder is not None:
            self._next_pages = self._finder(text)
            self._request(_TYPING if text else 0)

    def _request(self, after: float = 0) -> None:
        add_page = partial(self._add_page, after)
        self._finding = self.run_worker(add_page, "find", group="find", exclusive=True, exit_on_error=False)

    async def _add_page(self, after: float) -> None:
        if after:
            await asyncio.sleep(after)
        try:
            found = await anext(self._next_pages, None) if self._next_pages is not None else None
        except ClientError as error:
            found = None
            self.notify(lines.plain(str(error)), severity="error", markup=False)
        if found is None:
            self._next_pages = None
            return
        new = [item for item in found if self.key_of(item) not in self._added]
        self._added.update(map(self.key_of, new))
        self.add(new)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Choose the item that was double-clicked."""
        event.stop()
        self.choose_current()

    async def action_dialog_accept(self) -> None:
        """Choose the item under the cursor."""
        if await self.catch_up():
            self.choose_current()

    def choose_current(self) -> None:
        """Choose the item under the cursor, if any."""
        found = self.query_one(VirtualList)
        rows = found.rows
        if isinstance(rows, ItemRows) and len(rows):
            self.choose(rows.items[found.cursor])

    @abstractmethod
    def choose(self, item: T) -> None:
        """Answer with an item, or do what choosing it means."""

    async def action_dialog_down(self) -> None:
        """Go to the next item."""
        if await self.catch_up():
            self.query_one(VirtualList).cursor += 1

    async def action_dialog_up(self) -> None:
        """Go to the item before."""
        if await self.catch_up():
            self.query_one(VirtualList).cursor -= 1


class Matches(Generic[T]):
    """The items that match the typed text, best first, as far as the list was searched."""

    def __init__(self, typed: str, score: Callable[[Fuzzy, T], float]) -> None:
        self.typed = typed
        self.best: list[Scored[T]] = []
        """The items that match, best first; without letters the first ones as they come."""
        self.seen = 0
        """How many of the items were looked at."""
        self._query = Fuzzy(typed)
        self._score = score

    def take(self, items: Sequence[T], most: int) -> None:
        """Match the next items, at most ``most``."""
        portion = items[self.seen : self.seen + most]

        def score_all() -> Iterator[Scored[T]]:
            yield from self.best
            for item in portion:
                if (score := self._score(self._query, item)) > 0:
                    yield score, item

        # Of equal ones the earlier comes first.
        self.best = heapq.nlargest(SHOWN, score_all(), key=itemgetter(0))
        self.seen += len(portion)


class Choose(FinderDialog[Choice, str]):
    """Asks to choose an item; returns its id. ``preview`` is called with the id under the cursor.

    ``create`` returns the choice that makes something new of the typed text; it stands below what matches.
    """

    def __init__(
        self,
        title: str,
        items: Iterable[Choice] = (),
        *,
        placeholder: str = "a few letters",
        value: str = "",
        preview: Callable[[str], None] | None = None,
        create: Callable[[str], Choice] | None = None,
        find: Find | None = None,
    ) -> None:
        super().__init__(title, items, placeholder=placeholder, value=value, find=find)
        self._preview = preview
        self._create = create
        self._is_short = find is None and create is None and 0 < len(self._items) <= _SHORT
        self.set_class(self._is_short, "-short")

    def compose_body(self) -> ComposeResult:
        """Compose the line and the list, which keeps the height of all choices where they are few."""
        for part in super().compose_body():
            if self._is_short and isinstance(part, VirtualList):
                part.styles.height = len(self._items)
            yield part

    def order(self, found: Sequence[Scored[Choice]]) -> list[Choice]:
        """Return the choices that match, and the choice that makes something new."""
        choices = super().order(found)
        return [*choices, self._create(self._matches.typed)] if self._create is not None else choices

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Preview the choice under the cursor."""
        rows = event.list.rows
        if self._preview is not None and isinstance(rows, ItemRows) and (item := rows.item(event.index)) is not None:
            self._preview(item.id)

    def key_of(self, item: Choice) -> Hashable:
        """Return the id."""
        return item.id

    def text_of(self, item: Choice) -> str:
        """Return the label."""
        return item.label

    def score(self, query: Fuzzy, item: Choice) -> float:
        """Match the label, and what stands beside it where the platform searches that, too."""
        return score_choice(query, item) if self._finder is not None else super().score(query, item)

    def draw(self, item: Choice, width: int) -> Line:
        """Draw the choice."""
        return draw_choice(item, width)

    def choose(self, item: Choice) -> None:
        """Answer with the choice, or say why it cannot be."""
        if item.reason:
            self.notify(item.reason, markup=False)
        else:
            self.dismiss(item.id)


def score_choice(query: Fuzzy, item: Choice) -> float:
    """Return how well the label of a choice matches, or, for half as much, what stands beside it."""
    return max(query.score(item.label), query.score(item.detail) / 2)


def draw_choice(item: Choice, width: int) -> Line:
    """Draw the label of a choice, its detail, and the reason against it."""
    left: list[Span] = [(lines.plain(item.label), "faint" if item.reason else "")]
    right: list[Span] = [(lines.plain(item.reason or item.detail), "muted")]
    # A long detail is cut rather than left out: the label keeps what it needs, up to two thirds.
    return lines.beside(left, lines.fit(right, width - 1 - min(lines.width_of(left), width * 2 // 3)), width)
