"""The tables of spaces that are synchronized with a repository."""

from __future__ import annotations

EIGHTH: tuple[str, ...] = (
    # No address here has credentials. ``oid`` is the commit, and ``revision`` the revision with the same content, at
    # which the space and its branch were last alike; ``blobs`` are the files of that commit by
    # the ids of the pages and files that they are, JSON.
    """
    CREATE TABLE git_syncs (
        space TEXT PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
        address TEXT NOT NULL,
        ref TEXT NOT NULL,
        directory TEXT NOT NULL,
        repo_name TEXT NOT NULL,
        provider TEXT,
        url TEXT,
        tree_url TEXT,
        commit_url TEXT,
        cache TEXT,
        oid TEXT,
        revision TEXT,
        blobs TEXT NOT NULL DEFAULT '{}',
        happened_at TEXT,
        updated_at TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)
"""The statements of the eighth step."""

TENTH: tuple[str, ...] = (
    # The last push of a space: its newest commit, and what to store once it is known to have arrived.
    # ``commits`` are the ``git`` of revisions by their ids, ``blobs`` as in ``git_syncs``, ``paths`` as in ``paths``,
    # all three JSON.
    """
    CREATE TABLE git_pushes (
        space TEXT PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
        address TEXT NOT NULL,
        ref TEXT NOT NULL,
        directory TEXT NOT NULL,
        oid TEXT NOT NULL,
        revision TEXT NOT NULL,
        commits TEXT NOT NULL,
        blobs TEXT NOT NULL,
        paths TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)
"""The statements of the tenth step."""

SEVENTEENTH: tuple[str, ...] = (
    # What was last known of the branches that a space was synchronized with before that of ``git_syncs``.
    """
    CREATE TABLE earlier_git_syncs (
        space TEXT NOT NULL REFERENCES spaces ON DELETE CASCADE,
        address TEXT NOT NULL,
        ref TEXT NOT NULL,
        directory TEXT NOT NULL,
        oid TEXT,
        revision TEXT,
        happened_at TEXT,
        blobs TEXT NOT NULL,
        tree_url TEXT,
        commit_url TEXT,
        provider TEXT,
        url TEXT,
        updated_at TEXT NOT NULL,
        PRIMARY KEY (space, address, ref, directory)
    ) WITHOUT ROWID
    """,
)
"""The statements of the seventeenth step."""
