"""Opening a space of 5,000 pages that nothing is known of yet, against parsing the answer about its pages alone.

    uv run python tests/benchmarks/space_open.py [PAGES]

The program runs without a terminal on a workspace on disk, in which its server works too, each time in a process of
its own: neither the interface nor the server has the pages in memory. From the request to go there to the page tree on
the screen, of which the beginning is seen before the rest is parsed, and until all of it is there; beside it, the
longest that the event loop was held until then against the parse of 2,000 pages. The aims: within 2, and no longer.
What going to a view with nothing in it takes is printed as the floor.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from recto.store.locations import OrganizationsLocation, SpaceLocation

sys.path.insert(0, str(Path(__file__).parents[1]))

from recto.client.responses import Responses
from recto.client.sender import embed
from recto.contract.content import Content
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Owner, Platform
from recto.store.drafts import Drafts
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.lists.tree_list import TreeList
from recto.tui.navigation.messages import Go
from recto.tui.screens.space.space_view import SpaceView
from support.content import make_space
from support.platform import Speaker
from support.screens import settled
from support.views import ExampleView

FEW = 2_000
SHELF = 50
ROUNDS = 5
TICK = 0.001
"""How often it is looked whether the event loop is free, in seconds."""


def make_workspace(file: Path, *sizes: int) -> list[str]:
    """Make a workspace with a space of each size and return their ids."""
    platform = Platform.open(file, owner=Owner("Ada Lovelace"), fill=lambda _: None)

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


async def time_opening(file: Path, *spaces: str) -> list[tuple[float, float, float]]:
    """Go to an empty view and to spaces, one after the other, in a program of their own.

    Returns for each the milliseconds until it is seen and until it is whole, and the longest that the event loop was
    held meanwhile.
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
        for space in [*spaces[:1], None, *spaces[1:]]:
            gc.collect()
            found.append(await (_time_going(app, space) if space is not None else _time_floor(app, store)))
            await settled(pilot)
    await store.aclose()
    platform.close()
    return found


async def _time_floor(app: RectoApp, store: Store) -> tuple[float, float, float]:
    view = ExampleView(store, OrganizationsLocation())
    begun = time.perf_counter()
    app.push_screen(view)
    return await _watched(begun, app, lambda: view.is_mounted, lambda: True)


async def _time_going(app: RectoApp, space: str) -> tuple[float, float, float]:
    def is_there() -> bool:
        if getattr(app.screen, "space", None) != space:
            return False
        return any(len(tree.tree_rows) for tree in app.screen.query("#pages").results(TreeList))

    def is_whole() -> bool:
        return isinstance(app.screen, SpaceView) and bool(app.screen.reading.index.roots)

    begun = time.perf_counter()
    app.screen.post_message(Go(SpaceLocation(space)))
    return await _watched(begun, app, is_there, is_whole)


async def _watched(
    begun: float, app: RectoApp, is_there: Callable[[], bool], is_whole: Callable[[], bool]
) -> tuple[float, float, float]:
    """Wait until something is there and whole; when each was painted, and the longest that the loop was held."""
    painted: list[float] = []
    longest = 0.0
    for comes in (is_there, is_whole):
        seen = asyncio.Event()
        asked = False
        while not seen.is_set():
            last = time.perf_counter()
            await asyncio.sleep(TICK)
            longest = max(longest, time.perf_counter() - last - TICK)
            if not asked and comes():
                asked = app.screen.call_after_refresh(seen.set)
        painted.append((time.perf_counter() - begun) * 1000)
    return painted[0], painted[1], longest * 1000


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
    responses = Responses()
    for _ in range(2):  # the first builds the parser
        gc.collect()
        begun = time.perf_counter()
        await responses.parse(Content.list_pages, "Could not load the pages.", content)
    return (time.perf_counter() - begun) * 1000


async def _round(file: Path, large: str, small: str) -> tuple[float, ...]:
    # The first opening takes the code in, too.
    _, floor, opened = await time_opening(file, small, large)
    whole, part = await pages_answer(file, large), await pages_answer(file, small)
    return (*opened, *floor, await time_parsing(whole), await time_parsing(part), len(whole))


def one_round(file: Path, large: str, small: str) -> tuple[float, ...]:
    """Measure once what is compared."""
    return asyncio.run(_round(file, large, small))


def measure(many: int) -> None:
    """Measure in turns and print the ratios."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as others,
    ):
        file = Path(folder) / "workspace.recto"
        spaces = others.submit(make_workspace, file, many, FEW).result()
        rounds = [others.submit(one_round, file, *spaces).result() for _ in range(ROUNDS)]
    opening, whole, held, floor, _, floor_held, parsing, parsing_part, size = (
        statistics.median(column) for column in zip(*rounds, strict=True)
    )
    print(
        f"{many:,} pages, {size / 1024:.0f} KB: open after {opening:.0f} ms, parsing alone {parsing:.0f} ms; "
        f"ratio {opening / parsing:.2f} (aim: within 2); whole after {whole:.0f} ms"
    )
    print(
        f"event loop held at most {held:.0f} ms, parsing {FEW:,} pages {parsing_part:.0f} ms; "
        f"ratio {held / parsing_part:.2f} (aim: within 1)"
    )
    print(f"the floor, a view with nothing in it: {floor:.0f} ms, event loop held at most {floor_held:.0f} ms")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
