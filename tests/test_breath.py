from __future__ import annotations

import pytest

from recto import breath
from recto.breath import Breath


class Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self.slept = 0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept += 1


def test_others_are_let_at_the_interpreter_now_and_then_however_often_it_is_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(breath, "time", clock)
    taking = Breath()
    for _ in range(10_000):
        clock.now += 0.000_001
        taking.take()

    assert 10 <= clock.slept <= 100
