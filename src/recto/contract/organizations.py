"""Organizations: who owns members, collections, spaces and sites."""

from typing import Annotated, Literal

from pydantic import Field

from recto.contract.common import Level, Limit, ListPage, Role, Urls
from recto.contract.formats import Domain, Hostname, WebAddress
from recto.contract.merge_rules import MergeRules, OrganizationMergeRulesBody
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, get, patch, post

MAX_DOMAINS = 100
"""The most e-mail domains of an organization."""


class OrganizationPermissions(Model):
    """The caller's permissions on an organization."""

    view: bool = False
    access: bool = False
    admin: bool = False
    own_team: bool = False
    create_content: bool = False
    create_open_api_spec: bool = False
    ingest_conversations: bool = False
    view_billing: bool = False
    list_members: bool = False
    list_teams: bool = False
    list_integrations: bool = False
    list_installations: bool = False
    install_integration: bool = False


class DefaultContent(Model):
    """What an organization shows first."""

    type: Literal["site", "space", "collection"] | str
    site: str | None = None
    space: str | None = None
    collection: str | None = None


class Pricing(Model):
    """What a plan costs."""

    monthly: float = 0
    yearly: float = 0


class MemberPricing(Model):
    """What members cost, by plan."""

    plus_2024: Pricing | None = None
    pro_2024: Pricing | None = None


class SitePricing(Model):
    """What sites cost, by type."""

    premium: Pricing | None = None
    ultimate: Pricing | None = None


class BillingPricing(Model):
    """What an organization pays for."""

    members: MemberPricing | None = None
    sites: SitePricing | None = None


class UsageAddon(Model):
    """Something that is paid by use."""

    enabled: bool = False


class Billing(Model):
    """How an organization pays."""

    interval: str | None = None
    end_date: Instant | None = None
    has_payment_failed: bool = False
    is_scheduled_to_cancel: bool = False
    pricing: BillingPricing | None = None
    usage_addons: dict[str, UsageAddon] = Field(default_factory=dict)


class Trial(Model):
    """How far the trial of an organization is."""

    status: str | None = None
    count: int | None = None
    end_date: Instant | None = None
    decision: str | None = None


class Blocked(Model):
    """Why an organization is blocked, and by whom."""

    source: str | None = None
    reason: str | None = None


class BillingMigration(Model):
    """A change of prices ahead."""

    deadline: Instant | None = None
    discount_percent: float | None = None
    discount_end_date: Instant | None = None


class Organization(Model):
    """An organization."""

    object: str = "organization"
    id: str
    title: str = ""
    created_at: Instant | None = None
    email_domains: tuple[str, ...] = ()
    hostname: str | None = None
    type: str | None = None
    use_case: str | None = None
    community_type: str | None = None
    plan: str | None = None
    default_role: Level | str | None = None
    default_content: DefaultContent | None = None
    sso: bool = False
    ai: bool = False
    invite_links: bool = False
    billing: Billing | None = None
    merge_rules: MergeRules | None = None
    urls: Urls = Urls.model_construct()
    trial: Trial | None = None
    custom_hostname: str | None = None
    blocked: Blocked | None = None
    internal_billing_migration: BillingMigration | None = None
    permissions: OrganizationPermissions = OrganizationPermissions.model_construct()


class DefaultSite(Body):
    """A site is to be what an organization shows first."""

    type: Literal["site"] = "site"
    site: str


class DefaultSpace(Body):
    """A space is to be what an organization shows first."""

    type: Literal["space"] = "space"
    space: str


class DefaultCollection(Body):
    """A collection is to be what an organization shows first."""

    type: Literal["collection"] = "collection"
    collection: str


DefaultContentBody = Annotated[DefaultSite | DefaultSpace | DefaultCollection, Field(discriminator="type")]


OrganizationTitle = Annotated[str, Field(max_length=128)]


class UpdateOrganization(Body):
    """Changes to an organization.

    ``None`` takes default content or the logo away; a default role of ``None`` has people join as guests.
    """

    title: OrganizationTitle = LEFT_OUT
    email_domains: Annotated[tuple[Domain, ...], Field(max_length=MAX_DOMAINS)] = LEFT_OUT
    hostname: Hostname = LEFT_OUT
    default_role: Role | None = LEFT_OUT
    default_content: DefaultContentBody | None = LEFT_OUT
    logo: WebAddress | None = LEFT_OUT
    sso: bool = LEFT_OUT
    ai: bool = LEFT_OUT
    invite_links: bool = LEFT_OUT
    merge_rules: OrganizationMergeRulesBody = LEFT_OUT


class OrganizationsOfDomain(Model):
    """The organizations that people with an e-mail address of a domain may join."""

    organizations: tuple[Organization, ...] = ()


class Ping(Model):
    """A signed token by which a site of the organization recognizes the caller as a member."""

    service_visitor_claims: str | None = None


class Organizations(Resource):
    """The organizations that the caller belongs to."""

    @get("/orgs")
    async def list_organizations(self, page: str | None = None, limit: Limit = None) -> "ListPage[Organization]":
        """The organizations of the caller."""
        ...

    @get("/orgs/{organization_id}")
    async def get_organization(self, organization_id: str) -> Organization:
        """One organization."""
        ...

    @patch("/orgs/{organization_id}")
    async def update_organization(self, organization_id: str, body: UpdateOrganization) -> Organization:
        """Change an organization's settings."""
        ...

    @post("/orgs/{organization_id}/join", status=204)
    async def join_organization(self, organization_id: str) -> None:
        """Join an organization that allows the domain of your e-mail address."""
        ...

    @post("/orgs/{organization_id}/ping")
    async def ping(self, organization_id: str) -> Ping:
        """Report that you are active in an organization."""
        ...

    @get("/email-domains/{email_domain}/orgs")
    async def list_organizations_of_domain(self, email_domain: Domain) -> OrganizationsOfDomain:
        """The organizations that people with an e-mail address of this domain may join."""
        ...
