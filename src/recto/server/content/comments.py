"""Comments, replies and reactions, on the main content of a space or on a change request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from recto.checkpoints import checkpoint
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import CommentBodyInput
from recto.contract.common import Role
from recto.document.rich_text.markdown_writer import to_markdown
from recto.frozen import frozen
from recto.server.content import keys
from recto.server.content.change_requests import find_change_request
from recto.server.content.page_text import is_well_formed
from recto.server.content.revisions import StoredRevision, get_revision, main_revision, tree_of
from recto.server.content.tree import Node, Tree
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Forbidden, NotFound
from recto.server.people.access import allows, require, space_role
from recto.server.storage.database import Row

_LONGEST_EMOJI = 64
_LONGEST_BODY = 50_000


@frozen
class Scope:
    """The scope of comments: the main content of a space, or a change request of it; both as rows."""

    space: Row
    change_request: Row | None = None

    @property
    def path(self) -> str:
        """The path after ``/v1`` under which the comments are found."""
        path = f"/spaces/{self.space['id']}"
        return path if self.change_request is None else f"{path}/change-requests/{self.change_request['id']}"

    @property
    def request_id(self) -> str | None:
        """The id of the change request, if any."""
        return self.change_request["id"] if self.change_request else None

    def revision(self, context: Context) -> StoredRevision:
        """Return the revision that people see there now."""
        if self.change_request is None:
            return main_revision(context.database, self.space["id"])
        return get_revision(context.database, self.change_request["revision"])


def scope_at(context: Context, at: Main | InChangeRequest, least: Role = "read") -> Scope:
    """Return the scope of the comments at an address; takes this role on the space.

    Raises :class:`NotFound` where there is no such space or change request.
    """
    space = require(context, at.space, least)
    if isinstance(at, Main):
        return Scope(space)
    return Scope(space, find_change_request(context.database, at.space, at.change_request))


@frozen
class Anchor:
    """The target of a comment: the whole, a page, a block of it by its key, or a cell of a table."""

    page: str | None = None
    node: str | None = None
    cell: dict[str, Any] | None = None


def find_comment(context: Context, scope: Scope, comment: str) -> Row:
    """Return the row of a comment; raises :class:`NotFound`."""
    row = context.database.one(
        "SELECT * FROM comments WHERE id = ? AND space = ? AND change_request IS ?",
        comment,
        scope.space["id"],
        scope.request_id,
    )
    if row is None:
        raise NotFound(f"There is no comment {comment} here.")
    return row


def find_reply(context: Context, comment: Row, reply: str) -> Row:
    """Return the row of a reply to a comment; raises :class:`NotFound`."""
    row = context.database.one("SELECT * FROM replies WHERE id = ? AND comment = ?", reply, comment["id"])
    if row is None:
        raise NotFound(f"There is no reply {reply} to this comment.")
    return row


def post_comment(
    context: Context, scope: Scope, markdown: str, anchor: Anchor | None = None, *, review: str | None = None
) -> str:
    """Post a comment and return its id.

    Raises :class:`BadRequest` where its page or block is not there.
    """
    anchor = anchor or Anchor()
    revision = scope.revision(context)
    comment = context.ids.fresh()
    checkpoint("comment.before-post")
    context.database.insert(
        "comments",
        id=comment,
        space=scope.space["id"],
        change_request=scope.request_id,
        review=review,
        revision=revision.id,
        page=anchor.page,
        node=anchor.node,
        preview=_preview(context, revision, anchor),
        cell=json.dumps(anchor.cell) if anchor.cell else None,
        body=markdown,
        posted_by=context.caller,
        posted_at=context.stamp(),
    )
    _touch(context, scope)
    checkpoint("comment.after-post")
    return comment


def _preview(context: Context, revision: StoredRevision, anchor: Anchor) -> str | None:
    """Return the beginning of the block that a comment is on."""
    if anchor.page is None:
        if anchor.node is not None:
            raise BadRequest("page: a comment on a block needs the page that the block is in")
        if anchor.cell is not None:
            raise BadRequest("page: a comment on a cell needs the page that the table is in")
        return None
    page = tree_of(context.database, revision).get(anchor.page)
    if page is None:
        raise BadRequest(f"page: there is no page {anchor.page} here")
    if anchor.node is None:
        return None
    preview = keys.previews(context.database, page.id, page.text).get(anchor.node)
    if preview is None:
        raise BadRequest(f"node: the page “{page.title}” has no block {anchor.node}")
    return preview


def markdown_of(body: CommentBodyInput, field: str = "body") -> str:
    """Return the new text of a comment as Markdown; raises :class:`BadRequest` if it is empty or not readable."""
    (form,) = body.model_fields_set
    markdown = body.markdown
    if form == "document":
        if not is_well_formed(body.document.nodes):
            raise BadRequest(f"{field}.document: a block, inline or text in it is malformed")
        if _count_characters(body.document.nodes) > _LONGEST_BODY:  # before any of it is written as Markdown
            raise BadRequest(f"{field}.document: at most {_LONGEST_BODY} characters")
        markdown = to_markdown(body.document)
    if not markdown.strip():
        raise BadRequest(f"{field}.{form}: must not be empty")
    if len(markdown) > _LONGEST_BODY:
        raise BadRequest(f"{field}.{form}: at most {_LONGEST_BODY} characters")
    return markdown


def _count_characters(nodes: Iterable[Any]) -> int:
    return sum(
        sum(len(leaf.text) for leaf in getattr(node, "leaves", ()))
        + _count_characters((*getattr(node, "nodes", ()), *getattr(node, "fragments", ())))
        for node in nodes
    )


def _touch(context: Context, scope: Scope) -> None:
    """Note that the comments have changed, which updates a change request."""
    now = context.stamp()
    if scope.request_id is not None:
        context.database.update("change_requests", scope.request_id, updated_at=now, comments_updated_at=now)
    else:
        context.database.update("spaces", scope.space["id"], comments_updated_at=now)


def edit_body(context: Context, scope: Scope, table: str, row: Row, markdown: str) -> None:
    """Change the text of a comment or reply (in ``table``: ``comments`` or ``replies``), as only its author may."""
    if row["posted_by"] != context.caller:
        raise Forbidden("Only the person who wrote this may edit it.")
    if markdown != row["body"]:
        context.database.update(table, row["id"], body=markdown, edited_at=context.stamp())
        _touch(context, scope)


def resolve(context: Context, scope: Scope, comment: Row, resolved: bool) -> None:
    """Mark a comment as resolved, or open again."""
    if resolved == (comment["resolved_at"] is not None):
        return
    when, who = (context.stamp(), context.caller) if resolved else (None, None)
    context.database.update("comments", comment["id"], resolved_at=when, resolved_by=who)
    _touch(context, scope)


def react(context: Context, scope: Scope, subject: str, added: Sequence[str], removed: Sequence[str]) -> None:
    """Add and remove the caller's reactions to a comment or reply."""
    for field, emojis in (("addedReactions", added), ("removedReactions", removed)):
        if any(not emoji.strip() or len(emoji) > _LONGEST_EMOJI for emoji in emojis):
            raise BadRequest(f"{field}: each an emoji of at most {_LONGEST_EMOJI} characters")
    context.database.execute_many(
        "INSERT OR IGNORE INTO reactions (subject, emoji, user, reacted_at) VALUES (?, ?, ?, ?)",
        [(subject, emoji, context.caller, context.stamp()) for emoji in added],
    )
    context.database.execute_many(
        "DELETE FROM reactions WHERE subject = ? AND emoji = ? AND user = ?",
        [(subject, emoji, context.caller) for emoji in removed],
    )
    if added or removed:
        _touch(context, scope)


def delete_comment(context: Context, scope: Scope, comment: str) -> None:
    """Remove a comment with its replies, for its author or an admin; an unknown comment is ignored."""
    try:
        row = find_comment(context, scope, comment)
    except NotFound:
        return
    _require_delete(context, scope, row)
    context.database.execute(
        "DELETE FROM reactions WHERE subject = ? OR subject IN (SELECT id FROM replies WHERE comment = ?)",
        row["id"],
        row["id"],
    )
    context.database.execute("DELETE FROM comments WHERE id = ?", row["id"])
    _touch(context, scope)


def post_reply(context: Context, scope: Scope, comment: Row, markdown: str) -> str:
    """Reply to a comment and return the reply's id."""
    reply = context.ids.fresh()
    context.database.insert(
        "replies",
        id=reply,
        comment=comment["id"],
        body=markdown,
        posted_by=context.caller,
        posted_at=context.stamp(),
    )
    _touch(context, scope)
    return reply


def delete_reply(context: Context, scope: Scope, comment: str, reply: str) -> None:
    """Remove a reply, for its author or an admin; an unknown reply is ignored."""
    try:
        row = find_reply(context, find_comment(context, scope, comment), reply)
    except NotFound:
        return
    _require_delete(context, scope, row)
    context.database.execute("DELETE FROM reactions WHERE subject = ?", row["id"])
    context.database.execute("DELETE FROM replies WHERE id = ?", row["id"])
    _touch(context, scope)


def may_delete(context: Context, scope: Scope, row: Row) -> bool:
    """Whether the caller may remove a comment or reply."""
    role = space_role(context, scope.space)
    return allows(role, "admin") or (row["posted_by"] == context.caller and allows(role, "comment"))


def _require_delete(context: Context, scope: Scope, row: Row) -> None:
    if not may_delete(context, scope, row):
        raise Forbidden("Only the person who wrote this and an admin may delete it.")


def page_of(context: Context, row: Row, tree: Tree) -> tuple[Node | None, str, bool]:
    """Return the page of a tree that a comment is on, its path, and whether the comment is outdated.

    It is where the page is gone, or the block or cell that the comment is on. A page that is gone comes as it was when
    the comment was posted.
    """
    node = tree.get(row["page"])
    if node is not None:
        return node, tree.path(node.id), _is_lost(context, row, node)
    before = tree_of(context.database, get_revision(context.database, row["revision"]))
    was = before.get(row["page"])
    return was, before.path(was.id) if was else "", True


def _is_lost(context: Context, row: Row, page: Node) -> bool:
    """Whether the block or the cell that a comment is on is no longer on the page.

    A cell's row and column count where they are keys of the page's blocks, as they are in its rich text.
    """
    if row["node"] is None and row["cell"] is None:
        return False
    known = keys.previews(context.database, page.id, page.text)
    if row["node"] is not None and row["node"] not in known:
        return True
    named = {key for key in json.loads(row["cell"]).values() if key not in known} if row["cell"] else set()
    was = tree_of(context.database, get_revision(context.database, row["revision"])).get(page.id) if named else None
    before = keys.previews(context.database, was.id, was.text) if was is not None else ()
    return any(key in before for key in named)
