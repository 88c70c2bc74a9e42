"""Counting calls: how much is done, whatever the machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Set
from types import FrameType
from typing import Any


def calls(work: Callable[[], object]) -> int:
    """Count the functions that some work calls, those of C among them."""
    count = 0

    def on_event(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    work()  # what is made once is made now
    gc.disable()  # a collection may call functions of libraries
    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


class CountingSet(Set[str]):
    """A set that counts how often its items are walked."""

    def __init__(self, items: Iterable[str]) -> None:
        self._items = frozenset(items)
        self.walks = 0

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[str]:
        self.walks += 1
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)
