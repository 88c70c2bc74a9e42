"""Collections of spaces and of other collections."""

from typing import Annotated

from pydantic import Field

from recto.contract.common import Level, Limit, ListPage, Urls
from recto.contract.model import LEFT_OUT, Body, Model
from recto.contract.operation import Resource, delete, get, patch, post
from recto.contract.positions import SiblingPosition
from recto.contract.spaces import Space

CollectionTitle = Annotated[str, Field(max_length=50)]
CollectionDescription = Annotated[str, Field(max_length=100)]


class CollectionPermissions(Model):
    """The caller's permissions on a collection."""

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


class CreateCollection(Body):
    """A new collection, at the top of the organization or in another collection."""

    title: CollectionTitle = LEFT_OUT
    parent: str = LEFT_OUT


class UpdateCollection(Body):
    """Changes to a collection.

    An empty ``description`` removes it; a ``default_level`` of ``None`` is no access but for those who have it from
    elsewhere.
    """

    title: CollectionTitle = LEFT_OUT
    description: CollectionDescription = LEFT_OUT
    default_level: Level | None = LEFT_OUT


class MoveCollection(Body):
    """New place of a collection.

    A ``parent`` of ``None`` is the top of the organization; left out, the collection keeps its parent.
    Without a ``position`` it comes last there.
    """

    parent: str | None = LEFT_OUT
    position: SiblingPosition = LEFT_OUT


class TransferCollection(Body):
    """The organization to which a collection is to go."""

    organization: str


class Collections(Resource):
    """The collections of an organization."""

    @get("/orgs/{organization_id}/collections")
    async def list_collections(
        self, organization_id: str, page: str | None = None, limit: Limit = None, nested: bool = True
    ) -> "ListPage[Collection]":
        """The collections of an organization; without ``nested`` only those that lie in no other."""
        ...

    @get("/collections/{collection_id}")
    async def get_collection(self, collection_id: str) -> Collection:
        """A collection."""
        ...

    @post("/orgs/{organization_id}/collections", status=201)
    async def create_collection(self, organization_id: str, body: CreateCollection) -> Collection:
        """Make a collection; it comes last in its parent."""
        ...

    @patch("/collections/{collection_id}")
    async def update_collection(self, collection_id: str, body: UpdateCollection) -> Collection:
        """Change a collection's title, description or default level."""
        ...

    @delete("/collections/{collection_id}")
    async def delete_collection(self, collection_id: str) -> None:
        """Delete a collection; its content moves up to where the collection was, and access to it stays the same."""
        ...

    @post("/collections/{collection_id}/move")
    async def move_collection(self, collection_id: str, body: MoveCollection) -> Collection:
        """Move a collection; it goes with its content into another, or elsewhere among its siblings."""
        ...

    @post("/collections/{collection_id}/transfer")
    async def transfer_collection(self, collection_id: str, body: TransferCollection) -> Collection:
        """Transfer a collection to another organization; all that is in it goes with it."""
        ...

    @get("/collections/{collection_id}/spaces")
    async def list_collection_spaces(
        self, collection_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Space]":
        """The spaces that lie in a collection."""
        ...
