"""Puts the guide into a new workspace, and takes it out again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from recto.frozen import frozen
from recto.server.content.attributes import source_path
from recto.server.content.imported_tree import ImportedTree, import_tree
from recto.server.content.objects import save_blob
from recto.server.context import Context
from recto.server.exchange.assembly import assemble
from recto.server.exchange.book import Book
from recto.server.exchange.found_site import make_site
from recto.server.exchange.library import Library, read_library
from recto.server.guide import GUIDE
from recto.server.guide.practice import ago, set_up_practice
from recto.server.people import directory
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Connection

TITLE = "Recto guide"
"""The title of the guide's organization."""

PAGES = Path(__file__).parent / "pages"
"""The guide as a folder of documentation: several books, and the structure of their site."""

_COLLEAGUE = "guide.colleague"
_NAME, _EMAIL = "Ines Park", "ines.park@example.org"
_COLLECTION, _COLLECTED = "Reference", ("keys", "blocks")


@frozen
class _Placed:
    """A book of the guide: its space, and the ids of its pages by their files."""

    space: str
    pages: Mapping[str, str]


def install_guide(platform: Platform) -> None:
    """Make the guide's organization, unless the workspace has or had it."""
    library = read_library(PAGES)
    platform.database.write_now(lambda connection: _install(platform.context(connection), library))


def remove_guide(platform: Platform) -> None:
    """Remove the guide's organization with all in it for good, if it is still there."""
    platform.database.write_now(lambda connection: _remove(platform.context(connection)))


def _install(context: Context, library: Library) -> None:
    if directory.recall(context.database, GUIDE) is not None:
        return
    # The organization itself is created now, so that the person's own comes first in lists.
    organization = directory.create_organization(context, TITLE)
    directory.add_member(context, organization, context.caller, "admin")
    begun = ago(context, days=21)
    colleague = directory.create_user(begun, _NAME, _EMAIL)
    directory.add_member(begun, organization, colleague, "review")
    placed = _place_books(begun, organization, library)
    if library.site is not None:
        make_site(begun, organization, library.site, {folder: book.space for folder, book in placed.items()})
    main = placed["guide/en"]
    set_up_practice(context, replace(context, caller=colleague), main.space, main.pages)
    directory.remember(context.database, GUIDE, organization)
    directory.remember(context.database, _COLLEAGUE, colleague)


def _place_books(context: Context, organization: str, library: Library) -> dict[str, _Placed]:
    collection: str | None = None
    placed: dict[str, _Placed] = {}
    for book in library.books:
        collected = book.folder in _COLLECTED
        if collected and collection is None:
            collection = directory.create_collection(
                context, organization, _COLLECTION, description="Reference material"
            )
        placed[book.folder] = _place(context, organization, library, book, collection if collected else None)
    return placed


def _place(context: Context, organization: str, library: Library, book: Book, parent: str | None) -> _Placed:
    link = library.site.site_space(book.folder) if library.site else None
    like = link.space if link else None
    space = add_space(
        context,
        organization,
        book.title,
        parent=parent,
        emoji=like.emoji if like else None,
        language=like.language if like else None,
    )
    blobs = {file.path: save_blob(context.database, file.source.read()) for file in book.files}
    tree = assemble(book, blobs, None, context.ids.fresh)
    import_tree(context, space, tree)
    return _Placed(space, _pages(tree))


def _pages(tree: ImportedTree) -> dict[str, str]:
    return {path: page.id for page in tree.walk() if (path := source_path(page.attributes)) is not None}


def _remove(context: Context) -> None:
    database = context.database
    organization, colleague = (directory.recall(database, key) for key in (GUIDE, _COLLEAGUE))
    if organization:
        _remove_reactions(database, organization)
        directory.delete_organization(context, organization)
        directory.remember(database, GUIDE, "")
    if colleague and not database.one("SELECT 1 FROM members WHERE user = ?", colleague):
        database.execute("DELETE FROM users WHERE id = ?", colleague)
        directory.remember(database, _COLLEAGUE, "")


def _remove_reactions(database: Connection, organization: str) -> None:
    """Remove the reactions in an organization, which go by the id of what they are on alone."""
    database.execute(
        """WITH here AS (
            SELECT comments.id FROM comments JOIN spaces ON spaces.id = comments.space WHERE organization = ?
        )
        DELETE FROM reactions WHERE subject IN here
            OR subject IN (SELECT id FROM replies WHERE comment IN here)""",
        organization,
    )
