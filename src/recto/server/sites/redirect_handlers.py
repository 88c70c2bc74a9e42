"""Answers about redirects. Changes take admin."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.redirects import CreateRedirect, Redirect, Redirects, UpdateRedirect
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.sites import redirects
from recto.server.sites.redirects import REDIRECTS, find_redirect, redirect_answer
from recto.server.sites.sites import require_site


@handles(Redirects.list_redirects)
def list_redirects(
    context: Context, organization_id: str, site_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Redirect]:
    """Return the redirects of a site, the oldest first."""
    require_site(context, organization_id, site_id)
    return list_rows(
        context.database,
        REDIRECTS,
        {"site": site_id},
        keys=("created_at", "id"),
        build=redirect_answer,
        page=page,
        limit=limit,
    )


@handles(Redirects.create_redirect, location="/orgs/{organization_id}/sites/{site_id}/redirects/{answer.id}")
def create_redirect(context: Context, organization_id: str, site_id: str, body: CreateRedirect) -> Redirect:
    """Make a redirect."""
    require_site(context, organization_id, site_id, "admin")
    made = redirects.create_redirect(context, site_id, body)
    return redirect_answer(find_redirect(context.database, site_id, made))


@handles(Redirects.update_redirect)
def update_redirect(
    context: Context, organization_id: str, site_id: str, site_redirect_id: str, body: UpdateRedirect
) -> Redirect:
    """Change a redirect."""
    require_site(context, organization_id, site_id, "admin")
    redirects.update_redirect(context.database, site_id, site_redirect_id, body)
    return redirect_answer(find_redirect(context.database, site_id, site_redirect_id))


@handles(Redirects.delete_redirect)
def delete_redirect(context: Context, organization_id: str, site_id: str, site_redirect_id: str) -> None:
    """Remove a redirect, if it is there."""
    require_site(context, organization_id, site_id, "admin")
    redirects.delete_redirect(context.database, site_id, site_redirect_id)
