"""The garbage collector, off while the program starts and then seldom, and giving memory back to the system."""

from __future__ import annotations

import gc
from contextlib import suppress

_COLLECTED_AFTER = (20_000, 5, 200)
"""With the default thresholds all objects would be scanned again and again while a large page tree is built.

``tests/benchmarks/space_open.py`` shows it: the event loop is held three times as long as it may be.
"""


_MMAP_THRESHOLD = -3
_LARGE_BLOCK_BYTES = 256 * 1024


def collect_from_now_on() -> None:
    """Begin to collect garbage after the start; objects made so far are not scanned again."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*_COLLECTED_AFTER)
        gc.enable()


def give_memory_back() -> None:
    """Collect garbage and return free memory to the system; takes up to a tenth of a second.

    The C library keeps what was freed for later, in heaps of several threads; GNU's can be asked not to.
    """
    import ctypes

    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def give_large_blocks_back() -> None:
    """Return each large block of memory to the system as soon as it is free.

    GNU's C library learns from the first such block to be freed to keep them, and then cuts small blocks from them: a
    hundred unread responses of 4 MB, each ended before the next, held 400 MB.
    """
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)
