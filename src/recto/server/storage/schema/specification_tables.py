"""The tables of OpenAPI specifications and their versions."""

from __future__ import annotations

THIRTEENTH: tuple[str, ...] = (
    # ``job`` is the last one that processed the source: while it runs, ``state`` holds; ``errors`` are a JSON list of
    # messages.
    """
    CREATE TABLE specifications (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        slug TEXT NOT NULL,
        source_url TEXT,
        visibility TEXT NOT NULL DEFAULT 'private',
        state TEXT NOT NULL,
        job INTEGER NOT NULL,
        error_code TEXT,
        errors TEXT NOT NULL DEFAULT '[]',
        failing_since TEXT,
        processed_at TEXT,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (organization, slug)
    ) WITHOUT ROWID
    """,
    # ``source`` is the text as it was read and ``content`` the same as JSON, both compressed by zlib; ``content`` is
    # NULL where the source is JSON. ``digest`` tells sources apart.
    """
    CREATE TABLE specification_versions (
        id TEXT PRIMARY KEY,
        specification TEXT NOT NULL REFERENCES specifications ON DELETE CASCADE,
        number INTEGER NOT NULL,
        digest TEXT NOT NULL,
        source BLOB NOT NULL,
        content BLOB,
        created_at TEXT NOT NULL,
        UNIQUE (specification, number)
    )
    """,
)
"""The statements of the thirteenth step."""

FIFTEENTH: tuple[str, ...] = (
    # The ids and slugs of specifications that the main content of a space has pages computed from.
    """
    CREATE TABLE computed_from (
        space TEXT NOT NULL REFERENCES spaces ON DELETE CASCADE,
        specification TEXT NOT NULL,
        PRIMARY KEY (space, specification)
    ) WITHOUT ROWID
    """,
    "INSERT INTO index_queue SELECT 'computed', id, '' FROM spaces WHERE revision IS NOT NULL",
)
"""The statements of the fifteenth step."""
