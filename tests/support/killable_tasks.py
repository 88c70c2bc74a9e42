"""What a person does to a workspace, as a program to kill: each order on standard input is done by a fork of it.

In the folder lie the workspace, the drafts and what is to be imported. The clock stands still and the ids are seeded,
so that a task comes to the same state each time. A line on standard output acknowledges each step, once it is done.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from recto import checkpoints
from recto.client.sender import embed
from recto.contract.api import routes
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import (
    Change,
    DeletePage,
    InsertFiles,
    InsertPage,
    NewFile,
    PageText,
    UpdatePage,
)
from recto.contract.comments import CommentBodyInput
from recto.contract.reviews import Reviews, SubmitReview
from recto.server import exchange
from recto.server.guide.installation import install_guide
from recto.server.http.registry import entry
from recto.server.ids import Ids
from recto.server.platform import Owner, Platform
from recto.store.content_writes import Written, look_for_write, write
from recto.store.drafts import Draft, DraftKind, DraftPlace, Drafts
from recto.store.mutation import Mutation
from recto.store.store import Store
from support.platform import FrozenClock

WORKSPACE = "workspace.recto"
DRAFTS = "drafts"
FOLDER = "folder"

PAGE = "one"
TAKEN = "# One\n\nFirst.\n\nSecond.\n"
TYPED = "# One\n\nFirst.\n\nSecond, and what I typed.\n" + "A line that takes its time to write.\n" * 2000

PASSED_IN = {
    "atomic.before-write": "edit",
    "atomic.before-sync": "edit",
    "atomic.before-rename": "edit",
    "atomic.after-rename": "edit",
    "atomic.after-write": "edit",
    "drafts.before-start": "edit",
    "drafts.after-start": "edit",
    "drafts.before-discard": "edit",
    "drafts.discarding": "edit",
    "drafts.after-discard": "edit",
    "edit.before-texts": "edit",
    "edit.before-revision": "edit",
    "edit.after-write": "edit",
    "content.before-nodes": "edit",
    "content.before-revision": "edit",
    "content.after-revision": "edit",
    "change-request.after-advance": "edit",
    "database.begin": "edit",
    "database.statement": "edit",
    "database.before-commit": "edit",
    "database.after-commit": "edit",
    "merge.before-revision": "merge",
    "merge.before-main": "merge",
    "merge.before-status": "merge",
    "merge.after-status": "merge",
    "content.before-index": "merge",
    "content.after-index": "merge",
    "pull.before-revision": "pull",
    "pull.after-ancestor": "pull",
    "review.before-submit": "review",
    "review.after-submit": "review",
    "comment.before-post": "review",
    "comment.after-post": "review",
    "import.before-texts": "import",
    "import.after-texts": "import",
    "import.after-files": "import",
    "import.before-main": "import",
    "import.after-main": "import",
    "import.after-space": "import",
    "import.before-site": "import",
    "import.before-commit": "import",
    "import.after-commit": "import",
    "index.before-piece": "import",
    "index.after-piece": "import",
    "database.before-migration-commit": "begin",
}
"""By the name of each checkpoint in the program, a task that passes it."""


def acknowledge(step: str) -> None:
    """Tell that a step is done, for good."""
    print(step, flush=True)


class Hand:
    """Who runs the task: Ada, at her workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        clock = FrozenClock()
        clock.advance(days=1)
        self.platform = Platform.open(folder / WORKSPACE, clock=clock, ids=Ids(Random(1)))
        self.drafts = Drafts(folder / DRAFTS, clock)
        self.store = Store(embed(self.platform.application, self.platform.token), self.drafts, clock=clock)

    def change_request(self, number: int) -> tuple[str, str]:
        """Return the ids of the space and of its change request with this number."""
        row = self.platform.database.read_now(
            lambda c: c.one("SELECT space, id FROM change_requests WHERE number = ?", number)
        )
        assert row is not None
        return row["space"], row["id"]

    async def close(self) -> None:
        """Let everything end as the program does."""
        await self.store.aclose()
        self.platform.close()


def sending(drafts: Drafts, draft: Draft) -> Mutation[Written]:
    """Return the change that sends a draft, with more in the same write."""
    space, request = str(draft.place.space), str(draft.place.change_request)
    changes: tuple[Change, ...] = (
        UpdatePage(page=PAGE, document=PageText(markdown=drafts.text(draft)), emoji="1f3e0"),
        InsertPage(document=PageText(markdown="# New\n\nSee [one](/pages/one).\n"), into="two"),
        DeletePage(page="gone"),
        InsertFiles(files=(NewFile(name="a.txt", content_type="text/plain", base64="QQ=="),)),
    )
    return Mutation(
        doing="Sending",
        done="Sent",
        call=lambda call: write(call, space, request, changes),
        lookup=look_for_write(space, lambda: request, changes),
        draft=draft,
    )


async def edit(hand: Hand) -> None:
    """Type into a draft and send it, with more in the same write, to the first change request."""
    space, request = hand.change_request(1)
    place = DraftPlace(space=space, change_request=request, page=PAGE)
    draft = hand.drafts.start(DraftKind.PAGE_EDIT, place, TAKEN, base_text=TAKEN)
    acknowledge("started")
    hand.drafts.save(draft, TYPED)
    acknowledge("typed")

    outcome = await hand.store.run(sending(hand.drafts, draft))
    assert outcome.ok, outcome.error
    acknowledge("done")


async def merge(hand: Hand) -> None:
    """Merge the first change request into a main content that has moved on."""
    outcome = await hand.store.call(ChangeRequests.merge, *hand.change_request(1))
    assert outcome.result == "merge"
    acknowledge("done")


async def pull(hand: Hand) -> None:
    """Update the second change request from main, with a conflict."""
    outcome = await hand.store.call(ChangeRequests.pull, *hand.change_request(2))
    assert outcome.result == "conflicts"
    acknowledge("done")


async def review(hand: Hand) -> None:
    """Review the first change request, with a comment."""
    body = SubmitReview(status="approved", comment=CommentBodyInput(markdown="Well done."))
    await hand.store.call(Reviews.submit_review, *hand.change_request(1), body)
    acknowledge("done")


async def import_folder(hand: Hand) -> None:
    """Import the folder, for the first time or again, and build the index to its end."""
    await asyncio.to_thread(exchange.import_folder, hand.platform, hand.folder / FOLDER)
    acknowledge("imported")
    await asyncio.to_thread(hand.platform.indexer.run)
    acknowledge("done")


async def sweep(hand: Hand) -> None:
    """Remove for good what was deleted long ago."""
    await asyncio.to_thread(hand.platform.sweeper.sweep)
    acknowledge("done")


TASKS: dict[str, Callable[[Hand], Awaitable[None]]] = {
    "edit": edit,
    "merge": merge,
    "pull": pull,
    "review": review,
    "import": import_folder,
    "sweep": sweep,
}


def begin(folder: Path) -> None:
    """Start on a workspace that is not there yet, or not yet whole."""
    owner = Owner("Ada Lovelace", "ada@example.org")
    platform = Platform.open(
        folder / WORKSPACE, clock=FrozenClock(), ids=Ids(Random(1)), owner=owner, fill=install_guide
    )
    acknowledge("done")
    platform.close()


async def do(task: str, folder: Path) -> None:
    """Run a task in a workspace that is there."""
    hand = Hand(folder)
    await TASKS[task](hand)
    await hand.close()


class Order(NamedTuple):
    """A task, its folder, the checkpoint at which it is killed, and the files for what it prints."""

    task: str
    folder: str
    kill_at: str
    out: str
    errors: str


def receive() -> Order:
    """Return each order in a fork of this process, and print the exit code of each fork.

    What the program consists of is imported before, once: that took several times as long as a task.
    """
    for each in routes():
        entry(each.operation)
    gc.freeze()  # else a fork that comes to its end goes through all of it once more, for longer than its task takes
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            order = Order(*json.loads(line))
            for file, number in ((order.out, 1), (order.errors, 2)):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
            checkpoint: Any = checkpoints.checkpoint
            checkpoint.__init__(order.kill_at)
            return order
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    sys.exit()


if __name__ == "__main__":
    order = receive()
    if order.task == "begin":
        begin(Path(order.folder))
    else:
        asyncio.run(do(order.task, Path(order.folder)))
