"""Searching for words: in a space, in a change request, and in all spaces of an organization."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from recto.client.errors import Unsupported
from recto.contract.changes import ContentChanges
from recto.contract.content import Content
from recto.contract.search import Search, SearchHit, SearchSection, SpaceSearchHits
from recto.contract.spaces import Spaces
from recto.document.lines import split_lines
from recto.document.markdown.outline import outline
from recto.document.markdown.page import parse_page
from recto.frozen import frozen
from recto.store.review_pages import DELETED, review_pages

if TYPE_CHECKING:
    from recto.contract.addresses import InChangeRequest
    from recto.contract.content import Page
    from recto.store.store import Store

MOST_HITS = 50
"""How many pages of a space, or spaces of an organization, one search gives."""

_MOST_CHANGES = 1000
_MOST_READ = 100
"""How many pages of a change request are read in one search."""

_MOST_SECTIONS = 8
_BEFORE, _EXCERPT = 40, 160
_WORD = re.compile(r"\w+")

_MOST_OF_EACH = 10
"""How many pages of each space where the spaces are asked one by one."""


@frozen
class SearchResult:
    """The spaces with the pages that hold the words, and how many pages are not searched yet."""

    spaces: Sequence[SpaceSearchHits] = ()
    unindexed: int = 0


def trail_of(space: SpaceSearchHits, hit: SearchHit) -> str:
    """Where a page lies in which words were found: its space, where that is named, and the pages above it."""
    return " › ".join(title for title in (space.title, *(each.title for each in hit.ancestors)) if title)


async def search_space(store: Store, space: str, words: str) -> AsyncIterator[SearchResult]:
    """Yield the pages of a space that hold the words, once; raises ``ClientError``."""
    answer = await store.fetch(Search.search_space, space, words, limit=MOST_HITS)
    found = (SpaceSearchHits(id=space, pages=answer.items),) if answer.items else ()
    yield SearchResult(found, answer.unindexed or 0)


async def search_change_request(store: Store, at: InChangeRequest, words: str) -> AsyncIterator[SearchResult]:
    """Yield the pages of a change request that hold the words, once; raises ``ClientError``.

    The platform searches main alone. Of the pages that the change request changes the texts are read instead.
    """
    answer = await store.fetch(Search.search_space, at.space, words, limit=MOST_HITS)
    changes = await store.fetch(ContentChanges.list_changes, at, limit=_MOST_CHANGES)
    changed = {page.id: page for page in review_pages(changes)}
    there = [id for id, page in changed.items() if DELETED not in page.kinds and page.type == "document"]
    pages = await asyncio.gather(
        *(store.fetch(Content.get_page, at, id, format="markdown") for id in there[:_MOST_READ])
    )
    wanted = [word.casefold() for word in _WORD.findall(words)]
    found = [await asyncio.to_thread(find_in, page, wanted) for page in pages] if wanted else []
    hits = (*(hit for hit in found if hit is not None), *(hit for hit in answer.items if hit.id not in changed))
    unread = len(there[_MOST_READ:])
    yield SearchResult((SpaceSearchHits(id=at.space, pages=hits),) if hits else (), (answer.unindexed or 0) + unread)


def find_in(page: Page, words: Sequence[str]) -> SearchHit | None:
    """Return a page with its sections that hold any of the words, in small letters; ``None`` where it lacks one."""
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
        answer = await store.fetch(Search.search_organization, organization, words, limit=MOST_HITS)
    except Unsupported:
        pass
    else:
        yield SearchResult(answer.items, answer.unindexed or 0)
        return
    spaces = (await store.query_list(Spaces.list_spaces, organization).settled()).value
    found: list[SpaceSearchHits] = []
    unindexed = 0
    yield SearchResult()
    for space in spaces.items if spaces is not None else ():
        hits = await store.fetch(Search.search_space, space.id, words, limit=_MOST_OF_EACH)
        unindexed += hits.unindexed or 0
        if hits.items:
            found.append(SpaceSearchHits(id=space.id, title=space.title, pages=hits.items))
        if hits.items or hits.unindexed:
            yield SearchResult(tuple(found), unindexed)
