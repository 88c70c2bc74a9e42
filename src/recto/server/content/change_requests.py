"""Change requests: lines of revisions that start from a space's main content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recto.checkpoints import checkpoint
from recto.contract.change_requests import ChangeRequest
from recto.contract.common import Urls, User
from recto.contract.rich_text import Document
from recto.pattern import pattern
from recto.server.content.revisions import Content, StoredRevision, create_revision, main_revision
from recto.server.context import Context
from recto.server.http.problems import Conflict, NotFound
from recto.server.serializers import known_fields, users_by_id
from recto.server.storage.database import Connection, Row
from recto.urls import Thing

_NUMBER = pattern("[1-9][0-9]{0,17}")

CHANGE_REQUESTS = """
    SELECT request.*, spaces.organization, merge.created_at AS merged_at, merge.created_by AS merged_by,
        (SELECT count(*) FROM comments
            WHERE comments.change_request = request.id AND comments.resolved_at IS NULL) AS open_comments,
        request.status <> 'merged' AND main.id <> base.id
            AND (main.root <> base.root OR main.files <> base.files OR main.extras <> base.extras) AS outdated
    FROM change_requests AS request
    JOIN spaces ON spaces.id = request.space
    JOIN revisions AS main ON main.id = spaces.revision
    JOIN revisions AS base ON base.id = coalesce(request.revision_merged_ancestor, request.revision_initial)
    LEFT JOIN revisions AS merge ON merge.id = request.revision_merged
"""
"""Selects change requests with their counter, and whether the main content has moved on from what they are based on."""


def find_change_request(connection: Connection, space: str, change_request: str) -> Row:
    """Return the row of a change request, as :data:`CHANGE_REQUESTS` selects it, by its id or its number in the space.

    Raises :class:`NotFound` where the space has none of that name.
    """
    row = connection.one(f"{CHANGE_REQUESTS} WHERE request.id = ? AND request.space = ?", change_request, space)
    if row is None and _NUMBER.fullmatch(change_request):
        row = connection.one(
            f"{CHANGE_REQUESTS} WHERE request.space = ? AND request.number = ?", space, int(change_request)
        )
    if row is None:
        raise NotFound(f"There is no change request {change_request} in this space.")
    return row


def create_change_request(context: Context, space: str, subject: str = "") -> str:
    """Make a draft change request that starts from the main content and return its id."""
    connection = context.database
    change_request, now = context.ids.fresh(), context.stamp()
    revision = main_revision(connection, space).id
    number = connection.value("SELECT max(number) FROM change_requests WHERE space = ?", space) or 0
    connection.insert(
        "change_requests",
        id=change_request,
        space=space,
        number=number + 1,
        status="draft",
        subject=subject,
        created_by=context.caller,
        created_at=now,
        updated_at=now,
        revision=revision,
        revision_initial=revision,
    )
    return change_request


def find_waiting_requests(connection: Connection, revision: StoredRevision) -> list[Row]:
    """Return the ``id``, ``number`` and newest ``revision`` of unmerged change requests that a revision builds on.

    These are its own and those of the imports before it that are drafts or open; the newest first.
    """
    return connection.all(
        """WITH RECURSIVE line (id, change_request, parents) AS (
            SELECT id, change_request, parents FROM revisions WHERE id = ?
            UNION SELECT before.id, before.change_request, before.parents FROM line
            JOIN revisions AS before ON before.id = json_extract(line.parents, '$[0]')
            WHERE line.change_request IS NOT NULL
        )
        SELECT id, number, revision FROM change_requests
        WHERE id IN (SELECT change_request FROM line) AND status IN ('draft', 'open') ORDER BY number DESC""",
        revision.id,
    )


def base_of(row: Row) -> str:
    """Return the revision of the main content that a change request was last brought up to."""
    base: str = row["revision_merged_ancestor"] or row["revision_initial"]
    return base


def touch_reviews(context: Context, change_request: str) -> None:
    """Note that the reviews of a change request, or the requests for them, have changed."""
    now = context.stamp()
    context.database.update("change_requests", change_request, updated_at=now, reviews_updated_at=now)


def require_open(row: Row, doing: str) -> None:
    """Raise :class:`Conflict` unless the change request is a draft or open; ``doing`` names the refused action."""
    if row["status"] not in ("draft", "open"):
        raise Conflict(f"Change request #{row['number']} is {row['status']}, so it cannot be {doing}.")


def advance(context: Context, row: Row, kind: str, parents: Sequence[str], content: Content) -> StoredRevision:
    """Add a revision to the line of a change request and return it."""
    revision = create_revision(context, row["space"], kind, parents, content, change_request=row["id"])
    context.database.update("change_requests", row["id"], revision=revision.id, updated_at=revision.created_at)
    checkpoint("change-request.after-advance")
    return revision


def update_change_request(context: Context, row: Row, values: Mapping[str, Any]) -> None:
    """Set columns of a change request; raises :class:`Conflict` where its status is to change once it is merged."""
    if "status" in values and row["status"] == "merged":
        raise Conflict(f"Change request #{row['number']} is merged, so its status cannot change.")
    if values:
        context.database.update("change_requests", row["id"], **values, updated_at=context.stamp())


def name_titles(titles: Iterable[str]) -> str:
    """Return titles for a sentence, the first few of many."""
    distinct = list(dict.fromkeys(titles))
    shown = ", ".join(f"“{title}”" for title in distinct[:10])
    return shown + (f" and {len(distinct) - 10} more" if len(distinct) > 10 else "")


def serialize_change_request(context: Context, row: Row, people: dict[str, User] | None = None) -> ChangeRequest:
    """Return a row of :data:`CHANGE_REQUESTS` as a change request."""
    people = people if people is not None else users_by_id(context, [row["created_by"], row["merged_by"]])
    return ChangeRequest(
        id=row["id"],
        number=row["number"],
        status=row["status"],
        subject=row["subject"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        space=row["space"],
        revision=row["revision"],
        revision_initial=row["revision_initial"],
        comments=row["open_comments"],
        comments_updated_at=row["comments_updated_at"] or row["created_at"],
        reviews_updated_at=row["reviews_updated_at"] or row["created_at"],
        outdated=bool(row["outdated"]),
        urls=Urls(
            app=context.app(Thing(space=row["space"], change_request=row["id"])),
            location=context.location(f"/spaces/{row['space']}/change-requests/{row['id']}"),
        ),
        **known_fields(
            created_by=people.get(row["created_by"]),
            description=Document.model_validate_json(row["description"]) if row["description"] else None,
            revision_merged_ancestor=row["revision_merged_ancestor"],
            revision_merged=row["revision_merged"],
            merged_at=row["merged_at"],
            merged_by=people.get(row["merged_by"]),
        ),
    )


def serialize_again(context: Context, row: Row) -> ChangeRequest:
    """Return a change request as it is after an action."""
    return serialize_change_request(context, find_change_request(context.database, row["space"], row["id"]))
