"""What hostile input costs at twice the size, in time and in memory, against what it costs at the size itself.

Run by hand: ``python tests/benchmarks/twice_the_size.py [WORD ...]``, with words of the names of the cases to measure.
Cases stand in ``twice/``, one module for each part of the program. Each measurement runs in a process of its own, with
the garbage collector set as the program sets it. Time is that of the process on the processor, the least of several;
memory is how far the resident set grew at its peak, above a floor of a few MB that tells nothing. A case that is over
too soon is measured at a larger size. The aim is a ratio of at most 2.3.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import multiprocessing
import os
import pkgutil
import re
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import twice
from benchmarks.twice.cases import CASES, Case
from recto.collector import collect_from_now_on

ROUNDS = 3
MORE_ROUNDS = 8
"""How often what is over the aim is measured again: the least of many is not what else the machine does."""
AIM = 2.3
SHORTEST_MS = 50.0
MOST_GROWN = 16
"""How many times larger than it says a case is measured at most; some are refused whatever their size."""
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
        try:
            small, large, size = measure(case)
        except EOFError:  # the process printed why
            print(f"{case.name:52} failed", flush=True)
            missed += 1
            continue
        in_time, in_memory = ratios(small, large)
        over = max(in_time, in_memory) > AIM
        missed += over
        print(
            f"{case.name:52} {size:9,}: {small[0]:7.1f} → {large[0]:7.1f} ms: {in_time:4.2f}   "
            f"{small[1]:6.1f} → {large[1]:6.1f} MB: {in_memory:4.2f}{'   over' if over else ''}",
            flush=True,
        )
    print(f"{missed} over {AIM}")
    return int(missed > 0)


Cost = tuple[float, float]
"""Milliseconds and megabytes."""


def measure(case: Case) -> tuple[Cost, Cost, int]:
    """Return what a case costs at a size and at twice that, and the size."""
    size = case.size
    most = min(MOST_GROWN * size, (case.largest or sys.maxsize) // 4)
    while size <= most and _in_a_process(case, size)[0] < SHORTEST_MS:
        size *= 2
    small = large = (float("inf"), float("inf"))
    for round in range(ROUNDS + MORE_ROUNDS):
        if round >= ROUNDS and max(ratios(small, large)) <= AIM:
            break
        small, large = _least(small, _in_a_process(case, size)), _least(large, _in_a_process(case, 2 * size))
    return small, large, size


def ratios(small: Cost, large: Cost) -> tuple[float, float]:
    """Return how many times the time and the memory of one cost the other is."""
    return large[0] / small[0], max(large[1], FLOOR_MB) / max(small[1], FLOOR_MB)


def _least(one: Cost, other: Cost) -> Cost:
    return min(one[0], other[0]), min(one[1], other[1])


def _in_a_process(case: Case, size: int) -> Cost:
    forking = multiprocessing.get_context("fork")
    here, there = forking.Pipe()
    process = forking.Process(target=_measure, args=(case.prepare, size, there))
    process.start()
    there.close()
    result: Cost = here.recv()
    process.join()
    return result


def _measure(prepare: Callable[[int], Callable[[], object]], size: int, answer: Connection) -> None:
    work = prepare(size)
    gc.collect()
    gc.disable()
    collect_from_now_on()
    ctypes.CDLL(None).malloc_trim(0)  # what preparing has given back would be taken again without growth
    filled = _fill_arenas()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before = _resident_mb("VmRSS")
    begun = time.process_time()
    work()
    took = (time.process_time() - begun) * 1000
    answer.send((took, max(0.0, _resident_mb("VmHWM") - before)))
    del filled


def _fill_arenas() -> list[object]:
    """Take all that Python's allocator has free, some MB whatever the size: work that fits in it would seem to cost
    nothing, and twice the work more than twice as much."""
    with tempfile.TemporaryFile() as file:
        stderr = os.dup(2)
        os.dup2(file.fileno(), 2)
        sys._debugmallocstats()  # it writes to the descriptor
        os.dup2(stderr, 2)
        os.close(stderr)
        file.seek(0)
        stats = file.read().decode()
    filled: list[object] = []
    for size, free in re.findall(r"^ +\d+ +(\d+) +\d+ +\d+ +(\d+)$", stats, re.MULTILINE):
        filled += (_block(int(size)) for _ in range(int(free)))
    for pools, pool in re.findall(r"^(\d+) unused pools \* (\d+) bytes", stats, re.MULTILINE):
        filled += (_block(512) for _ in range(int(pools) * (int(pool) // 512)))
    return filled


def _block(size: int) -> object:
    """Return an object of so many bytes, a multiple of 16."""
    header = sys.getsizeof(b"")
    return bytes(size - header) if size > header else object() if size == 16 else 1.5 * size


def _resident_mb(name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
