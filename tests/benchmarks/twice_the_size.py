"""What hostile input costs at twice the size, in time and in memory, against what it costs at the size itself.

Run by hand: ``python tests/benchmarks/twice_the_size.py [WORD ...]``, with words of the names of the cases to measure.
Cases stand in ``twice/``, one module for each part of the program. Each measurement runs in a process of its own;
times are medians of several, memory is how far the resident set grew at its peak, above a floor of a few MB that tells
nothing. The aim is a ratio of at most 2.3.
"""

from __future__ import annotations

import importlib
import multiprocessing
import pkgutil
import resource
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import twice
from benchmarks.twice.cases import CASES, Case

ROUNDS = 5
AIM = 2.3
FLOOR_MB = 4.0
"""Growth below this is the allocator's own, and is taken for this much."""


def main() -> int:
    """Measure the cases whose names hold one of the words given, and print a line for each."""
    for module in pkgutil.iter_modules(twice.__path__, f"{twice.__name__}."):
        importlib.import_module(module.name)
    words = sys.argv[1:]
    missed = 0
    for case in CASES:
        if words and not any(word in case.name for word in words):
            continue
        small, large = measured(case, case.size), measured(case, 2 * case.size)
        in_time = large[0] / small[0]
        in_memory = max(large[1], FLOOR_MB) / max(small[1], FLOOR_MB)
        missed += max(in_time, in_memory) > AIM
        print(
            f"{case.name:48} {small[0]:9.1f} → {large[0]:9.1f} ms: {in_time:4.2f}   "
            f"{small[1]:6.1f} → {large[1]:6.1f} MB: {in_memory:4.2f}",
            flush=True,
        )
    return int(missed > 0)


def measured(case: Case, size: int) -> tuple[float, float]:
    """Return how many milliseconds and megabytes a case costs at a size."""
    results = [_in_a_process(case, size) for _ in range(ROUNDS)]
    return statistics.median(each[0] for each in results), statistics.median(each[1] for each in results)


def _in_a_process(case: Case, size: int) -> tuple[float, float]:
    forking = multiprocessing.get_context("fork")
    here, there = forking.Pipe()
    process = forking.Process(target=_measure, args=(case.prepare, size, there))
    process.start()
    there.close()
    result: tuple[float, float] = here.recv()
    process.join()
    return result


def _measure(prepare: Callable[[int], Callable[[], object]], size: int, answer: Connection) -> None:
    work = prepare(size)
    before = _resident_mb()
    begun = time.perf_counter()
    work()
    took = (time.perf_counter() - begun) * 1000
    answer.send((took, max(0.0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before)))


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024 / 1024


if __name__ == "__main__":
    raise SystemExit(main())
