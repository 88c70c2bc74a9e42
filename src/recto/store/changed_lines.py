"""Which lines of a text are new or edited, and where lines were deleted."""

from __future__ import annotations

from bisect import bisect_left

from recto.document.lines import edits, split_lines
from recto.store.review_pages import DELETED, EDITED, NEW


def changed_lines(before: str, after: str) -> dict[int, str]:
    """Return what was done to lines of the new text, counted from 0: ``NEW``, ``EDITED``, or ``DELETED`` before one.

    Blank lines do not count; what was deleted at the end stands at the last line.
    """
    old, new = split_lines(before), split_lines(after)
    written = [number for number, line in enumerate(new) if line.strip()]
    found: dict[int, str] = {}
    for edit in edits(old, new):
        here = [number for number in range(edit.after_start, edit.after_end) if new[number].strip()]
        was_there = any(line.strip() for line in old[edit.before_start : edit.before_end])
        for number in here:
            found[number] = EDITED if was_there else NEW
        if was_there and not here and written:
            following = bisect_left(written, edit.after_start)
            found.setdefault(written[min(following, len(written) - 1)], DELETED)
    return found
