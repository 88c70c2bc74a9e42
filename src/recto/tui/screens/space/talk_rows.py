"""The rows of what people do in a space: change requests and comments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recto.document.text import strip_marks
from recto.tui.lists.rows import ItemRows, WrappedRows
from recto.tui.look import lines, signs, times
from recto.tui.look.lines import Line, Span

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.comments import Comment
    from recto.contract.unread import Unread

STATUSES = ("open", "draft", "merged", "archived")
"""The statuses of change requests, in the order in which they are listed."""


def request_rows(requests: Sequence[ChangeRequest], unread: Sequence[Unread], now: datetime) -> ItemRows[ChangeRequest]:
    """Return change requests by status, in each the newest first."""
    order = {status: place for place, status in enumerate(STATUSES)}
    newest = sorted(requests, key=lambda one: one.updated_at or one.created_at or now, reverse=True)
    listed = sorted(newest, key=lambda one: order.get(one.status, len(order)))
    return ItemRows(
        listed,
        lambda one, width: _request(one, now, width),
        text=lambda one: f"#{one.number} {one.subject}",
        unread=unread,
    )


def _request(one: ChangeRequest, now: datetime, width: int) -> Line:
    status = signs.sign(signs.CHANGE_REQUEST, one.status)
    left: list[Span] = [(f"{status.sign} {status.word:<9}", status.role), (f"#{one.number} ", "muted")]
    left.append((lines.plain(one.subject) or "Without a subject", "faint" if one.status == "archived" else ""))
    if one.outdated and one.status in ("open", "draft"):
        left.append((f"  {signs.OUTDATED.sign} {signs.OUTDATED.word}", signs.OUTDATED.role))
    right: list[Span] = []
    if one.comments:
        comment = signs.COMMENT["open"]
        right.append((f"{comment.sign}{one.comments}  ", comment.role))
    right.append((f"{signs.person(one.created_by)} · {times.ago(one.updated_at or one.created_at, now)}", "muted"))
    return lines.beside(left, right, width)


def comment_rows(
    comments: Sequence[Comment], unread: Sequence[Unread], title: Callable[[Comment], str], now: datetime
) -> WrappedRows[Comment]:
    """Return comments, the open ones first; ``title`` names what each is on."""
    from recto.tui.lists.thread_rows import thread_lines

    def draw(one: Comment, width: int) -> list[Line]:
        drawn: list[Line] = [*thread_lines(one, now, width, place=title(one))]
        if one.target.node is not None and one.target.node.preview:
            preview = f"on “{lines.plain(strip_marks(one.target.node.preview))}”"
            drawn.insert(1, [drawn[0][0], *lines.fit([(preview, "faint")], width - 2)])
        return [*drawn, []]

    listed = [one for status in (False, True) for one in comments if (one.status == "resolved") == status]
    return WrappedRows(listed, draw, unread=unread)
