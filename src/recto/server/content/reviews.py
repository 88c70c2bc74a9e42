"""Reviews of change requests, and requested reviewers."""

from __future__ import annotations

import json
from collections.abc import Sequence

from recto.checkpoints import checkpoint
from recto.contract.addresses import InChangeRequest
from recto.contract.comments import CommentFormat
from recto.contract.common import ListPage, Urls, User
from recto.contract.operation import DECLARED
from recto.contract.reviews import (
    RequestedReviewer,
    RequestedReviewers,
    RequestReviewers,
    Review,
    Reviews,
    SubmitReview,
)
from recto.contract.rich_text import Document
from recto.server.content.change_requests import find_change_request, require_open, touch_reviews
from recto.server.content.comment_serializers import CommentSerializer
from recto.server.content.comments import Scope, markdown_of, post_comment, scope_at
from recto.server.context import Context
from recto.server.http.paging import list_rows, with_items
from recto.server.http.problems import BadRequest
from recto.server.http.registry import handles
from recto.server.people.access import require, space_role
from recto.server.serializers import known_fields, users_by_id
from recto.server.storage.database import Row


def add_review(context: Context, scope: Scope, status: str, comment: str | None) -> str:
    """Replace the caller's earlier verdict, and end the request for it; return the review's id.

    Raises a 409 where the change request is merged or archived.
    """
    row = scope.change_request
    assert row is not None
    require_open(row, "reviewed")
    connection = context.database
    review, now = context.ids.fresh(), context.stamp()
    requested_by = connection.value(
        "SELECT requested_by FROM review_requests WHERE change_request = ? AND user = ?", row["id"], context.caller
    )
    checkpoint("review.before-submit")
    _outdate(context, row, context.caller)
    posted = post_comment(context, scope, comment, review=review) if comment is not None else None
    connection.insert(
        "reviews",
        id=review,
        change_request=row["id"],
        revision=row["revision"],
        reviewer=context.caller,
        requested_by=requested_by,
        status=status,
        comment=posted,
        created_at=now,
        updated_at=now,
    )
    withdraw(context, row, context.caller)
    touch_reviews(context, row["id"])
    checkpoint("review.after-submit")
    return review


def add_requests(
    context: Context, scope: Scope, users: Sequence[str], subject: str | None, description: Document | None = None
) -> None:
    """Request reviews, which makes earlier reviews of the same people outdated.

    A subject and a description become those of the change request.

    Raises :class:`BadRequest` for a person who may not see the space.
    """
    row = scope.change_request
    assert row is not None
    require_open(row, "sent for review")
    for at, user in enumerate(users):
        if space_role(context, scope.space, user) is None:
            raise BadRequest(f"users[{at}]: the user {user} may not see this space")
        _outdate(context, row, user)
        context.database.execute(
            "INSERT OR REPLACE INTO review_requests (change_request, user, revision, requested_by, created_at)"
            " VALUES (?, ?, ?, ?, ?)",
            row["id"],
            user,
            row["revision"],
            context.caller,
            context.stamp(),
        )
    values = known_fields(
        subject=subject, description=description.to_json().decode() if description is not None else None
    )
    if values:
        context.database.update("change_requests", row["id"], **values)
    touch_reviews(context, row["id"])


def withdraw(context: Context, row: Row, user: str) -> None:
    """Withdraw the request to a reviewer; others are ignored."""
    context.database.execute("DELETE FROM review_requests WHERE change_request = ? AND user = ?", row["id"], user)


def _outdate(context: Context, row: Row, reviewer: str) -> None:
    context.database.execute(
        "UPDATE reviews SET outdated = 1, updated_at = ? WHERE change_request = ? AND reviewer = ? AND NOT outdated",
        context.stamp(),
        row["id"],
        reviewer,
    )


_REVIEWS = "SELECT * FROM reviews WHERE change_request = :change_request"
_REQUESTS = "SELECT * FROM review_requests WHERE change_request = :change_request"


def _people(context: Context, select: str, columns: tuple[str, ...], scope: Scope) -> dict[str, User]:
    users: list[str | None] = []
    for row in context.database.all(select, {"change_request": scope.request_id}):
        users.extend(row[column] for column in columns)
    return users_by_id(context, users)


def _reviews(
    context: Context, scope: Scope, rows: Sequence[Row], people: dict[str, User], form: CommentFormat | None = None
) -> list[Review]:
    """Return rows of ``reviews`` as reviews with their comments."""
    comments = context.database.all(
        "SELECT * FROM comments WHERE id IN (SELECT value FROM json_each(?))",
        json.dumps([row["comment"] for row in rows if row["comment"]]),
    )
    comments_by_id = {comment.id: comment for comment in CommentSerializer(context, scope, comments, form).comments()}
    return [
        Review(
            id=row["id"],
            revision=row["revision"],
            status=row["status"],
            outdated=bool(row["outdated"]),
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            urls=Urls(location=context.location(f"{scope.path}/reviews/{row['id']}")),
            **known_fields(
                reviewer=people.get(row["reviewer"]),
                requested_by=people.get(row["requested_by"]),
                comment=comments_by_id.get(row["comment"]),
            ),
        )
        for row in rows
    ]


def _serialize_requested(row: Row, people: dict[str, User]) -> RequestedReviewer:
    return RequestedReviewer(
        kind="user",
        revision=row["revision"],
        created_at=row["created_at"],
        **known_fields(user=people.get(row["user"]), requested_by=people.get(row["requested_by"])),
    )


@handles(Reviews.list_reviews)
def list_reviews(
    context: Context,
    space_id: str,
    change_request_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    outdated: bool | None = DECLARED,
    format: CommentFormat | None = DECLARED,
) -> ListPage[Review]:
    """Return the reviews of a change request, newest first."""
    scope = scope_at(context, InChangeRequest(space_id, change_request_id))
    people = _people(context, _REVIEWS, ("reviewer", "requested_by"), scope)
    found: ListPage[Row] = list_rows(
        context.database,
        _REVIEWS if outdated is None else f"{_REVIEWS} AND outdated = :outdated",
        {"change_request": scope.request_id, "outdated": outdated},
        keys=("created_at", "id"),
        build=lambda row: row,
        page=page,
        limit=limit,
        order="desc",
    )
    return with_items(found, _reviews(context, scope, found.items, people, format))


def _prepare_review(context: Context, space_id: str, change_request_id: str, body: SubmitReview) -> str | None:
    scope_at(context, InChangeRequest(space_id, change_request_id), "review")
    return markdown_of(body.comment, "comment") if "comment" in body.model_fields_set else None


@handles(
    Reviews.submit_review,
    prepare=_prepare_review,
    location="/spaces/{space_id}/change-requests/{change_request_id}/reviews",
)
def submit_review(context: Context, space_id: str, change_request_id: str, body: SubmitReview) -> Review:
    """Approve or ask for changes; takes the review role."""
    scope = scope_at(context, InChangeRequest(space_id, change_request_id), "review")
    review = add_review(context, scope, body.status, context.prepared)
    row = context.database.one("SELECT * FROM reviews WHERE id = ?", review)
    assert row is not None
    return _reviews(context, scope, [row], users_by_id(context, [row["reviewer"], row["requested_by"]]))[0]


@handles(Reviews.list_requested_reviewers)
def list_requested_reviewers(
    context: Context, space_id: str, change_request_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[RequestedReviewer]:
    """Return the requested reviewers without a review, in the order of the requests."""
    scope = scope_at(context, InChangeRequest(space_id, change_request_id))
    people = _people(context, _REQUESTS, ("user", "requested_by"), scope)
    return list_rows(
        context.database,
        _REQUESTS,
        {"change_request": scope.request_id},
        keys=("created_at", "user"),
        build=lambda row: _serialize_requested(row, people),
        page=page,
        limit=limit,
    )


@handles(Reviews.request_reviewers)
def request_reviewers(
    context: Context, space_id: str, change_request_id: str, body: RequestReviewers
) -> RequestedReviewers:
    """Ask people for a review; takes the edit role."""
    scope = scope_at(context, InChangeRequest(space_id, change_request_id), "edit")
    add_requests(context, scope, body.users, body.subject, body.description)
    people = _people(context, _REQUESTS, ("user", "requested_by"), scope)
    rows = context.database.all(f"{_REQUESTS} ORDER BY created_at, user", {"change_request": scope.request_id})
    return RequestedReviewers(users=tuple(_serialize_requested(row, people) for row in rows))


@handles(Reviews.withdraw_reviewer)
def withdraw_reviewer(context: Context, space_id: str, change_request_id: str, user_id: str) -> None:
    """Withdraw the request to a reviewer; takes the edit role."""
    require(context, space_id, "edit")
    row = find_change_request(context.database, space_id, change_request_id)
    withdraw(context, row, user_id)
    touch_reviews(context, row["id"])
