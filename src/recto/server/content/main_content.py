"""Main content: which revision of a space it is, and its search index."""

from __future__ import annotations

from recto.checkpoints import checkpoint
from recto.server.content import search
from recto.server.content.revisions import Content, StoredRevision, create_revision, get_revision, tree_of
from recto.server.content.tree import Tree, root_node
from recto.server.context import Context


def set_main(context: Context, revision: StoredRevision) -> None:
    """Make a revision the main content of its space and bring the search index up to it."""
    connection = context.database
    known = connection.value("SELECT revision FROM spaces WHERE id = ?", revision.space)
    before = tree_of(connection, get_revision(connection, known)) if known else Tree(root_node())
    connection.update("spaces", revision.space, revision=revision.id, updated_at=revision.created_at)
    checkpoint("content.before-index")
    search.reindex(connection, revision.space, before, tree_of(connection, revision))
    checkpoint("content.after-index")


def begin_space(context: Context, space: str) -> StoredRevision:
    """Return a space that was just made its first revision, which holds nothing."""
    revision = create_revision(context, space, "edits", (), Content(root_node()))
    set_main(context, revision)
    return revision
