"""Makes and finds sites."""

from __future__ import annotations

from collections.abc import Callable

from recto.contract.common import Role, Urls
from recto.contract.sites import AdaptiveContent, Site, SiteType, SiteVisibility
from recto.server.access import allows, refusal, require_organization, standing
from recto.server.answers import known
from recto.server.context import Context
from recto.server.database import Connection, Row
from recto.server.problems import NotFound

SITES = """
    SELECT sites.*, (SELECT count(*) FROM site_spaces WHERE site = sites.id) AS site_spaces FROM sites
"""
"""Selects sites with the number of their spaces, as :func:`site_answer` needs them."""


def create_site(
    context: Context,
    organization: str,
    title: str,
    *,
    kind: SiteType = "basic",
    visibility: SiteVisibility = "public",
    published: bool = False,
    basename: str | None = None,
) -> str:
    """Make a site with nothing on it and return its id."""
    site = unused(context.database, "sites", context.ids.site)
    context.database.insert(
        "sites",
        id=site,
        organization=organization,
        type=kind,
        title=title,
        basename=basename,
        visibility=visibility,
        published=published,
        created_at=context.stamp(),
    )
    return site


def unused(database: Connection, table: str, fresh: Callable[[], str]) -> str:
    """Return a fresh id that no row of the table has; the short ids of sites and their parts may come up twice."""
    while True:
        candidate = fresh()
        if database.one(f"SELECT 1 FROM {table} WHERE id = ?", candidate) is None:
            return candidate


def require_site(context: Context, organization: str, site: str, least: Role = "read") -> Row:
    """Return the site's row where the caller has at least this role in its organization.

    Raises :class:`NotFound` where the caller may not see it, ``Forbidden`` where they may see it only.
    """
    owner = require_organization(context, organization)
    role = standing(context, organization).role
    row = context.database.one(f"{SITES} WHERE id = ? AND organization = ?", site, organization)
    if row is None or role is None:
        raise NotFound(f"There is no site {site} in this organization, or you may not see it.")
    if not allows(role, least):
        raise refusal(least, f"the organization “{owner['title']}”")
    return row


def site_answer(context: Context, row: Row) -> Site:
    """Return a row of :data:`SITES` as a site."""
    return Site(
        id=row["id"],
        type=row["type"],
        title=row["title"],
        visibility=row["visibility"],
        published=bool(row["published"]),
        site_spaces=row["site_spaces"],
        created_at=row["created_at"],
        adaptive_content=AdaptiveContent(enabled=False),
        agents_context=row["agents_context"],
        features=(),
        urls=Urls(location=context.location(f"/orgs/{row['organization']}/sites/{row['id']}")),
        **known(basename=row["basename"], hostname=row["hostname"]),
    )
