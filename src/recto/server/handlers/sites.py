"""Answers about sites."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.sites import Site, Sites
from recto.server.access import require_organization
from recto.server.context import Context
from recto.server.paging import list_rows
from recto.server.registry import handles
from recto.server.sites import SITES, require_site, site_answer


@handles(Sites.list_sites)
def list_sites(
    context: Context,
    organization_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    space: str | None = DECLARED,
    title: str | None = DECLARED,
    published: bool | None = DECLARED,
) -> ListPage[Site]:
    """Return the sites that the filters leave, the oldest first; ``title`` is a part of it in any case."""
    require_organization(context, organization_id, "read")
    filters = ["organization = :organization"]
    if space is not None:
        filters.append("id IN (SELECT site FROM site_spaces WHERE space = :space)")
    if title:
        filters.append("instr(fold(title), fold(:title))")
    if published is not None:
        filters.append("published = :published")
    return list_rows(
        context.database,
        f"{SITES} WHERE {' AND '.join(filters)}",
        {"organization": organization_id, "space": space, "title": title, "published": published},
        keys=("created_at", "id"),
        build=lambda row: site_answer(context, row),
        page=page,
        limit=limit,
    )


@handles(Sites.get_site)
def get_site(context: Context, organization_id: str, site_id: str) -> Site:
    """Return a site that the caller may see."""
    return site_answer(context, require_site(context, organization_id, site_id))
