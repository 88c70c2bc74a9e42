"""Answers to a search in an organization."""

from __future__ import annotations

from recto.contract.operation import DECLARED
from recto.contract.search import Search, SpacesSearchHits
from recto.server.content.search_answers import search_in_spaces
from recto.server.context import Context
from recto.server.http.registry import handles
from recto.server.people.access import require_organization, standing


@handles(Search.search_organization)
def search_organization(
    context: Context, organization_id: str, query: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> SpacesSearchHits:
    """Return the spaces that the caller may see in which all words are found, with the pages that hold them."""
    require_organization(context, organization_id)
    place = standing(context, organization_id)
    rows = context.database.all(
        "SELECT * FROM spaces WHERE organization = ? AND deleted_at IS NULL AND revision IS NOT NULL", organization_id
    )
    visible = [row for row in rows if place.on(row) is not None]
    return search_in_spaces(context, organization_id, visible, query, page, limit)
