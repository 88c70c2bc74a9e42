"""Handlers of comments and replies, on spaces and on change requests."""

from __future__ import annotations

import json
from typing import Any

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import (
    Comment,
    CommentFormat,
    CommentReply,
    Comments,
    CommentStatus,
    PostComment,
    PostReply,
    UpdateChangeRequestReply,
    UpdateComment,
    UpdateReply,
)
from recto.contract.common import ListPage, Order
from recto.contract.members import Member
from recto.contract.operation import DECLARED
from recto.server.content import comments, keys
from recto.server.content.comment_serializers import CommentSerializer
from recto.server.content.comments import Anchor, Scope, find_comment, find_reply, scope_at
from recto.server.content.revisions import tree_of
from recto.server.context import Context
from recto.server.http.paging import list_rows, with_items
from recto.server.http.registry import handles
from recto.server.json_responses import json_list
from recto.server.people.access import VisibleSpaces
from recto.server.people.members import MEMBER_COLUMNS, serialize_member
from recto.server.storage.database import Row

_IN_SCOPE = "comments.space = :space AND comments.change_request IS :change_request"

_COMMENTERS = f"""
    SELECT {MEMBER_COLUMNS} FROM members JOIN users ON users.id = members.user
    WHERE members.organization = :organization AND users.id IN (
        SELECT posted_by FROM comments WHERE {_IN_SCOPE}
        UNION SELECT replies.posted_by FROM replies JOIN comments ON comments.id = replies.comment WHERE {_IN_SCOPE})
"""


def _bindings(scope: Scope) -> dict[str, Any]:
    return {"space": scope.space["id"], "change_request": scope.request_id}


def _comment(context: Context, scope: Scope, comment: str, form: CommentFormat | None = None) -> Comment:
    row = find_comment(context, scope, comment)
    return CommentSerializer(context, scope, [row], form).comment(row)


def _reply(context: Context, scope: Scope, comment: str, reply: str, form: CommentFormat | None = None) -> CommentReply:
    row = find_reply(context, find_comment(context, scope, comment), reply)
    return CommentSerializer(context, scope, [row], form).reply(row)


def _read_page(context: Context, scope: Scope, page: str | None) -> None:
    """Read the blocks of a page ahead of the transaction that needs them."""
    node = tree_of(context.database, scope.revision(context)).get(page) if page is not None else None
    if node is not None:
        keys.previews(context.database, node.id, node.text)


@handles(Comments.list_comments)
def list_comments(
    context: Context,
    at: Main | InChangeRequest,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    order: Order = DECLARED,
    status: CommentStatus | str = DECLARED,
    format: CommentFormat | None = DECLARED,
    target_page: str | None = DECLARED,
    authors: tuple[str, ...] = DECLARED,
) -> ListPage[Comment]:
    """Return the comments on a space or a change request."""
    scope = scope_at(context, at)
    where = [_IN_SCOPE]
    values = _bindings(scope)
    if status != "all":
        where.append("resolved_at IS NULL" if status == "open" else "resolved_at IS NOT NULL")
    if target_page is not None:
        where.append("page = :target_page")
        values["target_page"] = target_page
    if authors:
        where.append("posted_by IN (SELECT value FROM json_each(:authors))")
        values["authors"] = json.dumps(authors)
    found: ListPage[Any] = list_rows(
        context.database,
        f"SELECT * FROM comments WHERE {' AND '.join(where)}",
        values,
        keys=("posted_at", "id"),
        build=lambda row: row,
        page=page,
        limit=limit,
        order=order,
    )
    return json_list(found, CommentSerializer(context, scope, found.items, format).comments_json())


def _prepare_comment(context: Context, at: Main | InChangeRequest, body: PostComment) -> str:
    _read_page(context, scope_at(context, at, "comment"), body.page if body.node is not None else None)
    return comments.markdown_of(body.body)


@handles(Comments.post_comment, prepare=_prepare_comment)
def post_comment(context: Context, at: Main | InChangeRequest, body: PostComment) -> Comment:
    """Comment on a space or a change request; takes the comment role."""
    scope = scope_at(context, at, "comment")
    given = body.model_fields_set
    anchor = Anchor(body.page, body.node, body.table_cell.model_dump() if "table_cell" in given else None)
    return _comment(context, scope, comments.post_comment(context, scope, context.prepared, anchor))


@handles(Comments.get_comment)
def get_comment(
    context: Context, at: Main | InChangeRequest, comment_id: str, format: CommentFormat | None = DECLARED
) -> Comment:
    """Return a comment."""
    return _comment(context, scope_at(context, at), comment_id, format)


def _prepare_update(context: Context, at: Main | InChangeRequest, comment_id: str, body: UpdateComment) -> str | None:
    scope = scope_at(context, at, "comment")
    row = find_comment(context, scope, comment_id)
    _read_page(context, scope, row["page"] if row["node"] is not None or row["cell"] is not None else None)
    return _markdown_in(body)


def _markdown_in(body: UpdateComment | UpdateReply) -> str | None:
    return comments.markdown_of(body.body) if "body" in body.model_fields_set else None


@handles(Comments.update_comment, prepare=_prepare_update)
def update_comment(context: Context, at: Main | InChangeRequest, comment_id: str, body: UpdateComment) -> Comment:
    """Edit, resolve or react; takes the comment role, and editing is for the author."""
    scope = scope_at(context, at, "comment")
    row = find_comment(context, scope, comment_id)
    if context.prepared is not None:
        comments.edit_body(context, scope, "comments", row, context.prepared)
    if "resolved" in body.model_fields_set:
        comments.resolve(context, scope, row, body.resolved)
    comments.react(context, scope, row["id"], body.added_reactions or (), body.removed_reactions or ())
    return _comment(context, scope, comment_id)


@handles(Comments.delete_comment)
def delete_comment(context: Context, at: Main | InChangeRequest, comment_id: str) -> None:
    """Remove a comment and its replies."""
    comments.delete_comment(context, scope_at(context, at), comment_id)


@handles(Comments.list_replies)
def list_replies(
    context: Context,
    at: Main | InChangeRequest,
    comment_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    format: CommentFormat | None = DECLARED,
) -> ListPage[CommentReply]:
    """Return the replies to a comment."""
    scope = scope_at(context, at)
    row = find_comment(context, scope, comment_id)
    found: ListPage[Row] = list_rows(
        context.database,
        "SELECT * FROM replies WHERE comment = :comment",
        {"comment": row["id"]},
        keys=("posted_at", "id"),
        build=lambda row: row,
        page=page,
        limit=limit,
    )
    conversation = CommentSerializer(context, scope, found.items, format)
    return with_items(found, [conversation.reply(row) for row in found.items])


def _prepare_reply(context: Context, at: Main | InChangeRequest, comment_id: str, body: PostReply) -> str:
    find_comment(context, scope_at(context, at, "comment"), comment_id)
    return comments.markdown_of(body.body)


@handles(Comments.post_reply, prepare=_prepare_reply)
def post_reply(context: Context, at: Main | InChangeRequest, comment_id: str, body: PostReply) -> CommentReply:
    """Reply to a comment; takes the comment role."""
    scope = scope_at(context, at, "comment")
    reply = comments.post_reply(context, scope, find_comment(context, scope, comment_id), context.prepared)
    return _reply(context, scope, comment_id, reply)


@handles(Comments.get_reply)
def get_reply(
    context: Context,
    at: Main | InChangeRequest,
    comment_id: str,
    comment_reply_id: str,
    format: CommentFormat | None = DECLARED,
) -> CommentReply:
    """Return a reply."""
    return _reply(context, scope_at(context, at), comment_id, comment_reply_id, format)


def _prepare_update_of_reply(
    context: Context, at: Main | InChangeRequest, comment_id: str, comment_reply_id: str, body: UpdateReply
) -> str | None:
    find_reply(context, find_comment(context, scope_at(context, at, "comment"), comment_id), comment_reply_id)
    return _markdown_in(body)


@handles(Comments.update_reply, prepare=_prepare_update_of_reply)
def update_reply(
    context: Context, at: Main | InChangeRequest, comment_id: str, comment_reply_id: str, body: UpdateReply
) -> CommentReply:
    """Edit a reply, react to it or resolve its comment; takes the comment role, and editing is for the author."""
    scope = scope_at(context, at, "comment")
    above = find_comment(context, scope, comment_id)
    row = find_reply(context, above, comment_reply_id)
    if context.prepared is not None:
        comments.edit_body(context, scope, "replies", row, context.prepared)
    if isinstance(body, UpdateChangeRequestReply) and "resolved" in body.model_fields_set:
        comments.resolve(context, scope, above, body.resolved)
    comments.react(context, scope, row["id"], body.added_reactions or (), body.removed_reactions or ())
    return _reply(context, scope, comment_id, comment_reply_id)


@handles(Comments.delete_reply)
def delete_reply(context: Context, at: Main | InChangeRequest, comment_id: str, comment_reply_id: str) -> None:
    """Remove a reply."""
    comments.delete_reply(context, scope_at(context, at), comment_id, comment_reply_id)


@handles(Comments.list_commenters)
def list_commenters(
    context: Context, at: Main | InChangeRequest, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Member]:
    """Return the members who have commented."""
    scope = scope_at(context, at)
    organization = scope.space["organization"]
    visible = VisibleSpaces(context, organization)
    return list_rows(
        context.database,
        _COMMENTERS,
        {**_bindings(scope), "organization": organization},
        keys=("display_name", "id"),
        build=lambda row: serialize_member(context, row, visible),
        page=page,
        limit=limit,
    )
