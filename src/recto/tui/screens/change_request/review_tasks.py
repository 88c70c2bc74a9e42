"""Reviewing a change request: comments that are sent at once or wait for the review, threads, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.addresses import InChangeRequest
from recto.document.suggestion import write_suggestion
from recto.store.editing import Editing
from recto.store.reviewing import submit_review
from recto.store.roles import lacks_permission
from recto.tui.screens.change_request.conversation import name_place, place_of
from recto.tui.screens.change_request.request_reasons import why_not_written
from recto.tui.screens.discussion import Discussion
from recto.tui.screens.editing_dialogs import EditingDialogs

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.contract.content import Page
    from recto.store.pending_review import PendingComment, PendingReview
    from recto.store.request_changes import RequestChanges
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.change_request.parts import CommentTarget
    from recto.tui.screens.view import View


class ReviewTasks:
    """The actions of a review, on behalf of a view."""

    def __init__(self, view: View, changes: RequestChanges, facts: RequestFacts, pending: PendingReview) -> None:
        self._view = view
        self._changes = changes
        self._facts = facts
        self._pending = pending
        self._editing = Editing(view.store, changes.space, EditingDialogs(view), request=changes.id)
        self._discussion = Discussion(
            view,
            InChangeRequest(changes.space, changes.id),
            pending,
            self._editing,
            why_not_apply=lambda _: why_not_written(facts),
            titles=lambda page: facts.titles.get(page, "the whole"),
            link_titles=lambda: facts.link_titles,
        )

    async def load(self) -> None:
        """Read the comments on disk; those that were on their way are looked for on the platform."""
        await self._discussion.talking.load()

    def comment(self, target: CommentTarget, text: str = "") -> None:
        """Comment on a place."""
        place = name_place(self._facts, target.page)
        talking = self._discussion.talking
        self._view.work(talking.comment(target.page, target.block, target.preview, place, text), "comment")

    def edit(self, page: Page, line: int, *, built_in: bool) -> None:
        """Edit a page of the change request, at a line counted from 1."""
        self._view.work(self._editing.edit(page, built_in=built_in, line=line), "edit", unless_running="request")

    def edit_comment(self, comment: Comment) -> None:
        """Edit a comment of the person's own."""
        self._discussion.edit(comment, None)

    def suggest(self, target: CommentTarget) -> None:
        """Suggest other words for a block."""
        if target.block is not None:
            self.comment(target, write_suggestion(target.source))

    def go_on(self, pending: PendingComment) -> None:
        """Continue a comment that is not sent."""
        place = name_place(self._facts, pending.page)
        self._view.work(self._discussion.talking.continue_comment(pending, place), "comment")

    def discard(self, pending: PendingComment) -> None:
        """Discard a comment that is not sent."""
        self._view.work(self._discussion.talking.discard(pending), "discard")

    def reply(self, comment: Comment) -> None:
        """Reply to a comment."""
        self._discussion.reply(comment)

    def open(self, comment: Comment) -> None:
        """Show a thread."""
        self._view.work_to_open(self._discussion.open(comment, place_of(self._facts, comment)), "thread")

    def submit(self) -> None:
        """Submit the review."""
        space = self._facts.space.value
        against = lacks_permission(space.permissions, "review") if space is not None else None
        store, talking = self._view.store, self._discussion.talking
        submitting = submit_review(store, self._changes, talking, self._pending, self._discussion, against)
        self._view.work(submitting, "submit")
