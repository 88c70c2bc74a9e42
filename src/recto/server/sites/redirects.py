"""Makes redirects: old addresses of a site and where they lead.

A redirect goes with the section or site space that it leads to. One that leads to a page stays when the page is gone:
pages come back, by a revert or a merge, with the id that they had.
"""

from __future__ import annotations

from typing import Any

from recto.contract.redirects import (
    CreateRedirect,
    Destination,
    Redirect,
    RedirectDestination,
    ToAddress,
    ToPage,
    ToSection,
    UpdateRedirect,
)
from recto.server.content.revisions import main_revision, tree_of
from recto.server.context import Context
from recto.server.http.problems import BadRequest, NotFound
from recto.server.people.answers import known
from recto.server.sites.structure import Item, named_item
from recto.server.storage.database import Connection, Row

REDIRECTS = """
    SELECT redirects.* FROM redirects WHERE site = :site
        AND coalesce(site_space, '') NOT IN (SELECT site_spaces.id FROM site_spaces
            JOIN spaces ON spaces.id = site_spaces.space WHERE spaces.deleted_at IS NOT NULL)
"""
"""Selects the redirects of a site; those that lead to a deleted space wait, unseen, for it to be restored."""


def create_redirect(context: Context, site: str, body: CreateRedirect) -> str:
    """Make a redirect and return its id; raises :class:`BadRequest` for a source taken or a destination not there."""
    database = context.database
    _refuse_taken(database, site, body.source)
    redirect = context.ids.fresh()
    database.insert(
        "redirects",
        id=redirect,
        site=site,
        source=body.source,
        permanent=body.permanent,
        created_at=context.stamp(),
        **_columns(database, site, body.destination),
    )
    return redirect


def update_redirect(database: Connection, site: str, redirect: str, body: UpdateRedirect) -> None:
    """Change what the body sets; raises as :func:`find_redirect` and :func:`create_redirect` do."""
    row = find_redirect(database, site, redirect)
    given = body.model_fields_set
    changes: dict[str, Any] = {name: getattr(body, name) for name in ("source", "permanent") if name in given}
    if "source" in given and body.source != row["source"]:
        _refuse_taken(database, site, body.source)
    if "destination" in given:
        changes |= _columns(database, site, body.destination)
    database.update("redirects", redirect, **changes)


def delete_redirect(database: Connection, site: str, redirect: str) -> None:
    """Remove a redirect of a site, if it is there."""
    database.execute("DELETE FROM redirects WHERE id = ? AND site = ?", redirect, site)


def find_redirect(database: Connection, site: str, redirect: str) -> Row:
    """Return the row of a redirect; raises :class:`NotFound` where the site has none such."""
    row = database.one(f"{REDIRECTS} AND id = :id", {"site": site, "id": redirect})
    if row is None:
        raise NotFound(f"There is no redirect {redirect} on this site.")
    return row


def redirect_answer(row: Row) -> Redirect:
    """Return a row of ``redirects`` as a redirect."""
    return Redirect(
        id=row["id"],
        source=row["source"],
        destination=RedirectDestination(
            kind=row["kind"],
            **known(
                site_section_id=row["section"], site_space_id=row["site_space"], page_id=row["page"], url=row["url"]
            ),
        ),
        permanent=bool(row["permanent"]),
        draft=False,
        capture_wildcard=False,
        created_at=row["created_at"],
    )


def _columns(database: Connection, site: str, to: Destination) -> dict[str, Any]:
    """Return a destination as it is stored; one on the site must be there."""
    columns: dict[str, Any] = {"kind": to.kind, "section": None, "site_space": None, "page": None, "url": None}
    if isinstance(to, ToAddress):
        return columns | {"url": to.url}
    if isinstance(to, ToSection):
        named_item(database, site, Item("site-section", to.site_section_id), "destination.siteSectionId")
        return columns | {"section": to.site_section_id}
    link = named_item(database, site, Item("site-space", to.site_space_id), "destination.siteSpaceId")
    if isinstance(to, ToPage):
        if tree_of(database, main_revision(database, link["space"])).get(to.page_id) is None:
            raise BadRequest(f"destination.pageId: there is no page {to.page_id} in the space of this site space")
        columns["page"] = to.page_id
    return columns | {"site_space": to.site_space_id}


def _refuse_taken(database: Connection, site: str, source: str) -> None:
    if database.one("SELECT 1 FROM redirects WHERE site = ? AND source = ?", site, source):
        raise BadRequest(f"source: there is a redirect from “{source}” already")
