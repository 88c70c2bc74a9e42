"""Reasons why actions on a change request cannot be done now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.changes import ContentChanges
from recto.contract.reviews import Reviews
from recto.document.text import count
from recto.store.roles import lacks_permission
from recto.tui.actions import not_loaded

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.operation import Operation
    from recto.contract.spaces import SpacePermissions
    from recto.store.resolution import Resolution
    from recto.tui.screens.change_request.facts import RequestFacts

_WRITES = frozenset(
    {
        *("request.update", "item.rename", "request.describe", "request.status"),
        *("request.reviewers", "request.withdraw"),
        *("conflict.apply", "revision.revert"),
    }
)
_WHILE_OPEN = frozenset(
    {
        *("request.merge", "request.update", "review.submit", "conflict.apply"),
        *("request.reviewers", "request.withdraw"),
    }
)
_BY_PAGE = frozenset({"review.viewed", "review.next_page", "review.previous_page"})

_NEEDS: dict[str, tuple[Operation[Any, Any], str]] = {
    "review.submit": (Reviews.list_reviews, "has no reviews"),
    "request.reviewers": (Reviews.list_requested_reviewers, "has no requests for review"),
    "request.withdraw": (Reviews.withdraw_reviewer, "cannot withdraw requests for review"),
    "conflict.apply": (ContentChanges.write_content, "takes no edits of pages"),
    "revision.revert": (ContentChanges.write_content, "takes no edits of pages"),
}
"""What an action needs, and the words for a server that lacks it."""


def why_not(action: str, facts: RequestFacts, resolution: Resolution | None) -> str | None:
    """Return why an action cannot be done as things stand with the change request; ``None`` where it can."""
    request = facts.request.value
    if request is None:
        return (
            not_loaded("the change request", facts.request)
            if action.startswith(("review.", "request.", "item.", "revision."))
            else None
        )
    if (needed := _NEEDS.get(action)) is not None and facts.lacks(needed[0]):
        return f"this server {needed[1]}"
    space = facts.space.value
    if action == "revision.revert" and not request.revision_merged:
        return "the platform names no revision" if request.status == "merged" else "it is not merged"
    against = _why_role_not(action, space.permissions) if space is not None else None
    return against or _why_state_not(action, request) or _why_content_not(action, facts, resolution)


def _why_role_not(action: str, allowed: SpacePermissions) -> str | None:
    if action in ("review.comment", "review.suggest", "review.submit"):
        return lacks_permission(allowed, "comment")
    if action == "request.merge":
        return lacks_permission(allowed, "merge")
    return lacks_permission(allowed, "edit") if action in _WRITES else None


def _why_state_not(action: str, request: ChangeRequest) -> str | None:
    if request.status in ("merged", "archived") and action in _WHILE_OPEN:
        return f"it is {request.status}"
    if action == "request.status" and request.status == "merged":
        return "it is merged"
    if action == "request.update" and not request.outdated:
        return "main has not changed"
    return None


def _why_content_not(action: str, facts: RequestFacts, resolution: Resolution | None) -> str | None:
    if action == "request.withdraw" and not facts.asked_users:
        return "no member is asked to review"
    if action in _BY_PAGE and not facts.pages:
        return "no page is changed"
    if action == "request.conflicts" and resolution is None:
        return "no conflicts"
    if action == "conflict.apply" and resolution is not None and resolution.left:
        return f"{count(resolution.left, 'conflict')} left to resolve"
    return None


def why_not_written(facts: RequestFacts) -> str | None:
    """Return why the pages of the change request cannot be changed."""
    space, request = facts.space.value, facts.request.value
    if space is not None and (reason := lacks_permission(space.permissions, "edit")):
        return reason
    if facts.lacks(ContentChanges.write_content):
        return "this server takes no edits of pages"
    return f"it is {request.status}" if request is not None and request.status in ("merged", "archived") else None
