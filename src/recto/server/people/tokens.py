"""Tokens of users: a hash of each, its owner, purpose and age."""

from __future__ import annotations

import hashlib
import secrets

from recto.frozen import frozen
from recto.server.context import Context
from recto.server.storage.database import Connection, Row

PREFIX = "recto_"
"""The beginning of each token, by which scanners for leaked secrets recognise it."""

_ID_DIGITS = 10

# An id is the beginning of the hash: it tells tokens apart and says nothing about their content.
_TOKENS = f"""
    SELECT lower(substr(hex(tokens.hash), 1, {_ID_DIGITS})) AS id, tokens.user, users.display_name, users.email,
        tokens.label, tokens.created_at
    FROM tokens JOIN users ON users.id = tokens.user
"""


@frozen
class Token:
    """A stored token, without its secret, which only its holder knows."""

    id: str
    user: str
    name: str
    email: str | None
    label: str
    created_at: str


def digest(token: str) -> bytes:
    """Return the stored form of a token: its SHA-256."""
    return hashlib.sha256(token.encode()).digest()


def make_token(context: Context, user: str, label: str = "") -> tuple[Token, str]:
    """Make a token that speaks for a user, and return its record and the secret."""
    secret = PREFIX + secrets.token_urlsafe(32)
    context.database.insert("tokens", hash=digest(secret), user=user, label=label, created_at=context.stamp())
    made = context.database.one(f"{_TOKENS} WHERE tokens.hash = ?", digest(secret))
    assert made is not None
    return _token(made), secret


def all_tokens(database: Connection) -> list[Token]:
    """Return all tokens, oldest first."""
    return [_token(row) for row in database.all(f"{_TOKENS} ORDER BY tokens.created_at, id")]


def revoke_token(database: Connection, id: str) -> Token | None:
    """Revoke the token with this id and return its record; ``None`` for an unknown token."""
    found = next((token for token in all_tokens(database) if token.id == id), None)
    if found is not None:
        database.execute(f"DELETE FROM tokens WHERE lower(substr(hex(hash), 1, {_ID_DIGITS})) = ?", id)
    return found


def user_of(database: Connection, token: str) -> str | None:
    """Return the id of the user for whom a token speaks; ``None`` for an unknown or revoked token."""
    user: str | None = database.value("SELECT user FROM tokens WHERE hash = ?", digest(token))
    return user


def _token(row: Row) -> Token:
    return Token(row["id"], row["user"], row["display_name"], row["email"], row["label"], row["created_at"])
