"""Answers about share links. Whoever sees one can pass its secret on, so that seeing them takes admin too."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.share_links import CreateShareLink, ShareLink, ShareLinks, UpdateShareLink
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.sites import share_links
from recto.server.sites.share_links import find_share_link, share_link_answer
from recto.server.sites.sites import require_site
from recto.server.storage.database import Row


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
        build=lambda row: share_link_answer(context, site, row),
        page=page,
        limit=limit,
    )


@handles(ShareLinks.create_share_link, location="/orgs/{organization_id}/sites/{site_id}/share-links/{answer.id}")
def create_share_link(context: Context, organization_id: str, site_id: str, body: CreateShareLink) -> ShareLink:
    """Make a share link."""
    site = require_site(context, organization_id, site_id, "admin")
    return _answer(context, site, share_links.create_share_link(context, site_id, body.name))


@handles(ShareLinks.update_share_link)
def update_share_link(
    context: Context, organization_id: str, site_id: str, share_link_id: str, body: UpdateShareLink
) -> ShareLink:
    """Change a share link."""
    site = require_site(context, organization_id, site_id, "admin")
    share_links.update_share_link(context.database, site_id, share_link_id, body)
    return _answer(context, site, share_link_id)


@handles(ShareLinks.delete_share_link)
def delete_share_link(context: Context, organization_id: str, site_id: str, share_link_id: str) -> None:
    """Remove a share link, if it is there."""
    require_site(context, organization_id, site_id, "admin")
    share_links.delete_share_link(context.database, site_id, share_link_id)


def _answer(context: Context, site: Row, link: str) -> ShareLink:
    return share_link_answer(context, site, find_share_link(context.database, site["id"], link))
