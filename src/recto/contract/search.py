"""Search in a space, and in all spaces of an organization."""

from typing import Annotated

from pydantic import Field

from recto.contract.common import Limit, ListPage, Urls
from recto.contract.model import Model
from recto.contract.operation import Resource, get

SearchText = Annotated[str, Field(min_length=1, max_length=512)]


class SearchSection(Model):
    """A part of a page in which the words were found. ``path`` leads to its heading."""

    id: str
    title: str = ""
    path: str = ""
    body: str = ""
    score: float | None = None
    urls: Urls = Urls.model_construct()


class SearchAncestor(Model):
    """A page above a page in which the words were found."""

    id: str | None = None
    title: str = ""


class SearchHit(Model):
    """A page in which the words were found, best first: ``rank`` counts from 1, ``ancestors`` from the outermost."""

    id: str
    title: str = ""
    description: str | None = None
    path: str = ""
    score: float | None = None
    rank: float | None = None
    ancestors: tuple[SearchAncestor, ...] = ()
    sections: tuple[SearchSection, ...] = ()
    urls: Urls = Urls.model_construct()


class SearchHits(ListPage[SearchHit]):
    """Pages of a space in which words are found; ``unindexed`` counts the pages that are not searched yet."""

    unindexed: int | None = None


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
