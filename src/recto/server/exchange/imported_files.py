"""The files that a space was imported from, kept with its revisions so that an export gives them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Protocol

from recto.frozen import frozen
from recto.server.content.attributes import source_path
from recto.server.content.imported_tree import ImportedPage, ImportedTree
from recto.server.content.objects import load_manifest, save_manifest, text_hash
from recto.server.content.revisions import SOURCE
from recto.server.content.tree import Node, canonical, digest
from recto.server.exchange.book import Book
from recto.server.exchange.folder import join_path, normal_place, path_below
from recto.server.storage.database import Connection

_IN_SUMMARY = frozenset({"link_title", "target", "href", "computed"})
_NOT_IN_FILE = frozenset({"title", "slug", "git", *_IN_SUMMARY})

SETTINGS = ("variables", "tags", "redirects")
"""The extras of a revision that files of settings say."""


MOST_PLACES = 200
"""The most places that are named for one reason; the rest is counted."""


@frozen
class Unkept:
    """Things of an imported book that are not kept: the reason, how many they are, and the first places."""

    reason: str
    number: int
    places: tuple[str, ...]


@frozen
class ImportedFiles:
    """The files of an imported book by their places in it, and what was read from them.

    ``folder`` is the book's place in the folder that was imported; ``root``, ``layout`` and ``summary`` are places in
    the book. ``blobs`` holds the hash of each file's bytes; ``pages`` and ``reusables`` a digest of what was read from
    those that they came from; ``assets`` are the other files that the space holds. ``titles`` are those of pages whose
    file has none. ``tree`` is a digest of the page tree, ``settings`` are those of :data:`SETTINGS`. ``unkept`` is what
    else was there.
    """

    blobs: Mapping[str, str]
    folder: str = ""
    root: str = ""
    layout: str | None = None
    summary: str | None = None
    pages: Mapping[str, str] = field(default_factory=dict)
    reusables: Mapping[str, str] = field(default_factory=dict)
    assets: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    tree: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    unkept: tuple[Unkept, ...] = ()


class _Listed(Protocol):
    """A page of a tree, whether stored or to be imported."""

    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def attributes(self) -> Mapping[str, Any]: ...


def describe_source(book: Book, tree: ImportedTree, blobs: Mapping[str, str]) -> ImportedFiles:
    """Return the record of a book; ``blobs`` gives the hash of each file's bytes by its place in the book."""
    root = root_at_home(book)
    pages: dict[str, str] = {}
    titles: dict[str, str] = {}
    untitled = {page.path for page in book.walk() if page.is_untitled}
    for page in tree.walk():
        path = source_path(page.attributes)
        place = join_path(root, path) if path else ""
        if place in blobs and not page.is_unread:
            pages[place] = page_digest(page.title, page.text_hash, page.all_attributes)
            if path in untitled:
                titles[place] = page.title
    reusables = {
        where: text_hash(each.text)
        for each in book.reusables
        if (where := normal_place(join_path(root, each.path))) is not None and where in blobs
    }
    extras = {**tree.others, "variables": dict(tree.variables)}
    return ImportedFiles(
        blobs,
        book.home,
        root,
        path_below(book.layout, book.home) if book.layout else None,
        path_below(book.summary, book.home) if book.summary else None,
        pages,
        reusables,
        tuple(join_path(root, file.path) for file in book.files),
        titles,
        tree_digest(_walk_imported(tree.pages, 0)),
        settings_digests(extras),
        tuple(_find_unkept(book)),
    )


def _find_unkept(book: Book) -> Iterator[Unkept]:
    places: dict[str, list[str]] = {}
    for each in book.unkept:
        places.setdefault(each.reason.value, []).append(each.place)
    return (Unkept(reason, len(found), tuple(found[:MOST_PLACES])) for reason, found in places.items())


def root_at_home(book: Book) -> str:
    """Return the place of a book's pages below its home."""
    return path_below(book.root, book.home)


def page_digest(title: str, text: str | None, attributes: Mapping[str, Any]) -> str:
    """Return a digest of the content of a page's file."""
    written = {name: value for name, value in attributes.items() if name not in _NOT_IN_FILE}
    return digest(canonical([title, text, written]).encode())


def tree_digest(pages: Iterable[tuple[int, _Listed]]) -> str:
    """Return a digest of the entries of a summary, given with their depths."""
    entries = [
        [level, page.type, page.id, page.title, [page.attributes.get(name) or None for name in sorted(_IN_SUMMARY)]]
        for level, page in pages
    ]
    return digest(canonical(entries).encode())


def settings_digests(extras: Mapping[str, Any]) -> dict[str, str]:
    """Return digests of the content of the settings files."""
    return {name: digest(canonical(extras[name]).encode()) for name in SETTINGS if extras.get(name)}


def walk_nodes(node: Node, level: int = 0) -> Iterator[tuple[int, Node]]:
    """Yield the pages below a node in reading order, with how deep they lie."""
    for child in node.children:
        yield level, child
        yield from walk_nodes(child, level + 1)


def _walk_imported(pages: Iterable[ImportedPage], level: int) -> Iterator[tuple[int, ImportedPage]]:
    for page in pages:
        yield level, page
        yield from _walk_imported(page.children, level + 1)


def save_source(connection: Connection, source: ImportedFiles) -> str:
    """Store a record and return its hash."""
    return save_manifest(
        connection,
        {
            "blobs": dict(source.blobs),
            "folder": source.folder,
            "root": source.root,
            "layout": source.layout,
            "summary": source.summary,
            "pages": dict(source.pages),
            "reusables": dict(source.reusables),
            "assets": list(source.assets),
            "titles": dict(source.titles),
            "tree": source.tree,
            "settings": dict(source.settings),
            "unkept": [[each.reason, each.number, list(each.places)] for each in source.unkept],
        },
    )


def load_source(connection: Connection, extras: Mapping[str, Any]) -> ImportedFiles | None:
    """Return the record that a revision's extras name."""
    name = extras.get(SOURCE)
    if not isinstance(name, str):
        return None
    values = load_manifest(connection, name)
    unkept = tuple(Unkept(reason, number, tuple(places)) for reason, number, places in values.get("unkept", ()))
    return ImportedFiles(**{**values, "assets": tuple(values["assets"]), "unkept": unkept})


def remembered_paths(connection: Connection, space: str) -> dict[str, str]:
    """Return the paths that exports have given to pages, files and reusable contents, by their ids."""
    return {row["item"]: row["path"] for row in connection.all("SELECT item, path FROM paths WHERE space = ?", space)}


def remember_paths(connection: Connection, space: str, paths: Mapping[str, str]) -> None:
    """Store the paths that an export has chosen, by the ids of pages, files and reusable contents."""
    rows = [(space, item, path) for item, path in paths.items()]
    connection.execute_many("INSERT OR REPLACE INTO paths (space, item, path) VALUES (?, ?, ?)", rows)
