"""Handlers of sites, and their settings."""

from __future__ import annotations

import json
from typing import Any

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.sites import CreateSite, Site, Sites, UpdateSite
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest
from recto.server.http.registry import handles
from recto.server.people.access import require_organization, standing_of
from recto.server.sites import sites
from recto.server.sites.sections import make_default_section
from recto.server.sites.site_spaces import add_site_space, make_default, usable_space
from recto.server.sites.sites import SITES, require_site, serialize_site
from recto.server.sites.structure import Item, named_item
from recto.server.storage.database import Connection, Row

_TAKEN_AS_IS = frozenset({"title", "visibility", "agents_context", "proxy"})


def change_site(context: Context, site: Row, body: UpdateSite) -> None:
    """Change what the body sets; a proxy of ``None`` removes it.

    A default site space is the default of its section too, and its section becomes the default.
    """
    database = context.database
    given = body.model_fields_set
    changes: dict[str, Any] = {name: getattr(body, name) for name in _TAKEN_AS_IS & given}
    if "basename" in given:
        changes["basename"] = _free_basename(database, site, body.basename)
    if "adaptive_content" in given:
        changes["adaptive"] = body.adaptive_content.enabled
    database.update("sites", site["id"], **changes)
    if "default_site_section" in given:
        section = body.default_site_section
        named_item(database, site["id"], Item("site-section", section), "defaultSiteSection")
        make_default_section(database, site["id"], section)
    if "default_site_space" in given:
        _set_default_site_space(database, site["id"], body)


def _set_default_site_space(database: Connection, site: str, body: UpdateSite) -> None:
    row = named_item(database, site, Item("site-space", body.default_site_space), "defaultSiteSpace")
    if "default_site_section" in body.model_fields_set and row["section"] != body.default_site_section:
        raise BadRequest(f"defaultSiteSpace: the site space {row['id']} is not in the section of defaultSiteSection")
    make_default(database, site, row["section"], row["id"])
    if row["section"] is not None:
        make_default_section(database, site, row["section"])


def _free_basename(database: Connection, site: Row, basename: str) -> str:
    taken = database.one(
        "SELECT 1 FROM sites WHERE organization = ? AND basename = ? AND id <> ?",
        site["organization"],
        basename,
        site["id"],
    )
    if taken:
        raise BadRequest(f"basename: “{basename}” is taken by another site of this organization")
    return basename


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
    place = standing_of(context, organization_id)
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
        build=lambda row: serialize_site(context, row, place.role),
        page=page,
        limit=limit,
    )


@handles(Sites.create_site, location="/orgs/{organization_id}/sites/{response.id}")
def create_site(context: Context, organization_id: str, body: CreateSite) -> Site:
    """Make a site with these spaces at its root; takes the admin role."""
    require_organization(context, organization_id, "admin")
    spaces = [usable_space(context, organization_id, space, f"spaces[{at}]") for at, space in enumerate(body.spaces)]
    title = sites.UNTITLED if body.title is None else body.title
    site = sites.add_site(context, organization_id, title, kind=body.type, visibility=body.visibility)
    for space in dict.fromkeys(spaces):
        add_site_space(context, site, space)
    return get_site(context, organization_id, site)


@handles(Sites.get_site)
def get_site(context: Context, organization_id: str, site_id: str) -> Site:
    """Return a site that the caller may see."""
    row = require_site(context, organization_id, site_id)
    return serialize_site(context, row, standing_of(context, organization_id).role)


@handles(Sites.update_site)
def update_site(context: Context, organization_id: str, site_id: str, body: UpdateSite) -> Site:
    """Change a site's settings; takes the admin role."""
    change_site(context, require_site(context, organization_id, site_id, "admin"), body)
    return get_site(context, organization_id, site_id)


@handles(Sites.delete_site)
def delete_site(context: Context, organization_id: str, site_id: str) -> None:
    """Remove a site, if it is there; takes the admin role."""
    require_organization(context, organization_id, "admin")
    sites.remove_site(context.database, organization_id, site_id)
