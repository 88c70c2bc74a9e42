"""Reviews of change requests, and who is asked for one."""

from __future__ import annotations

from collections.abc import Sequence

from recto.checkpoints import checkpoint
from recto.contract.rich_text import Document
from recto.server.content.change_requests import require_open, touch
from recto.server.content.comments import Scope, post_comment
from recto.server.context import Context
from recto.server.http.problems import BadRequest
from recto.server.people.access import space_role
from recto.server.people.answers import known
from recto.server.storage.database import Row


def submit_review(context: Context, scope: Scope, status: str, comment: str | None) -> str:
    """Return a verdict in place of an earlier one of the caller, who is then no longer asked; return the review's id.

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
    said = post_comment(context, scope, comment, review=review) if comment is not None else None
    connection.insert(
        "reviews",
        id=review,
        change_request=row["id"],
        revision=row["revision"],
        reviewer=context.caller,
        requested_by=requested_by,
        status=status,
        comment=said,
        created_at=now,
        updated_at=now,
    )
    withdraw(context, row, context.caller)
    touch(context, row["id"])
    checkpoint("review.after-submit")
    return review


def request_reviewers(
    context: Context, scope: Scope, users: Sequence[str], subject: str | None, description: Document | None = None
) -> None:
    """Ask people for a review, which makes an earlier one of theirs outdated.

    A subject and a description become those of the change request.

    Raises :class:`BadRequest` for a person who may not see the space.
    """
    row = scope.change_request
    assert row is not None
    require_open(row, "sent for review")
    for at, user in enumerate(users):
        if space_role(context, scope.space, user) is None:
            raise BadRequest(f"users[{at}]: {user} is nobody who may see this space")
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
    said = known(subject=subject, description=description.wire().decode() if description is not None else None)
    if said:
        context.database.update("change_requests", row["id"], **said)
    touch(context, row["id"])


def withdraw(context: Context, row: Row, user: str) -> None:
    """Ask a person no longer; one who is not asked is left alone."""
    context.database.execute("DELETE FROM review_requests WHERE change_request = ? AND user = ?", row["id"], user)


def _outdate(context: Context, row: Row, reviewer: str) -> None:
    context.database.execute(
        "UPDATE reviews SET outdated = 1, updated_at = ? WHERE change_request = ? AND reviewer = ? AND NOT outdated",
        context.stamp(),
        row["id"],
        reviewer,
    )
