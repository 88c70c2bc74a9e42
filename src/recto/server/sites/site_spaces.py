"""Puts spaces on sites and takes them off again."""

from __future__ import annotations

from typing import Any

from recto.contract.structure import UpdateSiteSpace
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Conflict
from recto.server.people.access import standing_of
from recto.server.sites.sites import unused_id
from recto.server.sites.structure import (
    Item,
    addresses_beside,
    check_condition,
    check_path,
    find_item,
    free_path,
    last_position,
    named_item,
    set_fields,
    site_spaces_in,
    visible_items,
)
from recto.server.storage.database import Connection, Row


def add_site_space(
    context: Context,
    site: str,
    space: str,
    *,
    section: str | None = None,
    path: str | None = None,
    title: str | None = None,
    default: bool = False,
) -> str:
    """Link a space to a site, last in a section or at the root, and return the id of the link.

    The first site space of a section is its default, and so is any added with ``default``. ``title`` is for a variant
    with another title than its space. Raises :class:`Conflict` where the space is there already.
    """
    database = context.database
    _refuse_twice(database, site, section, space)
    beside = site_spaces_in(database, site, section)
    own_title: str = database.value("SELECT title FROM spaces WHERE id = ?", space)
    site_space = unused_id(database, "site_spaces", context.ids.site_space)
    database.insert(
        "site_spaces",
        id=site_space,
        site=site,
        section=section,
        space=space,
        path=free_path(path, title or own_title, _paths(database, site, section)),
        title=title,
        position=last_position(database, beside),
    )
    if default or not beside:
        make_default(database, site, section, site_space)
    return site_space


def default_section(database: Connection, site: str) -> str | None:
    """Return the id of a site's default section; ``None`` where it has no sections."""
    section: str | None = database.value("SELECT id FROM sections WHERE site = ? AND is_default", site)
    return section


def update_site_space(context: Context, site: Row, site_space: str, body: UpdateSiteSpace) -> None:
    """Change what the body sets; a condition of ``None`` removes it."""
    database = context.database
    item = Item("site-space", site_space)
    row = find_item(database, site["id"], item)
    changes: dict[str, Any] = {}
    if "path" in body.model_fields_set:
        taken = _paths(database, site["id"], row["section"]) - {row["path"]}
        if body.path in taken:
            _refuse_kept(database, site["id"], row["section"], body.path)
        changes["path"] = check_path(body.path, taken)
    if "condition" in body.model_fields_set:
        changes["condition"] = check_condition(body.condition)
    if "space_id" in body.model_fields_set and body.space_id != row["space"]:
        changes["space"] = usable_space(context, site["organization"], body.space_id)
        _refuse_twice(database, site["id"], row["section"], body.space_id)
    set_fields(database, item, changes)


def remove_site_space(database: Connection, site: str, site_space: str) -> None:
    """Take a space off a site, if it is there; the first that is left in its section succeeds a default.

    Those of deleted spaces come after the others then.
    """
    row = database.one("SELECT * FROM site_spaces WHERE id = ? AND site = ?", site_space, site)
    if row is None:
        return
    database.execute("DELETE FROM site_spaces WHERE id = ?", site_space)
    left = site_spaces_in(database, site, row["section"])
    if row["is_default"] and left:
        make_default(database, site, row["section"], (visible_items(database, site, left) or left)[0].id)


def set_default_site_space(database: Connection, site: str, section: str, site_space: str) -> None:
    """Make a site space its section's default; raises :class:`BadRequest` where it is not in the section."""
    row = named_item(database, site, Item("site-space", site_space), "defaultSiteSpace")
    if row["section"] != section:
        raise BadRequest(f"defaultSiteSpace: the site space {site_space} is not in this section")
    make_default(database, site, section, site_space)


def make_default(database: Connection, site: str, section: str | None, site_space: str) -> None:
    """Make one of the site spaces of a section, or of the root, the default there."""
    database.execute(
        "UPDATE site_spaces SET is_default = (id = ?) WHERE site = ? AND section IS ?", site_space, site, section
    )


def usable_space(context: Context, organization: str, space: str, field: str = "spaceId") -> str:
    """Return the id of a space that may be put on a site of an organization: one of its own that the caller may see.

    Raises :class:`BadRequest`, which names the ``field``, for any other.
    """
    row = context.database.one(
        "SELECT * FROM spaces WHERE id = ? AND organization = ? AND deleted_at IS NULL", space, organization
    )
    if row is None or standing_of(context, organization).on(row) is None:
        raise BadRequest(f"{field}: there is no space {space} in this organization")
    return space


def holds(database: Connection, site: str, section: str | None, space: str) -> bool:
    """Return whether a space is in a section of a site, or at its root."""
    return (
        database.one("SELECT 1 FROM site_spaces WHERE site = ? AND section IS ? AND space = ?", site, section, space)
        is not None
    )


def _refuse_twice(database: Connection, site: str, section: str | None, space: str) -> None:
    if holds(database, site, section, space):
        where = "in this section" if section else "on this site"
        raise Conflict(f"The space {space} is {where} already.")


def _paths(database: Connection, site: str, section: str | None) -> set[str]:
    """Return the paths that are taken in a section, or at the root: also where another section is read there."""
    taken = set(database.column("SELECT path FROM site_spaces WHERE site = ? AND section IS ?", site, section))
    if section is not None:
        own = f"{database.value('SELECT path FROM sections WHERE id = ?', section)}/"
        others = addresses_beside(database, site, section)
        taken |= {address.removeprefix(own) for address in others if address.startswith(own)}
    return taken


def _refuse_kept(database: Connection, site: str, section: str | None, path: str) -> None:
    """Refuse a path that is taken invisibly, by a deleted space that can be restored."""
    kept = database.one(
        "SELECT 1 FROM site_spaces JOIN spaces ON spaces.id = site_spaces.space"
        " WHERE site = ? AND section IS ? AND path = ? AND deleted_at IS NOT NULL",
        site,
        section,
        path,
    )
    if kept is not None:
        raise BadRequest(f"path: “{path}” is kept for a deleted space as long as that can be restored")
