from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from recto.collector import collect_from_now_on, give_memory_back


@pytest.fixture
def starting() -> Iterator[None]:
    """A program that has started without collecting, and what was set before put back."""
    thresholds = gc.get_threshold()
    gc.disable()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("starting")
def test_much_that_is_made_is_looked_through_in_small_parts_and_never_all_of_it() -> None:
    looked: list[int] = []
    gc.callbacks.append(lambda phase, about: looked.append(about["generation"]) if phase == "start" else None)
    try:
        collect_from_now_on()
        most = 1
        for count, every in enumerate(gc.get_threshold()[:2]):
            most *= every + bool(count)
        kept = [[each] for each in range(1_000_000)]
    finally:
        gc.callbacks.pop()
    assert len(kept) >= 1_000_000 // most
    assert most <= 125_000
    assert looked.count(1) >= 5
    assert 2 not in looked


class Ring:
    """Something that only the collector can free."""

    def __init__(self) -> None:
        self.own = self


@pytest.mark.usefixtures("starting")
def test_garbage_of_a_running_program_is_freed() -> None:
    collect_from_now_on()
    ring = Ring()
    freed = weakref.ref(ring)
    del ring
    give_memory_back()
    assert freed() is None
