from __future__ import annotations

import gc
import weakref

from recto.collector import collect_all, collector_paused


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
