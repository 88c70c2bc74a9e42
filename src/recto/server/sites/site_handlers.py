"""Answers about sites."""

from __future__ import annotations

import json

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.sites import CreateSite, Site, Sites, UpdateSite
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.people.access import require_organization, standing
from recto.server.sites import sites
from recto.server.sites.site_settings import update_site as change_site
from recto.server.sites.site_spaces import add_site_space, usable_space
from recto.server.sites.sites import SITES, require_site, site_answer


@handles(Sites.list_sites)
def list_sites(
    context: Context,
    organization_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    space: str | None = DECLARED,
    title: str | None = DECLARED,
    published: bool | None = DECLARED,
    type: tuple[str, ...] = DECLARED,
) -> ListPage[Site]:
    """Return the sites that the filters leave, the oldest first; ``title`` is a part of it in any case."""
    require_organization(context, organization_id, "read")
    place = standing(context, organization_id)
    filters = ["organization = :organization"]
    if space is not None:
        filters.append(
            "id IN (SELECT site FROM site_spaces JOIN spaces ON spaces.id = space"
            " WHERE space = :space AND deleted_at IS NULL)"
        )
    if title:
        filters.append("instr(fold(title), fold(:title))")
    if published is not None:
        filters.append("published = :published")
    if type:
        filters.append("type IN (SELECT value FROM json_each(:types))")
    return list_rows(
        context.database,
        f"{SITES} WHERE {' AND '.join(filters)}",
        {
            "organization": organization_id,
            "space": space,
            "title": title,
            "published": published,
            "types": json.dumps(type),
        },
        keys=("created_at", "id"),
        build=lambda row: site_answer(context, row, place.role),
        page=page,
        limit=limit,
    )


@handles(Sites.create_site, location="/orgs/{organization_id}/sites/{answer.id}")
def create_site(context: Context, organization_id: str, body: CreateSite) -> Site:
    """Make a site with these spaces at its root; takes the role admin."""
    require_organization(context, organization_id, "admin")
    spaces = [usable_space(context, organization_id, space, f"spaces[{at}]") for at, space in enumerate(body.spaces)]
    title = sites.UNTITLED if body.title is None else body.title
    site = sites.create_site(context, organization_id, title, kind=body.type, visibility=body.visibility)
    for space in dict.fromkeys(spaces):
        add_site_space(context, site, space)
    return get_site(context, organization_id, site)


@handles(Sites.get_site)
def get_site(context: Context, organization_id: str, site_id: str) -> Site:
    """Return a site that the caller may see."""
    row = require_site(context, organization_id, site_id)
    return site_answer(context, row, standing(context, organization_id).role)


@handles(Sites.update_site)
def update_site(context: Context, organization_id: str, site_id: str, body: UpdateSite) -> Site:
    """Change a site's settings; takes the role admin."""
    change_site(context, require_site(context, organization_id, site_id, "admin"), body)
    return get_site(context, organization_id, site_id)


@handles(Sites.delete_site)
def delete_site(context: Context, organization_id: str, site_id: str) -> None:
    """Remove a site, if it is there; takes the role admin."""
    require_organization(context, organization_id, "admin")
    sites.delete_site(context.database, organization_id, site_id)
