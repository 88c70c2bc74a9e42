"""Reviews of change requests, and requests for them."""

from typing import Annotated, Literal

from pydantic import Field

from recto.contract.change_requests import Subject
from recto.contract.comments import Comment, CommentBody, CommentBodyInput, CommentFormat
from recto.contract.common import Ids, Limit, ListPage, Urls, User
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, post
from recto.contract.rich_text import Document
from recto.contract.teams import Team

Verdict = Literal["approved", "changes-requested"]


class Review(Model):
    """A review. ``outdated`` where a newer request or review has taken its place."""

    object: str = "change-request-review"
    id: str
    revision: str = ""
    reviewer: User | None = None
    requested_by: User | None = None
    status: Verdict | str = ""
    outdated: bool = False
    comment: Comment | CommentBody | None = None
    urls: Urls = Urls.model_construct()
    created_at: Instant | None = None
    updated_at: Instant | None = None


class SubmitReview(Body):
    """A review to be submitted."""

    status: Verdict
    comment: CommentBodyInput = LEFT_OUT


class RequestedReviewer(Model):
    """A requested reviewer: a person in ``user`` or a team in ``team``, by ``kind``."""

    object: str = "change-request-requested-reviewer"
    kind: Literal["user", "team"] | str = "user"
    user: User | None = None
    team: Team | None = None
    revision: str | None = None
    requested_by: User | None = None
    created_at: Instant | None = None


class RequestReviewers(Body):
    """People to be asked; ``subject`` and ``description`` change those of the change request in the same step."""

    users: Annotated[Ids, Field(min_length=1)]
    subject: Subject = LEFT_OUT
    description: Document = LEFT_OUT


class RequestedReviewers(Model):
    """The reviewers after a request."""

    users: tuple[RequestedReviewer, ...] = ()


class Reviews(Resource):
    """Reviews of a change request."""

    @get("/spaces/{space_id}/change-requests/{change_request_id}/reviews")
    async def list_reviews(
        self,
        space_id: str,
        change_request_id: str,
        page: str | None = None,
        limit: Limit = None,
        outdated: bool | None = None,
        format: CommentFormat | None = None,
    ) -> "ListPage[Review]":
        """The reviews of a change request, newest first: all, only the outdated ones, or only the others."""
        ...

    @post("/spaces/{space_id}/change-requests/{change_request_id}/reviews", status=201)
    async def submit_review(self, space_id: str, change_request_id: str, body: SubmitReview) -> Review:
        """Approve a change request or ask for changes."""
        ...

    @get("/spaces/{space_id}/change-requests/{change_request_id}/requested-reviewers")
    async def list_requested_reviewers(
        self, space_id: str, change_request_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[RequestedReviewer]":
        """Requested reviewers without a review yet."""
        ...

    @post("/spaces/{space_id}/change-requests/{change_request_id}/requested-reviewers")
    async def request_reviewers(
        self, space_id: str, change_request_id: str, body: RequestReviewers
    ) -> RequestedReviewers:
        """Ask people to review."""
        ...

    @delete("/spaces/{space_id}/change-requests/{change_request_id}/requested-reviewers/{user_id}")
    async def withdraw_reviewer(self, space_id: str, change_request_id: str, user_id: str) -> None:
        """Withdraw the request to a reviewer."""
        ...
