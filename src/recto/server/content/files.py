"""The files of a revision, and their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from recto.contract.content import File, GitObject
from recto.frozen import frozen
from recto.server.content.objects import load_blob, load_manifest
from recto.server.content.revisions import FileEntry, StoredRevision
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.people.access import require
from recto.server.serializers import known_fields


@frozen
class Download:
    """The bytes of a file and what they are."""

    content: bytes
    content_type: str


_NONE: Mapping[str, str] = MappingProxyType({})


def serialize_file(
    context: Context, space: str, entry: FileEntry, *, git: bool = True, oids: Mapping[str, str] = _NONE
) -> File:
    """Return a file as the contract has it; ``git`` says whether with where it comes from, and its id in ``oids``."""
    here = context.location(f"/spaces/{space}/blobs/{entry['blob']}") if "blob" in entry else ""
    place = {"oid": oids.get(entry["id"], "")} | entry["git"] if git and entry.get("git") else None
    return File(
        id=entry["id"],
        name=entry["name"],
        content_type=entry["contentType"],
        size=entry["size"],
        download_url=entry.get("url") or here,
        **known_fields(
            dimensions=entry.get("dimensions"),
            git=GitObject.model_validate(place) if place else None,
        ),
    )


def find_file(context: Context, revision: StoredRevision, file: str) -> FileEntry:
    """Return a file of a revision by its id; raises :class:`NotFound`."""
    entries: list[FileEntry] = load_manifest(context.database, revision.files)
    for entry in entries:
        if entry["id"] == file:
            return entry
    raise NotFound(f"There is no file {file} here.")


def find_download(context: Context, space: str, blob: str) -> Download:
    """Return the bytes of a file that some revision of a space holds, for callers who may see the space."""
    require(context, space)
    row = next(
        (entry for entry in _main_files(context, space) if entry.get("blob") == blob), None
    ) or context.database.one(
        """SELECT json_extract(entry.value, '$.contentType') AS contentType FROM manifests, json_each(body) AS entry
           WHERE hash IN (SELECT files FROM revisions WHERE space = ?)
           AND json_extract(entry.value, '$.blob') = ? LIMIT 1""",
        space,
        blob,
    )
    content = load_blob(context.database, blob) if row else None
    if row is None or content is None:
        raise NotFound(f"There is no file {blob} in this space.")
    return Download(content, row["contentType"])


def _main_files(context: Context, space: str) -> list[FileEntry]:
    """Return the files of a space's main content, where most that are asked for are."""
    name = context.database.value(
        "SELECT files FROM spaces JOIN revisions ON revisions.id = spaces.revision WHERE spaces.id = ?", space
    )
    files: list[FileEntry] = load_manifest(context.database, name) if name else []
    return files
