"""Organizations: who owns members, collections, spaces and sites."""

from __future__ import annotations

from pydantic import Field

from recto.contract.common import Level, Limit, ListPage, Urls
from recto.contract.merge_rules import MergeRules
from recto.contract.model import Instant, Model
from recto.contract.operation import Resource, get


class OrganizationPermissions(Model):
    """What the caller may do with an organization."""

    view: bool = False
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

    type: str
    site: str | None = None


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


class Organizations(Resource):
    """The organizations that the caller belongs to."""

    @get("/orgs")
    async def list_organizations(self, page: str | None = None, limit: Limit = None) -> ListPage[Organization]:
        """The organizations of the caller."""
        ...

    @get("/orgs/{organization_id}")
    async def get_organization(self, organization_id: str) -> Organization:
        """One organization."""
        ...
