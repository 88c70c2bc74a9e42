"""What roles and other values mean, in words for the fields that choose them."""

from __future__ import annotations

from typing import Final

ROLES: Final = {
    "admin": "administers everything",
    "create": "makes spaces, collections and sites, merges and edits",
    "review": "reviews and merges change requests, edits",
    "edit": "edits in change requests, comments",
    "comment": "comments",
    "read": "reads",
}

LEVELS: Final = {**ROLES, "inherit": "as in its parent"}

EDIT_MODES: Final = {
    "live": "edits may be made in main and in change requests",
    "locked": "nothing can be changed",
}
