"""Search in a space, and in all spaces of an organization."""

from __future__ import annotations

from recto.contract.common import Limit, ListPage
from recto.contract.content import SearchHit, SearchHits, SearchText
from recto.contract.model import Model
from recto.contract.operation import Resource, get


class SpaceSearchHits(Model):
    """A space in which words were found: its title, and its pages that hold them, best first."""

    type: str = "space"
    id: str
    title: str = ""
    score: float | None = None
    pages: tuple[SearchHit, ...] = ()


class SpacesSearchHits(ListPage[SpaceSearchHits]):
    """Spaces in which words are found; ``unindexed`` counts the pages that are not searched yet."""

    unindexed: int | None = None


class Search(Resource):
    """Search in spaces and organizations."""

    @get("/spaces/{space_id}/search")
    async def search_space(
        self, space_id: str, query: SearchText, page: str | None = None, limit: Limit = None
    ) -> SearchHits:
        """The pages of a space in which words are found, with the sections that hold them."""
        ...

    @get("/orgs/{organization_id}/search")
    async def search_organization(
        self, organization_id: str, query: SearchText, page: str | None = None, limit: Limit = None
    ) -> SpacesSearchHits:
        """The spaces of an organization in which words are found, with the pages that hold them."""
        ...
