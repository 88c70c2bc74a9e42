"""Sites: what is published from spaces."""

from __future__ import annotations

from typing import Literal

from recto.contract.common import Limit, ListPage, Urls
from recto.contract.model import Instant, Model
from recto.contract.operation import Resource, get

SiteVisibility = Literal["public", "unlisted", "share-link", "visitor-auth"]
SiteType = Literal["basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"]
AgentsContext = Literal["excluded", "included"]


class ThemedIcon(Model):
    """The addresses of an icon for light and dark grounds."""

    light: str | None = None
    dark: str | None = None


class SiteIcon(Model):
    """A site's own icon."""

    icon: ThemedIcon


class SiteProxy(Model):
    """Where a site lives under a path of another domain."""

    origin: str | None = None
    target: str | None = None


class AdaptiveContent(Model):
    """Whether a site shows different visitors different content."""

    enabled: bool = False


class SiteAds(Model):
    """How far a site is with advertisements."""

    status: str | None = None
    submittable: bool = False


class SiteFeature(Model):
    """Something that a site's plan allows."""

    id: str
    plan: str | None = None
    frozen: bool = False
    customizations: tuple[str, ...] = ()


class Site(Model):
    """A site; ``site_spaces`` counts the spaces on it."""

    object: str = "site"
    id: str
    type: SiteType | str = "basic"
    title: str = ""
    icon: SiteIcon | str | None = None
    hostname: str | None = None
    basename: str | None = None
    proxy: SiteProxy | None = None
    visibility: SiteVisibility | str = "public"
    published: bool = False
    site_spaces: int = 0
    created_at: Instant | None = None
    adaptive_content: AdaptiveContent | None = None
    ads: SiteAds | None = None
    agents_context: AgentsContext | str = "excluded"
    features: tuple[SiteFeature, ...] = ()
    urls: Urls = Urls.model_construct()


class Sites(Resource):
    """The sites of an organization."""

    @get("/orgs/{organization_id}/sites")
    async def list_sites(
        self,
        organization_id: str,
        page: str | None = None,
        limit: Limit = None,
        space: str | None = None,
        title: str | None = None,
        published: bool | None = None,
    ) -> ListPage[Site]:
        """The sites of an organization: those with a space, a title, published or not."""
        ...

    @get("/orgs/{organization_id}/sites/{site_id}")
    async def get_site(self, organization_id: str, site_id: str) -> Site:
        """One site."""
        ...
