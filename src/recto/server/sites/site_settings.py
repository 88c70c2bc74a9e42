"""Changes the settings of sites, and what of a site a reader meets first."""

from __future__ import annotations

from typing import Any

from recto.contract.sites import UpdateSite
from recto.server.context import Context
from recto.server.http.problems import BadRequest
from recto.server.sites.sections import make_default_section
from recto.server.sites.site_spaces import make_default
from recto.server.sites.structure import Item, named_item
from recto.server.storage.database import Connection, Row

_TAKEN_AS_IS = frozenset({"title", "visibility", "agents_context", "proxy"})


def update_site(context: Context, site: Row, body: UpdateSite) -> None:
    """Change what the body sets; a proxy of ``None`` removes it.

    A default site space is the default of its section too, and its section becomes the default one.
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
