"""Which lines of a text are new or edited, and where lines were deleted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

from recto.document.lines import split_lines
from recto.document.merge.diff import LineKind, Row, diff_lines
from recto.store.review_pages import DELETED, EDITED, NEW


def changed_lines(before: str, after: str) -> dict[int, str]:
    """Return the changes by line of the new text, counted from 0: ``NEW``, ``EDITED``, or ``DELETED`` before it.

    Blank lines do not count; what was deleted at the end stands at the last line.
    """
    written = [number for number, line in enumerate(split_lines(after)) if line.strip()]
    found: dict[int, str] = {}
    for hunk in diff_lines(before, after, context=0).hunks:
        place = hunk.new_start
        for is_change, rows in groupby(hunk.rows, _is_change):
            change = list(rows)
            if is_change:
                kinds = _kinds(change)
                found.update(kinds)
                if not kinds and written and any(left and left.text.strip() for left, _ in change):
                    following = bisect_left(written, place)
                    found.setdefault(written[min(following, len(written) - 1)], DELETED)
            place += sum(right is not None for _, right in change)
    return found


def _is_change(row: Row) -> bool:
    left, right = row
    return left is None or right is None or left.kind is not LineKind.CONTEXT


def _kinds(change: Sequence[Row]) -> dict[int, str]:
    """Return the kinds of the lines of a change; a line in place of another is edited."""
    gone = sum(left is not None and right is None and bool(left.text.strip()) for left, right in change)
    found: dict[int, str] = {}
    for left, right in change:
        if right is not None and right.new_number is not None and right.text.strip():
            found[right.new_number - 1] = EDITED if left is not None or gone else NEW
    return found
