"""Searching a space: words, the pages and sections that hold them, and the way there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerState

from recto.tui import lines
from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lines import Line, Span, plain
from recto.tui.signs import count
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.rows import WrappedRows
from recto.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from recto.contract.content import SearchHit

LIMIT = 512
"""Characters that a search takes."""


_MARKS = re.compile(r"\*\*|`|\|(?:[ :|-]*\|)?")
"""Strong text, code, and the bars and rules of tables."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where in a space words were found: a page, or with ``anchor`` a section of it."""

    page: str
    title: str
    heading: str = ""
    anchor: str = ""
    excerpt: str = ""
    number: int = 0


Search = Callable[[str], Awaitable[Sequence["SearchHit"]]]
"""Asks the platform for words; raises ``ClientError``."""


class SearchSpace(Dialog[Found]):
    """Asks for words at each letter and answers where to go. An answer that comes too late is passed over."""

    BINDINGS = bindings("dialog.accept", "dialog.down", "dialog.up")

    def __init__(self, space: str, search: Search, words: str = "") -> None:
        super().__init__(f"Search {space}")
        self._search = search
        self.words = words
        """What is being searched for."""
        self._asked = 0

    def compose_body(self) -> ComposeResult:
        """Put the line, the state, and what was found."""
        yield LineField(self.words, placeholder="words")
        yield Static(classes="verdict")
        found = VirtualList(guided=True)
        found.can_focus = False
        yield found

    def on_mount(self) -> None:
        """Search again for what was searched for last."""
        self._ask()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for what is typed so far."""
        event.stop()
        self.words = event.value[:LIMIT]
        self._ask()

    def _ask(self) -> None:
        self._asked += 1
        if self.words.strip():
            self.run_worker(
                self._look(self._asked, self.words.strip()), group="search", exclusive=True, exit_on_error=False
            )
        else:
            self._show([], "Finds the sections that hold all words.")

    async def _look(self, number: int, words: str) -> None:
        self._tell("… searching")
        hits = await self._search(words)
        if number == self._asked:
            found = _sections(hits)
            pages = count(len(hits), "page")
            self._show(found, f"{count(len(found), 'place')} in {pages}" if found else f"No page holds “{words}”.")

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say why a search failed."""
        if event.state is WorkerState.ERROR:
            self._show([], f"× {event.worker.error}")

    def _tell(self, text: str) -> None:
        self.query_one(".verdict", Static).update(Content.styled(plain(text), "$muted"))

    def _show(self, found: list[Found], says: str) -> None:
        self._tell(says)
        listed = self.query_one(VirtualList)
        listed.show(WrappedRows(found, self._draw, key=lambda one: one.number), 0 if found else None)

    def _draw(self, one: Found, width: int) -> list[Line]:
        words = self.words.split()
        head: list[Span] = [(plain(one.title), "strong")]
        if one.heading and one.heading != one.title:
            head.append((f" › {plain(_read_aloud(one.heading))}", ""))
        drawn: list[Line] = [lines.fit(_marked(head, words), width)]
        wrapped = lines.wrap([("  ", ""), (plain(_read_aloud(one.excerpt)), "muted")], width, 2)[:2]
        return [*drawn, *(_marked(line, words) for line in wrapped)]

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go to what was clicked twice."""
        event.stop()
        self.action_dialog_accept()

    def action_dialog_accept(self) -> None:
        """Answer what is under the cursor."""
        listed = self.query_one(VirtualList)
        if isinstance(listed.rows, WrappedRows) and len(listed.rows):
            self.dismiss(listed.rows.items[listed.cursor])

    def action_dialog_down(self) -> None:
        """Go to the next place."""
        self.query_one(VirtualList).cursor += 1

    def action_dialog_up(self) -> None:
        """Go to the place before."""
        self.query_one(VirtualList).cursor -= 1


def _sections(hits: Sequence[SearchHit]) -> list[Found]:
    found: list[Found] = []
    for hit in hits:
        if not hit.sections:
            found.append(Found(hit.id, hit.title, number=len(found)))
        for section in hit.sections:
            anchor = section.path.partition("#")[2]
            found.append(Found(hit.id, hit.title, section.title, anchor, section.body, len(found)))
    return found


def _read_aloud(excerpt: str) -> str:
    """Return an excerpt of Markdown without the marks that say nothing out of their place."""
    return " ".join(_MARKS.sub(" ", excerpt).split())


def _marked(line: Line, words: Sequence[str]) -> list[Span]:
    for word in words:
        line = lines.mark(line, word)
    return list(line)
