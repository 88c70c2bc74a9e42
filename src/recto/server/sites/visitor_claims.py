"""Claims of visitors: signed for members, checked on published sites.

Claims travel as a JSON Web Token signed with HS256. The key is the organization's own: made when it is first needed,
kept in the workspace, never shown.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from types import ModuleType
from typing import Any, Final

from recto.server.context import Context
from recto.server.http.problems import Forbidden

LIFETIME: Final = timedelta(hours=1)
"""How long claims are valid."""

_ALGORITHM: Final = "HS256"
_KEY_BYTES: Final = 32

_ASK_AGAIN = "Ask the organization for a new token."


def sign_claims(context: Context, organization: str, user: str) -> str:
    """Return a token with a member's claims: ``sub``, ``name``, ``email``, ``role`` and the ids of ``teams``.

    It is for this organization alone (``aud``) and good for :data:`LIFETIME` by the context's clock. Only inside a
    transaction that writes: the organization's key may have to be made.
    """
    now = context.now()
    claims = {
        "sub": user,
        "aud": organization,
        "iat": int(now.timestamp()),
        "exp": int((now + LIFETIME).timestamp()),
        **_about(context, organization, user),
    }
    token: str = _jwt().encode(claims, _key(context, organization) or _make_key(context, organization), _ALGORITHM)
    return token


def verify_claims(context: Context, organization: str, token: str) -> dict[str, Any]:
    """Return the claims of a token that this organization signed and that is still good.

    Raises :class:`Forbidden` for a token that is expired, forged, signed in another way or not at
    all, or meant for another organization.
    """
    jwt, key = _jwt(), _key(context, organization)
    if key is None:
        raise _foreign_token()
    try:
        # PyJWT uses the system's clock; the times are compared below with the context's.
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            [_ALGORITHM],
            audience=organization,
            options={"require": ["sub", "exp", "iat"], "verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )
    except (jwt.InvalidTokenError, ValueError, RecursionError) as error:  # anyone may send anything
        raise _foreign_token() from error
    if not all(isinstance(claims[name], int) for name in ("exp", "iat")):
        raise _foreign_token()
    if claims["exp"] <= context.now().timestamp():
        raise Forbidden(f"The visitor token has expired. {_ASK_AGAIN}")
    return claims


def _about(context: Context, organization: str, user: str) -> dict[str, Any]:
    """Return the known details of a member."""
    person = context.database.one(
        "SELECT users.display_name AS name, users.email, members.role FROM members"
        " JOIN users ON users.id = members.user WHERE members.organization = ? AND members.user = ?",
        organization,
        user,
    )
    teams = context.database.all(
        "SELECT team FROM team_members WHERE organization = ? AND user = ? ORDER BY team", organization, user
    )
    known = {name: value for name, value in (person or {}).items() if value is not None}
    return known | {"teams": [row["team"] for row in teams]}


def _key(context: Context, organization: str) -> bytes | None:
    key: bytes | None = context.database.value("SELECT key FROM visitor_keys WHERE organization = ?", organization)
    return key


def _make_key(context: Context, organization: str) -> bytes:
    key = secrets.token_bytes(_KEY_BYTES)
    context.database.insert("visitor_keys", organization=organization, key=key)
    return key


def _foreign_token() -> Forbidden:
    return Forbidden(f"The visitor token was not signed by this organization. {_ASK_AGAIN}")


def _jwt() -> ModuleType:
    """Import PyJWT, which only visitors need."""
    import jwt

    return jwt
