"""The tables of imports: which folder a space or a site was imported from."""

from __future__ import annotations

FIRST: tuple[str, ...] = (
    # What a folder held when it was last imported is a revision of the space, on its main line or beside it.
    """
    CREATE TABLE imports (
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        folder TEXT NOT NULL, -- the real path of the book's folder
        space TEXT NOT NULL REFERENCES spaces ON DELETE CASCADE,
        revision TEXT NOT NULL,
        PRIMARY KEY (organization, folder)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX imports_of_space ON imports (space)",
    """
    CREATE TABLE imported_sites (
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        folder TEXT NOT NULL,
        site TEXT NOT NULL REFERENCES sites ON DELETE CASCADE,
        PRIMARY KEY (organization, folder)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX imported_sites_of_site ON imported_sites (site)",
)
"""The statements of the first step."""
