"""The port of talking: its dialogs for texts and reactions, and the thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import Comments
from recto.document.suggestion import find_suggestion
from recto.document.text import count, on_one_line
from recto.store.reviewing import Submission
from recto.store.talking import ReadyText, Talking, has_reacted
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.compose import Compose
from recto.tui.dialogs.confirm import NO_UNDO, Confirm
from recto.tui.dialogs.review import ReviewDialog
from recto.tui.dialogs.thread import Thread
from recto.tui.look import signs
from recto.tui.screens.view_port import ViewPort

if TYPE_CHECKING:
    from recto.contract.comments import Comment, CommentReply
    from recto.contract.common import Order, User
    from recto.store.editing import Editing
    from recto.store.keeper import TypedText
    from recto.store.pending_review import PendingComment, PendingReview
    from recto.store.query import Listing, Query
    from recto.tui.lists.thread_rows import Titles
    from recto.tui.screens.view import View

EMOJIS = {
    "1f44d": "thumbs up",
    "2764": "heart",
    "1f389": "hooray",
    "1f604": "smile",
    "1f914": "thinking",
    "1f440": "looking at it",
    "1f680": "rocket",
    "2705": "done",
    "1f44e": "thumbs down",
}
"""Reactions to choose from, by their code points as the platform spells them, and their names."""


class Discussion(ViewPort):
    """The dialogs of comments at an address, and the actions of a thread.

    ``why_not_apply`` says why a suggestion cannot be applied, ``titles`` names pages; ``link_titles`` gives the
    titles shown for the addresses of pages.
    """

    def __init__(
        self,
        view: View,
        at: Main | InChangeRequest,
        pending: PendingReview,
        editing: Editing,
        *,
        why_not_apply: Callable[[Comment], str | None],
        titles: Callable[[str], str] = str,
        link_titles: Callable[[], Titles],
    ) -> None:
        super().__init__(view)
        self._store = view.store
        self._at = at
        self._why_not_apply = why_not_apply
        self._titles = titles
        self._link_titles = link_titles
        self.talking = Talking(view.store, at, self, pending, editing)

    # What talking asks and says

    async def ask_text(self, title: str, says: str, typed: TypedText, *, waiting: int | None) -> ReadyText | None:
        """Ask for a text, to be sent or to wait for the review."""
        dialog = Compose(title, typed=typed, reviewing=waiting or 0, may_wait=waiting is not None, says=says)
        text = await self._view.ask(dialog)
        return None if text is None else ReadyText(text, dialog.waits)

    async def choose_reaction(self, one: Comment | CommentReply, me: User | None) -> tuple[str, bool] | None:
        """Ask for an emoji; those already given come first and are taken back."""
        mine = {reaction.emoji: True for reaction in one.reactions if has_reacted(one, reaction.emoji, me)}
        seen = {signs.emoji(code) for code in mine}
        offered = [*mine, *(code for code in EMOJIS if signs.emoji(code) not in seen)]
        choices = [
            Choice(code, f"{signs.emoji(code)}  {EMOJIS.get(code, '')}", "takes it back" if code in mine else "")
            for code in offered
        ]
        chosen = await self._view.ask(Choose("React", choices, placeholder="a few letters of its name"))
        return None if chosen is None else (chosen, chosen not in mine)

    async def confirm_deletion(self, comment: Comment, reply: CommentReply | None) -> bool:
        """Ask whether a comment or a reply is to be deleted, and say what goes with it."""
        has_replies = reply is None and comment.replies
        says = [f"Its {count(comment.replies, 'reply', 'replies')} go with it."] if has_replies else []
        title = "Delete the comment" if reply is None else "Delete the reply"
        return await self._view.ask(Confirm(title, *says, does="deletes it", undo=NO_UNDO)) is True

    async def confirm_discard(self) -> bool:
        """Ask whether a comment that is not sent is to be discarded."""
        says = "It is not sent; its text is deleted."
        return await self._view.ask(Confirm("Discard your comment", says, does="discards it", undo=NO_UNDO)) is True

    async def ask_verdict(
        self, waiting: Sequence[PendingComment], typed: TypedText, no_verdict: str | None
    ) -> Submission | None:
        """Show the comments of the review, and ask for the verdict."""
        lines = [f"{self._titles(each.page or '')}: {_in_a_line(each.text)}" for each in waiting]
        return await self._view.ask(ReviewDialog(lines, typed, no_verdict=no_verdict))

    # A thread

    async def open(self, comment: Comment, place: str) -> None:
        """Show a thread; where it suggests something, with the source of its block."""
        source = None
        if find_suggestion(comment.body.markdown or ""):
            try:
                source = await self.talking.source_of(comment)
            except ClientError as error:
                self.say_failed(error)
        comments, replies = self._queries(comment)
        thread = Thread(
            self,
            comment,
            comments,
            replies,
            clock=self._store.clock,
            place=place,
            source=source,
            titles=self._link_titles(),
        )
        self._view.app.push_screen(thread)

    def _queries(self, comment: Comment) -> tuple[Query[Listing[Comment]], Query[Listing[CommentReply]]]:
        """Return all comments, and the replies to a comment."""
        # The list of the address is the list that its screen shows.
        order: Order = "desc" if isinstance(self._at, Main) else "asc"
        return (
            self._store.query_list(Comments.list_comments, self._at, order=order, format="markdown"),
            self._store.query_list(Comments.list_replies, self._at, comment.id, format="markdown"),
        )

    def reply(self, comment: Comment) -> None:
        """Write a reply."""
        self._work(self.talking.reply(comment, f"Reply to {signs.person(comment.posted_by)}"))

    def edit(self, comment: Comment, reply: CommentReply | None) -> None:
        """Edit a comment, or a reply to it."""
        self._work(self.talking.edit(comment, reply))

    def react(self, comment: Comment, reply: CommentReply | None) -> None:
        """React, or take a reaction back."""
        self._work(self.talking.react(comment, reply))

    def resolve(self, comment: Comment) -> None:
        """Resolve the thread, or open it again."""
        self._work(self.talking.resolve(comment))

    def delete(self, comment: Comment, reply: CommentReply | None) -> None:
        """Delete a comment, or a reply to it."""
        self._work(self.talking.delete(comment, reply))

    def apply_suggestion(self, comment: Comment, text: str) -> None:
        """Apply a suggestion to the page."""
        self._work(self.talking.apply_suggestion(comment, text))

    def why_not_apply(self, comment: Comment) -> str | None:
        """Return why a suggestion cannot be applied."""
        if comment.target.page is None or comment.target.node is None:
            return "the comment is on no block"
        return self._why_not_apply(comment)

    def _work(self, work: Coroutine[Any, Any, object]) -> None:
        self._view.work(work, "talk")


def _in_a_line(text: str) -> str:
    """Return a comment on one line; a suggestion as what it proposes, without its fence."""
    suggestion = find_suggestion(text)
    if suggestion is not None:
        text = f"{suggestion.comment} proposes “{suggestion.text}”"
    return on_one_line(text)
