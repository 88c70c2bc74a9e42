"""Merging 200 edits in a space of 5,000 pages, against ``git merge`` of the same files.

    uv run python tests/benchmarks/merge.py [PAGES EDITS]

The change request and the main content have each changed that many pages, half of them the same ones in distinct
places, so that both sides merge texts. Ours is the call through the client to a workspace on disk; git's the process,
with its files in the page cache. Medians of rounds taken in turns; the aim is to be no slower.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recto.client.call import Call
from recto.client.sender import embed
from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequests, CreateChangeRequest, UpdateChangeRequest
from recto.contract.changes import ContentChanges, PageText, UpdatePage, WriteContent
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.context import Context
from recto.server.platform import Owner, Platform
from recto.server.spaces.spaces import add_space

ROUNDS = 5
SHELF = 50
"""How many pages stand side by side, and how many changes one write takes at most."""
PARAGRAPHS = 20
WORDS = ("page", "key", "team", "change", "review", "merge", "write", "note", "line", "list", "title", "path")


@dataclass(frozen=True, slots=True)
class Edits:
    """The texts before, and those of the pages that each side has changed, by page."""

    before: dict[str, str]
    proposed: dict[str, str]
    main: dict[str, str]


def make_edits(pages: int, edits: int, seed: int = 0) -> Edits:
    """Make texts, and on each side changes to so many of them; half of the pages changed are the same ones."""
    chance = random.Random(seed)
    before = {
        f"page{at:05}": "".join(
            f"Paragraph {part}: {' '.join(chance.choices(WORDS, k=25))}.\n\n" for part in range(PARAGRAPHS)
        )
        for at in range(pages)
    }
    chosen = chance.sample(sorted(before), edits + edits // 2)
    proposed = {page: before[page].replace("Paragraph 2:", "Paragraph two, proposed:") for page in chosen[:edits]}
    main = {page: before[page].replace("Paragraph 17:", "Paragraph 17, on main:") for page in chosen[edits // 2 :]}
    return Edits(before, proposed, main)


def shelves(names: list[str]) -> list[list[str]]:
    """Cut a list into shelves."""
    return [names[at : at + SHELF] for at in range(0, len(names), SHELF)]


async def prepare(workspace: Path, edits: Edits) -> tuple[str, str]:
    """Make a workspace with the space and the change request, main having moved on; return the ids of both."""
    platform = Platform.open(workspace, owner=Owner("Ada Lovelace"))
    sender = embed(platform.application, platform.token)
    try:
        space = platform.database.write_now(lambda connection: _make_space(platform.context(connection), edits))
        call = Call(sender)
        ours = await _write(call, space, edits.proposed)
        theirs = await _write(call, space, edits.main)
        await call(ChangeRequests.merge, space, theirs)
        return space, ours
    finally:
        await sender.aclose()
        platform.close()


def _make_space(context: Context, edits: Edits) -> str:
    space = add_space(context, context.database.value("SELECT id FROM organizations"), "Large")
    groups = [
        ImportedPage(
            f"group{at}",
            f"Group {at}",
            type="group",
            children=[ImportedPage(page, page, text=edits.before[page]) for page in shelf],
        )
        for at, shelf in enumerate(shelves(sorted(edits.before)))
    ]
    import_tree(context, space, ImportedTree(groups))
    return space


async def _write(call: Call, space: str, texts: dict[str, str]) -> str:
    request = (await call(ChangeRequests.create_change_request, space, CreateChangeRequest(subject="Edits"))).id
    for shelf in shelves(sorted(texts)):
        changes = tuple(UpdatePage(page=page, document=PageText(markdown=texts[page])) for page in shelf)
        await call(ContentChanges.write_content, InChangeRequest(space, request), WriteContent(changes=changes))
    await call(ChangeRequests.update_change_request, space, request, UpdateChangeRequest(status="open"))
    return request


async def time_merge(workspace: Path, space: str, request: str) -> float:
    """Return the milliseconds that the merge takes from the call to its answer."""
    platform = Platform.open(workspace)
    sender = embed(platform.application, platform.token)
    call = Call(sender)
    try:
        await call(ChangeRequests.get_change_request, space, request)
        begin = time.perf_counter()
        await call(ChangeRequests.merge, space, request)
        return (time.perf_counter() - begin) * 1000
    finally:
        await sender.aclose()
        platform.close()


class Repository:
    """The same files in a git repository, with the change request as a branch."""

    def __init__(self, folder: Path, edits: Edits) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        shelf_of = {page: f"group{at}" for at, shelf in enumerate(shelves(sorted(edits.before))) for page in shelf}
        self._commit(edits.before, shelf_of)
        self.git("checkout", "--quiet", "-b", "proposed")
        self._commit(edits.proposed, shelf_of)
        self.git("checkout", "--quiet", "main")
        self._commit(edits.main, shelf_of)
        self.git("gc", "--quiet")
        self.git("branch", "before")

    def git(self, *arguments: str) -> None:
        """Run git."""
        who: list[Any] = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        subprocess.run(["git", "-C", self.folder, *who, *arguments], check=True, stdout=subprocess.DEVNULL)

    def time_merge(self) -> float:
        """Return the milliseconds that the merge takes, and undo it."""
        begin = time.perf_counter()
        self.git("merge", "--quiet", "--no-edit", "proposed")
        elapsed = (time.perf_counter() - begin) * 1000
        self.git("reset", "--quiet", "--hard", "before")
        return elapsed

    def _commit(self, texts: dict[str, str], shelf_of: dict[str, str]) -> None:
        for page, text in texts.items():
            folder = self.folder / shelf_of[page]
            folder.mkdir(exist_ok=True)
            (folder / f"{page}.md").write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "edits")


async def measure(pages: int, edits: int) -> None:
    """Measure both in turns and print the ratio."""
    made = make_edits(pages, edits)
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        prepared = base / "prepared.recto"
        space, request = await prepare(prepared, made)
        repository = Repository(base / "repository", made)
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):
            workspace = Path(shutil.copy(prepared, base / "workspace.recto"))
            ours.append(await time_merge(workspace, space, request))
            theirs.append(repository.time_merge())
    merge, git = statistics.median(ours), statistics.median(theirs)
    print(
        f"{edits} edits on either side in {pages} pages: {merge:.0f} ms; git merge {git:.0f} ms; "
        f"ratio {merge / git:.2f} (aim: no slower)"
    )


if __name__ == "__main__":
    sizes = [int(each) for each in sys.argv[1:]] or [5000, 200]
    asyncio.run(measure(*sizes))
