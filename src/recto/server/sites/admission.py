"""Admission of readers who are not members to published sites: by a share link's key or a token with claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from recto.document.expressions.language import ExpressionError, parse, truth
from recto.frozen import frozen
from recto.server.context import Context
from recto.server.http.problems import Forbidden
from recto.server.sites.share_links import opens
from recto.server.sites.visitor_claims import verify_claims
from recto.server.storage.database import Row


@frozen
class Visit:
    """A reader of a published site: their claims, and the key of their share link."""

    claims: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None

    def sees(self, site: Row, condition: str | None) -> bool:
        """Return whether this reader meets a condition.

        Conditions count on a site with adaptive content. A condition that cannot be read is never met.
        """
        if condition is None or not site["adaptive"]:
            return True
        try:
            return truth(parse(condition).evaluate({"visitor": {"claims": self.claims}}))
        except ExpressionError:
            return False


def visit(context: Context, site: Row, key: str | None) -> Visit | None:
    """Return how a key opens a published site; ``None`` where it does not, or where the site takes no key.

    Raises ``Forbidden``, which says why, for a token that is expired or forged.
    """
    if key is None or not site["published"]:
        return None
    if site["visibility"] == "share-link":
        return Visit(key=key) if opens(context.database, site["id"], key) else None
    if site["visibility"] == "visitor-auth":
        return Visit(verify_claims(context, site["organization"], key))
    return None


def admit(context: Context, site: Row, key: str | None) -> Visit | None:
    """Return how a key opens a published site; ``None`` where it does not, whatever is wrong with it."""
    try:
        return visit(context, site, key)
    except Forbidden:
        return None
