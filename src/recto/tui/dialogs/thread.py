"""A thread: a comment and its replies, with the actions on each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.client.errors import Unsupported
from recto.document.suggestion import find_suggestion
from recto.frozen import frozen
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.thread_rows import NO_TITLES, Titles, reply_lines
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import signs
from recto.tui.look.lines import Line, plain

if TYPE_CHECKING:
    from recto.contract.comments import Comment, CommentReply
    from recto.store.query import Listing, Query
    from recto.store.signal import Subscription

_GROUP = "Thread"
_TALKING = ("thread.reply", "thread.react", "thread.resolve")
"""The actions for all who may comment."""

register(
    Action("thread.reply", "Reply", ("c",), _GROUP, "reply", writes=True, drafted=True),
    Action("thread.edit", "Edit what you wrote", ("e", "E"), _GROUP, "edit", writes=True, drafted=True),
    Action("thread.react", "React with an emoji", ("plus",), _GROUP, "react", writes=True),
    Action("thread.resolve", "Resolve or reopen", ("x",), _GROUP, "resolve", writes=True),
    Action("thread.apply_suggestion", "Apply the suggestion", ("t",), _GROUP, "apply suggestion", writes=True),
)


class ThreadDesk(Protocol):
    """Carries out the actions of a thread, and asks for what they need."""

    def reply(self, comment: Comment) -> None:
        """Ask for a reply and send it."""

    def edit(self, comment: Comment, reply: CommentReply | None) -> None:
        """Ask for the new text, and save it."""

    def react(self, comment: Comment, reply: CommentReply | None) -> None:
        """Ask for an emoji and react with it."""

    def resolve(self, comment: Comment) -> None:
        """Resolve the thread, or open it again."""

    def delete(self, comment: Comment, reply: CommentReply | None) -> None:
        """Delete the comment, or the reply."""

    def apply_suggestion(self, comment: Comment, text: str) -> None:
        """Apply a suggestion to the page."""

    def why_not_apply(self, comment: Comment) -> str | None:
        """Return why a suggestion cannot be applied, or ``None``."""


@frozen
class _Entry:
    one: Comment | CommentReply
    is_reply: bool

    @property
    def id(self) -> str:
        return self.one.id


class Thread(Dialog[None]):
    """Shows a thread, kept up to date; closes when its comment is deleted."""

    BINDINGS = bindings(
        "thread.reply",
        "thread.react",
        "thread.resolve",
        "thread.apply_suggestion",
        "thread.edit",
        "item.delete",
        "item.copy_text",
    )

    def __init__(
        self,
        desk: ThreadDesk,
        comment: Comment,
        comments: Query[Listing[Comment]],
        replies: Query[Listing[CommentReply]],
        *,
        clock: Callable[[], datetime],
        place: str = "",
        source: str | None = None,
        titles: Titles = NO_TITLES,
    ) -> None:
        super().__init__(place or "Thread")
        self._desk = desk
        self._comment = comment
        self._comments = comments
        self._replies = replies
        self._clock = clock
        self._source = source
        self._titles = titles
        self._subscriptions: list[Subscription] = []

    def compose_body(self) -> ComposeResult:
        """Compose the comments below each other."""
        yield Static(id="state")
        yield VirtualList(openable=False)

    def on_mount(self) -> None:
        """Follow the comment and its replies."""
        self.query_one(VirtualList).focus()
        for query in (self._comments, self._replies):
            self._subscriptions.append(query.watch(lambda _: self._on_change()))
        self._show()

    def on_unmount(self) -> None:
        """Stop following the comment and its replies."""
        for subscription in self._subscriptions:
            subscription.close()

    def _on_change(self) -> None:
        self.call_later(self._show)

    def _show(self) -> None:
        if not self.is_attached:
            return
        listed = self._comments.value
        found = next((one for one in listed.items if one.id == self._comment.id), None) if listed else None
        if found is None and listed is not None and listed.complete and self._comments.state.value == "ready":
            self.dismiss(None)
            return
        self._comment = found or self._comment
        state = signs.sign(signs.COMMENT, str(self._comment.status))
        parts: list[tuple[str, str]] = [(f"{state.sign} {state.word}", "bold $foreground")]
        if self._comment.resolved_by is not None and self._comment.status != "open":
            parts.append((f" by {signs.person(self._comment.resolved_by)}", "$muted"))
        replies = self._replies.value
        if replies is None:
            failed = self._replies.error
            word = f"  × {plain(str(failed))}" if failed is not None else "  … loading the replies"
            is_lacking = isinstance(failed, Unsupported)
            if is_lacking:
                word = "  this server does not list replies"
            parts.append((word, "$error" if failed is not None and not is_lacking else "$muted"))
        self.query_one("#state", Static).update(Content.assemble(*parts))
        entries = [_Entry(self._comment, False), *(_Entry(reply, True) for reply in (replies.items if replies else ()))]
        unread = replies.unread if replies is not None else ()
        self.query_one(VirtualList).show(WrappedRows(entries, self._draw, key=lambda one: one.id, unread=unread))
        self.refresh_bindings()

    def _draw(self, entry: _Entry, width: int) -> Sequence[Line]:
        source = None if entry.is_reply else self._source
        indent = "  " if entry.is_reply else ""
        drawn = reply_lines(entry.one, self._clock(), width - len(indent), source=source, titles=self._titles)
        return [[(indent, ""), *line] for line in drawn]

    # What can be done

    @property
    def _current(self) -> _Entry:
        rows = self.query_one(VirtualList).rows
        current = rows.item(self.query_one(VirtualList).cursor) if isinstance(rows, WrappedRows) else None
        return current or _Entry(self._comment, False)

    @property
    def _reply(self) -> CommentReply | None:
        current = self._current
        one: Any = current.one
        return one if current.is_reply else None

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Update the keys offered for the item."""
        event.stop()
        self.refresh_bindings()

    def why_not(self, action: str) -> str | None:
        """Return why an action is not possible under the cursor, or ``None``."""
        if not self.is_mounted:
            return None
        if reason := super().why_not(action):
            return reason
        allowed = self._current.one.permissions
        if action in _TALKING and not self._comment.permissions.reply:
            return "needs the comment role"
        if action == "thread.edit" and not allowed.edit:
            return f"it is {signs.person(self._current.one.posted_by)}'s"
        if action == "item.delete" and not allowed.delete:
            return "only the author or an admin"
        if action == "thread.apply_suggestion":
            return self._why_not_apply()
        return None

    def _why_not_apply(self) -> str | None:
        if find_suggestion(self._current.one.body.markdown or "") is None:
            return "no suggestion here"
        return self._desk.why_not_apply(self._comment)

    def word(self, action: Action) -> Action:
        """Return the title of resolving: it resolves or reopens this thread."""
        if action.name != "thread.resolve":
            return super().word(action)
        return action.reword("Reopen the thread" if self._comment.status == "resolved" else "Resolve the thread")

    def action_thread_reply(self) -> None:
        """Reply."""
        self._desk.reply(self._comment)

    def action_thread_react(self) -> None:
        """React to the comment or reply under the cursor."""
        self._desk.react(self._comment, self._reply)

    def action_thread_resolve(self) -> None:
        """Resolve the thread, or open it again."""
        self._desk.resolve(self._comment)

    def action_thread_apply_suggestion(self) -> None:
        """Apply the suggestion to the page."""
        suggestion = find_suggestion(self._current.one.body.markdown or "")
        if suggestion is not None:
            self._desk.apply_suggestion(self._comment, suggestion.text)

    def action_thread_edit(self) -> None:
        """Edit the comment or reply under the cursor."""
        self._desk.edit(self._comment, self._reply)

    def action_item_delete(self) -> None:
        """Delete the comment or reply under the cursor."""
        self._desk.delete(self._comment, self._reply)

    def action_item_copy_text(self) -> None:
        """Copy the text under the cursor."""
        self.app.copy_to_clipboard(self._current.one.body.markdown or "")
        self.notify(f"Copied {'the comment' if self._reply is None else 'the reply'}.")
