"""Answers about comments and replies, on spaces and on change requests."""

from __future__ import annotations

import json
from typing import Any

from recto.contract.comments import (
    ChangeRequestComments,
    Comment,
    CommentFormat,
    CommentReply,
    CommentStatus,
    PostComment,
    PostReply,
    SpaceComments,
    UpdateChangeRequestReply,
    UpdateComment,
    UpdateReply,
)
from recto.contract.common import ListPage, Order, Role
from recto.contract.members import Member
from recto.contract.operation import DECLARED
from recto.server.content import comments as engine
from recto.server.content import keys
from recto.server.content.change_requests import find_change_request
from recto.server.content.comments import Anchor, Scope, find_comment, find_reply
from recto.server.content.conversation import Conversation
from recto.server.content.revisions import tree_of
from recto.server.context import Context
from recto.server.http.paging import list_rows, with_items
from recto.server.http.registry import handles
from recto.server.people.access import VisibleSpaces, require
from recto.server.people.members import MEMBER_COLUMNS, serialize_member
from recto.server.storage.database import Row

_IN_SCOPE = "comments.space = :space AND comments.change_request IS :change_request"

_COMMENTERS = f"""
    SELECT {MEMBER_COLUMNS} FROM members JOIN users ON users.id = members.user
    WHERE members.organization = :organization AND users.id IN (
        SELECT posted_by FROM comments WHERE {_IN_SCOPE}
        UNION SELECT replies.posted_by FROM replies JOIN comments ON comments.id = replies.comment WHERE {_IN_SCOPE})
"""


def _scope(context: Context, space: str, change_request: str | None, least: Role = "read") -> Scope:
    row = require(context, space, least)
    if change_request is None:
        return Scope(row)
    return Scope(row, find_change_request(context.database, space, change_request))


def _bindings(scope: Scope) -> dict[str, Any]:
    return {"space": scope.space["id"], "change_request": scope.request_id}


def _list_comments(
    context: Context,
    scope: Scope,
    page: str | None,
    limit: int | None,
    order: Order,
    status: str,
    form: CommentFormat | None,
    target_page: str | None,
    authors: tuple[str, ...],
) -> ListPage[Comment]:
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
    found: ListPage[Row] = list_rows(
        context.database,
        f"SELECT * FROM comments WHERE {' AND '.join(where)}",
        values,
        keys=("posted_at", "id"),
        build=lambda row: row,
        page=page,
        limit=limit,
        order=order,
    )
    return with_items(found, Conversation(context, scope, found.items, form).comments())


def _list_replies(
    context: Context, scope: Scope, comment: str, page: str | None, limit: int | None, form: CommentFormat | None
) -> ListPage[CommentReply]:
    row = find_comment(context, scope, comment)
    found: ListPage[Row] = list_rows(
        context.database,
        "SELECT * FROM replies WHERE comment = :comment",
        {"comment": row["id"]},
        keys=("posted_at", "id"),
        build=lambda row: row,
        page=page,
        limit=limit,
    )
    conversation = Conversation(context, scope, found.items, form)
    return with_items(found, [conversation.reply(row) for row in found.items])


def _comment(context: Context, scope: Scope, comment: str, form: CommentFormat | None = None) -> Comment:
    row = find_comment(context, scope, comment)
    return Conversation(context, scope, [row], form).comment(row)


def _reply(context: Context, scope: Scope, comment: str, reply: str, form: CommentFormat | None = None) -> CommentReply:
    row = find_reply(context, find_comment(context, scope, comment), reply)
    return Conversation(context, scope, [row], form).reply(row)


def _post_comment(context: Context, scope: Scope, body: PostComment) -> Comment:
    given = body.model_fields_set
    anchor = Anchor(body.page, body.node, body.table_cell.model_dump() if "table_cell" in given else None)
    return _comment(context, scope, engine.post_comment(context, scope, engine.markdown_of(body.body), anchor))


def _read_page(context: Context, scope: Scope, page: str | None) -> None:
    """Read the blocks of a page before the transaction in which they are needed, which then finds them read."""
    node = tree_of(context.database, scope.revision(context)).get(page) if page is not None else None
    if node is not None:
        keys.previews(context.database, node.id, node.text)


def _prepare_post(context: Context, scope: Scope, body: PostComment) -> None:
    _read_page(context, scope, body.page if body.node is not None else None)


def _prepare_update(context: Context, scope: Scope, comment: str) -> None:
    row = find_comment(context, scope, comment)
    _read_page(context, scope, row["page"] if row["node"] is not None or row["cell"] is not None else None)


def _update_comment(context: Context, scope: Scope, comment: str, body: UpdateComment) -> Comment:
    row = find_comment(context, scope, comment)
    if "body" in body.model_fields_set:
        engine.edit_body(context, "comments", row, engine.markdown_of(body.body))
    if "resolved" in body.model_fields_set:
        engine.resolve(context, scope, row, body.resolved)
    engine.react(context, row["id"], body.added_reactions or (), body.removed_reactions or ())
    return _comment(context, scope, comment)


def _post_reply(context: Context, scope: Scope, comment: str, body: PostReply) -> CommentReply:
    reply = engine.post_reply(context, scope, find_comment(context, scope, comment), engine.markdown_of(body.body))
    return _reply(context, scope, comment, reply)


def _update_reply(context: Context, scope: Scope, comment: str, reply: str, body: UpdateReply) -> CommentReply:
    above = find_comment(context, scope, comment)
    row = find_reply(context, above, reply)
    if "body" in body.model_fields_set:
        engine.edit_body(context, "replies", row, engine.markdown_of(body.body))
    if isinstance(body, UpdateChangeRequestReply) and "resolved" in body.model_fields_set:
        engine.resolve(context, scope, above, body.resolved)
    engine.react(context, row["id"], body.added_reactions or (), body.removed_reactions or ())
    return _reply(context, scope, comment, reply)


def _list_commenters(context: Context, scope: Scope, page: str | None, limit: int | None) -> ListPage[Member]:
    organization = scope.space["organization"]
    visible = VisibleSpaces(context, organization)
    return list_rows(
        context.database,
        _COMMENTERS,
        {**_bindings(scope), "organization": organization},
        keys=("display_name", "id"),
        build=lambda row: serialize_member(
            context, row, 0 if row["disabled"] else visible.count(row["user"], row["role"])
        ),
        page=page,
        limit=limit,
    )


# On spaces


@handles(SpaceComments.list_comments)
def list_space_comments(
    context: Context,
    space_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    order: Order = DECLARED,
    status: CommentStatus | str = DECLARED,
    format: CommentFormat | None = DECLARED,
    target_page: str | None = DECLARED,
    authors: tuple[str, ...] = DECLARED,
) -> ListPage[Comment]:
    """Return the comments on the main content of a space."""
    scope = _scope(context, space_id, None)
    return _list_comments(context, scope, page, limit, order, status, format, target_page, authors)


def _prepare_space_comment(context: Context, space_id: str, body: PostComment) -> None:
    _prepare_post(context, _scope(context, space_id, None, "comment"), body)


@handles(SpaceComments.post_comment, prepare=_prepare_space_comment)
def post_space_comment(context: Context, space_id: str, body: PostComment) -> Comment:
    """Comment on a space; takes the role comment."""
    return _post_comment(context, _scope(context, space_id, None, "comment"), body)


@handles(SpaceComments.get_comment)
def get_space_comment(
    context: Context, space_id: str, comment_id: str, format: CommentFormat | None = DECLARED
) -> Comment:
    """Return a comment on a space."""
    return _comment(context, _scope(context, space_id, None), comment_id, format)


def _prepare_space_update(context: Context, space_id: str, comment_id: str, body: UpdateComment) -> None:
    _prepare_update(context, _scope(context, space_id, None, "comment"), comment_id)


@handles(SpaceComments.update_comment, prepare=_prepare_space_update)
def update_space_comment(context: Context, space_id: str, comment_id: str, body: UpdateComment) -> Comment:
    """Edit, resolve or react; takes the role comment, and editing is for the author."""
    return _update_comment(context, _scope(context, space_id, None, "comment"), comment_id, body)


@handles(SpaceComments.delete_comment)
def delete_space_comment(context: Context, space_id: str, comment_id: str) -> None:
    """Remove a comment and its replies."""
    engine.delete_comment(context, _scope(context, space_id, None), comment_id)


@handles(SpaceComments.list_replies)
def list_space_replies(
    context: Context,
    space_id: str,
    comment_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    format: CommentFormat | None = DECLARED,
) -> ListPage[CommentReply]:
    """Return the replies to a comment on a space."""
    return _list_replies(context, _scope(context, space_id, None), comment_id, page, limit, format)


@handles(SpaceComments.post_reply)
def post_space_reply(context: Context, space_id: str, comment_id: str, body: PostReply) -> CommentReply:
    """Reply to a comment on a space; takes the role comment."""
    return _post_reply(context, _scope(context, space_id, None, "comment"), comment_id, body)


@handles(SpaceComments.get_reply)
def get_space_reply(
    context: Context,
    space_id: str,
    comment_id: str,
    comment_reply_id: str,
    format: CommentFormat | None = DECLARED,
) -> CommentReply:
    """Return a reply on a space."""
    return _reply(context, _scope(context, space_id, None), comment_id, comment_reply_id, format)


@handles(SpaceComments.update_reply)
def update_space_reply(
    context: Context, space_id: str, comment_id: str, comment_reply_id: str, body: UpdateReply
) -> CommentReply:
    """Edit a reply or react to it; takes the role comment, and editing is for the author."""
    return _update_reply(context, _scope(context, space_id, None, "comment"), comment_id, comment_reply_id, body)


@handles(SpaceComments.delete_reply)
def delete_space_reply(context: Context, space_id: str, comment_id: str, comment_reply_id: str) -> None:
    """Remove a reply."""
    engine.delete_reply(context, _scope(context, space_id, None), comment_id, comment_reply_id)


@handles(SpaceComments.list_commenters)
def list_space_commenters(
    context: Context, space_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Member]:
    """Return the members who have commented on a space."""
    return _list_commenters(context, _scope(context, space_id, None), page, limit)


# On change requests


@handles(ChangeRequestComments.list_comments)
def list_request_comments(
    context: Context,
    space_id: str,
    change_request_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    order: Order = DECLARED,
    status: CommentStatus | str = DECLARED,
    format: CommentFormat | None = DECLARED,
    target_page: str | None = DECLARED,
    authors: tuple[str, ...] = DECLARED,
) -> ListPage[Comment]:
    """Return the comments on a change request."""
    scope = _scope(context, space_id, change_request_id)
    return _list_comments(context, scope, page, limit, order, status, format, target_page, authors)


def _prepare_request_comment(context: Context, space_id: str, change_request_id: str, body: PostComment) -> None:
    _prepare_post(context, _scope(context, space_id, change_request_id, "comment"), body)


@handles(ChangeRequestComments.post_comment, prepare=_prepare_request_comment)
def post_request_comment(context: Context, space_id: str, change_request_id: str, body: PostComment) -> Comment:
    """Comment on a change request; takes the role comment."""
    return _post_comment(context, _scope(context, space_id, change_request_id, "comment"), body)


@handles(ChangeRequestComments.get_comment)
def get_request_comment(
    context: Context,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    format: CommentFormat | None = DECLARED,
) -> Comment:
    """Return a comment on a change request."""
    return _comment(context, _scope(context, space_id, change_request_id), comment_id, format)


def _prepare_request_update(
    context: Context, space_id: str, change_request_id: str, comment_id: str, body: UpdateComment
) -> None:
    _prepare_update(context, _scope(context, space_id, change_request_id, "comment"), comment_id)


@handles(ChangeRequestComments.update_comment, prepare=_prepare_request_update)
def update_request_comment(
    context: Context, space_id: str, change_request_id: str, comment_id: str, body: UpdateComment
) -> Comment:
    """Edit, resolve or react; takes the role comment, and editing is for the author."""
    return _update_comment(context, _scope(context, space_id, change_request_id, "comment"), comment_id, body)


@handles(ChangeRequestComments.delete_comment)
def delete_request_comment(context: Context, space_id: str, change_request_id: str, comment_id: str) -> None:
    """Remove a comment and its replies."""
    engine.delete_comment(context, _scope(context, space_id, change_request_id), comment_id)


@handles(ChangeRequestComments.list_replies)
def list_request_replies(
    context: Context,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    format: CommentFormat | None = DECLARED,
) -> ListPage[CommentReply]:
    """Return the replies to a comment on a change request."""
    return _list_replies(context, _scope(context, space_id, change_request_id), comment_id, page, limit, format)


@handles(ChangeRequestComments.post_reply)
def post_request_reply(
    context: Context, space_id: str, change_request_id: str, comment_id: str, body: PostReply
) -> CommentReply:
    """Reply to a comment on a change request; takes the role comment."""
    return _post_reply(context, _scope(context, space_id, change_request_id, "comment"), comment_id, body)


@handles(ChangeRequestComments.get_reply)
def get_request_reply(
    context: Context,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    comment_reply_id: str,
    format: CommentFormat | None = DECLARED,
) -> CommentReply:
    """Return a reply on a change request."""
    return _reply(context, _scope(context, space_id, change_request_id), comment_id, comment_reply_id, format)


@handles(ChangeRequestComments.update_reply)
def update_request_reply(
    context: Context,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    comment_reply_id: str,
    body: UpdateChangeRequestReply,
) -> CommentReply:
    """Edit a reply, react to it or resolve its comment; takes the role comment, and editing is for the author."""
    scope = _scope(context, space_id, change_request_id, "comment")
    return _update_reply(context, scope, comment_id, comment_reply_id, body)


@handles(ChangeRequestComments.delete_reply)
def delete_request_reply(
    context: Context, space_id: str, change_request_id: str, comment_id: str, comment_reply_id: str
) -> None:
    """Remove a reply."""
    engine.delete_reply(context, _scope(context, space_id, change_request_id), comment_id, comment_reply_id)


@handles(ChangeRequestComments.list_commenters)
def list_request_commenters(
    context: Context,
    space_id: str,
    change_request_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[Member]:
    """Return the members who have commented on a change request."""
    return _list_commenters(context, _scope(context, space_id, change_request_id), page, limit)
