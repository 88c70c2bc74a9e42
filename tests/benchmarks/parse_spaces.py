"""Parsing an answer of 1,000 spaces into the contract's models, against ``json.loads`` of the same bytes.

    uv run python tests/benchmarks/parse_spaces.py [SPACES]

The spaces are the embedded server's own answers. Medians of one process, in turns.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from recto.client.responses import Responses
from recto.contract.common import ListPage
from recto.contract.spaces import Space, Spaces
from recto.server.context import Context
from recto.server.platform import Owner, Platform
from recto.server.spaces.space_reading import find_space
from recto.server.spaces.spaces import add_space

ROUNDS = 9


def answer_of(number: int) -> bytes:
    """Return the embedded server's response about so many spaces."""
    with tempfile.TemporaryDirectory() as scratch:
        platform = Platform.open(Path(scratch) / "workspace.recto", owner=Owner("Ada Lovelace"))
        try:
            return platform.database.write_now(
                lambda connection: _answer(platform.context(connection, base_url="http://recto.test"), number)
            )
        finally:
            platform.close()


def _answer(context: Context, number: int) -> bytes:
    organization = context.database.value("SELECT id FROM organizations")
    made = [add_space(context, organization, f"Space {at}") for at in range(number)]
    items = tuple(find_space(context, space) for space in made)
    return ListPage[Space](count=number, items=items).to_json()


async def milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    """Time one run of some work."""
    gc.collect()
    begin = time.perf_counter()
    await work()
    return (time.perf_counter() - begin) * 1000


async def measure(number: int) -> None:
    """Measure both in turns and print the ratio."""
    content = answer_of(number)
    answers = Responses()

    async def models() -> object:
        return await answers.parse(Spaces.list_spaces, "Could not load the spaces.", content)

    async def plain() -> object:
        return json.loads(content)

    await models()
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(ROUNDS):
        ours.append(await milliseconds(models))
        floor.append(await milliseconds(plain))
    parsed, loaded = statistics.median(ours), statistics.median(floor)
    print(
        f"{number} spaces, {len(content) / 1024:.0f} KB: {parsed:.1f} ms; json.loads {loaded:.1f} ms; "
        f"ratio {parsed / loaded:.1f}"
    )


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
