"""Collections: shelves of spaces and of other collections."""

from __future__ import annotations

from recto.contract.common import Level, Limit, ListPage, Urls
from recto.contract.model import Model
from recto.contract.operation import Resource, get
from recto.contract.spaces import Space


class CollectionPermissions(Model):
    """What the caller may do with a collection."""

    view: bool = False
    admin: bool = False
    view_invite_links: bool = False
    create: bool = False


class Collection(Model):
    """A collection."""

    object: str = "collection"
    id: str
    title: str = ""
    description: str | None = None
    organization: str = ""
    parent: str | None = None
    default_level: Level | str | None = None
    urls: Urls = Urls.model_construct()
    permissions: CollectionPermissions = CollectionPermissions.model_construct()


class Collections(Resource):
    """The collections of an organization."""

    @get("/orgs/{organization_id}/collections")
    async def list_collections(
        self, organization_id: str, page: str | None = None, limit: Limit = None, nested: bool = True
    ) -> ListPage[Collection]:
        """The collections of an organization; without ``nested`` only those that lie in no other."""
        ...

    @get("/collections/{collection_id}")
    async def get_collection(self, collection_id: str) -> Collection:
        """One collection."""
        ...

    @get("/collections/{collection_id}/spaces")
    async def list_collection_spaces(
        self, collection_id: str, page: str | None = None, limit: Limit = None
    ) -> ListPage[Space]:
        """The spaces that lie in a collection."""
        ...
