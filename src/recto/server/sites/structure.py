"""The order of a site's structure: sections and groups under a group or the root, site spaces in a section or the root.

Siblings are numbered by ``position``. An item put somewhere new comes last there; sorting orders among siblings only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from recto.contract.structure import ItemType
from recto.document.expressions.language import ExpressionError, parse
from recto.document.text import printable
from recto.frozen import frozen
from recto.server.content.tree import free_slug, slug_for
from recto.server.http.problems import BadRequest, NotFound
from recto.server.storage.database import Connection, Row

TABLES: dict[ItemType, str] = {
    "site-space": "site_spaces",
    "site-section": "sections",
    "site-section-group": "section_groups",
}
"""The table that holds each kind of item."""

_NAMES: dict[ItemType, str] = {
    "site-space": "site space",
    "site-section": "section",
    "site-section-group": "section group",
    "site-external-link": "external link",  # there are none here
}
_WORD = r"(?!\.{1,2}(?:/|\Z))[^\s/?#\x00-\x1f\x7f]+"  # dots alone lead elsewhere in an address
_PATH = re.compile(f"{_WORD}(/{_WORD})*")


@frozen
class Item:
    """An item of a structure."""

    type: ItemType
    id: str


def find_item(database: Connection, site: str, item: Item) -> Row:
    """Return the row of an item; raises :class:`NotFound` where the site has none such.

    The link to a deleted space waits, unseen, for the space to be restored.
    """
    row = _row(database, site, item)
    if row is None:
        raise NotFound(f"There is no {_NAMES[item.type]} {item.id} on this site.")
    return row


def named_item(database: Connection, site: str, item: Item, field: str) -> Row:
    """Return the row of an item that a body names in ``field``; raises :class:`BadRequest` where there is none."""
    row = _row(database, site, item)
    if row is None:
        raise BadRequest(f"{field}: there is no {_NAMES[item.type]} {item.id} on this site")
    return row


def _row(database: Connection, site: str, item: Item) -> Row | None:
    if item.type not in TABLES:
        return None
    gone = " AND space NOT IN (SELECT id FROM spaces WHERE deleted_at IS NOT NULL)" * (item.type == "site-space")
    return database.one(f"SELECT * FROM {TABLES[item.type]} WHERE id = ? AND site = ?{gone}", item.id, site)


def items_under(database: Connection, site: str, group: str | None) -> list[Item]:
    """Return the sections and groups directly under a group, or at the root, in order."""
    rows = database.all(
        "SELECT 'site-section' AS type, id, position FROM sections WHERE site = :site AND parent IS :parent"
        " UNION ALL SELECT 'site-section-group', id, position FROM section_groups"
        " WHERE site = :site AND parent IS :parent ORDER BY position, id",
        {"site": site, "parent": group},
    )
    return [Item(row["type"], row["id"]) for row in rows]


def site_spaces_in(database: Connection, site: str, section: str | None) -> list[Item]:
    """Return the site spaces of a section, or of the root, in order."""
    ids = database.column(
        "SELECT id FROM site_spaces WHERE site = ? AND section IS ? ORDER BY position, id", site, section
    )
    return [Item("site-space", each) for each in ids]


def visible_items(database: Connection, site: str, items: list[Item]) -> list[Item]:
    """Return the items without the links to deleted spaces, which keep their places until the spaces are restored."""
    hidden = set(
        database.column(
            "SELECT site_spaces.id FROM site_spaces JOIN spaces ON spaces.id = site_spaces.space"
            " WHERE site_spaces.site = ? AND spaces.deleted_at IS NOT NULL",
            site,
        )
    )
    return [item for item in items if item.id not in hidden]


def siblings(database: Connection, site: str, item: Item, row: Row) -> list[Item]:
    """Return an item's siblings and itself, in order."""
    if item.type == "site-space":
        return site_spaces_in(database, site, row["section"])
    return items_under(database, site, row["parent"])


def number(database: Connection, items: list[Item]) -> None:
    """Number items in the order of the list."""
    for kind, table in TABLES.items():
        database.execute_many(
            f"UPDATE {table} SET position = ?1 WHERE id = ?2 AND position <> ?1",
            [(place, item.id) for place, item in enumerate(items) if item.type == kind],
        )


def last_position(database: Connection, items: list[Item]) -> int:
    """Return the position after the last of these siblings."""
    if not items:
        return 0
    return int(position_of(database, items[-1])) + 1


def position_of(database: Connection, item: Item) -> float:
    """Return the position of an item: mostly a whole number, a fraction where what a group held took its place."""
    position: float = database.value(f"SELECT position FROM {TABLES[item.type]} WHERE id = ?", item.id)
    return position


def sort(database: Connection, site: str, item: Item, before: Item | None, after: Item | None) -> None:
    """Put an item before or after one of its siblings; where both are named they must be neighbours.

    Raises :class:`NotFound` for an item that is not there and :class:`BadRequest` for a place that is none.
    """
    row = find_item(database, site, item)
    others = [each for each in siblings(database, site, item, row) if each != item]
    seen = visible_items(database, site, others)
    for field, target in (("before", before), ("after", after)):
        if target is not None and target not in seen:
            raise BadRequest(
                f"position.{field}: the {_NAMES[target.type]} {target.id} is not beside this item;"
                " only siblings can be sorted, so change the parent first"
            )
    if before is not None:
        if after is not None and seen.index(before) != seen.index(after) + 1:
            raise BadRequest("position: before and after are not neighbours")
        others.insert(others.index(before), item)
    else:
        assert after is not None, "a position names one of them"
        others.insert(others.index(after) + 1, item)
    number(database, others)


def reparent(database: Connection, site: str, items: Sequence[Item], parent: str | None) -> None:
    """Put sections and groups under a group or at the root, last; those that are there already stay as they are."""
    position: int | None = None
    for item in items:
        if find_item(database, site, item)["parent"] != parent:
            if position is None:
                position = last_position(database, items_under(database, site, parent))
            database.update(TABLES[item.type], item.id, parent=parent, position=position)
            position += 1


def reading_order(database: Connection, site: str) -> list[str]:
    """Return the ids of a site's sections in the order in which a reader meets them."""
    found: list[str] = []
    waiting = list(reversed(items_under(database, site, None)))
    while waiting:
        item = waiting.pop()
        if item.type == "site-section":
            found.append(item.id)
        else:
            waiting.extend(reversed(items_under(database, site, item.id)))
    return found


def free_path(path: str | None, title: str, taken: set[str]) -> str:
    """Return the requested path, or a free path made from the title.

    Raises :class:`BadRequest` where the path asked for is not one or is taken.
    """
    return free_slug(slug_for(title), taken) if path is None else check_path(path, taken)


def addresses_beside(database: Connection, site: str, section: str | None) -> set[str]:
    """Return the paths of a site's sections, and of the site spaces in them, except those of one section."""
    return set(
        database.column(
            "SELECT path FROM sections WHERE site = :site AND id IS NOT :section"
            " UNION SELECT sections.path || '/' || site_spaces.path FROM site_spaces"
            " JOIN sections ON sections.id = site_spaces.section"
            " WHERE sections.site = :site AND sections.id IS NOT :section",
            {"site": site, "section": section},
        )
    )


def check_path(path: str, taken: set[str]) -> str:
    """Return a path that may be used; raises :class:`BadRequest` where it is not a path or is taken."""
    if not _PATH.fullmatch(path) or printable(path) != path:
        raise BadRequest("path: must be words joined by “/”, without spaces, “?”, “#” and invisible characters")
    if path in taken:
        raise BadRequest(f"path: “{path}” is taken by something else on this site")
    return path


def check_condition(condition: str | None) -> str | None:
    """Return a condition that may be used; raises :class:`BadRequest` where it is not an expression."""
    if condition is None:
        return None
    try:
        parse(condition)
    except ExpressionError as error:
        raise BadRequest(f"condition: {error}") from error
    return condition


def set_fields(database: Connection, item: Item, fields: dict[str, Any]) -> None:
    """Set columns of an item's row."""
    database.update(TABLES[item.type], item.id, **fields)
