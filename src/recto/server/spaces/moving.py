"""Moves spaces and collections: to another place in their organization, or to another organization."""

from __future__ import annotations

import json
from collections.abc import Sequence

from recto.contract.positions import Pointer, SiblingPosition, SpacePointer
from recto.server.content.search import queue_computed
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Conflict, Forbidden, PreconditionFailed
from recto.server.people.access import Standing, allows, require_place, standing_of
from recto.server.sites.site_spaces import remove_site_space
from recto.server.spaces.positions import TABLES, PlacedItem, insert, items_in, next_position, read_placed
from recto.server.storage.database import Connection, Row


def move(context: Context, item: PlacedItem, row: Row, parent: str | None, position: SiblingPosition | None) -> None:
    """Move a space or a collection, given its row, into a collection, or to the top with ``None``.

    Without a position it comes last there. Raises :class:`BadRequest` for a place that is none and :class:`Conflict`
    where nothing would change.
    """
    database, organization = context.database, row["organization"]
    if item.type == "collection":
        _refuse_within_itself(database, item.id, parent)
    beside = items_in(database, organization, parent)
    mine = [each for each in beside if read_placed(each) == item]
    others = [each for each in beside if each not in mine]
    if position is not None:
        at = _place(standing_of(context, organization), others, position)
    else:
        at = len(others) if not mine else beside.index(mine[0])
    if mine and _order([*others[:at], *mine, *others[at:]]) == _order(beside):
        raise Conflict(f"The {item.type} “{row['title']}” is there already, so nothing would change.")
    if not mine:
        put_under(context, item, parent)
    insert(database, others, at, [item])


def put_under(context: Context, item: PlacedItem, parent: str | None) -> None:
    """Make a collection the parent of a space or collection, or with ``None`` none; a space's visibility follows."""
    context.database.update(TABLES[item.type], item.id, parent=parent)
    if item.type == "space":
        context.database.execute(
            "UPDATE spaces SET visibility = CASE WHEN visibility NOT IN ('private', 'in-collection') THEN visibility"
            " WHEN parent IS NULL THEN 'private' ELSE 'in-collection' END, updated_at = ? WHERE id = ?",
            context.stamp(),
            item.id,
        )


def hand_over_space(context: Context, row: Row, organization: str) -> None:
    """Transfer a space to another organization, last at its top.

    Raises :class:`BadRequest`, :class:`Forbidden`, :class:`Conflict` or :class:`PreconditionFailed` where it cannot be.
    """
    _check_target(context, row, organization)
    _refuse_on_sites(context.database, [row["id"]])
    _hand_over(context, "space", row["id"], organization)
    put_under(context, PlacedItem("space", row["id"]), None)
    _follow(context.database, [row["id"]], [], organization)


def hand_over_collection(context: Context, row: Row, organization: str) -> None:
    """Transfer a collection with all its items to another organization, last at its top.

    Raises what :func:`hand_over_space` does, and :class:`Forbidden` where something in it is not the caller's to give.
    """
    _check_target(context, row, organization)
    database = context.database
    collections = _subtree(database, row["id"])
    spaces = database.all(
        "SELECT * FROM spaces WHERE parent IN (SELECT value FROM json_each(?))", json.dumps(collections)
    )
    _refuse_foreign(context, row, collections, spaces)
    _refuse_on_sites(database, [space["id"] for space in spaces if space["deleted_at"] is None])
    _hand_over(context, "collection", row["id"], organization)
    put_under(context, PlacedItem("collection", row["id"]), None)
    _follow(database, [space["id"] for space in spaces], collections, organization)


def _hand_over(context: Context, kind: str, each: str, organization: str) -> None:
    position = next_position(context.database, organization, None)
    context.database.update(TABLES[kind], each, organization=organization, position=position)


def _check_target(context: Context, row: Row, organization: str) -> None:
    if standing_of(context, organization).member is None:
        raise BadRequest(f"organization: there is no organization {organization}, or you may not see it")
    if organization == row["organization"]:
        raise Conflict(f"“{row['title']}” is in this organization already, so there is nothing to transfer.")
    require_place(context, organization, None)


def _refuse_foreign(context: Context, row: Row, collections: Sequence[str], spaces: Sequence[Row]) -> None:
    place = standing_of(context, row["organization"])
    inside = context.database.all(
        "SELECT * FROM collections WHERE id IN (SELECT value FROM json_each(?))", json.dumps(collections)
    )
    if not all(allows(place.on(each), "admin") for each in (*inside, *spaces)):
        raise Forbidden(
            f"You may not transfer the collection “{row['title']}”: you need the admin role for everything in it."
        )


def _refuse_on_sites(database: Connection, spaces: Sequence[str]) -> None:
    row = database.one(
        "SELECT spaces.title AS space, sites.title AS site FROM site_spaces"
        " JOIN spaces ON spaces.id = site_spaces.space JOIN sites ON sites.id = site_spaces.site"
        " WHERE space IN (SELECT value FROM json_each(?)) ORDER BY sites.created_at, spaces.position LIMIT 1",
        json.dumps(spaces),
    )
    if row is not None:
        raise PreconditionFailed(
            f"The space “{row['space']}” is on the site “{row['site']}”, which stays with its organization."
            " Take the space off the site first."
        )


def _follow(database: Connection, spaces: Sequence[str], collections: Sequence[str], organization: str) -> None:
    """Transfer the belongings of spaces and collections, and remove what belongs to the old organization."""
    bound = {"spaces": json.dumps(spaces), "collections": json.dumps(collections), "organization": organization}
    some_spaces = "(SELECT value FROM json_each(:spaces))"
    some_collections = "(SELECT value FROM json_each(:collections))"
    database.execute(f"UPDATE spaces SET organization = :organization WHERE id IN {some_spaces}", bound)
    database.execute(f"UPDATE collections SET organization = :organization WHERE id IN {some_collections}", bound)
    database.execute(
        f"DELETE FROM link_invites WHERE space IN {some_spaces} OR collection IN {some_collections}", bound
    )
    # Where the other organization has imported the same folder, it keeps its own record.
    database.execute(f"UPDATE OR IGNORE imports SET organization = :organization WHERE space IN {some_spaces}", bound)
    database.execute(f"DELETE FROM imports WHERE space IN {some_spaces} AND organization <> :organization", bound)
    computed = database.column(f"SELECT DISTINCT space FROM computed_from WHERE space IN {some_spaces}", bound)
    queue_computed(database, computed)
    # Only deleted spaces are still linked to sites, which they would come back to.
    for row in database.all(f"SELECT id, site FROM site_spaces WHERE space IN {some_spaces}", bound):
        remove_site_space(database, row["site"], row["id"])


def _subtree(database: Connection, collection: str) -> list[str]:
    """Return a collection and all collections in it, at whatever depth."""
    return database.column(
        "WITH RECURSIVE inside (id) AS (SELECT ? UNION SELECT collections.id FROM collections"
        " JOIN inside ON collections.parent = inside.id) SELECT id FROM inside",
        collection,
    )


def _refuse_within_itself(database: Connection, collection: str, parent: str | None) -> None:
    if parent is not None and parent in _subtree(database, collection):
        raise BadRequest("parent: a collection cannot move into itself or into a collection that is in it")


def _place(place: Standing, others: Sequence[Row], position: SiblingPosition) -> int:
    """Return the index in ``others`` before which the position is, among what the person may see."""
    seen = [at for at, each in enumerate(others) if each["deleted_at"] is None and place.on(each) is not None]
    found = {
        field: _index(others, seen, getattr(position, field), field)
        for field in ("before", "after")
        if field in position.model_fields_set
    }
    if not found:
        raise BadRequest("position: needs before or after")
    if len(found) == 2 and seen.index(found["before"]) != seen.index(found["after"]) + 1:
        raise BadRequest("position: before and after are not neighbours")
    return found["before"] if "before" in found else found["after"] + 1


def _index(others: Sequence[Row], seen: Sequence[int], pointer: Pointer, field: str) -> int:
    target = pointer.space if isinstance(pointer, SpacePointer) else pointer.collection
    for at in seen:
        if read_placed(others[at]) == PlacedItem(pointer.type, target):
            return at
    raise BadRequest(f"position.{field}: there is no {pointer.type} {target} in the same parent")


def _order(rows: Sequence[Row]) -> list[PlacedItem]:
    return [read_placed(row) for row in rows if row["deleted_at"] is None]
