from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from recto import collector
from recto.collector import collect_all, collect_from_now_on, collector_paused, give_memory_back


def test_the_collector_rests_until_the_last_user_is_done() -> None:
    assert gc.isenabled()
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


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


def test_what_is_kept_is_set_aside_and_freed_all_the_same_when_nobody_waits() -> None:
    ring = Ring()
    freed = weakref.ref(ring)
    with collector_paused(kept=True):
        del ring
    gc.collect()
    assert freed() is not None

    collect_all()
    assert freed() is None


@pytest.mark.usefixtures("starting")
def test_a_program_that_never_looks_through_all_sets_nothing_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_sets_aside", True)
    collect_from_now_on(setting_aside=False)
    ring = Ring()
    freed = weakref.ref(ring)
    with collector_paused(kept=True):
        del ring
    give_memory_back()
    assert freed() is None
