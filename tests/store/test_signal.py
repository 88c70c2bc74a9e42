from __future__ import annotations

import logging

import pytest

from recto.store.signal import Signal


def test_everyone_hears_until_they_close() -> None:
    signal: Signal[int] = Signal()
    heard: list[tuple[str, int]] = []
    first = signal.subscribe(lambda value: heard.append(("first", value)))
    with signal.subscribe(lambda value: heard.append(("second", value))):
        signal.emit(1)
    first.close()
    first.close()
    signal.emit(2)
    assert heard == [("first", 1), ("second", 1)]
    assert len(signal) == 0


def test_a_listener_may_close_another_during_a_signal() -> None:
    signal: Signal[int] = Signal()
    heard: list[int] = []
    signal.subscribe(lambda _: later.close())
    later = signal.subscribe(heard.append)
    signal.emit(1)
    assert heard == []


def test_a_failing_subscriber_keeps_no_other_from_hearing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(value: int) -> None:
        raise RuntimeError("broken")

    signal: Signal[int] = Signal()
    heard: list[int] = []
    signal.subscribe(fail)
    signal.subscribe(heard.append)
    with caplog.at_level(logging.ERROR):
        signal.emit(1)
    assert heard == [1]
    assert "A subscriber failed" in caplog.text
