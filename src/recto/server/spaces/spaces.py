"""Creating, changing, copying, moving, deleting and restoring spaces."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from recto.contract.spaces import (
    SPACE_TITLE_LENGTH,
    CreateSpace,
    EditMode,
    MoveSpace,
    Space,
    Spaces,
    TransferSpace,
    UpdateSpace,
)
from recto.server.content.main_content import begin_space, set_main
from recto.server.content.revisions import content_of, create_revision, main_revision
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Conflict, Forbidden, NotFound
from recto.server.http.registry import handles
from recto.server.people.access import (
    find_deleted,
    require,
    require_organization,
    require_place,
)
from recto.server.spaces import retention
from recto.server.spaces.moving import hand_over_space, move
from recto.server.spaces.positions import PlacedItem, insert, items_in, next_position
from recto.server.spaces.rule_checks import check_rules
from recto.server.spaces.space_reading import find_space
from recto.server.storage.database import Row


@handles(Spaces.delete_space)
def delete_space(context: Context, space_id: str) -> None:
    """Delete a space; takes the admin role. An unknown or deleted space is ignored."""
    with suppress(NotFound):
        require(context, space_id, "admin")
        retention.delete_space(context, space_id)


@handles(Spaces.restore_space)
def restore_space(context: Context, space_id: str) -> Space:
    """Restore a deleted space; takes the admin role."""
    if find_deleted(context, space_id) is None:
        row = require(context, space_id, "admin")
        raise Conflict(f"The space “{row['title']}” is not deleted.")
    retention.restore_space(context, space_id)
    return find_space(context, space_id)


_TAKEN_AS_IS = frozenset({"edit_mode", "title", "default_level", "language"})

UNTITLED = "Untitled"
"""The title of a space that was given none."""


def add_space(
    context: Context,
    organization: str,
    title: str | None = None,
    *,
    parent: str | None = None,
    emoji: str | None = None,
    language: str | None = None,
    edit_mode: EditMode | None = None,
    begin: bool = True,
) -> str:
    """Make a space with an empty first revision, after its siblings, and return its id.

    Without ``begin`` it has no revision yet: the caller makes it in the same transaction.
    """
    space = context.ids.fresh()
    now = context.stamp()
    context.database.insert(
        "spaces",
        id=space,
        organization=organization,
        parent=parent,
        title=title if title is not None else UNTITLED,
        emoji=emoji or "",
        language=language,
        visibility="private" if parent is None else "in-collection",
        edit_mode=edit_mode or "live",
        merge_rules=json.dumps({"type": "inherit"}),
        default_level="inherit",
        position=next_position(context.database, organization, parent),
        created_at=now,
        updated_at=now,
    )
    if begin:
        begin_space(context, space)
    return space


def change_space(context: Context, space: str, body: UpdateSpace) -> None:
    """Change what the body sets; ``default_level``, ``emoji`` and ``icon`` may be set to ``None``."""
    changes: dict[str, Any] = {name: getattr(body, name) for name in _TAKEN_AS_IS & body.model_fields_set}
    # A space has an emoji or an icon: setting either removes the other.
    if body.model_fields_set & {"emoji", "icon"}:
        changes |= {"emoji": body.emoji or "", "icon": body.icon}
    if "merge_rules" in body.model_fields_set:
        changes["merge_rules"] = check_rules(body.merge_rules)
    context.database.update("spaces", space, **changes, updated_at=context.stamp())


_KEPT = ("icon", "edit_mode", "merge_rules", "default_level", "visibility")


def copy_space(context: Context, row: Row) -> str:
    """Make a copy of a space, given its row, right after it and return the copy's id.

    It has the same content, shared with the original, whose pages and files keep their ids, and the same settings.
    """
    database, organization, parent = context.database, row["organization"], row["parent"]
    copy = add_space(
        context,
        organization,
        copy_title(row["title"]),
        parent=parent,
        emoji=row["emoji"],
        language=row["language"],
        begin=False,
    )
    database.update("spaces", copy, **{name: row[name] for name in _KEPT})
    siblings = [each for each in items_in(database, organization, parent) if each["id"] != copy]
    at = next(at for at, each in enumerate(siblings) if each["id"] == row["id"])
    insert(database, siblings, at + 1, [PlacedItem("space", copy)])
    content = content_of(database, main_revision(database, row["id"]))
    set_main(context, create_revision(context, copy, "edits", (), content))
    return copy


def copy_title(title: str) -> str:
    """Return the title of a copy, cut to the length that a title may have."""
    copied = f"Copy of {title or UNTITLED}"
    return copied if len(copied) <= SPACE_TITLE_LENGTH else copied[: SPACE_TITLE_LENGTH - 1] + "…"


@handles(Spaces.create_space, location="/spaces/{response.id}")
def create_space(context: Context, organization_id: str, body: CreateSpace) -> Space:
    """Make a space at the top of the organization or in a collection; takes the create role there."""
    require_organization(context, organization_id)
    require_place(context, organization_id, body.parent)
    space = add_space(
        context,
        organization_id,
        body.title,
        parent=body.parent,
        emoji=body.emoji,
        language=body.language,
        edit_mode=body.edit_mode,
    )
    return find_space(context, space)


@handles(Spaces.update_space)
def update_space(context: Context, space_id: str, body: UpdateSpace) -> Space:
    """Change a space's settings; takes the admin role."""
    require(context, space_id, "admin")
    change_space(context, space_id, body)
    return find_space(context, space_id)


@handles(Spaces.duplicate_space, location="/spaces/{response.id}")
def duplicate_space(context: Context, space_id: str) -> Space:
    """Copy a space that the caller may see; takes the create role where it lies."""
    row = require(context, space_id)
    try:
        require_place(context, row["organization"], row["parent"])
    except BadRequest as problem:
        raise Forbidden(
            f"You may not copy the space “{row['title']}”: you may not see the collection in which the copy would lie."
        ) from problem
    return find_space(context, copy_space(context, row))


@handles(Spaces.move_space)
def move_space(context: Context, space_id: str, body: MoveSpace) -> Space:
    """Move a space; takes the admin role on it, and create where it goes to."""
    row = require(context, space_id, "admin")
    parent = body.parent if "parent" in body.model_fields_set else row["parent"]
    if parent != row["parent"]:
        require_place(context, row["organization"], parent)
    move(context, PlacedItem("space", space_id), row, parent, body.position)
    return find_space(context, space_id)


@handles(Spaces.transfer_space)
def transfer_space(context: Context, space_id: str, body: TransferSpace) -> Space:
    """Transfer a space to another organization; takes the admin role on it, and create there."""
    row = require(context, space_id, "admin")
    hand_over_space(context, row, body.organization)
    return find_space(context, space_id)
