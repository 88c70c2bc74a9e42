"""Handlers of change requests."""

from __future__ import annotations

import json
from typing import Any

from recto.contract.change_requests import (
    ChangeRequest,
    ChangeRequestOrder,
    ChangeRequests,
    ChangeRequestStatus,
    Contributor,
    CreateChangeRequest,
    MergeOutcome,
    UpdateChangeRequest,
)
from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.server.content import change_requests, merges
from recto.server.content.change_requests import (
    CHANGE_REQUESTS,
    find_change_request,
    serialize_again,
    serialize_change_request,
)
from recto.server.content.merges import MergePlan
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest
from recto.server.http.registry import handles
from recto.server.json_responses import item_json, json_list
from recto.server.people.access import require, require_organization, standing_of
from recto.server.serializers import users_by_id
from recto.server.storage.database import Row

_CONTRIBUTIONS = """
    SELECT created_by AS user, 'edit' AS action, count(*) AS times, min(created_at) AS first, max(created_at) AS latest
    FROM revisions WHERE change_request = :change_request AND type = 'edits' GROUP BY created_by
    UNION ALL
    SELECT posted_by, 'comment', count(*), min(posted_at), max(posted_at) FROM (
        SELECT posted_by, posted_at FROM comments WHERE change_request = :change_request
        UNION ALL
        SELECT replies.posted_by, replies.posted_at FROM replies
        JOIN comments ON comments.id = replies.comment WHERE comments.change_request = :change_request
    ) GROUP BY posted_by
"""

_BY_CONTRIBUTOR = """
    AND (EXISTS (SELECT 1 FROM revisions
                 WHERE revisions.change_request = request.id AND type = 'edits' AND created_by = :contributor)
      OR EXISTS (SELECT 1 FROM comments WHERE comments.change_request = request.id AND posted_by = :contributor)
      OR EXISTS (SELECT 1 FROM replies JOIN comments ON comments.id = replies.comment
                 WHERE comments.change_request = request.id AND replies.posted_by = :contributor))
"""


_BY_REVIEWER = """
    AND EXISTS (SELECT 1 FROM review_requests
                WHERE review_requests.change_request = request.id AND review_requests.user = :reviewer)
"""


def _list(
    context: Context,
    where: str,
    values: dict[str, Any],
    *,
    status: str,
    creator: str | None,
    contributor: str | None,
    reviewer: str | None,
    order_by: ChangeRequestOrder | None,
    page: str | None,
    limit: int | None,
) -> ListPage[ChangeRequest]:
    select = f"{CHANGE_REQUESTS} WHERE {where} AND request.status = :status"
    if creator is not None:
        select += " AND request.created_by = :creator"
    if contributor is not None:
        select += _BY_CONTRIBUTOR
    if reviewer is not None:
        select += _BY_REVIEWER
    found: ListPage[Any] = list_rows(
        context.database,
        select,
        {**values, "status": status, "creator": creator, "contributor": contributor, "reviewer": reviewer},
        keys=("updated_at" if order_by == "updatedAt" else "created_at", "number", "id"),
        build=lambda row: row,
        page=page,
        limit=limit,
        order="desc",
    )
    people = users_by_id(context, {row[column] for row in found.items for column in ("created_by", "merged_by")})
    people_json = {user: person.to_json() for user, person in people.items()}

    def serialize(row: Row) -> bytes:
        concerned = (people_json.get(row["created_by"]), people_json.get(row["merged_by"]))
        made_of = (ChangeRequest, context.base_url, context.app_url, *concerned, *row.values())
        return item_json(made_of, lambda: serialize_change_request(context, row, people))

    return json_list(found, [serialize(row) for row in found.items])


@handles(ChangeRequests.list_organization_change_requests)
def list_organization_change_requests(
    context: Context,
    organization_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    status: ChangeRequestStatus = DECLARED,
    creator: str | None = DECLARED,
    contributor: str | None = DECLARED,
    requested_reviewer: str | None = DECLARED,
    order_by: ChangeRequestOrder | None = DECLARED,
) -> ListPage[ChangeRequest]:
    """Return the change requests of the spaces that the caller may see, newest first."""
    require_organization(context, organization_id)
    return _list(
        context,
        "request.space IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps(list(standing_of(context, organization_id).on_spaces()))},
        status=status,
        creator=creator,
        contributor=contributor,
        reviewer=requested_reviewer,
        order_by=order_by,
        page=page,
        limit=limit,
    )


@handles(ChangeRequests.list_change_requests)
def list_change_requests(
    context: Context,
    space_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    status: ChangeRequestStatus = DECLARED,
    creator: str | None = DECLARED,
    contributor: str | None = DECLARED,
    requested_reviewer: str | None = DECLARED,
    order_by: ChangeRequestOrder | None = DECLARED,
) -> ListPage[ChangeRequest]:
    """Return the change requests of a space, newest first."""
    require(context, space_id)
    return _list(
        context,
        "request.space = :space",
        {"space": space_id},
        status=status,
        creator=creator,
        contributor=contributor,
        reviewer=requested_reviewer,
        order_by=order_by,
        page=page,
        limit=limit,
    )


@handles(ChangeRequests.create_change_request, location="/spaces/{space_id}/change-requests/{response.id}")
def create_change_request(context: Context, space_id: str, body: CreateChangeRequest) -> ChangeRequest:
    """Make a draft change request; takes the edit role. No task of an agent is known here, so that none is taken."""
    require(context, space_id, "edit")
    if "agent_task_id" in body.model_fields_set:
        raise BadRequest(f"agentTaskId: there is no agent task {body.agent_task_id}")
    made = change_requests.create_change_request(context, space_id, body.subject or "")
    return serialize_change_request(context, find_change_request(context.database, space_id, made))


@handles(ChangeRequests.get_change_request)
def get_change_request(context: Context, space_id: str, change_request_id: str) -> ChangeRequest:
    """Return a change request by its id or number, with its space's present revision."""
    require(context, space_id)
    found = serialize_change_request(context, find_change_request(context.database, space_id, change_request_id))
    space = context.database.one(
        """SELECT revision, (SELECT count(*) FROM change_requests
            WHERE space = spaces.id AND status IN ('draft', 'open')) AS unfinished FROM spaces WHERE id = ?""",
        space_id,
    )
    if space is None:
        return found
    more = {"space_revision": space["revision"], "space_change_requests": space["unfinished"]}
    return found.model_copy(update=more)


@handles(ChangeRequests.update_change_request)
def update_change_request(
    context: Context, space_id: str, change_request_id: str, body: UpdateChangeRequest
) -> ChangeRequest:
    """Change the subject, description or status; takes the edit role."""
    require(context, space_id, "edit")
    row = find_change_request(context.database, space_id, change_request_id)
    values: dict[str, Any] = {
        name: getattr(body, name) for name in ("subject", "status") if name in body.model_fields_set
    }
    if "description" in body.model_fields_set:
        values["description"] = body.description.to_json().decode() if body.description.nodes else None
    change_requests.update_change_request(context, row, values)
    return serialize_again(context, row)


def _plan_merge(context: Context, space_id: str, change_request_id: str) -> MergePlan:
    require(context, space_id, "review")
    return merges.plan_merge(context, find_change_request(context.database, space_id, change_request_id), "merged")


@handles(ChangeRequests.merge, prepare=_plan_merge, turn="space_id")
def merge(context: Context, space_id: str, change_request_id: str) -> MergeOutcome:
    """Merge a change request into the main content; takes the review role."""
    require(context, space_id, "review")
    row = find_change_request(context.database, space_id, change_request_id)
    outcome = merges.merge(context, row, context.prepared)
    return MergeOutcome(revision=outcome.revision, result=outcome.result)


def _plan_pull(context: Context, space_id: str, change_request_id: str) -> MergePlan:
    require(context, space_id, "edit")
    return merges.plan_merge(context, find_change_request(context.database, space_id, change_request_id), "updated")


@handles(ChangeRequests.pull, prepare=_plan_pull, turn="space_id")
def pull(context: Context, space_id: str, change_request_id: str) -> MergeOutcome:
    """Update a change request from main; takes the edit role."""
    require(context, space_id, "edit")
    row = find_change_request(context.database, space_id, change_request_id)
    outcome = merges.pull(context, row, context.prepared)
    return MergeOutcome(revision=outcome.revision, result=outcome.result)


@handles(ChangeRequests.list_contributors)
def list_contributors(
    context: Context,
    space_id: str,
    change_request_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[Contributor]:
    """Return who wrote or commented on a change request, in the stable order of their first contributions."""
    require(context, space_id)
    row = find_change_request(context.database, space_id, change_request_id)
    people = users_by_id(
        context, context.database.column(f"SELECT user FROM ({_CONTRIBUTIONS})", {"change_request": row["id"]})
    )
    return list_rows(
        context.database,
        f"SELECT * FROM ({_CONTRIBUTIONS}) WHERE user IN (SELECT value FROM json_each(:people))",
        {"change_request": row["id"], "people": json.dumps(list(people))},
        keys=("first", "user", "action"),
        build=lambda each: Contributor(
            user=people[each["user"]], count=each["times"], updated_at=each["latest"], action_type=each["action"]
        ),
        page=page,
        limit=limit,
    )
