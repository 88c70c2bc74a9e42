"""Roles and visibilities in words, wherever they are chosen."""

from __future__ import annotations

from typing import Final

AUDIENCES = {
    "public": "anyone, and search engines index it",
    "unlisted": "anyone who has the address; search engines do not index it",
    "share-link": "anyone who has the secret address of a share link",
    "visitor-auth": "visitors with a token that your service signs",
    "in-collection": "anyone who can access the collection",
    "private": "members only",
}
"""The readers of a site or a space, by its visibility."""


ROLES: Final = {
    "admin": "administers everything",
    "create": "creates spaces and collections, edits and merges",
    "review": "reviews and merges, edits",
    "edit": "edits in change requests, comments",
    "comment": "reads and comments",
    "read": "reads",
}
