"""The tables of a workspace and the numbered steps that bring an older file up to date.

Each area keeps its statements in a module of its own. A step, once released, is never changed: a later change is a
further step.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from recto.checkpoints import checkpoint
from recto.server.storage.schema import (
    content_tables,
    git_tables,
    people_tables,
    site_tables,
    specification_tables,
    translation_tables,
)

APPLICATION_ID = 0x52435430
"""Marks a SQLite file as Recto's: ``RCT0``."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    people_tables.FIRST + content_tables.FIRST + site_tables.FIRST + site_tables.IMPORTS,
    people_tables.SECOND + content_tables.SECOND + site_tables.SECOND,
    people_tables.THIRD,
    content_tables.FOURTH,
    site_tables.FIFTH,
    site_tables.SIXTH,
    site_tables.SEVENTH,
    git_tables.EIGHTH,
    content_tables.NINTH,
    git_tables.TENTH,
    site_tables.ELEVENTH,
    site_tables.TWELFTH,
    specification_tables.THIRTEENTH,
    translation_tables.FOURTEENTH,
    specification_tables.FIFTEENTH,
    content_tables.SIXTEENTH,
    git_tables.SEVENTEENTH,
    translation_tables.EIGHTEENTH,
)
"""The statements of each step, oldest first; a file's ``user_version`` is the number of steps it has seen."""


class WorkspaceError(Exception):
    """A file that cannot be used as a workspace; the message is a sentence that names it."""


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate the file to the newest step, wholly or not at all.

    Raises :class:`WorkspaceError` where it is not SQLite, not Recto's, or from a newer Recto.
    """
    try:
        if _has_pending(connection, path):
            _advance(connection, path)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise WorkspaceError(f"{path} is not a workspace of Recto: it is not a SQLite file.") from error
        raise


def _has_pending(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether steps are left to do, and refuse a file that is not ours to touch."""
    application_id = _pragma(connection, "application_id")
    version = _pragma(connection, "user_version")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    empty = application_id == 0 and version == 0 and tables == 0
    if application_id != APPLICATION_ID and not empty:
        raise WorkspaceError(f"{path} is a SQLite file, but not a workspace of Recto.")
    if version > len(MIGRATIONS):
        raise WorkspaceError(f"{path} was made by a newer version of Recto. Update Recto to open it.")
    return version < len(MIGRATIONS)


def _advance(connection: sqlite3.Connection, path: Path) -> None:
    """Do the remaining steps; another process may have done them during the wait for the lock."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _has_pending(connection, path):
            for step in MIGRATIONS[_pragma(connection, "user_version") :]:
                for statement in step:
                    connection.execute(statement)
            checkpoint("database.before-migration-commit")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
