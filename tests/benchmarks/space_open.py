"""Opening a space of 5,000 pages that nothing is known of yet, against parsing the answer about its pages alone.

    uv run python tests/benchmarks/space_open.py [PAGES]

The program runs without a terminal on a workspace on disk, in which its server works too. From the wish to go there
to the page tree on the screen; beside it, the longest that the event loop was held meanwhile against the parse of
1,000 pages. The aims: within 2, and no longer.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from recto.client.answers import Answers
from recto.client.sender import embed
from recto.contract.content import SpaceContent
from recto.server.content.importing import ImportedPage
from recto.server.platform import Owner, Platform
from recto.store.drafts import Drafts
from recto.store.store import Store
from recto.tui import navigation
from recto.tui.app import RectoApp
from recto.tui.widgets.tree_list import TreeList
from support.content import make_space
from support.platform import Speaker
from support.screens import settled

FEW = 1_000
SHELF = 50
ROUNDS = 5
TICK = 0.001
"""How often it is looked whether the event loop is free, in seconds."""


def make_workspace(file: Path, *sizes: int) -> list[str]:
    """Make a workspace with a space of each size and return their ids."""
    platform = Platform.open(file, owner=Owner("Ada Lovelace"), furnish=lambda _: None)

    def pages(number: int) -> list[ImportedPage]:
        return [
            ImportedPage(
                f"g{at}",
                f"Group {at:05}",
                type="group",
                children=[
                    ImportedPage(f"p{page}", f"Page {page:05}", f"page-{page}", text=f"This is page {page}.\n")
                    for page in range(at, min(at + SHELF, number))
                ],
            )
            for at in range(0, number, SHELF)
        ]

    try:
        return [make_space(platform, pages(size)) for size in sizes]
    finally:
        platform.close()


async def time_opening(file: Path, *spaces: str) -> list[tuple[float, float]]:
    """Open spaces one after the other, in a program of their own.

    Returns for each the milliseconds until its tree is seen, and the longest that the event loop was held meanwhile.
    """
    platform = Platform.open(file)
    store = Store(embed(platform.application, platform.token), Drafts(file.with_name("drafts")))

    async def open_store() -> Store:
        return store

    app = RectoApp(open_store)
    gc.disable()  # as the program starts; it turns the collector on, in its own way, when it has begun
    found = []
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for space in spaces:
            gc.collect()
            found.append(await _time_going(app, space))
            await settled(pilot)
    await store.aclose()
    platform.close()
    return found


async def _time_going(app: RectoApp, space: str) -> tuple[float, float]:
    seen = asyncio.Event()
    asked = False
    begun = time.perf_counter()
    longest = 0.0
    app.screen.post_message(navigation.Go(navigation.at_space(space)))
    while not seen.is_set():
        last = time.perf_counter()
        await asyncio.sleep(TICK)
        longest = max(longest, time.perf_counter() - last - TICK)
        if not asked and getattr(app.screen, "space", None) == space:
            trees = app.screen.query("#pages").results(TreeList)
            if any(len(tree.tree_rows) for tree in trees):
                asked = app.screen.call_after_refresh(seen.set)
    return (time.perf_counter() - begun) * 1000, longest * 1000


async def pages_answer(file: Path, space: str) -> bytes:
    """Return the answer about the pages of a space."""
    platform = Platform.open(file)
    try:
        answer = await Speaker(platform).request("GET", f"/spaces/{space}/content/pages")
        return answer.content
    finally:
        platform.close()


async def time_parsing(content: bytes) -> float:
    """Return the milliseconds that parsing an answer takes, by a parser that is warm."""
    answers = Answers()
    for _ in range(2):  # the first builds the parser
        gc.collect()
        begun = time.perf_counter()
        await answers.parse(SpaceContent.list_pages, "Could not load the pages.", content)
    return (time.perf_counter() - begun) * 1000


async def measure(many: int) -> None:
    """Measure in turns and print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "workspace.recto"
        large, small = make_workspace(file, many, FEW)
        whole, part = await pages_answer(file, large), await pages_answer(file, small)
        rounds = []
        for _ in range(ROUNDS):
            # The first one takes the code in, too.
            _, opened = await time_opening(file, small, large)
            rounds.append((*opened, await time_parsing(whole), await time_parsing(part)))
    opening, held, parsing, parsing_part = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(
        f"{many:,} pages, {len(whole) / 1024:.0f} KB: open after {opening:.0f} ms, parsing alone {parsing:.0f} ms; "
        f"ratio {opening / parsing:.2f} (aim: within 2)"
    )
    print(
        f"event loop held at most {held:.0f} ms, parsing {FEW:,} pages {parsing_part:.0f} ms; "
        f"ratio {held / parsing_part:.2f} (aim: within 1)"
    )


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000))
