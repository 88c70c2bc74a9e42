"""What a person says on a change request: comments, replies, reactions, suggestions taken, the review."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError
from recto.contract.changes import PageText, UpdatePage
from recto.contract.comments import ChangeRequestComments
from recto.contract.content import ChangeRequestContent
from recto.document.suggestion import find_suggestion
from recto.store.anchors import find_anchors
from recto.store.drafts import DraftKind, DraftPlace
from recto.store.page_text import body_of, whole
from recto.store.talk import Talk, caller
from recto.tui.dialogs.compose import Compose
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.review import COMMENT, SubmitReview
from recto.tui.dialogs.thread import Thread
from recto.tui.look import signs
from recto.tui.screens.reacting import choose_reaction, confirm_removal

if TYPE_CHECKING:
    from recto.contract.comments import Comment, CommentReply
    from recto.contract.content import Page
    from recto.store.anchors import Anchors
    from recto.store.drafts import Draft
    from recto.store.mutation import Mutation, Outcome
    from recto.store.pending_review import PendingComment, PendingReview
    from recto.store.request_changes import RequestChanges
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.view import View


class RequestTalk:
    """Does what a person wants to say; everything typed is on disk before it is sent."""

    def __init__(self, view: View, changes: RequestChanges, facts: RequestFacts, pending: PendingReview) -> None:
        self._view = view
        self._store = view.store
        self._changes = changes
        self._said = Talk(changes.space, changes.id)
        self._facts = facts
        self._pending = pending
        self._place = DraftPlace(space=changes.space, change_request=changes.id)

    def _work(self, work: Coroutine[Any, Any, object], name: str) -> None:
        self._view.work(work, name)

    # Comments

    def comment(self, page: str | None, block: str | None, preview: str, place: str, text: str = "") -> None:
        """Ask for a comment on a place and send or keep it."""
        self._work(self._comment(page, block, preview, place, text), "comment")

    async def _comment(self, page: str | None, block: str | None, preview: str, place: str, text: str) -> None:
        draft = await self._pending.begin(page, block, preview, text)
        await self._compose(draft, f"Comment on {place}", preview)

    def change_pending(self, pending: PendingComment, place: str) -> None:
        """Go on with a comment that is not sent yet."""
        self._work(self._compose(pending.draft, f"Your comment on {place}", pending.preview), "comment")

    async def _compose(self, draft: Draft, title: str, preview: str) -> None:
        waiting = [each for each in self._pending.comments if each.draft.id != draft.id]
        is_part = any(each.draft.id == draft.id for each in self._pending.comments)
        typed = await self._store.keeper.typed(draft)
        dialog = Compose(title, typed=typed, reviewing=len(waiting) + is_part, says=f"“{preview}”" if preview else "")
        said = await self._view.ask(dialog)
        if said is None:
            await self._pending.keep(draft, "" if typed.discarded else typed.text, waits=is_part)
        elif dialog.waits:
            await self._pending.keep(draft, said, waits=True)
            self._view.say("Kept for your review. S submits it.")
        else:
            await self._send(draft, said)

    async def _send(self, draft: Draft, text: str) -> bool:
        """Send one comment; it stays on disk until the platform has it. One whose block is gone goes to its page."""
        await self._pending.keep(draft, text, waits=False)
        outcome = await self._view.carry_out(self._comment_of(draft, text, outdated=False))
        if outcome.ok:
            self._pending.sent(draft)
        return outcome.ok

    def _comment_of(self, draft: Draft, text: str, *, outdated: bool) -> Mutation[Any]:
        block = None if outdated else draft.place.block
        return self._said.comment(text, page=draft.place.page, block=block, draft=draft)

    def discard(self, pending: PendingComment) -> None:
        """Let go of a comment that is not sent, when the person confirms."""
        self._work(self._discard(pending), "discard")

    async def _discard(self, pending: PendingComment) -> None:
        says = "It is not sent, and nothing of it stays."
        if await self._view.ask(Confirm("Discard your comment", says, does="discards it")):
            await self._pending.discard(pending.draft)

    # Threads

    def open_thread(self, comment: Comment, place: str) -> None:
        """Show a thread over the view."""
        self._work(self._open_thread(comment, place), "thread")

    async def _open_thread(self, comment: Comment, place: str) -> None:
        source = None
        target = comment.target
        if target.page is not None and target.node is not None and find_suggestion(comment.body.markdown or ""):
            try:
                _, anchors = await self._as_it_is(target.page.id)
                source = anchors.source_of(target.node.id)
            except ClientError as error:
                self._view.say_failed(error)
        ours = (self._changes.space, self._changes.id)
        dialog = Thread(
            self,
            comment,
            self._store.query_list(
                ChangeRequestComments.list_comments, *ours, order="asc", status="all", format="markdown"
            ),
            self._store.query_list(ChangeRequestComments.list_replies, *ours, comment.id, format="markdown"),
            clock=self._store.clock,
            place=place,
            source=source,
        )
        self._view.app.push_screen(dialog)

    def reply(self, comment: Comment) -> None:
        """Ask for a reply and send it."""
        self._work(self._answer(comment, None, DraftKind.REPLY), "reply")

    def edit(self, comment: Comment, reply: CommentReply | None) -> None:
        """Ask for other words and save them."""
        self._work(self._answer(comment, reply, DraftKind.COMMENT), "edit")

    async def _answer(self, comment: Comment, reply: CommentReply | None, kind: DraftKind) -> None:
        edits = kind is DraftKind.COMMENT
        about = reply.id if reply is not None else comment.id
        place = DraftPlace(self._place.organization, self._place.space, self._place.change_request, comment=about)
        keeper, drafts = self._store.keeper, self._store.drafts
        known = await keeper.do(drafts.find, place, kind)
        text = ((reply or comment).body.markdown or "") if edits else ""
        draft = known[-1] if known else await keeper.do(drafts.start, kind, place, text, name="reply", base_text=text)
        typed = await keeper.typed(draft)
        title = "Change what you wrote" if edits else f"Reply to {signs.person(comment.posted_by)}"
        says = "You typed this before; it is not sent yet." if known and typed.text.strip() else ""
        dialog = Compose(title, typed=typed, may_wait=False, says=says)
        said = await self._view.ask(dialog)
        if said is None:
            if not await keeper.edited(draft):
                await keeper.discard(draft)
            return
        if edits:
            await self._view.carry_out(self._said.edit(comment, reply, said, draft))
        else:
            await self._view.carry_out(self._said.reply(comment, said, draft))

    def react(self, comment: Comment, reply: CommentReply | None) -> None:
        """Ask for an emoji and react with it, or take one's own back."""
        self._work(self._react(comment, reply), "react")

    async def _react(self, comment: Comment, reply: CommentReply | None) -> None:
        me = await caller(self._store)
        chosen = await choose_reaction(self._view, reply or comment, me)
        if chosen is not None:
            emoji, given = chosen
            await self._view.carry_out(self._said.react(comment, reply, emoji, me, given))

    def resolve(self, comment: Comment) -> None:
        """Resolve a thread, or open it again."""
        self._work(self._view.carry_out(self._said.resolve(comment, comment.status == "open")), "resolve")

    def delete(self, comment: Comment, reply: CommentReply | None) -> None:
        """Delete a comment or reply, when the person confirms."""
        self._work(self._delete(comment, reply), "delete")

    async def _delete(self, comment: Comment, reply: CommentReply | None) -> None:
        if await confirm_removal(self._view, comment, reply):
            await self._view.carry_out(self._said.delete(comment, reply))

    # Suggestions

    async def _as_it_is(self, page: str) -> tuple[Page, Anchors]:
        """Return a page as it is this moment, so that nobody's words are written over; raises :class:`ClientError`."""
        asked = (self._changes.space, self._changes.id, page)
        written = await self._store.fetch(ChangeRequestContent.get_proposed_page, *asked, format="markdown")
        rich = await self._store.fetch(ChangeRequestContent.get_proposed_page, *asked, format="document")
        return written, find_anchors(body_of(written), rich.document)

    def why_not_take(self, comment: Comment) -> str | None:
        """Say why a suggestion on this comment's block cannot be taken."""
        target = comment.target
        if target.page is None or target.node is None:
            return "the comment is on no block"
        space, request = self._facts.space.value, self._facts.request.value
        if space is not None and not space.permissions.edit:
            return "your role may not change the page"
        return f"it is {request.status}" if request is not None and request.status in ("merged", "archived") else None

    def take(self, comment: Comment, text: str) -> None:
        """Write what is suggested into the page, and resolve the thread."""
        self._work(self._take(comment, text), "take")

    async def _take(self, comment: Comment, text: str) -> None:
        target = comment.target
        if target.page is None or target.node is None:
            return
        page, anchors = await self._as_it_is(target.page.id)
        try:
            body = anchors.replaced(target.node.id, text)
        except KeyError:
            self._view.say("The block is gone from the page: there is nothing to put the suggestion in place of.")
            return
        change = UpdatePage(page=page.id, document=PageText(markdown=whole(page.title, body)))
        outcome = await self._view.carry_out(
            self._changes.write((change,), "Taking the suggestion", "Took the suggestion into the page")
        )
        if outcome.ok and comment.status == "open":
            await self._view.send(self._said.resolve(comment, True))

    # The review

    def submit(self, names: dict[str, str], no_verdict: str | None) -> None:
        """Show what will be sent, ask for the verdict, and send all of it."""
        self._work(self._submit(names, no_verdict), "submit")

    async def _submit(self, names: dict[str, str], no_verdict: str | None) -> None:
        waiting = list(self._pending.comments)
        told = [f"{names.get(each.page or '', 'the whole')}: {' '.join(each.text.split())}" for each in waiting]
        # The draft is there before the first letter, so that every letter is on disk.
        typed = await self._store.keeper.typed(await self._pending.summarise(self._pending.summary, ""))
        decided = await self._view.ask(SubmitReview(told, typed, no_verdict=no_verdict))
        if decided is None:
            if typed.discarded or not typed.text.strip():
                await self._pending.forget_summary()
            else:
                await self._pending.summarise(typed.text, "")
            return
        draft = await self._pending.summarise(decided.text, decided.verdict)
        for each in waiting:
            outcome = await self._view.send(self._comment_of(each.draft, each.text, outdated=each.outdated))
            if outcome.error is not None:
                left = len(self._pending.comments)
                self._view.say_failed(outcome.error)
                stay = f"{signs.count(left, 'comment')} of it {'stays' if left == 1 else 'stay'} here"
                self._view.say(f"The review is not submitted. {stay}.")
                return
            self._pending.sent(each.draft)
        await self._give_verdict(decided.verdict, decided.text, draft, len(waiting))

    async def _give_verdict(self, verdict: str, text: str, draft: Draft, sent: int) -> None:
        outcome: Outcome[Any]
        if verdict != COMMENT:
            outcome = await self._view.carry_out(
                self._changes.submit_review("approved" if verdict == "approved" else "changes-requested", text, draft)
            )
        elif text.strip():
            outcome = await self._view.carry_out(self._said.comment(text, draft=draft))
        else:
            await self._store.keeper.discard(draft)
            self._view.say(f"Sent {signs.count(sent, 'comment')}.")
            self._pending.submitted()
            return
        if outcome.ok:
            self._pending.submitted()
