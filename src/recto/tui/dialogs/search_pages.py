"""Searching a space or a whole organization: the pages and sections that contain the words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input
from textual.worker import Worker

from recto.document.text import count
from recto.frozen import frozen
from recto.store.search import trail_of
from recto.tui.actions import Action, bindings, get, name_keys, register, reword_for, sentence
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.excerpts import mark_words, read_aloud
from recto.tui.failed_work import failure_of
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span, plain
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.remark import Remark

if TYPE_CHECKING:
    from recto.contract.search import SearchHit, SearchSection, SpaceSearchHits
    from recto.store.search import SearchResult

_MOST_UNSHOWN = 3
"""How many results that cannot be shown are named."""

_AGAIN = 1.0
"""Seconds after which a search without a result is repeated while the index is being built."""

LIMIT = 512
"""Characters that a search takes."""

register(
    Action("search.scope", "Search the space or the whole organization", ("tab", "shift+tab"), "Dialog", "scope"),
    Action("search.edit", "Edit the page under the cursor", ("f4",), "Dialog", "edit", writes=True),
)


@frozen
class Found:
    """A search result: a page of a space, or with ``anchor`` a section of it."""

    space: str
    page: str
    title: str
    heading: str = ""
    anchor: str = ""
    excerpt: str = ""
    number: int = 0
    where: str = ""
    """The space, where several are searched, and the pages above this one."""


Search = Callable[[str], AsyncIterator["SearchResult"]]
"""Searches the platform, and yields the results so far; raises ``ClientError``."""


@frozen
class Scope:
    """The scope of a search: its name in a title (``“Guide”``), and how it is searched."""

    name: str
    search: Search


class SearchPages(Dialog[Found], inherit_bindings=False):
    """Searches at each letter, and answers where to go. Results that come too late are ignored."""

    BINDINGS = bindings(
        *("dialog.close", "dialog.accept", "dialog.down", "dialog.up", "search.scope", "search.edit", "app.help")
    )
    ACCEPTS = "Open"

    def __init__(self, scopes: Sequence[Scope], words: str = "", scope: int = 0) -> None:
        super().__init__("Search")
        self._scopes = scopes
        self.scope = min(scope, len(scopes) - 1)
        """Which of the scopes is searched."""
        self.words = words
        """The searched text."""
        self._asked = 0
        self.edits = False
        """Whether the page is to be edited."""
        self._looking: Worker[None] | None = None

    def compose_body(self) -> ComposeResult:
        """Compose the line, the state and the results."""
        yield LineField(self.words, placeholder="words")
        yield Remark(classes="verdict")
        found = VirtualList(guided=True)
        found.can_focus = False
        yield found

    def on_mount(self) -> None:
        """Search again for what was searched for last; typing replaces it."""
        self.query_one(LineField).select_all()
        self._ask()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for the text."""
        event.stop()
        self.words = event.value[:LIMIT]
        self._ask()

    def action_search_scope(self) -> None:
        """Search the next scope: this space, or all of the organization."""
        self.scope = (self.scope + 1) % len(self._scopes)
        self._ask()

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if action == "search.scope" and len(self._scopes) < 2:
            return "the organization is still loading"
        return super().why_not(action)

    def _ask(self) -> None:
        if not self.is_whole:
            return
        self._asked += 1
        self.query_one(".box").border_title = Content(plain(f"Search {self._scopes[self.scope].name}"))
        if self.words.strip():
            look = partial(self._look, self._asked, self.words.strip())
            self._looking = self.run_worker(look, group="search", exclusive=True, exit_on_error=False)
        else:
            says = "Finds sections that contain all words; ‹dialog.accept› opens one, ‹search.edit› edits its page."
            self._show([], f"{says}{self._other_scope}")

    @property
    def _other_scope(self) -> str:
        if len(self._scopes) < 2:
            return ""
        return f" ‹search.scope› searches {self._scopes[(self.scope + 1) % len(self._scopes)].name}."

    async def _look(self, number: int, words: str) -> None:
        self._show_state("… searching")
        found: list[Found] = []
        left, unshown = 0, ""
        async for result in self._scopes[self.scope].search(words):
            if number != self._asked or not self.is_whole:
                return
            spaces, left, unshown = result.spaces, result.unindexed, _describe_unshown(result.unshown)
            found = _sections(spaces)
            if found:
                pages = count(sum(len(space.pages) for space in spaces), "page")
                among = f" of {count(len(spaces), 'space')}" if len(spaces) > 1 else ""
                self._show(found, f"{count(len(found), 'result')} in {pages}{among}{_describe_rest(left)}{unshown}")
        if not self.is_whole:
            return
        if not found and left:
            self._show([], f"No result yet{_describe_rest(left)}{unshown}")
            self.set_timer(_AGAIN, lambda: self._ask() if number == self._asked else None)
        elif not found:
            where = self._scopes[self.scope].name
            self._show([], f"No results for “{words}” in {where}{unshown}.{self._other_scope}")

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show why a search failed."""
        if (failure := failure_of(event)) is not None:
            self._show([], f"× {failure}")

    def _show_state(self, text: str) -> None:
        self.query_one(".verdict", Remark).show(Content.styled(plain(name_keys(self, text)), "$muted"))

    def _show(self, found: list[Found], says: str) -> None:
        self._show_state(says)
        listed = self.query_one(VirtualList)
        listed.show(WrappedRows(found, self._draw, key=lambda one: one.number), 0 if found else None)

    def _draw(self, one: Found, width: int) -> list[Line]:
        words = self.words.split()
        head: list[Span] = [(plain(one.title), "strong")]
        if one.heading and one.heading != one.title:
            head.append((f" › {plain(read_aloud(one.heading))}", ""))
        where: list[Span] = [(plain(one.where), "muted")] if one.where else []
        drawn: list[Line] = [lines.beside(mark_words(head, words), where, width)]
        wrapped = lines.wrap([("  ", ""), (plain(read_aloud(one.excerpt)), "muted")], width, 2)[:2]
        return [*drawn, *(mark_words(line, words) for line in wrapped)]

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go to the result that was double-clicked."""
        event.stop()
        self.action_dialog_accept()

    def action_dialog_accept(self) -> None:
        """Answer the result under the cursor."""
        self._answer("dialog.accept")

    def action_search_edit(self) -> None:
        """Answer the result under the cursor, to edit its page."""
        self._answer("search.edit")

    def _answer(self, action: str) -> None:
        listed = self.query_one(VirtualList)
        if isinstance(listed.rows, WrappedRows) and len(listed.rows):
            self.edits = action == "search.edit"
            self.dismiss(listed.rows.items[listed.cursor])
        else:
            self.explain(sentence(reword_for(self, get(action)), "there is no result"))

    def action_dialog_down(self) -> None:
        """Go to the next result."""
        self.query_one(VirtualList).cursor += 1

    def action_dialog_up(self) -> None:
        """Go to the previous result."""
        self.query_one(VirtualList).cursor -= 1


def _describe_rest(pages: int) -> str:
    return f"; {count(pages, 'page')} still to be searched" if pages else ""


def _describe_unshown(results: Sequence[str]) -> str:
    if not results:
        return ""
    more = f" and {len(results) - _MOST_UNSHOWN} more" if len(results) > _MOST_UNSHOWN else ""
    named = ", ".join(results[:_MOST_UNSHOWN])
    return f"; {count(len(results), 'other result')} cannot be shown: {named}{more}"


def _sections(spaces: Sequence[SpaceSearchHits]) -> list[Found]:
    found: list[Found] = []
    for space in spaces:
        for hit in space.pages:
            for section in hit.sections or (None,):
                found.append(_find_matches(space, hit, section, len(found)))
    return found


def _find_matches(space: SpaceSearchHits, hit: SearchHit, section: SearchSection | None, number: int) -> Found:
    if section is None:
        return Found(space.id, hit.id, hit.title, number=number, where=trail_of(space, hit))
    anchor = section.path.partition("#")[2]
    return Found(space.id, hit.id, hit.title, section.title, anchor, section.body, number, trail_of(space, hit))
