"""Searching for words: in a space, in a change request, and in all spaces of an organization."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from recto.client.errors import NotFound, Unsupported
from recto.contract.addresses import AtRevision
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import MAX_LISTED, ContentChanges
from recto.contract.content import Content
from recto.contract.search import Search, SearchHit, SearchSection, SpaceSearchHits
from recto.contract.spaces import Spaces
from recto.contract.unread import all_unread
from recto.document.line_edits import split_lines
from recto.document.markdown.outline import outline
from recto.document.markdown.page import parse_page
from recto.frozen import frozen
from recto.store.review_pages import DELETED, compare_trees, review_pages

if TYPE_CHECKING:
    from pydantic import BaseModel

    from recto.contract.addresses import InChangeRequest
    from recto.contract.content import Page
    from recto.store.review_pages import ReviewPage
    from recto.store.store import Store

MOST_HITS = 50
"""How many pages of a space, or spaces of an organization, one search gives."""

_AT_ONCE = 8
"""How many pages of a change request are read at a time."""

_MOST_SECTIONS = 8
_BEFORE, _EXCERPT = 40, 160
_WORD = re.compile(r"\w+")

_MOST_OF_EACH = 10
"""How many pages of each space where the spaces are asked one by one."""


@frozen
class SearchResult:
    """The spaces with the pages that hold the words, and how many pages are not searched yet.

    ``unshown`` names the hits that could not be read or are of another kind than pages.
    """

    spaces: Sequence[SpaceSearchHits] = ()
    unindexed: int = 0
    unshown: Sequence[str] = ()


def trail_of(space: SpaceSearchHits, hit: SearchHit) -> str:
    """Return the trail of a search result: its space, if that is named, and the pages above it."""
    return " › ".join(title for title in (space.title, *(each.title for each in hit.ancestors)) if title)


async def search_space(store: Store, space: str, words: str) -> AsyncIterator[SearchResult]:
    """Yield the pages of a space that hold the words, once; raises ``ClientError``."""
    response = await store.fetch(Search.search_space, space, words, limit=MOST_HITS)
    found = (SpaceSearchHits(id=space, pages=response.items),) if response.items else ()
    yield SearchResult(found, response.unindexed or 0, _unread_in(response))


class RequestSearch:
    """Finds words in the pages of a change request, each of which is read once, however often words are searched for.

    The platform searches main alone: of the pages that the change request changes the texts are read instead.
    """

    def __init__(self, store: Store, at: InChangeRequest) -> None:
        self._store = store
        self._at = at
        self._changed: dict[str, ReviewPage] | None = None
        self._pages: dict[str, Page | None] = {}
        """The pages that were read, by id; ``None`` for one that is gone."""

    async def search(self, words: str) -> AsyncIterator[SearchResult]:
        """Yield the pages that hold the words, more each time; raises ``ClientError``."""
        response = await self._store.fetch(Search.search_space, self._at.space, words, limit=MOST_HITS)
        if self._changed is None:
            self._changed = {page.id: page for page in await self._find_changed()}
        changed = self._changed
        there = [id for id, page in changed.items() if DELETED not in page.kinds and page.type == "document"]
        in_main = [hit for hit in response.items if hit.id not in changed]
        wanted = [word.casefold() for word in _WORD.findall(words)]
        found: list[SearchHit] = []
        for start in range(0, len(there), _AT_ONCE):
            some = there[start : start + _AT_ONCE]
            await asyncio.gather(*(self._read(id) for id in some if id not in self._pages))
            found += await asyncio.to_thread(self._find, some, wanted)
            if left := len(there) - start - len(some):
                yield self._result([*found, *in_main], left, _unread_in(response))
        yield self._result([*found, *in_main], response.unindexed or 0, _unread_in(response))

    def _result(self, hits: Sequence[SearchHit], left: int, unshown: Sequence[str]) -> SearchResult:
        return SearchResult((SpaceSearchHits(id=self._at.space, pages=tuple(hits)),) if hits else (), left, unshown)

    async def _find_changed(self) -> Sequence[ReviewPage]:
        """Return the pages that are changed: as the platform lists them, else by the trees of now and before."""
        fetch = self._store.fetch
        try:
            changes = await fetch(ContentChanges.list_changes, self._at, limit=MAX_LISTED)
            if not changes.more:
                return review_pages(changes)
        except Unsupported:
            pass
        request = await fetch(ChangeRequests.get_change_request, self._at.space, self._at.change_request)
        before, after = await asyncio.gather(
            fetch(Content.list_pages, AtRevision(self._at.space, request.base)), fetch(Content.list_pages, self._at)
        )
        return compare_trees(before.pages, after.pages)

    async def _read(self, id: str) -> None:
        try:
            self._pages[id] = await self._store.fetch(Content.get_page, self._at, id, format="markdown")
        except NotFound:
            self._pages[id] = None

    def _find(self, ids: Sequence[str], words: Sequence[str]) -> list[SearchHit]:
        pages = (self._pages[id] for id in ids) if words else ()
        return [hit for page in pages if page is not None and (hit := find_in(page, words)) is not None]


def find_in(page: Page, words: Sequence[str]) -> SearchHit | None:
    """Return a page with its sections that hold any of the words (lower case); ``None`` where it lacks a word."""
    text = page.markdown or ""
    whole = f"{page.title}\n{page.description or ''}\n{text}".casefold()
    if not all(word in whole for word in words):
        return None
    lines = split_lines(text)
    headings = outline(parse_page(text))
    ends = [*(heading.line for heading in headings), len(lines)][1:]
    sections = [
        SearchSection(
            id=f"{page.id}#{heading.anchor}",
            title=heading.text,
            path=f"{page.path}#{heading.anchor}" if heading.level > 1 else page.path,
            body=_excerpt("".join(lines[heading.line + 1 : end]), words),
        )
        for heading, end in zip(headings, ends, strict=True)
        if any(word in "".join(lines[heading.line : end]).casefold() for word in words)
    ]
    return SearchHit(id=page.id, title=page.title, path=page.path, sections=tuple(sections[:_MOST_SECTIONS]))


def _excerpt(body: str, words: Sequence[str]) -> str:
    small = body.casefold()
    start = min((at for word in words if (at := small.find(word)) >= 0), default=0)
    return body[max(0, start - _BEFORE) : start + _EXCERPT].strip()


async def search_organization(store: Store, organization: str, words: str) -> AsyncIterator[SearchResult]:
    """Yield the spaces of an organization whose pages hold the words, more each time; raises ``ClientError``.

    A platform that cannot search in all of them at a time is asked for each space.
    """
    try:
        response = await store.fetch(Search.search_organization, organization, words, limit=MOST_HITS)
    except Unsupported:
        pass
    else:
        found = [space for space in response.items if space.type == "space"]
        others = [f"{hit.type} {hit.id}" for hit in response.items if hit.type != "space"]
        yield SearchResult(found, response.unindexed or 0, [*others, *_unread_in(response)])
        return
    spaces = (await store.query_list(Spaces.list_spaces, organization).wait()).value
    found = []
    unindexed, unshown = 0, list[str]()
    yield SearchResult()
    for space in spaces.items if spaces is not None else ():
        hits = await store.fetch(Search.search_space, space.id, words, limit=_MOST_OF_EACH)
        unindexed += hits.unindexed or 0
        unshown += _unread_in(hits)
        if hits.items:
            found.append(SpaceSearchHits(id=space.id, title=space.title, pages=hits.items))
        if hits.items or hits.unindexed or unshown:
            yield SearchResult(tuple(found), unindexed, tuple(unshown))


def _unread_in(response: BaseModel) -> list[str]:
    return [note.words for note in all_unread(response)]
