"""Invites: links by which people join an organization, or get access to a space or collection of it."""

from recto.contract.collections import Collection
from recto.contract.common import Limit, ListPage, Role
from recto.contract.model import LEFT_OUT, Body, Model
from recto.contract.operation import Resource, delete, get, patch, post
from recto.contract.spaces import Space


class Invite(Model):
    """An invite: a ``role`` in the organization, or a ``level`` on a space or collection.

    It is ``redundant`` where another invite gives the same or more. The space or collection may be its id alone.
    """

    object: str = "invite"
    id: str
    role: Role | str | None = None
    level: Role | str | None = None
    redundant: bool = False
    space: Space | str | None = None
    collection: Collection | str | None = None


class CreateInvite(Body):
    """A new invite: a ``role``, or a ``level`` with either a ``space`` or a ``collection``."""

    role: Role = LEFT_OUT
    level: Role = LEFT_OUT
    space: str = LEFT_OUT
    collection: str = LEFT_OUT


class UpdateInvite(Body):
    """The access that an invite gives: a ``role``, or a ``level``, or both what and to where."""

    role: Role = LEFT_OUT
    level: Role = LEFT_OUT
    space: str = LEFT_OUT
    collection: str = LEFT_OUT


class Invites(Resource):
    """The invites of an organization."""

    @get("/orgs/{organization_id}/link-invites")
    async def list_invites(
        self, organization_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Invite]":
        """The invites to an organization and to its spaces and collections."""
        ...

    @post("/orgs/{organization_id}/link-invites")
    async def create_invite(self, organization_id: str, body: CreateInvite) -> Invite:
        """Make an invite."""
        ...

    @patch("/orgs/{organization_id}/link-invites/{invite_id}")
    async def update_invite(self, organization_id: str, invite_id: str, body: UpdateInvite) -> Invite:
        """Change what an invite gives."""
        ...

    @delete("/orgs/{organization_id}/link-invites/{invite_id}")
    async def delete_invite(self, organization_id: str, invite_id: str) -> None:
        """Revoke an invite; members who joined through it stay."""
        ...
