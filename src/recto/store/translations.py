"""Translations: changes of them as mutations, their runs, and the pages of the source beside those of the result."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from recto.contract.addresses import Main
from recto.contract.content import Content, walk_pages
from recto.contract.translations import (
    RUN,
    CreateTranslation,
    Translation,
    Translations,
    UpdateTranslation,
)
from recto.document.text import count
from recto.frozen import frozen
from recto.store.growing_list import GrowingList, Grown
from recto.store.mutation import Mutation, new_in_list
from recto.store.query_keys import QueryKey, calls

if TYPE_CHECKING:
    from recto.contract.content import Page, PageTree, Revision
    from recto.contract.jobs import JobRecord
    from recto.contract.rich_text import Document
    from recto.store.query_keys import Chooser
    from recto.store.store import Store


_NONE: Final[Mapping[str, int]] = MappingProxyType({})


class PageState(StrEnum):
    """The state of a page of the result, compared with its source."""

    CURRENT = "current"
    STALE = "stale"
    """The page of the source has changed since it was translated."""
    WAITING = "waiting"
    """A change request in the result holds the translation, or a part of it, until it is merged."""
    MISSING = "missing"
    """The result has no such page."""
    EXTRA = "extra"
    """The source has no such page."""


@frozen
class TranslatedPage:
    """A page of the source and its translation, either of which may be lacking; ``path`` is that in the source.

    ``change_request`` is the number of the change request in which the translation is waiting.
    """

    path: str
    source: Page | None
    result: Page | None
    state: PageState
    change_request: int | None = None

    @property
    def state_words(self) -> str:
        """The state, with the change request of a page that is waiting."""
        return f"{self.state} in #{self.change_request}" if self.change_request is not None else str(self.state)

    @property
    def page(self) -> Page:
        """The page of the source, or where there is none that of the result."""
        page = self.source or self.result
        assert page is not None
        return page


def compare(
    source: PageTree | Revision,
    result: PageTree | Revision | None,
    changed: Collection[str] | None = None,
    waiting: Mapping[str, int] = _NONE,
) -> tuple[TranslatedPage, ...]:
    """Pair the pages of the source with those of the result, in the order of the source.

    A page has the same id in both where Recto is the platform; else the paths are compared. ``changed`` are the ids of
    the pages of the source that have changed since they were translated; where that is not known, they are those that
    were updated later than their translations. ``waiting`` are the numbers of the change requests that hold
    translations, by the ids of their pages. Pages of the result alone come last. Without a result every page is
    missing.
    """
    pages = list(walk_pages(source.pages))
    ids = {page.id for page in pages}
    translated = {page.id: page for page in walk_pages(result.pages if result is not None else ())}
    by_path = {page.path: page for page in translated.values() if page.id not in ids}

    def pair(page: Page) -> TranslatedPage:
        other = translated.get(page.id) or by_path.pop(page.path, None)
        if other is not None:
            del translated[other.id]
        is_stale = page.id in changed if changed is not None else other is not None and _is_later(page, other)
        if not is_stale and page.id in waiting:
            return TranslatedPage(page.path, page, other, PageState.WAITING, waiting[page.id])
        if other is None:
            return TranslatedPage(page.path, page, None, PageState.MISSING)
        return TranslatedPage(page.path, page, other, PageState.STALE if is_stale else PageState.CURRENT)

    pairs = [pair(page) for page in pages]
    return (*pairs, *(TranslatedPage(page.path, None, page, PageState.EXTRA) for page in translated.values()))


def _is_later(page: Page, other: Page) -> bool:
    return page.updated_at is not None and other.updated_at is not None and page.updated_at > other.updated_at


def query_pages(store: Store, organization: str, translation: str) -> GrowingList[TranslatedPage]:
    """Return the live list of the pages of a translation, as the main content of both spaces has them now."""

    async def load(_: object) -> Grown[TranslatedPage]:
        found = await store.fetch(Translations.get_translation, organization, translation)
        source = await store.call(Content.list_pages, Main(found.source.space))
        result = await store.call(Content.list_pages, Main(found.result.space)) if found.result is not None else None
        workspace = store.workspace
        changed = await workspace.find_changed_pages(translation) if workspace is not None else None
        waiting = await workspace.find_waiting_pages(translation) if workspace is not None else {}
        pages = compare(source, result, changed, waiting)
        return Grown(pages, complete=True, total=len(pages))

    arguments = {"organization_id": organization, "translation_id": translation}
    return store.growing_list(QueryKey.of(Translations.get_translation, arguments, walks=True), load)


def describe_last_run(translation: Translation) -> str:
    """Return what the last run did: ``2 pages, 340 words, 4 s``; empty before the first."""
    stats = translation.stats
    if not stats.runs:
        return ""
    done = f"{count(stats.latest_pages, 'page')}, {count(stats.latest_words, 'word')}"
    return f"{done}, {duration(stats.latest_run_duration)}"


def duration(milliseconds: float) -> str:
    """Return a length of time in words: ``0.4 s``, ``12 s``, ``3 min``, ``2 h``."""
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h"


def is_run_of(job: JobRecord, translation: Translation) -> bool:
    """Whether a job is a run of this translation, and not of an earlier translation into the same language."""
    is_later = translation.created_at is None or job.started_at >= translation.created_at
    is_of = job.space == translation.source.space and job.what.endswith(f"({translation.language})")
    return job.kind == RUN and is_of and is_later


def running_job(store: Store, translation: Translation) -> JobRecord | None:
    """Return the run of a translation that is under way, as far as this program knows of it."""
    return next((job for job in store.jobs.running if is_run_of(job, translation)), None)


def create_translation(organization: str, body: CreateTranslation) -> Mutation[Translation]:
    """Add a translation; undoing deletes it."""

    def is_wanted(one: Translation) -> bool:
        return one.source.space == body.source.space and one.language == body.language

    return Mutation(
        doing="Adding the translation",
        done="Added the translation",
        call=lambda call: call(Translations.create_translation, organization, body),
        lookup=new_in_list(is_wanted, Translations.list_translations, organization),
        stale=_stale(organization),
        inverse=lambda made: delete_translation(organization, made),
    )


def set_instructions(organization: str, translation: Translation, instructions: Document) -> Mutation[Translation]:
    """Write the instructions of a translation; undoing writes those from before."""
    before, body = translation.instructions, UpdateTranslation(instructions=instructions)
    return Mutation(
        doing="Saving the instructions of the translation",
        done="Saved the instructions of the translation",
        call=lambda call: call(Translations.update_translation, organization, translation.id, body),
        stale=_stale(organization),
        inverse=lambda after: set_instructions(organization, after, before),
        lane=("translation", organization, translation.id),
    )


def run_translation(organization: str, translation: Translation) -> Mutation[None]:
    """Translate what changed since the last run; twice does no harm."""
    return Mutation(
        doing="Starting the translation",
        done="Started the translation",
        call=lambda call: call(Translations.run_translation, organization, translation.id),
        stale=_stale(organization),
        lane=("translation", organization, translation.id),
    )


def delete_translation(organization: str, translation: Translation) -> Mutation[None]:
    """Delete a translation; its space stays."""
    return Mutation(
        doing="Deleting the translation",
        done="Deleted the translation",
        call=lambda call: call(Translations.delete_translation, organization, translation.id),
        stale=_stale(organization),
        lane=("translation", organization, translation.id),
    )


def _stale(organization: str) -> tuple[Chooser, ...]:
    return (
        calls(Translations.list_translations, organization_id=organization),
        calls(Translations.get_translation, organization_id=organization),
    )
