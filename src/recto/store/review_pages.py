"""The changes of a change request, page by page and in the lines of a page, and which pages are viewed."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recto.contract.content import walk_with_parents
from recto.contract.unread import unread_of
from recto.document.line_edits import split_lines
from recto.document.merge.diff import LineKind, Row, diff_lines
from recto.frozen import frozen
from recto.store.json_file import JsonFile

if TYPE_CHECKING:
    from recto.contract.changes import Changes
    from recto.contract.content import Page

MOST_REQUESTS = 200
"""The number of change requests whose marks are kept, of those marked last."""

_MOST_COUNTS = 5000
"""The counts that are kept, of those made last."""

NEW, EDITED, MOVED, RENAMED, DELETED = "new", "edited", "moved", "renamed", "deleted"


@frozen
class ReviewPage:
    """A page that a change request changes.

    ``kinds`` say what happened to it, most telling first; ``attributes`` what changed of it besides its text, as
    (name, before, after); ``fingerprint`` differs when it is changed further.
    """

    id: str
    title: str
    type: str = "document"
    kinds: tuple[str, ...] = ()
    attributes: tuple[tuple[str, Any, Any], ...] = ()
    has_new_text: bool = False
    fingerprint: str = ""

    @property
    def kind(self) -> str:
        """The most important change of it."""
        return self.kinds[0] if self.kinds else EDITED


@dataclass(slots=True)
class _Gathered:
    title: str = ""
    type: str = "document"
    kinds: dict[str, None] = field(default_factory=dict)
    attributes: list[tuple[str, Any, Any]] = field(default_factory=list)
    has_new_text: bool = False
    raw: list[str] = field(default_factory=list)


def review_pages(changes: Changes, names: Mapping[str, str] | None = None) -> list[ReviewPage]:
    """Return the pages that are changed, in the order in which the platform gives them.

    ``names`` are titles of pages by id, for parents that are given by id.
    """
    names = names or {}
    gathered: dict[str, _Gathered] = {}
    for change in changes.changes:
        page = getattr(change, "page", None)
        if page is None or not hasattr(page, "id"):
            continue
        one = gathered.setdefault(page.id, _Gathered())
        one.title, one.type = page.title, page.type
        one.raw.append(change.to_json().decode())
        if change.type == "page_created":
            one.kinds[NEW] = None
            one.has_new_text = True
        elif change.type == "page_deleted":
            one.kinds[DELETED] = None
            one.has_new_text = True
        elif change.type == "page_moved":
            one.kinds[MOVED] = None
            _note_move(one, change, names)
        else:
            _note_edit(one, getattr(change, "attributes", {}))
    return [_finish(id, one) for id, one in gathered.items()]


def _note_move(one: _Gathered, change: Any, names: Mapping[str, str]) -> None:
    def name(parent: Any) -> str:
        return names.get(str(parent), str(parent)) if parent else "the top level"

    before, after = change.parent.before, change.parent.after
    if before == after:
        one.attributes.append(
            ("place", None, f"elsewhere under {name(after)}" if after else "elsewhere at the top level")
        )
    else:
        one.attributes.append(("parent", name(before), name(after)))


def _note_edit(one: _Gathered, attributes: Mapping[str, Any]) -> None:
    for name, values in attributes.items():
        if name == "document":
            one.has_new_text = True
            one.kinds[EDITED] = None
            continue
        one.kinds[RENAMED if name == "title" else EDITED] = None
        one.attributes.append((name, values.before, values.after))
    if not attributes:
        one.kinds[EDITED] = None


def _finish(id: str, one: _Gathered) -> ReviewPage:
    order = (NEW, DELETED, EDITED, RENAMED, MOVED)
    kinds = tuple(kind for kind in order if kind in one.kinds)
    fingerprint = sha256("\n".join(one.raw).encode()).hexdigest()[:16]
    return ReviewPage(id, one.title, one.type, kinds, tuple(one.attributes), one.has_new_text, fingerprint)


def other_changes(changes: Changes) -> list[str]:
    """Return the changes besides pages, each as a few words."""
    listed = []
    for change in changes.changes:
        words = change.type.replace("_", " ")
        thing = getattr(change, "file", None) or getattr(change, "reusable_content", None)
        if getattr(change, "page", None) is not None:
            continue
        name = getattr(thing, "name", "") or getattr(thing, "title", "")
        listed.append(f"{words}: {name}" if name else words)
    return [*listed, *(note.words for note in unread_of(changes))]


def compare_trees(before: Iterable[Page], after: Iterable[Page]) -> list[ReviewPage]:
    """Return the pages that differ between two page trees, for servers that do not list changes.

    Whether a text changed is taken from when the page was last updated.
    """
    old, new = ({page.id: (page, parent) for page, parent in walk_with_parents(pages)} for pages in (before, after))
    found = []
    for id, (page, parent) in new.items():
        if id not in old:
            found.append(ReviewPage(id, page.title, page.type, (NEW,), (), True, str(page.updated_at)))
            continue
        was, old_parent = old[id]
        attributes = tuple(
            (name, getattr(was, name), getattr(page, name))
            for name in ("title", "slug", "description", "emoji", "icon", "hidden")
            if getattr(was, name) != getattr(page, name)
        )
        kinds = [EDITED] if was.updated_at != page.updated_at or attributes else []
        kinds += [RENAMED] if was.title != page.title else []
        kinds += [MOVED] if old_parent != parent else []
        if kinds:
            found.append(ReviewPage(id, page.title, page.type, tuple(kinds), attributes, True, str(page.updated_at)))
    gone = (page for id, (page, _) in old.items() if id not in new)
    return found + [ReviewPage(page.id, page.title, page.type, (DELETED,), (), True, "deleted") for page in gone]


class Viewed:
    """The changed pages that the person has viewed, by change request, in a small file beside the drafts.

    A mark holds for the page as it was changed then: a further change clears it.
    """

    def __init__(self, file: Path) -> None:
        self._file = JsonFile(file, "viewed pages")
        self._marks: dict[str, Any] = {}

    async def load(self) -> None:
        """Read the marks, also those that another window has made since."""
        self._marks = await asyncio.to_thread(self._file.read)

    def has(self, change_request: str, page: ReviewPage) -> bool:
        """Whether the page has been viewed as it is changed now."""
        return _marks_of(self._marks, change_request).get(page.id) == page.fingerprint

    def set(self, change_request: str, page: ReviewPage, viewed: bool) -> None:
        """Mark a page as viewed or not."""

        def change(content: dict[str, Any]) -> None:
            marks = {id: mark for id, mark in _marks_of(content, change_request).items() if id != page.id}
            content.pop(change_request, None)
            if viewed:
                marks[page.id] = page.fingerprint
            if marks:
                content[change_request] = marks
            for oldest in list(content)[:-MOST_REQUESTS]:
                del content[oldest]

        change(self._marks)
        self._file.change(change)


def _marks_of(content: Mapping[str, Any], change_request: str) -> Mapping[str, Any]:
    marks = content.get(change_request)
    return marks if isinstance(marks, dict) else {}


@frozen
class PageCount:
    """The lines added and removed in a changed page, and whether its text holds conflict markers."""

    added: int
    removed: int
    has_markers: bool


class KnownCounts:
    """The counts of changed pages for the next visit of their change requests, by the state of both sides."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, ...], PageCount] = {}

    def get(self, identity: tuple[str, ...]) -> PageCount | None:
        """Return the count of a page in one state; ``None`` while it is not counted."""
        return self._counts.get(identity)

    def put(self, identity: tuple[str, ...], count: PageCount) -> None:
        """Keep a count, in place of the oldest where there are too many."""
        self._counts.pop(identity, None)
        self._counts[identity] = count
        if len(self._counts) > _MOST_COUNTS:
            del self._counts[next(iter(self._counts))]


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
