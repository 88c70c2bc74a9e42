"""Remembers which folder a space or site was brought in from, and in which state."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recto.server.storage.database import Connection


@dataclass(frozen=True, slots=True)
class Import:
    """A folder that was brought in: into which space, and the revision of it that is what the folder held."""

    organization: str
    space: str
    revision: str


def find_import(connection: Connection, folder: Path, organization: str | None = None) -> Import | None:
    """Return what is remembered of a folder, in the organization or in any; nothing of a space that is deleted."""
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
    """Remember that a folder was brought in, in place of what was remembered of it."""
    connection.execute(
        "INSERT OR REPLACE INTO imports (organization, folder, space, revision) VALUES (?, ?, ?, ?)",
        known.organization,
        str(folder),
        known.space,
        known.revision,
    )


def find_imported_site(connection: Connection, folder: Path, organization: str) -> str | None:
    """Return the id of the site that a folder was brought in as."""
    site: str | None = connection.value(
        "SELECT site FROM imported_sites WHERE folder = ? AND organization = ?", str(folder), organization
    )
    return site


def remember_imported_site(connection: Connection, folder: Path, organization: str, site: str) -> None:
    """Remember the site that a folder was brought in as."""
    connection.execute(
        "INSERT OR REPLACE INTO imported_sites (organization, folder, site) VALUES (?, ?, ?)",
        organization,
        str(folder),
        site,
    )
