"""Publishing sites, and what their readers get."""

from typing import Any, Literal

from pydantic import Field

from recto.contract.model import Model
from recto.contract.operation import Resource, get, post
from recto.contract.sites import Site
from recto.contract.structure import SiteStructure


class Checkout(Model):
    """What a hosted service may answer instead of publishing: something is to be paid first."""

    type: Literal["checkout"]
    session_id: str = ""


class PublishedSite(Model):
    """A site as its readers get it."""

    object: str = "published-content-site"
    site: Site | None = None
    structure: SiteStructure = SiteStructure.model_construct()
    customizations: dict[str, Any] = Field(default_factory=dict)
    scripts: tuple[Any, ...] = ()


class Publishing(Resource):
    """Sites and their readers."""

    @post("/orgs/{organization_id}/sites/{site_id}/publish")
    async def publish_site(self, organization_id: str, site_id: str) -> Checkout | Site:
        """Publish a site to its audience; it may be empty."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/unpublish")
    async def unpublish_site(self, organization_id: str, site_id: str) -> Site:
        """Unpublish a site."""
        ...

    @get("/orgs/{organization_id}/sites/{site_id}/published")
    async def get_published_site(
        self, organization_id: str, site_id: str, share_key: str | None = None
    ) -> PublishedSite:
        """A published site; ``share_key`` is the key of a share link, or a visitor's signed token."""
        ...
