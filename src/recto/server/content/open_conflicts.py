"""The open conflicts of a change request, stored with each of its revisions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from recto.server.content.content_merge import MergeConflict, markers_left
from recto.server.content.objects import load_text
from recto.server.content.tree import Node, Tree
from recto.server.storage.database import Connection

BESIDE_PAGES = frozenset({"file", "variables", "reusableContents"})
"""The fields of conflicts that no write to a page resolves."""


def record(connection: Connection, revision: str, conflicts: Iterable[MergeConflict]) -> None:
    """Save conflicts with a revision.

    Where a text is in conflict again before it was resolved, the side without markers is kept.
    """
    clean = {each.page: each.ours for each in find_open_conflicts(connection, revision) if each.field == "text"}
    conflicts = [
        replace(each, ours=clean[each.page]) if each.field == "text" and each.page in clean else each
        for each in conflicts
    ]
    connection.execute_many(
        "INSERT OR REPLACE INTO conflicts (revision, page, field, title, base, ours, theirs)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (revision, each.page, each.field, each.title, *map(json.dumps, (each.base, each.ours, each.theirs)))
            for each in conflicts
        ],
    )


def find_open_conflicts(connection: Connection, revision: str) -> list[MergeConflict]:
    """Return the open conflicts of a revision."""
    rows = connection.all("SELECT * FROM conflicts WHERE revision = ? ORDER BY title, page, field", revision)
    return [MergeConflict(row["page"], row["field"], row["title"], *_values(row)) for row in rows]


def _values(row: dict[str, Any]) -> list[Any]:
    return [json.loads(row[name]) for name in ("base", "ours", "theirs")]


def carry(connection: Connection, before: str, after: str, written: set[tuple[str, str]], root: Node) -> None:
    """Carry the open conflicts of the previous revision over to this revision.

    ``written`` holds pages and attributes; ``*`` is the whole page. A conflict of texts is resolved when no markers are
    left, a deletion against an edit by any write to the page or its removal.
    """
    waiting = find_open_conflicts(connection, before)
    if waiting:
        tree = Tree(root)
        record(connection, after, [each for each in waiting if not _is_resolved(connection, each, written, tree)])


def _is_resolved(connection: Connection, conflict: MergeConflict, written: set[tuple[str, str]], tree: Tree) -> bool:
    if conflict.field in BESIDE_PAGES:
        return False
    node = tree.get(conflict.page)
    if node is None:
        return True
    if conflict.field == "text":
        return not markers_left(connection, conflict, load_text(connection, node.text))
    if (conflict.page, "*") in written or (conflict.page, conflict.field) in written:
        return True
    return conflict.field == "deleted" and any(page == conflict.page for page, _ in written)
