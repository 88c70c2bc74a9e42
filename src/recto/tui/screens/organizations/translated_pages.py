"""A translation: its pages beside those of the source, what its runs have done, and a page beside its source."""

from __future__ import annotations

import asyncio
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from recto.contract.addresses import Main
from recto.contract.content import Content, Page
from recto.contract.jobs import JobRecord, JobState
from recto.contract.spaces import Spaces
from recto.contract.translations import RUN, RUNNING, Translation, Translations
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.text import count
from recto.frozen import frozen
from recto.store.locations import SpaceLocation
from recto.store.roles import needs
from recto.store.titled_text import body_of
from recto.store.translations import (
    PageState,
    TranslatedPage,
    describe_last_run,
    duration,
    is_run_of,
    query_pages,
    run_translation,
    running_job,
)
from recto.tui.actions import Action, bindings, name_keys, register
from recto.tui.dialogs.jobs import cancel_question, job_lines, why_not_cancelled
from recto.tui.lists.columns import Column
from recto.tui.lists.fact_list import FactList
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import fact_rows, lines, signs, times
from recto.tui.look.fact_rows import fact, heading
from recto.tui.render.leaf import join_roles
from recto.tui.render.rendered_page import read
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.organizations.details import Detail, QueryPane
from recto.tui.screens.reading.page_index import NO_TEXT, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recto.contract.organizations import Organization
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.look.lines import Line, Span
    from recto.tui.render.leaf import Leaf
    from recto.tui.screens.interactive import Interactive

_GROUP: Final = "Organizations"

register(
    Action("translation.run", "Translate what changed", ("R",), _GROUP, "translate", writes=True),
    Action("translation.cancel", "Cancel the run of the translation", ("x",), _GROUP),
    Action("translation.result", "Go to the translation", ("t",), _GROUP, "translation"),
    Action("translation.source", "Go to the source of the translation", ("S",), _GROUP),
)

_SIDE_BY_SIDE: Final = 80
"""The cells from which two texts fit side by side."""

_BETWEEN: Final = " │ "


def translation_detail(store: Store, organization: Organization, translation: Translation, title: str) -> Detail:
    """Return the pages of a translation, and what its runs have done; ``title`` is that of its source."""
    pages = TranslatedPagesPane(store, organization, translation)
    return Detail(f"{title} in {translation.language}", pages, TranslationPane(store, organization, translation, title))


# A run, in the list of translations and beside the pages of one


def follow_runs(pane: Interactive, on_change: Callable[[JobRecord], None]) -> None:
    """Call ``on_change`` whenever a run of any translation gets on, and at its end."""

    def choose(job: JobRecord) -> None:
        if job.kind == RUN:
            on_change(job)

    pane.listen(pane.store.jobs.changed, choose)


def draw_state(store: Store, translation: Translation) -> Line:
    """Return the status of a translation; while it runs in this program, how far that is."""
    job = running_job(store, translation)
    if job is not None and job.state is JobState.CANCELLING:
        return [(job.state.value, "accent")]
    if job is not None and job.total:
        return [(f"{RUNNING}, {job.done:,} of {job.total:,}", "accent")]
    is_running = job is not None or translation.status == RUNNING
    return [(RUNNING if is_running else str(translation.status), "accent" if is_running else "")]


def why_not_run(store: Store, translation: Translation) -> str | None:
    """Return the reason why a translation cannot be run now."""
    is_running = running_job(store, translation) is not None or translation.status == RUNNING
    return "it runs already" if is_running else None


def why_run_not_cancelled(store: Store, translation: Translation) -> str | None:
    """Return the reason why there is no run to cancel."""
    job = running_job(store, translation)
    if job is None and translation.status == RUNNING:
        return "another program runs it"
    return why_not_cancelled(job)


async def cancel_run(host: Interactive, translation: Translation) -> None:
    """Ask whether to cancel the run of a translation."""
    job = running_job(host.store, translation)
    if job is not None and await host.ask(cancel_question(job)):
        host.store.jobs.cancel(job)


# The panes


class TranslatedPagesPane(ListPane[TranslatedPage]):
    """The pages of a translation beside those of its source."""

    BINDINGS = bindings("translation.run", "translation.cancel", "translation.result", "translation.source")

    def __init__(self, store: Store, organization: Organization, translation: Translation) -> None:
        clock = store.clock
        listed = Listed[TranslatedPage](
            title="Pages",
            what="the pages of the translation",
            one="page",
            columns=(
                Column("Source", lambda one: _title(one.source), width=24, least=18, grows=True),
                Column("State", _draw_page_state, width=9),
                Column("Translation", lambda one: _title(one.result), width=24, least=14, grows=True, rank=1),
                Column("Source updated", lambda one: times.ago(_update_time(one.source), clock()), width=14, rank=2),
                Column("Translated", lambda one: times.ago(_update_time(one.result), clock()), width=12, rank=3),
            ),
            name=lambda one: _title(one.page),
            empty=Nothing("The source has no pages."),
            key=lambda one: one.page.id,
        )
        super().__init__(store, listed, id="translated-pages", quiet=True)
        self._organization = organization
        self._query = store.query(Translations.get_translation, organization.id, translation.id)
        self._opened = translation
        self.list_query(lambda _: query_pages(store, organization.id, translation.id))

    def on_mount(self) -> None:
        """Follow the runs, which change the pages."""
        follow_runs(self, self._follow_run)

    def _follow_run(self, job: JobRecord) -> None:
        self.refresh_bindings()
        if job.ended_at is not None:
            self.reload()

    @property
    def _translation(self) -> Translation:
        return self._query.value or self._opened

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the translation, or with the page under the cursor."""
        page = self.current
        if action == "translation.run":
            reason = needs(self._organization.permissions, "create")
            return reason or why_not_run(self.store, self._translation)
        if action == "translation.cancel":
            return why_run_not_cancelled(self.store, self._translation)
        if action == "translation.result" and (page is None or page.result is None):
            return "no such page in the translation"
        if action == "translation.source" and (page is None or page.source is None):
            return "no such page in the source"
        return super().why_not(action)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show a page beside its source."""
        event.stop()
        page: TranslatedPage = event.item
        self.post_message(
            Detail.Wanted(Detail(_title(page.page), ComparedPagesPane(self.store, self._translation, page)))
        )

    def action_translation_run(self) -> None:
        """Translate what changed."""
        self.work(self._run(), "run", unless_running="run")

    async def _run(self) -> None:
        await self.carry_out(run_translation(self._organization.id, self._translation))

    def action_translation_cancel(self) -> None:
        """Cancel the run."""
        self.work(cancel_run(self, self._translation), "cancel", unless_running="cancel")

    def action_translation_result(self) -> None:
        """Go to the page under the cursor in the translation."""
        result = self._translation.result
        if result is not None and self.current is not None and self.current.result is not None:
            self.go(SpaceLocation(result.space, page=self.current.result.id))

    def action_translation_source(self) -> None:
        """Go to the page under the cursor in the source."""
        if self.current is not None and self.current.source is not None:
            self.go(SpaceLocation(self._translation.source.space, page=self.current.source.id))


class TranslationPane(QueryPane[Translation]):
    """Facts about a translation and its runs, and the report of the last run."""

    def __init__(self, store: Store, organization: Organization, translation: Translation, title: str) -> None:
        self._facts = FactList()
        query = store.query(Translations.get_translation, organization.id, translation.id)
        super().__init__(
            store, "Translation", self._facts, query, self._draw, what="the translation", id="translation-facts"
        )
        self._opened = translation
        self._source_title = title
        self._pages = query_pages(store, organization.id, translation.id)
        self._spaces = store.query_list(Spaces.list_spaces, organization.id)
        self._job: JobRecord | None = None
        """The last run, as far as this workspace knows of it."""

    def on_mount(self) -> None:
        """Follow the pages, the titles of spaces, and the runs."""
        self.follow(self._pages, self._draw_again)
        self.follow(self._spaces, self._draw_again)
        follow_runs(self, self._follow_run)
        self.work(self._find_job(), "last run", instead_of="last run")

    def _follow_run(self, job: JobRecord) -> None:
        if job.ended_at is not None:
            self.reload()
        else:
            self._draw_again(None)

    def reload(self) -> None:
        """Request the translation again, and look for its last run."""
        super().reload()
        self.work(self._find_job(), "last run", instead_of="last run")

    async def _find_job(self) -> None:
        jobs = await self.store.jobs.find()
        self._job = next((job for job in jobs if is_run_of(job, self._opened)), None)
        self._draw_again(None)

    def _draw_again(self, _: Query[Any] | None) -> None:
        if self._query.value is not None:
            self._draw(self._query.value)

    def _draw(self, found: Translation) -> None:
        stats, spaces = found.stats, self._spaces.value.items if self._spaces.value is not None else ()
        titles = {space.id: space.title for space in spaces}
        result = titles.get(found.result.space, found.result.space) if found.result is not None else None
        runs = (
            f"{stats.runs:,}, {duration(stats.total_duration)} in all"
            if stats.runs
            else "none yet: ‹translation.run› runs it"
        )
        work = f"{count(stats.total_pages, 'page')}, {count(stats.total_words, 'word')}"
        shown = [
            [*fact("state", "")[:1], *draw_state(self.store, found)],
            fact("source", f"{self._source_title}, {found.source.language}"),
            fact(
                "translation", f"{result}, {found.language}" if result is not None else "the first run makes its space"
            ),
            fact("pages", self._count_states()),
            fact("runs", name_keys(self, runs)),
        ]
        if stats.runs:
            shown += [fact("translated", work), fact("last run", describe_last_run(found))]
        if (job := self._job) is not None and job.ended_at is not None:
            shown += [(), heading("Report of the last run", times.ago(job.ended_at, self.store.clock()))]
            shown += [[(lines.plain(line), "")] for line in job_lines(job)[1:]]
        shown += [(), heading("Instructions")]
        written = to_markdown(found.instructions).splitlines() or ["None."]
        shown += [[(lines.plain(line), "")] for line in written]
        self._facts.show(fact_rows.rows(shown))

    def _count_states(self) -> str:
        pages = self._pages.value.items if self._pages.value is not None else ()
        counts = ((sum(page.state is state for page in pages), state.value) for state in PageState)
        return ", ".join(f"{number:,} {word}" for number, word in counts if number)


@frozen
class _Pair:
    """A piece of the source, and the piece of the translation in its place; either may be lacking."""

    number: int
    source: Leaf | None
    result: Leaf | None


class ComparedPagesPane(QueryPane[Page]):
    """A page beside its translation, piece by piece; in a narrow terminal one below the other."""

    BINDINGS = bindings("translation.result", "translation.source", "view.refresh")

    def __init__(self, store: Store, translation: Translation, pages: TranslatedPage) -> None:
        self._list = VirtualList(openable=False)
        self._pages = pages
        self._languages = translation.source.language, translation.language
        result = translation.result.space if translation.result is not None else ""
        self._places = (
            SpaceLocation(translation.source.space, page=pages.source.id) if pages.source is not None else None,
            SpaceLocation(result, page=pages.result.id) if pages.result is not None else None,
        )
        self._both = [
            store.query(Content.get_page, Main(place.space), str(place.page), format="markdown") if place else None
            for place in self._places
        ]
        self._paired: tuple[Page | None, ...] = ()
        """The two pages whose pieces are shown."""
        first = self.in_focus[0]
        super().__init__(
            store, _title(pages.page), self._list, first, self._show_page, what="the page", id="compared-pages"
        )

    def on_mount(self) -> None:
        """Follow the translation as well."""
        for query in self.in_focus[1:]:
            self.follow(query, self._follow)

    @property
    def in_focus(self) -> Sequence[Query[Page]]:
        """Both pages."""
        return [query for query in self._both if query is not None]

    def reload(self) -> None:
        """Request both again."""
        for query in self.in_focus:
            query.refresh()

    def _follow(self, _query: Query[Page]) -> None:
        """Show both, or the state of the page that is not there."""
        lacking = next((query for query in self.in_focus if query.value is None), self._query)
        if self.show_state(lacking, self._what) and self._query.value is not None:
            self._show_page(self._query.value)

    def _show_page(self, page: Page) -> None:
        if page.type in NO_TEXT:
            self.show_empty(f"A {page.type} has no text.")
            return
        both = tuple(query.value if query is not None else None for query in self._both)
        # Each of the two queries calls this; the values of both are paired once.
        if len(self._paired) != len(both) or any(one is not two for one, two in zip(self._paired, both, strict=True)):
            self._paired = both
            self.work(self._pair(both), "pages", instead_of="pages")

    async def _pair(self, both: Sequence[Page | None]) -> None:
        source, result = [await asyncio.to_thread(_leaves, page) if page is not None else () for page in both]
        pairs = [_Pair(number, *leaves) for number, leaves in enumerate(_pairs(source, result))]
        self._list.show(WrappedRows(pairs, self._draw, key=lambda pair: pair.number))
        self.entitle(_title(self._pages.page), self._pages.state_words)

    def _draw(self, pair: _Pair, width: int) -> Sequence[Line]:
        gap: list[Line] = [()] * bool(pair.number and max(leaf.gap for leaf in (pair.source, pair.result) if leaf))
        if width >= _SIDE_BY_SIDE:
            cells = (width - len(_BETWEEN)) // 2
            left, right = (_rows(leaf, cells) for leaf in (pair.source, pair.result))
            nothing: list[Span] = []
            return [*gap, *(_beside(*both, cells) for both in zip_longest(left, right, fillvalue=nothing))]
        room = max(map(len, self._languages)) + 1
        below: list[Line] = []
        for language, leaf in zip(self._languages, (pair.source, pair.result), strict=True):
            for number, row in enumerate(_rows(leaf, width - room)):
                below.append([(f"{'' if number else language:<{room}}", "muted"), *row])
        return [*gap, *below]

    def why_not(self, action: str) -> str | None:
        """Return the reason why a page cannot be gone to."""
        source, result = self._places
        if action == "translation.result" and result is None:
            return "no such page in the translation"
        if action == "translation.source" and source is None:
            return "no such page in the source"
        return None

    def action_translation_result(self) -> None:
        """Go to the page in the translation."""
        if (place := self._places[1]) is not None:
            self.go(place)

    def action_translation_source(self) -> None:
        """Go to the page in the source."""
        if (place := self._places[0]) is not None:
            self.go(place)

    def action_view_refresh(self) -> None:
        """Request both pages again."""
        self.reload()


def _title(page: Page | None) -> str:
    return title_of(page) if page is not None else ""


def _update_time(page: Page | None) -> Any:
    return page.updated_at if page is not None else None


def _draw_page_state(page: TranslatedPage) -> Line:
    sign = signs.TRANSLATED[page.state]
    return [sign.span, (f" {sign.word}", sign.role)]


def _leaves(page: Page) -> Sequence[Leaf]:
    return read(page.title, body_of(page), page.description).leaves


def _pairs(source: Sequence[Leaf], result: Sequence[Leaf]) -> list[tuple[Leaf | None, Leaf | None]]:
    """Pair the pieces of two pages of the same structure; where it differs, from both ends."""
    kinds = [[leaf.block.kind for leaf in leaves] for leaves in (source, result)]
    shorter = min(len(source), len(result))
    before = next((place for place in range(shorter) if kinds[0][place] is not kinds[1][place]), shorter)
    after = 0
    while after < shorter - before and kinds[0][-1 - after] is kinds[1][-1 - after]:
        after += 1
    middle = zip_longest(source[before : len(source) - after], result[before : len(result) - after])
    ends = zip(source[len(source) - after :], result[len(result) - after :], strict=True)
    return [*zip(source[:before], result[:before], strict=True), *middle, *ends]


def _rows(leaf: Leaf | None, width: int) -> list[list[Span]]:
    """Draw a piece of a page, also where it stands in something that is folded away."""
    if leaf is None:
        return []
    return [
        lines.fit([*row.before, *((part.text, join_roles(row.ground, part.role)) for part in row.parts)], width)
        for row in leaf.rows(width)
    ]


def _beside(left: list[Span], right: list[Span], cells: int) -> Line:
    filled = " " * max(0, cells - lines.width_of(left))
    return [*left, (filled, ""), (_BETWEEN, "line"), *right]
