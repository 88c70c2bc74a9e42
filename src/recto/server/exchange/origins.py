"""Origins of spaces and sites: the folder they were imported from, and its state."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recto.server.storage.database import Connection


@dataclass(frozen=True, slots=True)
class Import:
    """An imported folder: its space, and the revision that holds the folder's state."""

    organization: str
    space: str
    revision: str


def find_import(connection: Connection, folder: Path, organization: str | None = None) -> Import | None:
    """Return the import of a folder, in the organization or in any; deleted spaces do not count."""
    row = connection.one(
        "SELECT imports.organization, imports.space, imports.revision FROM imports"
        " JOIN spaces ON spaces.id = imports.space AND spaces.deleted_at IS NULL"
        " WHERE folder = ? AND (? IS NULL OR imports.organization = ?) ORDER BY spaces.created_at",
        str(folder),
        organization,
        organization,
    )
    return Import(**row) if row else None


def remember_import(connection: Connection, folder: Path, known: Import) -> None:
    """Store the import of a folder, replacing an earlier import."""
    connection.execute(
        "INSERT OR REPLACE INTO imports (organization, folder, space, revision) VALUES (?, ?, ?, ?)",
        known.organization,
        str(folder),
        known.space,
        known.revision,
    )


def find_imported_site(connection: Connection, folder: Path, organization: str) -> str | None:
    """Return the id of the site imported from a folder."""
    site: str | None = connection.value(
        "SELECT site FROM imported_sites WHERE folder = ? AND organization = ?", str(folder), organization
    )
    return site


def remember_imported_site(connection: Connection, folder: Path, organization: str, site: str) -> None:
    """Store the site imported from a folder."""
    connection.execute(
        "INSERT OR REPLACE INTO imported_sites (organization, folder, site) VALUES (?, ?, ?)",
        organization,
        str(folder),
        site,
    )
