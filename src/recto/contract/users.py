"""The person who asks."""

from __future__ import annotations

from recto.contract.common import User
from recto.contract.operation import Resource, get


class Users(Resource):
    """People, as far as they can be asked about directly."""

    @get("/user")
    async def get_user(self) -> User:
        """Your own user."""
        ...
