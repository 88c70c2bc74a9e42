"""The tables of translations of spaces."""

from __future__ import annotations

FOURTEENTH: tuple[str, ...] = (
    # ``job`` is the last run, and ``is_complete`` says whether it ended well. ``result`` is the space with the
    # translation, ``revision`` its main content after the last run, ``translated`` the revision with what the engine
    # wrote, ``change_request`` the last one with contradictions. ``guidance`` tells the instructions and the glossary
    # of the last run apart from others. Durations are in milliseconds. The spaces may be gone, so nothing refers to
    # them.
    """
    CREATE TABLE translations (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        source TEXT NOT NULL,
        source_language TEXT NOT NULL,
        language TEXT NOT NULL,
        instructions TEXT NOT NULL,
        job INTEGER,
        is_complete INTEGER NOT NULL DEFAULT 0,
        result TEXT,
        revision TEXT,
        translated TEXT,
        change_request TEXT,
        guidance TEXT,
        runs INTEGER NOT NULL DEFAULT 0,
        total_words INTEGER NOT NULL DEFAULT 0,
        total_pages INTEGER NOT NULL DEFAULT 0,
        total_duration INTEGER NOT NULL DEFAULT 0,
        latest_run_duration INTEGER NOT NULL DEFAULT 0,
        latest_pages INTEGER NOT NULL DEFAULT 0,
        latest_words INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (organization, source, language)
    )
    """,
    # ``digest`` is that of the texts of the source's page that were translated last.
    """
    CREATE TABLE translated_pages (
        translation TEXT NOT NULL REFERENCES translations ON DELETE CASCADE,
        page TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (translation, page)
    ) WITHOUT ROWID
    """,
)
"""The statements of the fourteenth step."""

EIGHTEENTH: tuple[str, ...] = (
    # Pages and reusable contents whose translation a change request holds; ``base`` is the revision with what the
    # engine wrote before, from which it is merged again where the change request is archived.
    """
    CREATE TABLE waiting_pages (
        translation TEXT NOT NULL REFERENCES translations ON DELETE CASCADE,
        page TEXT NOT NULL,
        change_request TEXT NOT NULL,
        base TEXT NOT NULL,
        PRIMARY KEY (translation, page)
    ) WITHOUT ROWID
    """,
)
"""The statements of the eighteenth step."""
