"""The garbage collector, which rests while very much is made at once and looks at what is kept when nobody waits."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_pausing = threading.Lock()
_paused = 0
_set_aside = False
"""Whether something has been set aside since all was last looked through."""

_sets_aside = True
"""Whether what is kept is set aside."""

_COLLECTED_AFTER = (20_000, 5, 200)
"""At the defaults, reading one large page is to look through all there is ten times, each for half a second.

Young objects are looked through a hundred thousand at a time, which is a short pause.
"""


@contextmanager
def collector_paused(*, kept: bool = False) -> Iterator[None]:
    """Keep the garbage collector from running; it would walk all objects again and again while many are made.

    Where what is made is ``kept``, it is set aside: to look through a tree of thousands of pages once holds the screen
    for as long as it takes to read a thousand of them.
    """
    global _paused, _set_aside
    with _pausing:
        enabled = gc.isenabled() or _paused > 0
        if enabled:
            _paused += 1
            gc.disable()
    try:
        yield
    finally:
        if enabled:
            with _pausing:
                _paused -= 1
                if kept and _sets_aside:
                    gc.freeze()
                    _set_aside = True
                if _paused == 0:
                    gc.enable()


_MMAP_THRESHOLD = -3
_LARGE_BLOCK_BYTES = 256 * 1024


def collect_from_now_on(*, setting_aside: bool = True) -> None:
    """Begin to collect in a program that has started without: what starting made stays, and is not looked at again.

    A tree of thousands of pages is made at once, and looking through all there is ten times meanwhile holds the screen,
    or those whom the server answers, for longer than making it: so it is done less often than by default. A program
    that never calls :func:`collect_all` sets nothing aside: garbage that was there at that moment would stay for good.
    """
    global _sets_aside
    if not gc.isenabled():
        _sets_aside = setting_aside
        gc.freeze()
        gc.set_threshold(*_COLLECTED_AFTER)
        gc.enable()


def give_memory_back() -> None:
    """Free what nothing holds any more, and give the system the memory that is free; takes up to a tenth of a second.

    The C library keeps what was freed for later, in heaps of several threads; GNU's can be asked not to.
    """
    import ctypes

    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def give_large_blocks_back() -> None:
    """Have each large block of memory go back to the system as soon as it is free.

    GNU's C library learns from the first one that is freed to keep such blocks, and then cuts small ones from them: a
    hundred unread answers of 4 MB, each ended before the next, held 400 MB.
    """
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)


def collect_all() -> None:
    """Look through what was set aside, too, if something was; holds the program for up to a tenth of a second."""
    global _set_aside
    with _pausing:
        if _set_aside and not _paused:
            _set_aside = False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
