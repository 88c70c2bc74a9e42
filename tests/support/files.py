"""Files in the spaces of tests."""

from __future__ import annotations

from recto.server.content.objects import save_blob
from recto.server.content.revisions import FileEntry
from recto.server.platform import Platform


def store_file(platform: Platform, name: str, content: bytes, content_type: str = "image/png") -> FileEntry:
    """Keep a file's bytes in the workspace; gives what a space's list of files says of it."""
    blob = platform.database.write_now(lambda connection: save_blob(connection, content))
    return {
        "id": f"file-{name}",
        "name": name,
        "contentType": content_type,
        "size": len(content),
        "blob": blob,
        "path": f".gitbook/assets/{name}",
        "git": {"path": f".gitbook/assets/{name}"},
    }
