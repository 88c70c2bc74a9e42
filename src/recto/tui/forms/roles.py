"""What each role lets a member do, wherever one is chosen."""

from __future__ import annotations

from typing import Final

ROLES: Final = {
    "admin": "administers everything",
    "create": "creates spaces and collections, edits and merges",
    "review": "reviews and merges, edits",
    "edit": "edits in change requests, comments",
    "comment": "reads and comments",
    "read": "reads",
}
