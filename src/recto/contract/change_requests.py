"""Change requests: proposed edits, from draft to merged or archived."""

from typing import Annotated, Literal

from pydantic import Field

from recto.contract.common import ContentReference, Limit, ListPage, Urls, User
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, get, patch, post
from recto.contract.rich_text import Document

ChangeRequestStatus = Literal["draft", "open", "archived", "merged"]
ChangeRequestOrder = Literal["createdAt", "updatedAt"]
"""By what change requests are sorted, newest first, where a service sorts by either."""

Subject = Annotated[str, Field(max_length=100)]


class ChangeRequestLink(Model):
    """Something elsewhere that a change request is about, such as a ticket."""

    id: str
    ref: ContentReference | None = None
    title: str | None = None


class ChangeRequest(Model):
    """A change request. ``comments`` counts the open ones; ``outdated`` where the main content has moved on.

    Where a service tells, ``comments_updated_at`` is when anything in its comments last changed, their replies and
    reactions included, and ``reviews_updated_at`` the same of its reviews and the requests for them;
    ``space_revision`` is the revision of the main content, and ``space_change_requests`` counts those of the space that
    are drafts or open.
    """

    object: str = "change-request"
    id: str
    number: int = 0
    status: ChangeRequestStatus | str = "open"
    subject: str = ""
    description: Document | None = None
    created_by: User | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    space: str = ""
    revision: str = ""
    revision_initial: str = ""
    revision_merged_ancestor: str | None = None
    revision_merged: str | None = None
    merged_at: Instant | None = None
    merged_by: User | None = None
    links: tuple[ChangeRequestLink, ...] = ()
    comments: int = 0
    comments_updated_at: Instant | None = None
    reviews_updated_at: Instant | None = None
    space_revision: str | None = None
    space_change_requests: int | None = None
    outdated: bool = False
    urls: Urls = Urls.model_construct()

    @property
    def base(self) -> str:
        """The revision of the main content that the change request was last brought up to."""
        return self.revision_merged_ancestor or self.revision_initial


class CreateChangeRequest(Body):
    """A new change request; an agent's task that it is to carry out must be known to the platform."""

    subject: Subject = LEFT_OUT
    agent_task_id: str = LEFT_OUT


class UpdateChangeRequest(Body):
    """Changes to a change request; an empty description takes it away. Only a merge makes it merged."""

    subject: Subject = LEFT_OUT
    description: Document = LEFT_OUT
    status: Literal["draft", "open", "archived"] = LEFT_OUT


class MergeOutcome(Model):
    """Result of a merge or an update: the new revision, and ``merge``, ``update`` or ``conflicts``."""

    revision: str
    result: Literal["merge", "update", "conflicts"] | str


class Contributor(Model):
    """Author or commenter of a change request, with the number of contributions."""

    user: User
    count: int = 0
    updated_at: Instant | None = None
    action_type: Literal["edit", "comment"] | str = "edit"


class ChangeRequests(Resource):
    """Change requests; ``change_request_id`` is an id or the number within the space."""

    @get("/orgs/{organization_id}/change-requests")
    async def list_organization_change_requests(
        self,
        organization_id: str,
        page: str | None = None,
        limit: Limit = None,
        status: ChangeRequestStatus = "open",
        creator: str | None = None,
        contributor: str | None = None,
        requested_reviewer: str | None = None,
        order_by: ChangeRequestOrder | None = None,
    ) -> "ListPage[ChangeRequest]":
        """The change requests of all spaces of an organization, by status."""
        ...

    @get("/spaces/{space_id}/change-requests")
    async def list_change_requests(
        self,
        space_id: str,
        page: str | None = None,
        limit: Limit = None,
        status: ChangeRequestStatus = "open",
        creator: str | None = None,
        contributor: str | None = None,
        requested_reviewer: str | None = None,
        order_by: ChangeRequestOrder | None = None,
    ) -> "ListPage[ChangeRequest]":
        """The change requests of a space, by status."""
        ...

    @post("/spaces/{space_id}/change-requests", status=201)
    async def create_change_request(self, space_id: str, body: CreateChangeRequest) -> ChangeRequest:
        """Make a change request that starts from the space's main content."""
        ...

    @get("/spaces/{space_id}/change-requests/{change_request_id}")
    async def get_change_request(self, space_id: str, change_request_id: str) -> ChangeRequest:
        """A change request."""
        ...

    @patch("/spaces/{space_id}/change-requests/{change_request_id}")
    async def update_change_request(
        self, space_id: str, change_request_id: str, body: UpdateChangeRequest
    ) -> ChangeRequest:
        """Change a change request's subject, description or status."""
        ...

    @post("/spaces/{space_id}/change-requests/{change_request_id}/merge")
    async def merge(self, space_id: str, change_request_id: str) -> MergeOutcome:
        """Merge the change request into the space's main content."""
        ...

    @post("/spaces/{space_id}/change-requests/{change_request_id}/update")
    async def pull(self, space_id: str, change_request_id: str) -> MergeOutcome:
        """Update the change request from the space's main content."""
        ...

    @get("/spaces/{space_id}/change-requests/{change_request_id}/contributors")
    async def list_contributors(
        self, space_id: str, change_request_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Contributor]":
        """People who wrote or commented on a change request."""
        ...
