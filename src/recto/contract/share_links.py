"""Share links: secret addresses by which a site is read."""

from typing import Annotated

from pydantic import Field

from recto.contract.common import Limit, ListPage, Urls
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch, post

LinkName = Annotated[str, Field(max_length=50)]


class ShareLink(Model):
    """A share link; ``urls.published`` is the address with its secret key."""

    object: str = "share-link"
    id: str
    created_at: Instant | None = None
    name: str | None = None
    active: bool = False
    urls: Urls = Urls.model_construct()


class CreateShareLink(Body):
    """A new share link."""

    name: LinkName


class UpdateShareLink(Body):
    """Changes of a share link; a link that is not ``active`` gives no access."""

    active: bool = LEFT_OUT
    name: LinkName = LEFT_OUT


class ShareLinks(Resource):
    """The share links of a site."""

    @get("/orgs/{organization_id}/sites/{site_id}/share-links")
    async def list_share_links(
        self, organization_id: str, site_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[ShareLink]":
        """The share links of a site."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/share-links", status=201)
    async def create_share_link(self, organization_id: str, site_id: str, body: CreateShareLink) -> ShareLink:
        """Make a share link; it works at once."""
        ...

    @patch("/orgs/{organization_id}/sites/{site_id}/share-links/{share_link_id}")
    async def update_share_link(
        self, organization_id: str, site_id: str, share_link_id: str, body: UpdateShareLink
    ) -> ShareLink:
        """Rename a share link, deactivate it or activate it again."""
        ...

    @delete("/orgs/{organization_id}/sites/{site_id}/share-links/{share_link_id}")
    async def delete_share_link(self, organization_id: str, site_id: str, share_link_id: str) -> None:
        """Remove a share link; its address never works again."""
        ...
