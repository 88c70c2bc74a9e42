"""Redirects: old addresses of a site and where they lead. Changes take the admin role."""

from __future__ import annotations

import re
from string import ascii_letters, digits
from typing import Any, Final
from urllib.parse import unquote

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.redirects import (
    CreateRedirect,
    Destination,
    Redirect,
    RedirectDestination,
    Redirects,
    ToAddress,
    ToPage,
    ToSection,
    UpdateRedirect,
)
from recto.server.content.revisions import main_revision, tree_of
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest, NotFound
from recto.server.http.registry import handles
from recto.server.serializers import known_fields
from recto.server.sites.sites import require_site
from recto.server.sites.structure import Item, named_item
from recto.server.storage.database import Connection, Row

REDIRECTS = """
    SELECT redirects.* FROM redirects WHERE site = :site
        AND coalesce(site_space, '') NOT IN (SELECT site_spaces.id FROM site_spaces
            JOIN spaces ON spaces.id = site_spaces.space WHERE spaces.deleted_at IS NOT NULL)
"""
"""Selects the redirects of a site; those that lead to a deleted space wait, unseen, for it to be restored."""

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_UNRESERVED: Final = frozenset(f"{ascii_letters}{digits}-._~")


def add_redirect(context: Context, site: str, body: CreateRedirect) -> str:
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


def change_redirect(database: Connection, site: str, redirect: str, body: UpdateRedirect) -> None:
    """Change what the body sets; raises as :func:`find_redirect` and :func:`add_redirect` do."""
    row = find_redirect(database, site, redirect)
    given = body.model_fields_set
    changes: dict[str, Any] = {name: getattr(body, name) for name in ("source", "permanent") if name in given}
    if "source" in given and _normal(body.source) != _normal(row["source"]):
        _refuse_taken(database, site, body.source)
    if "destination" in given:
        changes |= _columns(database, site, body.destination)
    database.update("redirects", redirect, **changes)


def remove_redirect(database: Connection, site: str, redirect: str) -> None:
    """Remove a redirect of a site, if it is there."""
    database.execute("DELETE FROM redirects WHERE id = ? AND site = ?", redirect, site)


def find_redirect(database: Connection, site: str, redirect: str) -> Row:
    """Return the row of a redirect; raises :class:`NotFound` where the site has none such."""
    row = database.one(f"{REDIRECTS} AND id = :id", {"site": site, "id": redirect})
    if row is None:
        raise NotFound(f"There is no redirect {redirect} on this site.")
    return row


def serialize_redirect(row: Row) -> Redirect:
    """Return a row of ``redirects`` as a redirect."""
    return Redirect(
        id=row["id"],
        source=row["source"],
        destination=RedirectDestination(
            kind=row["kind"],
            **known_fields(
                site_section_id=row["section"], site_space_id=row["site_space"], page_id=row["page"], url=row["url"]
            ),
        ),
        permanent=bool(row["permanent"]),
        draft=False,
        capture_wildcard=False,
        created_at=row["created_at"],
    )


def _columns(database: Connection, site: str, to: Destination) -> dict[str, Any]:
    """Return a destination as it is stored; a target on the site must exist."""
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
    alike = database.all(
        "SELECT id, source FROM redirects WHERE site = ? AND (source = ? OR instr(source, '%') OR instr(?, '%'))",
        site,
        source,
        source,
    )
    taken = next((row for row in alike if _normal(row["source"]) == _normal(source)), None)
    if taken is None:
        return
    if database.one(f"{REDIRECTS} AND id = :id", {"site": site, "id": taken["id"]}) is None:
        kept = "leads to a deleted space, and is kept as long as that can be restored"
        raise BadRequest(f"source: the redirect from “{source}” {kept}")
    raise BadRequest(f"source: there is a redirect from “{source}” already")


def _normal(source: str) -> str:
    """Return a source as all spellings of its address have it (RFC 3986, 6.2.2)."""
    return _ESCAPE.sub(lambda found: _unescape(found[0]), source)


def _unescape(escape: str) -> str:
    character = unquote(escape, "latin-1")
    return character if character in _UNRESERVED else escape.upper()


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
        build=serialize_redirect,
        page=page,
        limit=limit,
    )


@handles(Redirects.create_redirect, location="/orgs/{organization_id}/sites/{site_id}/redirects/{response.id}")
def create_redirect(context: Context, organization_id: str, site_id: str, body: CreateRedirect) -> Redirect:
    """Make a redirect."""
    require_site(context, organization_id, site_id, "admin")
    made = add_redirect(context, site_id, body)
    return serialize_redirect(find_redirect(context.database, site_id, made))


@handles(Redirects.update_redirect)
def update_redirect(
    context: Context, organization_id: str, site_id: str, site_redirect_id: str, body: UpdateRedirect
) -> Redirect:
    """Change a redirect."""
    require_site(context, organization_id, site_id, "admin")
    change_redirect(context.database, site_id, site_redirect_id, body)
    return serialize_redirect(find_redirect(context.database, site_id, site_redirect_id))


@handles(Redirects.delete_redirect)
def delete_redirect(context: Context, organization_id: str, site_id: str, site_redirect_id: str) -> None:
    """Remove a redirect, if it is there."""
    require_site(context, organization_id, site_id, "admin")
    remove_redirect(context.database, site_id, site_redirect_id)
