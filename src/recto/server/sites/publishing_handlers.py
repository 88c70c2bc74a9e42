"""Answers about published sites."""

from __future__ import annotations

from recto.contract.operation import DECLARED
from recto.contract.publishing import Checkout, PublishedSite, Publishing
from recto.contract.sites import Site
from recto.server.context import Context
from recto.server.http.registry import handles
from recto.server.people.access import standing
from recto.server.sites.published import published_site
from recto.server.sites.sites import require_site, set_published, site_answer


@handles(Publishing.publish_site)
def publish_site(context: Context, organization_id: str, site_id: str) -> Checkout | Site:
    """Publish a site, also one on which there is nothing yet; takes the role admin."""
    return _set_published(context, organization_id, site_id, published=True)


@handles(Publishing.unpublish_site)
def unpublish_site(context: Context, organization_id: str, site_id: str) -> Site:
    """Take a site back from its audience; takes the role admin."""
    return _set_published(context, organization_id, site_id, published=False)


@handles(Publishing.get_published_site)
def get_published_site(
    context: Context, organization_id: str, site_id: str, share_key: str | None = DECLARED
) -> PublishedSite:
    """Return a site as its readers get it."""
    row, view = published_site(context, organization_id, site_id, share_key)
    return PublishedSite(
        site=site_answer(context, row, standing(context, organization_id).role, view.key),
        structure=view.structure(),
        customizations={"site": {}, "siteSpaces": {}},
        scripts=(),
    )


def _set_published(context: Context, organization: str, site: str, published: bool) -> Site:
    require_site(context, organization, site, "admin")
    set_published(context, site, published)
    return site_answer(context, require_site(context, organization, site), "admin")
