"""The caller."""

from __future__ import annotations

from recto.contract.common import User
from recto.contract.operation import Resource, get


class Users(Resource):
    """The user who calls."""

    @get("/user")
    async def get_user(self) -> User:
        """Your own user."""
        ...
