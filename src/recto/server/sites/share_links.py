"""Share links. Their secrets can be passed on, so listing them takes the admin role as well."""

from __future__ import annotations

from typing import Any

from recto.contract.common import ListPage, Urls
from recto.contract.operation import DECLARED
from recto.contract.share_links import CreateShareLink, ShareLink, ShareLinks, UpdateShareLink
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import NotFound
from recto.server.http.registry import handles
from recto.server.sites.sites import reading_address, require_site
from recto.server.storage.database import Connection, Row


def add_share_link(context: Context, site: str, name: str) -> str:
    """Make a share link that works at once, with a fresh secret key, and return its id."""
    link = context.ids.fresh()
    context.database.insert(
        "share_links", id=link, site=site, name=name, key=context.ids.fresh(), created_at=context.stamp()
    )
    return link


def change_share_link(database: Connection, site: str, link: str, body: UpdateShareLink) -> None:
    """Change what the body sets; raises :class:`NotFound` where the site has no such link."""
    find_share_link(database, site, link)
    changes: dict[str, Any] = {name: getattr(body, name) for name in body.model_fields_set}
    database.update("share_links", link, **changes)


def remove_share_link(database: Connection, site: str, link: str) -> None:
    """Remove a share link of a site, if it is there."""
    database.execute("DELETE FROM share_links WHERE id = ? AND site = ?", link, site)


def find_share_link(database: Connection, site: str, link: str) -> Row:
    """Return the row of a share link; raises :class:`NotFound` where the site has none such."""
    row = database.one("SELECT * FROM share_links WHERE id = ? AND site = ?", link, site)
    if row is None:
        raise NotFound(f"There is no share link {link} on this site.")
    return row


def opens(database: Connection, site: str, key: str) -> bool:
    """Return whether a key is that of a share link of the site which works now."""
    return database.one("SELECT 1 FROM share_links WHERE site = ? AND key = ? AND active", site, key) is not None


def serialize_share_link(context: Context, site: Row, row: Row) -> ShareLink:
    """Return a row of ``share_links`` as a share link of a site, its secret included."""
    return ShareLink(
        id=row["id"],
        created_at=row["created_at"],
        name=row["name"],
        active=bool(row["active"]),
        urls=Urls(published=reading_address(context, site, key=row["key"])),
    )


@handles(ShareLinks.list_share_links)
def list_share_links(
    context: Context, organization_id: str, site_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[ShareLink]:
    """Return the share links of a site, the oldest first, those that do not work too."""
    site = require_site(context, organization_id, site_id, "admin")
    return list_rows(
        context.database,
        "SELECT * FROM share_links WHERE site = :site",
        {"site": site_id},
        keys=("created_at", "id"),
        build=lambda row: serialize_share_link(context, site, row),
        page=page,
        limit=limit,
    )


@handles(ShareLinks.create_share_link, location="/orgs/{organization_id}/sites/{site_id}/share-links/{response.id}")
def create_share_link(context: Context, organization_id: str, site_id: str, body: CreateShareLink) -> ShareLink:
    """Make a share link."""
    site = require_site(context, organization_id, site_id, "admin")
    return _share_link(context, site, add_share_link(context, site_id, body.name))


@handles(ShareLinks.update_share_link)
def update_share_link(
    context: Context, organization_id: str, site_id: str, share_link_id: str, body: UpdateShareLink
) -> ShareLink:
    """Change a share link."""
    site = require_site(context, organization_id, site_id, "admin")
    change_share_link(context.database, site_id, share_link_id, body)
    return _share_link(context, site, share_link_id)


@handles(ShareLinks.delete_share_link)
def delete_share_link(context: Context, organization_id: str, site_id: str, share_link_id: str) -> None:
    """Remove a share link, if it is there."""
    require_site(context, organization_id, site_id, "admin")
    remove_share_link(context.database, site_id, share_link_id)


def _share_link(context: Context, site: Row, link: str) -> ShareLink:
    return serialize_share_link(context, site, find_share_link(context.database, site["id"], link))
