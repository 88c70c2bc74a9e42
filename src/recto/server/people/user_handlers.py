"""Answers who the caller is."""

from __future__ import annotations

from recto.contract.common import User
from recto.contract.users import Users
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.http.registry import handles
from recto.server.serializers import serialize_user


@handles(Users.get_user)
def get_user(context: Context) -> User:
    """Return the caller."""
    row = context.database.one("SELECT * FROM users WHERE id = ?", context.caller)
    if row is None:
        raise NotFound("The user of this token is not in this workspace (any more).")
    return serialize_user(context, row)
