"""What each role lets a member do, for the fields that choose one."""

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
