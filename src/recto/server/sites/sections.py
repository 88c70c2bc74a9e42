"""Sections of sites, and groups of sections."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recto.contract.structure import UpdateGroup, UpdateSection
from recto.server.context import Context
from recto.server.http.problems import BadRequest
from recto.server.sites.site_spaces import default_section, set_default_site_space
from recto.server.sites.sites import unused_id
from recto.server.sites.structure import (
    TABLES,
    Item,
    addresses_beside,
    check_condition,
    check_path,
    find_item,
    free_path,
    items_under,
    last_position,
    named_item,
    position_of,
    reading_order,
    reparent,
    set_fields,
)
from recto.server.storage.database import Connection

MAX_DEPTH = 10
"""The deepest nesting of groups."""


def create_section(
    context: Context,
    site: str,
    title: str,
    *,
    icon: str | None = None,
    path: str | None = None,
    description: str | None = None,
    parent: str | None = None,
    default: bool = False,
) -> str:
    """Make a section, last in a group or at the root, and return its id.

    The first section of a site is its default and gathers the site spaces that were at the root.
    """
    database = context.database
    first = default_section(database, site) is None
    section = unused_id(database, "sections", context.ids.section)
    database.insert(
        "sections",
        id=section,
        site=site,
        parent=parent,
        title=title,
        description=description,
        icon=icon,
        path=free_path(path, title, addresses_beside(database, site, None)),
        position=last_position(database, items_under(database, site, parent)),
    )
    if first:
        database.execute("UPDATE site_spaces SET section = ? WHERE site = ? AND section IS NULL", section, site)
    if first or default:
        make_default_section(database, site, section)
    return section


def update_section(context: Context, site: str, section: str, body: UpdateSection) -> None:
    """Change what the body sets; ``None`` removes a condition, an icon or a description, or moves to the root."""
    database = context.database
    item = Item("site-section", section)
    row = find_item(database, site, item)
    given = body.model_fields_set
    changes: dict[str, Any] = {name: getattr(body, name) for name in ("title", "icon", "description") if name in given}
    if "condition" in given:
        changes["condition"] = check_condition(body.condition)
    if "path" in given:
        changes["path"] = check_path(body.path, _taken_paths(database, site, section) - {row["path"]})
    set_fields(database, item, changes)
    if "default_site_space" in given:
        set_default_site_space(database, site, section, body.default_site_space)
    if "site_section_group_id" in given:
        group = body.site_section_group_id
        if group is not None:
            named_item(database, site, Item("site-section-group", group), "siteSectionGroupId")
        reparent(database, site, [item], group)


def remove_section(database: Connection, site: str, section: str) -> None:
    """Remove a section with its site spaces, if it is there; the first that is left replaces a default."""
    was_default = default_section(database, site) == section
    database.execute("DELETE FROM sections WHERE id = ? AND site = ?", section, site)
    left = reading_order(database, site)
    if was_default and left:
        make_default_section(database, site, left[0])


def make_default_section(database: Connection, site: str, section: str) -> None:
    """Make a section the default one of its site."""
    database.execute("UPDATE sections SET is_default = (id = ?) WHERE site = ?", section, site)


def create_group(
    context: Context,
    site: str,
    title: str,
    *,
    icon: str | None = None,
    parent: str | None = None,
    sections: Iterable[str] = (),
) -> str:
    """Make a group, last in another or at the root, put these sections into it in order, and return its id."""
    database = context.database
    if parent is not None:
        named_item(database, site, Item("site-section-group", parent), "parent")
        _refuse_too_deep(database, parent, 1, "parent")
    group = unused_id(database, "section_groups", context.ids.section_group)
    database.insert(
        "section_groups",
        id=group,
        site=site,
        parent=parent,
        title=title,
        icon=icon,
        position=last_position(database, items_under(database, site, parent)),
    )
    items = [Item("site-section", section) for section in dict.fromkeys(sections)]
    for at, item in enumerate(items):
        named_item(database, site, item, f"sections[{at}]")
    reparent(database, site, items, group)
    return group


def update_group(context: Context, site: str, group: str, body: UpdateGroup) -> None:
    """Change what the body sets; ``None`` removes an icon, or moves to the root."""
    database = context.database
    item = Item("site-section-group", group)
    find_item(database, site, item)
    given = body.model_fields_set
    set_fields(database, item, {name: getattr(body, name) for name in ("title", "icon") if name in given})
    if "parent_section_group_id" in given:
        parent = body.parent_section_group_id
        if parent is not None:
            named_item(database, site, Item("site-section-group", parent), "parentSectionGroupId")
            if group in _up_from(database, parent):
                raise BadRequest("parentSectionGroupId: a group cannot be inside itself or its own contents")
            _refuse_too_deep(database, parent, _height(database, site, group), "parentSectionGroupId")
        reparent(database, site, [item], parent)


def remove_group(database: Connection, site: str, group: str) -> None:
    """Remove a group, if it is there; what it holds takes its place."""
    row = database.one("SELECT * FROM section_groups WHERE id = ? AND site = ?", group, site)
    if row is None:
        return
    held = items_under(database, site, group)
    beside = items_under(database, site, row["parent"])
    after = beside[beside.index(Item("site-section-group", group)) + 1 :]
    first: float = row["position"]
    end = position_of(database, after[0]) if after else first + 1
    # They share the room that the group had: nothing beside it moves, so that pages of lists miss nothing.
    for at, item in enumerate(held):
        database.update(
            TABLES[item.type], item.id, parent=row["parent"], position=first + at * (end - first) / len(held)
        )
    database.execute("DELETE FROM section_groups WHERE id = ?", group)


def put_into_group(database: Connection, site: str, group: str, section: str) -> None:
    """Put a section into a group, last; raises ``NotFound`` or :class:`BadRequest` where it is not on the site."""
    find_item(database, site, Item("site-section-group", group))
    item = Item("site-section", section)
    named_item(database, site, item, "sectionId")
    reparent(database, site, [item], group)


def take_out_of_group(database: Connection, site: str, group: str, section: str) -> None:
    """Put a section of a group at the root, last; nothing happens where it is not in the group."""
    if database.one("SELECT 1 FROM sections WHERE id = ? AND site = ? AND parent = ?", section, site, group):
        reparent(database, site, [Item("site-section", section)], None)


def _up_from(database: Connection, group: str) -> list[str]:
    """Return a group and those that it lies in, from the inside out."""
    found: list[str] = []
    at: str | None = group
    while at is not None:
        found.append(at)
        at = database.value("SELECT parent FROM section_groups WHERE id = ?", at)
    return found


def _height(database: Connection, site: str, group: str) -> int:
    """Return the depth of groups from this group inwards, itself counted."""
    inner = [item.id for item in items_under(database, site, group) if item.type == "site-section-group"]
    return 1 + max((_height(database, site, each) for each in inner), default=0)


def _refuse_too_deep(database: Connection, parent: str, height: int, field: str) -> None:
    if len(_up_from(database, parent)) + height > MAX_DEPTH:
        raise BadRequest(f"{field}: at most {MAX_DEPTH} levels of groups")


def _taken_paths(database: Connection, site: str, section: str) -> set[str]:
    """Return the paths that a section may not have: it, or a site space in it, would be where something else is."""
    others = addresses_beside(database, site, section)
    inside = database.column("SELECT path FROM site_spaces WHERE section = ?", section)
    return others | {one.removesuffix(f"/{path}") for path in inside for one in others if one.endswith(f"/{path}")}
