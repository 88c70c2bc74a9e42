"""Sites, which publish spaces."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from recto.contract.common import Ids, Level, Limit, ListPage, Urls
from recto.contract.formats import HOSTNAME_FORM, of_form
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch, post

SiteVisibility = Literal["public", "unlisted", "share-link", "visitor-auth"]
SiteType = Literal["basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"]
AgentsContext = Literal["excluded", "included"]
SiteTitle = Annotated[str, Field(min_length=2, max_length=128)]
Basename = Annotated[str, Field(min_length=1, max_length=100)]

_LABEL: Final = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PROXY: Final = rf"^(?:{_LABEL}[.])+{_LABEL}(?:/[A-Za-z0-9_~%-][A-Za-z0-9._~%-]*)+$"

ProxyPath = Annotated[
    str,
    Field(max_length=512, json_schema_extra={"pattern": _PROXY}),
    AfterValidator(of_form(_PROXY, "a host name and a path on it, such as example.org/docs")),
]
"""A host name of at least two labels and a path on it."""

Hostname = Annotated[str, Field(json_schema_extra={"maxLength": 512, "pattern": HOSTNAME_FORM})]
"""The host name of a site. It is only ever read, so that its form is described and not insisted on."""


class ThemedIcon(Model):
    """The addresses of an icon for light and dark grounds."""

    light: str | None = None
    dark: str | None = None


class SiteIcon(Model):
    """A site's own icon: pictures or an emoji, or neither."""

    icon: ThemedIcon | str | None = None
    emoji: str | None = None


class SiteProxy(Model):
    """Where a site lives under a path of another domain: ``target`` there is fetched from ``origin``."""

    origin: str | None = None
    target: str | None = None


class AdaptiveContent(Model):
    """Whether a site shows different visitors different content."""

    enabled: bool = False


class SiteAds(Model):
    """How far a site is with advertisements; what they are about, and where they stand, once that is settled."""

    status: str | None = None
    submittable: bool = False
    topic: str | None = None
    zone_id: str | None = None


class SiteFeature(Model):
    """Something that a site's plan allows."""

    id: str
    plan: str | None = None
    frozen: bool = False
    customizations: tuple[str, ...] = ()


class SitePermissions(Model):
    """The caller's permissions on a site."""

    view: bool = False
    access: bool = False
    edit: bool = False
    create: bool = False
    admin: bool = False
    install_integration: bool = False
    view_adaptive_schema: bool = False
    edit_adaptive_schema: bool = False


class Site(Model):
    """A site; ``site_spaces`` counts the spaces on it."""

    object: str = "site"
    id: str
    type: SiteType | str = "basic"
    title: str = ""
    icon: SiteIcon | str | None = None
    hostname: Hostname | None = None
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
    applied_type: str | None = None
    default_level: Level | str | None = None
    permissions: SitePermissions = SitePermissions.model_construct()
    urls: Urls = Urls.model_construct()


class CreateSite(Body):
    """A new site, with these spaces on it."""

    type: SiteType = "basic"
    title: SiteTitle = LEFT_OUT
    visibility: SiteVisibility = "public"
    spaces: Ids = ()


class AdaptiveContentInput(Body):
    """Whether a site is to show different visitors different content."""

    enabled: bool


class UpdateSite(Body):
    """Changes to a site. A ``proxy`` of ``None`` removes it.

    A ``basename`` is unique in its organization. A default site space makes its section the default too.
    """

    title: SiteTitle = LEFT_OUT
    visibility: SiteVisibility = LEFT_OUT
    basename: Basename = LEFT_OUT
    adaptive_content: AdaptiveContentInput = LEFT_OUT
    agents_context: AgentsContext = LEFT_OUT
    default_site_space: str = LEFT_OUT
    default_site_section: str = LEFT_OUT
    proxy: ProxyPath | None = LEFT_OUT


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
        type: tuple[SiteType, ...] = (),
    ) -> "ListPage[Site]":
        """The sites of an organization: those with a space, a title, published or not, of some types."""
        ...

    @post("/orgs/{organization_id}/sites", status=201)
    async def create_site(self, organization_id: str, body: CreateSite) -> Site:
        """Make a site; it is not yet published."""
        ...

    @get("/orgs/{organization_id}/sites/{site_id}")
    async def get_site(self, organization_id: str, site_id: str) -> Site:
        """A site."""
        ...

    @patch("/orgs/{organization_id}/sites/{site_id}")
    async def update_site(self, organization_id: str, site_id: str, body: UpdateSite) -> Site:
        """Change a site's settings, or its default section or site space."""
        ...

    @delete("/orgs/{organization_id}/sites/{site_id}")
    async def delete_site(self, organization_id: str, site_id: str) -> None:
        """Remove a site; the spaces on it stay."""
        ...
