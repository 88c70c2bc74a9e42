"""Search in spaces and organizations, apart from the index."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from recto.contract.addresses import Main
from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.search import (
    Search,
    SearchAncestor,
    SearchHit,
    SearchHits,
    SearchSection,
    SpaceSearchHits,
    SpacesSearchHits,
)
from recto.server.content.computed_pages import compute_pages, versions_of
from recto.server.content.content_handlers import view_at
from recto.server.content.page_serializers import RevisionView
from recto.server.content.revisions import main_revision
from recto.server.content.search import FoundPage, FoundSection, count_unindexed, find, sections_of
from recto.server.content.tree import ROOT, Place, Tree
from recto.server.context import Context
from recto.server.http.paging import DEFAULT_LIMIT, list_items
from recto.server.http.registry import handles
from recto.server.json_responses import item_json, json_list, json_response
from recto.server.people.access import require_organization, standing_of
from recto.server.serializers import known_fields
from recto.server.storage.database import Row

MOST_PAGES = DEFAULT_LIMIT
"""The most pages of a space in a search of an organization: the best matches."""


@handles(Search.search_space)
def search_space(
    context: Context, space_id: str, query: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> SearchHits:
    """Return the pages of a space's main content in which all words are found, best first."""
    view = view_at(context, Main(space_id), metadata=False)
    left = _count_unindexed(context, [view.revision.space])
    if left:
        return _search(context, view, query, page, limit, left, {})
    # What the index follows from where all of the main content is indexed.
    state = (view.revision.root, versions_of(context.database, view.revision))
    made_of = (SearchHits, context.base_url, context.app_url, view.path, state, query, page, limit)
    found = item_json(made_of, lambda: _search(context, view, query, page, limit, {}, {view.revision.space: state}))
    return json_response(SearchHits, found)


def _search(
    context: Context,
    view: RevisionView,
    query: str,
    page: str | None,
    limit: int | None,
    left: dict[str, Any],
    states: Mapping[str, Hashable],
) -> SearchHits:
    space, tree = view.revision.space, compute_pages(context.database, view.revision).tree
    pages = [found for found in find(context.database, [space], query, states) if found.page in tree.places]
    ranks = {found.page: rank for rank, found in enumerate(sorted(pages, key=_best_first), 1)}
    listed = list_items(
        pages,
        name=f"search {space} {query}",
        key=_best_first,
        build=lambda found: found,
        page=page,
        limit=limit,
    )
    hits = [_hit_json(context, view, tree, found, query, ranks[found.page]) for found in listed.items]
    return json_list(SearchHits(**_parts(listed) | {"items": ()}, **left), hits)


def search_in_spaces(
    context: Context, organization: str, spaces: Iterable[Row], query: str, page: str | None, limit: int | None
) -> SpacesSearchHits:
    """Return those of the spaces in which all words are found, oldest first, with their best pages.

    The spaces come in an order that stays, whatever is written in them meanwhile.
    """
    rows = {row["id"]: row for row in spaces}
    by_space: dict[str, list[FoundPage]] = {}
    for found in find(context.database, list(rows), query):
        by_space.setdefault(found.space, []).append(found)
    listed = list_items(
        list(by_space),
        name=f"search {organization} {query}",
        key=lambda space: (rows[space]["created_at"], space),
        build=lambda space: _hits(context, rows[space], by_space[space], query),
        page=page,
        limit=limit,
    )
    return SpacesSearchHits(**_parts(listed), **_count_unindexed(context, list(rows)))


def _parts(listed: ListPage[Any]) -> dict[str, Any]:
    """Return the set fields of a page of a list; missing fields are left out."""
    return {name: getattr(listed, name) for name in listed.model_fields_set}


def _count_unindexed(context: Context, spaces: Sequence[str]) -> dict[str, Any]:
    left = count_unindexed(context.database, spaces)
    return {"unindexed": left} if left else {}


def _hits(context: Context, row: Row, pages: list[FoundPage], query: str) -> SpaceSearchHits:
    view = RevisionView(main_revision(context.database, row["id"]), f"/spaces/{row['id']}/content", metadata=False)
    tree = compute_pages(context.database, view.revision).tree
    # Computed pages may be gone before the index knows.
    best = [found for found in sorted(pages, key=_best_first) if found.page in tree.places][:MOST_PAGES]
    return SpaceSearchHits(
        id=row["id"],
        title=row["title"],
        score=max(found.score for found in pages),
        pages=tuple(
            _hit(context, view, tree, found, _sections(context, found, query), rank)
            for rank, found in enumerate(best, 1)
        ),
    )


def _best_first(found: FoundPage) -> tuple[float, str]:
    return -found.score, found.page


def _hit_json(context: Context, view: RevisionView, tree: Tree, found: FoundPage, query: str, rank: int) -> bytes:
    place, sections = tree.places[found.page], _sections(context, found, query)
    above = [each.node.hash for each in _above(tree, place)]
    made_of = (SearchHit, context.base_url, context.app_url, view.path, place.node.hash, place.path, found.score)
    hit = item_json((*made_of, *above, *sections), lambda: _hit(context, view, tree, found, sections))
    # The rank is not cached: each page that comes or goes changes the ranks of all that follow.
    return b'%s,"rank":%d}' % (hit[:-1], rank)


def _sections(context: Context, found: FoundPage, query: str) -> tuple[FoundSection, ...]:
    return tuple(sections_of(context.database, found, query))


def _above(tree: Tree, place: Place) -> list[Place]:
    """Return the pages above a page, the outermost first."""
    found: list[Place] = []
    while place.parent != ROOT:
        place = tree.places[place.parent]
        found.append(place)
    return found[::-1]


def _hit(
    context: Context,
    view: RevisionView,
    tree: Tree,
    found: FoundPage,
    sections: Sequence[FoundSection],
    rank: int | None = None,
) -> SearchHit:
    place = tree.places[found.page]
    urls = view.page_urls(context, found.page)
    return SearchHit(
        id=found.page,
        title=place.node.link_title,
        description=place.node.attributes.get("description", ""),
        path=place.path,
        score=found.score,
        **known_fields(rank=rank),
        ancestors=tuple(SearchAncestor(id=each.node.id, title=each.node.link_title) for each in _above(tree, place)),
        sections=tuple(
            SearchSection(
                id=section.anchor or found.page,
                title=section.heading or place.node.title,
                path=f"{place.path}#{section.anchor}" if section.anchor else place.path,
                body=section.excerpt,
                score=found.score,
                urls=view.page_urls(context, found.page, section.anchor) if section.anchor else urls,
            )
            for section in sections
        ),
        urls=urls,
    )


@handles(Search.search_organization)
def search_organization(
    context: Context, organization_id: str, query: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> SpacesSearchHits:
    """Return the spaces that the caller may see in which all words are found, with the pages that hold them."""
    require_organization(context, organization_id)
    place = standing_of(context, organization_id)
    rows = context.database.all(
        "SELECT * FROM spaces WHERE organization = ? AND deleted_at IS NULL AND revision IS NOT NULL", organization_id
    )
    visible = [row for row in rows if place.on(row) is not None]
    return search_in_spaces(context, organization_id, visible, query, page, limit)
