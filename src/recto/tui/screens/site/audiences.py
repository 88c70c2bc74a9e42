"""What each visibility of a site or a space means."""

from __future__ import annotations

AUDIENCES = {
    "public": "anyone, and search engines index it",
    "unlisted": "anyone who has the address; search engines do not index it",
    "share-link": "anyone who has the secret address of a share link",
    "visitor-auth": "visitors with a token that your service signs",
    "in-collection": "anyone who can access the collection",
    "private": "members only",
}
"""Who can read a site or a space, by its visibility."""
