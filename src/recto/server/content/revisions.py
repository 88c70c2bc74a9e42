"""Revisions: immutable states of a space's content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from recto.checkpoints import checkpoint
from recto.frozen import frozen
from recto.server.content.objects import load_manifest, load_tree, save_manifest, save_tree
from recto.server.content.tree import Node, Tree
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.storage.database import Connection, Row

FileEntry = Mapping[str, Any]
"""A file of a revision: ``id``, ``name``, ``contentType``, ``size`` in bytes, and where known ``blob`` (the hash of
its bytes), ``url`` (where they are instead), ``path`` (in a repository), ``dimensions`` and ``git``."""

SOURCE = "source"
"""Under this name a revision's extras hold the hash of the record of the files that it was imported from."""

MAX_PAGES = 5_000
"""The most pages of a space."""

MAX_FILES = 20_000
"""The most files of a space."""


@frozen
class Content:
    """All that a revision holds.

    ``files`` are in their order; ``extras`` holds ``variables`` (name to value) and ``reusableContents`` (a list of
    maps with ``id``, ``title``, ``text``, the hash of its Markdown, and where known ``path``).
    """

    root: Node
    files: Sequence[FileEntry] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)


@frozen
class StoredRevision:
    """A revision as stored: who made it and how, its parents, and the hashes of what it holds."""

    id: str
    space: str
    change_request: str | None
    type: str
    parents: tuple[str, ...]
    merged_from: str | None
    root: str
    files: str
    extras: str
    created_by: str | None
    created_at: str
    git: Mapping[str, Any] | None

    def same_content(self, other: StoredRevision) -> bool:
        """Whether both hold the very same."""
        return (self.root, self.files, self.extras) == (other.root, other.files, other.extras)


def _revision(row: Row) -> StoredRevision:
    values = dict(row)
    values["parents"] = tuple(json.loads(row["parents"]))
    values["git"] = json.loads(row["git"]) if row["git"] else None
    return StoredRevision(**values)


def get_revision(connection: Connection, revision: str) -> StoredRevision:
    """Return a revision that is known to exist."""
    row = connection.one("SELECT * FROM revisions WHERE id = ?", revision)
    assert row is not None, f"revision {revision} is gone"
    return _revision(row)


def find_revision(connection: Connection, space: str, revision: str) -> StoredRevision:
    """Return a revision of the space, of its main content or of one of its change requests.

    Raises :class:`NotFound` where it has none of that id.
    """
    row = connection.one("SELECT * FROM revisions WHERE id = ? AND space = ?", revision, space)
    if row is None:
        raise NotFound(f"There is no revision {revision} in this space.")
    return _revision(row)


def main_revision(connection: Connection, space: str) -> StoredRevision:
    """Return the revision that is the space's main content."""
    row = connection.one(
        "SELECT revisions.* FROM spaces JOIN revisions ON revisions.id = spaces.revision WHERE spaces.id = ?", space
    )
    if row is None:
        raise NotFound(f"There is no space {space}, or it has no content.")
    return _revision(row)


def tree_of(connection: Connection, revision: StoredRevision) -> Tree:
    """Return the page tree of a revision."""
    return load_tree(connection, revision.root)


def content_of(connection: Connection, revision: StoredRevision) -> Content:
    """Return all that a revision holds."""
    return Content(
        tree_of(connection, revision).root,
        load_manifest(connection, revision.files),
        load_manifest(connection, revision.extras),
    )


def create_revision(
    context: Context,
    space: str,
    kind: str,
    parents: Sequence[str],
    content: Content,
    *,
    change_request: str | None = None,
    merged_from: str | None = None,
) -> StoredRevision:
    """Store a revision with its new content, and return it.

    ``kind`` is ``edits``, ``merge``, ``update`` or ``computed``. The texts that its pages name have to be stored
    already. Neither the space nor a change request points at it yet.
    """
    connection = context.database
    checkpoint("content.before-nodes")
    save_tree(connection, content.root, tree_of(connection, get_revision(connection, parents[0])) if parents else None)
    revision = StoredRevision(
        id=context.ids.fresh(),
        space=space,
        change_request=change_request,
        type=kind,
        parents=tuple(parents),
        merged_from=merged_from,
        root=content.root.hash,
        files=save_manifest(connection, [dict(entry) for entry in content.files]),
        extras=save_manifest(connection, dict(content.extras)),
        created_by=context.caller,
        created_at=context.stamp(),
        git=None,
    )
    checkpoint("content.before-revision")
    connection.insert(
        "revisions",
        id=revision.id,
        space=space,
        change_request=change_request,
        type=kind,
        parents=json.dumps(revision.parents),
        merged_from=merged_from,
        root=revision.root,
        files=revision.files,
        extras=revision.extras,
        created_by=revision.created_by,
        created_at=revision.created_at,
    )
    checkpoint("content.after-revision")
    return revision
