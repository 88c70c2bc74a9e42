"""All that a workspace file holds, to be compared with all that another one holds."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

Rows = Counter[tuple[object, ...]]

_SHARED = frozenset({"texts", "nodes", "manifests", "blobs"})
# How SQLite keeps the search index; what is in it is read from the table `search` itself.
_INSIDES = ("sqlite_", "search_data", "search_idx", "search_docsize", "search_config", "search_content")
# What is remembered of the jobs that were tried differs where one of them was killed.
_TRIED = ("jobs", "job_reports")


@dataclass(frozen=True)
class State:
    """The rows of all tables: of those that hold content by its hash, whatever points at it, and of the others."""

    facts: dict[str, Rows]
    shared: dict[str, Rows]

    def lies_between(self, before: State, after: State) -> bool:
        """Whether the content stored by its hash is what there was before and some of what came."""
        return all(before.shared[name] <= rows <= after.shared[name] for name, rows in self.shared.items())

    def counts(self) -> dict[str, int]:
        """Return how many rows each table has."""
        return {name: rows.total() for name, rows in {**self.facts, **self.shared}.items()}


def state_of(path: Path) -> State:
    """Return what a workspace file holds, having looked whether it is sound."""
    facts: dict[str, Rows] = {}
    shared: dict[str, Rows] = {}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            if not name.startswith(_INSIDES) and name not in _TRIED:
                extra = "rowid, " if name == "search" else ""
                rows = Counter(connection.execute(f'SELECT {extra}* FROM "{name}"'))
                (shared if name in _SHARED else facts)[name] = rows
        if "search" in facts:
            connection.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    return State(facts, shared)
