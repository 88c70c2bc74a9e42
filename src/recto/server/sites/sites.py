"""Sites, apart from their structure."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from recto.contract.common import Role, Urls
from recto.contract.sites import (
    AdaptiveContent,
    Site,
    SiteAds,
    SiteFeature,
    SitePermissions,
    SiteProxy,
    SiteType,
    SiteVisibility,
)
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.people.access import allows, refusal, require_organization, standing_of
from recto.server.serializers import known_fields
from recto.server.storage.database import Connection, Row
from recto.urls import Thing

SITES = """
    SELECT sites.*,
        (SELECT count(*) FROM site_spaces JOIN spaces ON spaces.id = site_spaces.space
            WHERE site_spaces.site = sites.id AND spaces.deleted_at IS NULL) AS site_spaces
    FROM sites
"""
"""Selects sites with the number of their spaces, without deleted ones, as :func:`serialize_site` needs them."""

UNTITLED = "Untitled"
"""The title of a site that was given none."""

_FEATURES = (
    "sites-sections",
    "sites-multivariant-site",
    "sites-share-links",
    "sites-redirects",
    "sites-adaptive-content",
)


def add_site(
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
    site = unused_id(context.database, "sites", context.ids.site)
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


def remove_site(database: Connection, organization: str, site: str) -> None:
    """Remove a site with all that is on it, if it is there; the spaces stay."""
    database.execute("DELETE FROM sites WHERE id = ? AND organization = ?", site, organization)


def set_published(context: Context, site: str, published: bool) -> None:
    """Publish or unpublish a site."""
    context.database.update("sites", site, published=published)


def find_site(context: Context, organization: str, site: str) -> Row | None:
    """Return the row of a site of an organization, for any caller; ``None`` for an unknown site."""
    return context.database.one(f"{SITES} WHERE id = ? AND organization = ?", site, organization)


def unused_id(database: Connection, table: str, fresh: Callable[[], str]) -> str:
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
    role = standing_of(context, organization).role
    row = find_site(context, organization, site)
    if row is None or role is None:
        raise site_not_found(site)
    if not allows(role, least):
        raise refusal(least, f"the organization “{owner['title']}”")
    return row


def site_not_found(site: str) -> NotFound:
    """Return the problem of a site that is not there or that the caller may not see."""
    return NotFound(f"There is no site {site} in this organization, or you may not see it.")


def published_address(context: Context, site: Row, path: str = "", key: str | None = None) -> str | None:
    """Return the address at which a published site, or a path on it, is read; ``None`` where there is none.

    The platform publishes through its API and has no pages for browsers. Inside the program itself, whose own address
    leads nowhere else, there is no such address.
    """
    if not site["published"] or context.base_url.endswith(".invalid"):
        return None
    return reading_address(context, site, path, key)


def reading_address(context: Context, site: Row, path: str = "", key: str | None = None) -> str:
    """Return the address at which a site, or a path on it, is read while it is published."""
    address = context.location(f"/orgs/{site['organization']}/sites/{site['id']}/published")
    return address + (f"?shareKey={quote(key)}" if key else "") + (f"#{quote(path)}" if path else "")


def serialize_site(context: Context, row: Row, role: Role | None, key: str | None = None) -> Site:
    """Serialize a row of :data:`SITES` as a site, for a caller with this role in its organization.

    ``key`` is the key of the caller's share link.
    """
    published = published_address(context, row, key=key)
    app = context.app(Thing(organization=row["organization"], site=row["id"]))
    return Site(
        id=row["id"],
        type=row["type"],
        applied_type=row["type"],
        title=row["title"],
        visibility=row["visibility"],
        published=bool(row["published"]),
        site_spaces=row["site_spaces"],
        created_at=row["created_at"],
        adaptive_content=AdaptiveContent(enabled=bool(row["adaptive"])),
        ads=SiteAds(status="pending", submittable=False),
        agents_context=row["agents_context"],
        features=tuple(SiteFeature(id=each, plan=row["type"], frozen=False, customizations=()) for each in _FEATURES),
        urls=Urls(
            app=app,
            location=context.location(f"/orgs/{row['organization']}/sites/{row['id']}"),
            preview=app,
            **known_fields(published=published),
        ),
        default_level="inherit",
        permissions=SitePermissions(
            view=allows(role, "read"),
            access=allows(role, "read"),
            edit=allows(role, "admin"),
            create=allows(role, "admin"),
            admin=allows(role, "admin"),
            install_integration=False,
            view_adaptive_schema=allows(role, "read"),
            edit_adaptive_schema=allows(role, "admin"),
        ),
        **known_fields(basename=row["basename"], hostname=row["hostname"], proxy=_proxy(context, row)),
    )


def _proxy(context: Context, site: Row) -> SiteProxy | None:
    proxy: str | None = site["proxy"]
    return None if proxy is None else SiteProxy(target=f"https://{proxy}", origin=reading_address(context, site))
