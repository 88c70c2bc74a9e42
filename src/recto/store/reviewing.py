"""Submitting a review: the verdict is asked for, the comments that wait are sent, then the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from recto.document.text import count
from recto.store.port import Port

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.contract.reviews import Verdict
    from recto.store.keeper import TypedText
    from recto.store.pending_review import PendingComment, PendingReview
    from recto.store.request_changes import RequestChanges
    from recto.store.store import Store
    from recto.store.talking import Talking


class Submission(NamedTuple):
    """A submitted review: a verdict, or none, and a summary."""

    verdict: Verdict | None
    text: str


class ReviewingPort(Port, Protocol):
    """The questions and messages of submitting a review, on the screen."""

    async def ask_verdict(
        self, waiting: Sequence[PendingComment], typed: TypedText, no_verdict: str | None
    ) -> Submission | None:
        """Show the comments that will be sent and ask for the verdict; ``no_verdict`` is why none can be given."""
        ...


async def submit_review(
    store: Store, changes: RequestChanges, talking: Talking, review: PendingReview, port: ReviewingPort, no: str | None
) -> None:
    """Ask for the verdict, send the comments that wait in turn, and then the verdict.

    Where a comment fails, it and the rest stay. ``no`` is why no verdict can be given.
    """
    await talking.load()  # another window may have changed or sent some since
    waiting = list(review.comments)
    # The draft is there before the first letter, so that every letter is on disk.
    started = await review.summarise(review.summary, "")
    async with store.keeper.open_text(started) as typed:
        decided = await port.ask_verdict(waiting, typed, no)
        if decided is None:
            if typed.discarded or not typed.text.strip():
                await review.forget_summary()
            else:
                await review.summarise(typed.text, "")
            return
        draft = await review.summarise(decided.text, decided.verdict or "commented")
        for each in waiting:
            outcome = await port.send(talking.changes.send_pending(each))
            if outcome.error is not None:
                left = len(review.comments)
                port.say_failed(outcome.error)
                stay = "1 comment of it stays" if left == 1 else f"{left} comments of it stay"
                port.say(f"The review of {changes.named()} is not submitted. {stay} here.")
                return
            review.forget(each.draft)
        if decided.verdict is None and not decided.text.strip():
            await store.keeper.discard(draft)
            port.say(f"Sent {count(len(waiting), 'comment')} on {changes.named()}.")
            review.clear_summary()
            return
        if decided.verdict is not None:
            submitted = await talking.send(changes.submit_review(decided.verdict, decided.text, draft))
        else:
            submitted = await talking.send(talking.changes.comment(decided.text, draft=draft))
        if submitted:
            review.clear_summary()
