"""Invite links of organizations, and which of them are redundant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recto.contract.common import ListPage, Role
from recto.contract.invites import CreateInvite, Invite, Invites, UpdateInvite
from recto.contract.operation import DECLARED
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest, NotFound, PreconditionFailed
from recto.server.http.registry import handles
from recto.server.people.access import Standing, allows, refusal, require_organization, standing_of
from recto.server.serializers import known_fields
from recto.server.storage.database import Row

INVITES = """
    SELECT link_invites.*, link_invites.rowid AS sequence FROM link_invites
    LEFT JOIN spaces ON spaces.id = link_invites.space
    LEFT JOIN collections ON collections.id = link_invites.collection
    WHERE link_invites.organization = :organization
        AND (link_invites.space IS NULL
            OR (spaces.organization = link_invites.organization AND spaces.deleted_at IS NULL))
        AND (link_invites.collection IS NULL OR collections.organization = link_invites.organization)
"""
"""Selects the invites of ``:organization``, without those to what has been deleted or has gone elsewhere."""


def add_invite(
    context: Context, organization: str, role: Role, *, space: str | None = None, collection: str | None = None
) -> str:
    """Make an invite to the organization, or to a space or collection of it, and return its id."""
    invite = context.ids.fresh()
    context.database.insert(
        "link_invites",
        id=invite,
        organization=organization,
        space=space,
        collection=collection,
        role=role,
        created_at=context.stamp(),
    )
    return invite


def change_invite(context: Context, invite: str, role: Role, space: str | None, collection: str | None) -> None:
    """Change the role and the target of an invite."""
    context.database.update("link_invites", invite, role=role, space=space, collection=collection)


def remove_invite(context: Context, invite: str) -> None:
    """Delete an invite."""
    context.database.execute("DELETE FROM link_invites WHERE id = ?", invite)


def find_invite(context: Context, organization: str, invite: str) -> Row | None:
    """Return a row of :data:`INVITES`, or ``None``."""
    return context.database.one(
        f"{INVITES} AND link_invites.id = :invite", {"organization": organization, "invite": invite}
    )


class InviteSerializer:
    """Builds the responses about the invites of one organization."""

    def __init__(self, context: Context, organization: str) -> None:
        database = context.database
        # Of invites with the same role and target, the oldest represents all.
        self._oldest: dict[str | None, dict[Role, Row]] = {}
        for row in sorted(database.all(INVITES, {"organization": organization}), key=_age):
            self._oldest.setdefault(_target(row), {}).setdefault(row["role"], row)
        self._collections = _by_id(
            database.all("SELECT id, parent, default_level FROM collections WHERE organization = ?", organization)
        )
        self._spaces = _by_id(
            database.all(
                "SELECT id, parent, default_level FROM spaces WHERE id IN"
                " (SELECT space FROM link_invites WHERE organization = ?)",
                organization,
            )
        )

    def invite(self, row: Row) -> Invite:
        """Return a row of :data:`INVITES` as an invite."""
        where = known_fields(space=row["space"], collection=row["collection"])
        gives: dict[str, Any] = {"level" if where else "role": row["role"]}
        return Invite(id=row["id"], redundant=self._is_redundant(row), **gives, **where)

    def _is_redundant(self, row: Row) -> bool:
        """Whether another invite gives as much or more; of those that give the same to the same the oldest counts."""
        places = self._places(row)

        def covers(other: Row) -> bool:
            given = _role_given(other, places)
            if other["id"] == row["id"] or given is None or not allows(given, row["role"]):
                return False
            same = given == row["role"] and _target(other) == _target(row)
            return not same or _age(other) < _age(row)

        targets = [None, *dict.fromkeys(place["id"] for place in places)]
        return any(covers(other) for target in targets for other in self._oldest.get(target, {}).values())

    def _places(self, row: Row) -> list[Row]:
        """Return the target of an invite and the collections around it; none for an organization."""
        place = self._spaces.get(row["space"]) or self._collections.get(row["collection"])
        places: list[Row] = []
        while place is not None:
            places.append(place)
            place = self._collections.get(place["parent"])
        return places


def _role_given(invite: Row, places: list[Row]) -> Role | None:
    """Return the role that an invite gives on the innermost of these places or, without places, in the organization."""
    role: Role = invite["role"]
    target = _target(invite)
    if target is not None:
        return role if any(place["id"] == target for place in places) else None
    if role == "admin":
        return role
    level = next((place["default_level"] for place in places if place["default_level"] != "inherit"), role)
    given: Role | None = level
    return given


def _target(invite: Row) -> str | None:
    """Return the id of the space or collection to which an invite is; ``None`` for the organization."""
    target: str | None = invite["space"] or invite["collection"]
    return target


def _age(row: Row) -> tuple[str, int]:
    return row["created_at"], row["sequence"]


def _by_id(rows: list[Row]) -> dict[str | None, Row]:
    return {row["id"]: row for row in rows}


Target = tuple[str | None, str | None]
"""The space or the collection to which an invite is; both ``None`` for the organization itself."""


@handles(Invites.list_invites)
def list_invites(
    context: Context, organization_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Invite]:
    """Return the invites, the oldest first: all for an admin, else those whose target the caller administrates."""
    organization = require_organization(context, organization_id)
    place = standing_of(context, organization_id)
    own = _find_administered(context, organization_id, place)
    if not own and not allows(place.role, "admin"):
        raise refusal("admin", f"the organization “{organization['title']}”")
    whole = (
        "true" if allows(place.role, "admin") else "coalesce(space, collection) IN (SELECT value FROM json_each(:own))"
    )
    return list_rows(
        context.database,
        f"SELECT * FROM ({INVITES}) WHERE {whole}",
        {"organization": organization_id, "own": json.dumps(own)},
        keys=("created_at", "sequence"),
        build=InviteSerializer(context, organization_id).invite,
        page=page,
        limit=limit,
        asked=(organization_id,),
    )


@handles(Invites.create_invite)
def create_invite(context: Context, organization_id: str, body: CreateInvite) -> Invite:
    """Make an invite; takes the admin role on its target, and an organization that has invite links enabled."""
    organization = require_organization(context, organization_id)
    role, target = _requested_role(_fields_of(body))
    _require_admin(context, organization, target)
    if not organization["invite_links"]:
        raise PreconditionFailed(
            f"The organization “{organization['title']}” has invite links disabled. An admin can enable them in its"
            " settings (inviteLinks)."
        )
    space, collection = target
    invite = add_invite(context, organization_id, role, space=space, collection=collection)
    return _invite(context, organization_id, invite)


@handles(Invites.update_invite)
def update_invite(context: Context, organization_id: str, invite_id: str, body: UpdateInvite) -> Invite:
    """Change what an invite gives; takes the admin role on its former and its new target."""
    organization = require_organization(context, organization_id)
    row = find_invite(context, organization_id, invite_id)
    if row is None:
        raise NotFound(f"There is no invite {invite_id} in this organization.")
    _require_admin(context, organization, (row["space"], row["collection"]))
    if given := _fields_of(body):
        role, target = _requested_role(_complete(given, row))
        _require_admin(context, organization, target)
        change_invite(context, invite_id, role, *target)
    return _invite(context, organization_id, invite_id)


@handles(Invites.delete_invite)
def delete_invite(context: Context, organization_id: str, invite_id: str) -> None:
    """Delete an invite; takes the admin role on its target."""
    organization = require_organization(context, organization_id)
    row = find_invite(context, organization_id, invite_id)
    if row is not None:
        _require_admin(context, organization, (row["space"], row["collection"]))
        remove_invite(context, invite_id)


def _requested_role(given: Mapping[str, Any]) -> tuple[Role, Target]:
    """Return the requested role and target of an invite; raises :class:`BadRequest` for a mix of both forms."""
    if "role" in given:
        if len(given) > 1:
            raise BadRequest("role: cannot be combined with a space or a collection, whose invites have a level")
        return given["role"], (None, None)
    if "level" not in given:
        raise BadRequest("level: is required" if given else "role: is required, or a level")
    if ("space" in given) == ("collection" in given):
        raise BadRequest("level: needs either a space or a collection with it, and not both")
    return given["level"], (given.get("space"), given.get("collection"))


def _fields_of(body: CreateInvite | UpdateInvite) -> dict[str, Any]:
    return {name: getattr(body, name) for name in body.model_fields_set}


def _complete(given: dict[str, Any], row: Row) -> dict[str, Any]:
    """Return a change of an invite to content with what it leaves as it is: its level, or its space or collection."""
    target = {name: row[name] for name in ("space", "collection") if row[name] is not None}
    if not target or "role" in given:
        return given
    return {"level": row["role"]} | ({} if given.keys() & {"space", "collection"} else target) | given


def _require_admin(context: Context, organization: Row, target: Target) -> None:
    """Raise :class:`Forbidden` for a caller who is not admin of the target, :class:`BadRequest` where it is unknown."""
    space, collection = target
    if space is None and collection is None:
        require_organization(context, organization["id"], "admin")
        return
    kind, wanted = ("space", space) if space is not None else ("collection", collection)
    there_is = "deleted_at IS NULL" if kind == "space" else "true"
    row = context.database.one(
        f"SELECT * FROM {kind}s WHERE id = ? AND organization = ? AND {there_is}", wanted, organization["id"]
    )
    role = standing_of(context, organization["id"]).on(row) if row is not None else None
    if row is None or role is None:
        raise BadRequest(f"{kind}: there is no {kind} {wanted} in this organization")
    if not allows(role, "admin"):
        raise refusal("admin", f"the {kind} “{row['title']}”")


def _find_administered(context: Context, organization: str, place: Standing) -> list[str]:
    """Return the ids of the spaces and collections of which the caller is admin."""
    rows = context.database.all(
        "SELECT id, parent, default_level FROM spaces WHERE organization = :organization AND deleted_at IS NULL"
        " UNION ALL SELECT id, parent, default_level FROM collections WHERE organization = :organization",
        {"organization": organization},
    )
    return [row["id"] for row in rows if allows(place.on(row), "admin")]


def _invite(context: Context, organization: str, invite: str) -> Invite:
    row = find_invite(context, organization, invite)
    assert row is not None
    return InviteSerializer(context, organization).invite(row)
