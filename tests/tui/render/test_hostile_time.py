"""Whatever a page holds, reading and drawing it costs a small multiple of what a plain page of its size costs."""

from __future__ import annotations

import gc
import time
from functools import cache

import pytest

from benchmarks.hostile_input import INPUTS
from benchmarks.page_first_frame import first_frame
from support.block_pages import TEXT_BLOCKS
from support.hostile import filled

pytestmark = pytest.mark.slow

SIZE = 150_000
MOST = 15
"""Times the work of the plain page: the worst takes half of it, and work that grows with the square many times it."""

ROUNDS = 3


def work(text: str) -> float:
    """Seconds for which the processor is busy, whatever else the machine does meanwhile."""
    gc.collect()
    begun = time.process_time()
    first_frame(text)
    return time.process_time() - begun


@cache
def plain_work() -> float:
    plain = filled("\n\n".join(TEXT_BLOCKS.values()) + "\n\n")(SIZE)
    first_frame(plain[:5000])
    return min(work(plain) for _ in range(ROUNDS))


@pytest.mark.parametrize("name", INPUTS)
def test_a_hostile_page_costs_a_small_multiple_of_a_plain_one(name: str) -> None:
    text = INPUTS[name](SIZE)
    most = MOST * plain_work()
    assert any(work(text) < most for _ in range(ROUNDS))
