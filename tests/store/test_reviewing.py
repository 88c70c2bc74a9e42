"""A review that is submitted, with a screen that answers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from recto.contract.addresses import InChangeRequest
from recto.store.drafts import Draft
from recto.store.mutation import Mutation, Outcome
from recto.store.pending_review import PendingComment, PendingReview
from recto.store.request_changes import RequestChanges
from recto.store.reviewing import Submission, submit_review
from recto.store.talking import CommentChanges
from support.platform import FrozenClock, make_platform
from support.sites import make_store


class Screen:
    """Shows which comments are to be sent, and leaves them."""

    def __init__(self) -> None:
        self.asked: list[Sequence[PendingComment]] = []

    def say(self, text: str) -> None: ...

    def say_failed(self, error: Exception) -> None: ...

    async def send(self, mutation: Mutation[Any]) -> Outcome[Any]:
        raise AssertionError("nothing was to be sent")

    async def ask_verdict(self, waiting: Sequence[PendingComment], *_: object) -> Submission | None:
        self.asked.append(waiting)
        return None


async def test_a_review_has_the_comments_that_are_on_disk_when_it_is_submitted(tmp_path: Path) -> None:
    platform = make_platform(tmp_path, clock=FrozenClock())
    (store, _), (other, _) = make_store(platform, tmp_path), make_store(platform, tmp_path)
    at, screen = InChangeRequest("space", "request"), Screen()
    ours, theirs = PendingReview(store, at, lambda: None), PendingReview(other, at, lambda: None)
    asked, found = asyncio.Event(), asyncio.Event()

    async def look_for(draft: Draft) -> Draft | None:
        asked.set()
        await found.wait()
        return draft

    await theirs.keep(sent := await theirs.begin("page", None, ""), "Was it so?", waits=True)
    found.set()
    await ours.load(look_for)
    await theirs.discard(sent)
    await theirs.keep(await theirs.begin("page", None, ""), "Is it so?", waits=True)
    await theirs.summarise("All of it", "")
    asked.clear()
    found.clear()
    talking: Any = SimpleNamespace(changes=CommentChanges(at), load=lambda: ours.load(look_for))
    submitting = asyncio.create_task(
        submit_review(store, RequestChanges("space", "request"), talking, ours, screen, None)
    )
    await asked.wait()
    assert not screen.asked
    found.set()
    await submitting
    assert [[each.text for each in waiting] for waiting in screen.asked] == [["Is it so?"]]
    assert ours.summary == "All of it"
    await store.aclose()
    await other.aclose()
    platform.close()
