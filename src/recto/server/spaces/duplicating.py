"""Copies spaces."""

from __future__ import annotations

from recto.contract.spaces import SPACE_TITLE_LENGTH
from recto.server.content.revisions import content_of, create_revision, main_revision, set_main
from recto.server.context import Context
from recto.server.spaces.positions import Shelved, insert, on_shelf
from recto.server.spaces.spaces import UNTITLED, create_space
from recto.server.storage.database import Row

_KEPT = ("icon", "edit_mode", "merge_rules", "default_level", "visibility")


def duplicate_space(context: Context, row: Row) -> str:
    """Make a copy of a space, given its row, right after it and return the copy's id.

    It has the same content, shared with the original, whose pages and files keep their ids, and the same settings.
    """
    database, organization, parent = context.database, row["organization"], row["parent"]
    copy = create_space(
        context,
        organization,
        copy_title(row["title"]),
        parent=parent,
        emoji=row["emoji"],
        language=row["language"],
        begin=False,
    )
    database.update("spaces", copy, **{name: row[name] for name in _KEPT})
    siblings = [each for each in on_shelf(database, organization, parent) if each["id"] != copy]
    at = next(at for at, each in enumerate(siblings) if each["id"] == row["id"])
    insert(database, siblings, at + 1, [Shelved("space", copy)])
    content = content_of(database, main_revision(database, row["id"]))
    set_main(context, create_revision(context, copy, "edits", (), content))
    return copy


def copy_title(title: str) -> str:
    """Return the title of a copy, cut to the length that a title may have."""
    copied = f"Copy of {title or UNTITLED}"
    return copied if len(copied) <= SPACE_TITLE_LENGTH else copied[: SPACE_TITLE_LENGTH - 1] + "…"
