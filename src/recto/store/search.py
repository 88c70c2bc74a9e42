"""Searching for words: in a space, and in all spaces of an organization."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from recto.client.errors import Unsupported
from recto.contract.search import Search, SearchHit, SpaceSearchHits
from recto.contract.spaces import Spaces
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.store.store import Store

MOST_HITS = 50
"""How many pages of a space, or spaces of an organization, one search gives."""

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
