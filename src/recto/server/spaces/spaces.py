"""Makes and changes spaces, all but their content."""

from __future__ import annotations

import json
from typing import Any

from recto.contract.spaces import EditMode, Space, UpdateSpace
from recto.server.content.revisions import begin_space
from recto.server.context import Context
from recto.server.people.access import space_role
from recto.server.people.answers import SPACES, space_answer
from recto.server.spaces.merge_rules import checked_rules
from recto.server.spaces.positions import next_position

_TAKEN_AS_IS = frozenset({"edit_mode", "title", "default_level", "language"})

UNTITLED = "Untitled"
"""The title of a space that was given none."""


def create_space(
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

    Without ``begin`` it has no revision yet: the caller gives it one in the same transaction.
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


def update_space(context: Context, space: str, body: UpdateSpace) -> None:
    """Change what the body sets; ``default_level``, ``emoji`` and ``icon`` may be set to ``None``."""
    changes: dict[str, Any] = {name: getattr(body, name) for name in _TAKEN_AS_IS & body.model_fields_set}
    # A space has one sign: setting the one takes the other away.
    if body.model_fields_set & {"emoji", "icon"}:
        changes |= {"emoji": body.emoji or "", "icon": body.icon}
    if "merge_rules" in body.model_fields_set:
        changes["merge_rules"] = checked_rules(body.merge_rules)
    context.database.update("spaces", space, **changes, updated_at=context.stamp())


def find_space(context: Context, space: str) -> Space:
    """Return a space as the caller sees it."""
    row = context.database.one(f"{SPACES} WHERE id = ?", space)
    assert row is not None
    return space_answer(context, row, space_role(context, row))
