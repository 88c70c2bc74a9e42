"""What the panes of a change request share: messages, targets of comments, reports of missing operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from recto.client.errors import Unsupported
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.store.page_reading import PageReading
    from recto.store.pending_review import PendingComment
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.pane import Pane


@dataclass
class ThreadWanted(Message):
    """The person wants to see a thread."""

    comment: Comment


@dataclass
class PendingWanted(Message):
    """The person wants to continue a comment that is not sent."""

    pending: PendingComment


def show_missing_changes(pane: Pane, facts: RequestFacts) -> None:
    """Show in a pane why it is not known which pages are changed."""
    query = facts.old_tree if facts.lacks_changes else facts.changes
    if query is not None and isinstance(query.error, Unsupported):
        pane.show_empty("This server offers neither the changes of a change request nor its pages before.")
    elif query is not None:
        pane.show_state(query, "the changes")
    else:
        pane.show_loading("the changes")


@frozen
class CommentTarget:
    """Where a comment would go: a page, the key of a block of it, how the block begins, and its source."""

    page: str | None
    block: str | None = None
    preview: str = ""
    source: str = ""


def target_at_line(reading: PageReading, number: int | None) -> CommentTarget:
    """Return where a comment would go that is on a line of the page, counted from 1."""
    anchors = reading.anchors
    key = anchors.key_at(number) if anchors is not None and number is not None else None
    if anchors is None or key is None:
        return CommentTarget(reading.page.id)
    return CommentTarget(reading.page.id, key, anchors.first_line_of(key), anchors.source_of(key) or "")
