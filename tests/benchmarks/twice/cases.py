"""How a case of hostile input is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Prepare = Callable[[int], Callable[[], object]]
"""Makes input of a size and returns the work to be measured on it."""


@dataclass(frozen=True, slots=True)
class Case:
    """Hostile input of a size in whatever the case counts: letters, pages, bytes, blocks."""

    name: str
    size: int
    prepare: Prepare
    largest: int | None = None
    """The largest size that is not refused, where there is one."""


CASES: list[Case] = []


def case(name: str, size: int, *, largest: int | None = None) -> Callable[[Prepare], Prepare]:
    """Declare a case by what prepares it; at ``size`` the work should take some tens of milliseconds."""

    def declare(prepare: Prepare) -> Prepare:
        CASES.append(Case(name, size, prepare, largest))
        return prepare

    return declare
