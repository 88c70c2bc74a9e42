"""Page trees of spaces made from books; known pages keep their ids."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import field
from types import MappingProxyType
from typing import Any

from recto.frozen import frozen
from recto.server.content.attributes import put, put_front_matter, source_path
from recto.server.content.imported_tree import ImportedPage, ImportedTree
from recto.server.content.objects import text_hash
from recto.server.content.revisions import Content
from recto.server.content.tree import Node, root_node
from recto.server.exchange.book import Book, BookPage, Kind
from recto.server.exchange.folder import normal_place
from recto.server.exchange.page_file import readable_title

_ADDRESS = re.compile(
    r"""\]\([^()\n]{0,2000}\)|\b(?:src|href|srcset)=(?:"[^"\n]{0,2000}"|'[^'\n]{0,2000}')|^\[[^\]\n]{1,200}\]:.*$""",
    re.MULTILINE,
)


@frozen
class ExportedFiles:
    """Files of a space that exports have written.

    ``paths`` are the paths that exports chose, by the ids of their pages; ``written`` are the ids of pages whose files
    are just as an export writes them, and so contain nothing that the pages do not.
    """

    paths: Mapping[str, str] = field(default_factory=dict)
    written: Set[str] = frozenset()


def assemble(
    book: Book,
    blobs: Mapping[str, str],
    before: Content | None,
    fresh: Callable[[], str],
    exported: ExportedFiles | None = None,
    texts: Callable[[Iterable[str]], Mapping[str, str]] = lambda names: {},
    text_hashes: Mapping[str, str] = MappingProxyType({}),
) -> ImportedTree:
    """Return the tree of a book. ``blobs`` gives the hash of each file's bytes by the file's path.

    A page is one of ``before`` by its file's path, else by its equal text, where the addresses of links may differ; a
    group or link page by its title and the page above it. The rest get ``fresh`` ids. ``texts`` gives those of
    ``before`` by their hashes, ``text_hashes`` the hashes of those of the book, as far as they are known.
    """
    work = _Assembly(
        book, blobs, before or Content(root_node()), fresh, exported or ExportedFiles(), texts, text_hashes
    )
    files = work.files()
    others: dict[str, Any] = {}
    put(others, "tags", list(book.tags) or None)
    put(others, "redirects", dict(book.redirects))
    return ImportedTree(
        pages=work.pages(book.pages),
        files=files,
        variables=book.variables,
        reusable_contents=work.reusables(),
        others=others,
    )


def texts_of(book: Book) -> Iterator[str]:
    """Yield all texts of a book."""
    yield from (page.text for page in book.walk() if page.text)
    yield from (each.text for each in book.reusables)


class _Assembly:
    def __init__(
        self,
        book: Book,
        blobs: Mapping[str, str],
        before: Content,
        fresh: Callable[[], str],
        exported: ExportedFiles,
        texts: Callable[[Iterable[str]], Mapping[str, str]],
        text_hashes: Mapping[str, str],
    ) -> None:
        self._book = book
        self._blobs = blobs
        self._before = before
        self._fresh = fresh
        self._exported = exported
        self._texts = texts
        self._text_hashes = text_hashes
        self._nodes = {node.id: node for node in before.root.walk()}
        self._file_ids: dict[str, str] = {}
        self._ids = self._documents()
        self._others = _by_place(before.root)

    def _documents(self) -> dict[str, str]:
        """Return the id of each page that has a file, by the file's path."""
        texts = {page.path: page.text for page in self._book.walk() if page.path is not None}
        by_path = {path: node for node in self._nodes.values() if (path := self._path(node)) is not None}
        ids = {path: by_path[path].id for path in texts if path in by_path}
        # A page that was made since may come from an export elsewhere.
        exported = {path: item for item, path in self._exported.paths.items() if item not in self._nodes}
        ids |= {path: exported[path] for path in texts if path not in ids and path in exported}
        gone = {node.id: node.text for path, node in by_path.items() if path not in ids and node.text is not None}
        _match_moved(ids, texts, gone, text_hash)
        bodies = self._texts(gone.values()) if gone and len(ids) < len(texts) else {}
        words = {item: _without_addresses(bodies[name]) for item, name in gone.items() if name in bodies}
        _match_moved(ids, texts, words, _without_addresses)
        return {path: ids.get(path) or self._fresh() for path in texts}

    def _id(self, page: BookPage, parent: str) -> str:
        if page.path is not None:
            return self._ids[page.path]
        same = self._others.get((page.kind.value, parent, readable_title(page.title)))
        return same.pop(0) if same else self._fresh()

    def pages(self, pages: Iterable[BookPage], parent: str = "") -> tuple[ImportedPage, ...]:
        """Return pages with all below them."""
        return tuple(self._page(page, parent) for page in pages)

    def _page(self, page: BookPage, parent: str) -> ImportedPage:
        name = self._id(page, parent)
        before = self._nodes.get(name)
        attributes = self._attributes(page)
        if before is not None and (named := before.attributes.get("link_title")):
            shown = _as_it_was(page.link_title or page.title, str(named))
            attributes |= {"link_title": shown} if page.link_title or shown == named else {}
        return ImportedPage(
            id=name,
            title=page.title if before is None else _as_it_was(page.title, before.title),
            slug=page.slug if before is None else self._slug(page, before),
            type=page.kind.value,
            text=page.text,
            known_hash=self._text_hashes.get(page.text),
            front_matter=page.front_matter,
            attributes=attributes,
            children=self.pages(page.children, name),
            is_unread=page.is_unread,
            is_as_before=name in self._exported.written,
        )

    def _slug(self, page: BookPage, before: Node) -> str:
        """Return the slug of a page that was there before: its own, unless its file has another path now."""
        if page.path is None:
            return page.slug if page.kind is Kind.GROUP else before.slug
        return before.slug if self._path(before) == page.path else page.slug

    def _path(self, node: Node) -> str | None:
        """Return the file that a page came from, or was exported to."""
        return _path(node) or (self._exported.paths.get(node.id) if node.type == Kind.DOCUMENT else None)

    def _attributes(self, page: BookPage) -> dict[str, Any]:
        attributes: dict[str, Any] = {"link_title": page.link_title} if page.link_title else {}
        variables = page.front_matter.get("vars")
        if isinstance(variables, Mapping):
            attributes["variables"] = {
                name: value for name, value in variables.items() if isinstance(value, str | bool | int | float)
            }
        if page.path is not None:
            attributes["git"] = {"path": page.path}
            if page.front_matter.get("cover"):
                attributes["cover"] = self._cover(page)
        if page.target is not None:
            self._put_target(attributes, page)
        if page.computed:
            computed = page.computed
            attributes["computed"] = {
                name: computed[name] for name in ("type", "dependencies", "props") if name in computed
            }
        return attributes

    def _put_target(self, attributes: dict[str, Any], page: BookPage) -> None:
        target = page.target
        if target is not None and target.url is not None:
            attributes["target"] = {"kind": "url", "url": target.url}
            attributes["href"] = target.url
        elif target is not None and target.path is not None:
            name = self._ids[target.path]
            anchor = {"kind": "anchor", "anchor": target.anchor, "page": name}
            attributes["target"] = anchor if target.anchor else {"kind": "page", "page": name}

    def _cover(self, page: BookPage) -> dict[str, Any]:
        """Return the page's cover; a picture that is a file of the book is named by that file."""
        values: dict[str, Any] = {}
        put_front_matter(values, page.front_matter)
        cover: dict[str, Any] = values["cover"]
        for part in ("ref", "refDark"):
            if cover.get(part, {}).get("kind") == "url":
                place = normal_place(posixpath.join(posixpath.dirname(page.path or ""), cover[part]["url"]))
                if place in self._file_ids:
                    cover[part] = {"kind": "file", "file": self._file_ids[place]}
        return cover

    def files(self) -> list[dict[str, Any]]:
        """Return the files of the book as a revision holds them; their ids are known from here on."""
        known = self._ids_by_path(self._before.files)
        entries = []
        for file in self._book.files:
            name = self._file_ids[file.path] = known.get(file.path) or self._fresh()
            entry = {"id": name, "name": file.name, "contentType": file.content_type, "size": file.size}
            if file.dimensions is not None:
                entry["dimensions"] = file.dimensions
            entries.append(entry | {"blob": self._blobs[file.path], "path": file.path, "git": {"path": file.path}})
        return entries

    def _ids_by_path(self, entries: Iterable[Mapping[str, Any]]) -> dict[str | None, str]:
        exported = self._exported.paths
        return {entry.get("path") or exported.get(entry["id"]): entry["id"] for entry in entries}

    def reusables(self) -> list[dict[str, Any]]:
        """Return the texts that pages include."""
        known = self._ids_by_path(self._before.extras.get("reusableContents", ()))
        return [
            {
                "id": known.get(each.path) or self._fresh(),
                "title": each.title,
                "text": each.text,
                "path": each.path,
                "git": {"path": each.path},
            }
            for each in self._book.reusables
        ]


def _match_moved(
    ids: dict[str, str], texts: Mapping[str, str], gone: dict[str, str], key: Callable[[str], str]
) -> None:
    """Give pages at new paths the ids of pages that are gone, where both have the same key.

    ``ids`` are those of pages by their paths, and grow. ``gone`` are the keys of pages by their ids, and shrink.
    """
    left = defaultdict(list)
    for item, known in reversed(gone.items()):
        left[known].append(item)
    for path, text in texts.items() if left else ():
        same = left.get(key(text)) if text and path not in ids else None
        if same:
            ids[path] = same.pop()
            del gone[ids[path]]


def _without_addresses(text: str) -> str:
    """Return a text without the addresses of its links and pictures, which change where its file is moved."""
    return _ADDRESS.sub("", text)


def _path(node: Node) -> str | None:
    """Return the file that a page came from."""
    return source_path(node.attributes) if node.type == Kind.DOCUMENT else None


def _by_place(root: Node) -> dict[tuple[str, str, str], list[str]]:
    """Return the ids of the pages without a file by type, page above and title."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for parent in (root, *root.walk()):
        for node in parent.children:
            if _path(node) is None:
                found[node.type, parent.id, readable_title(node.title)].append(node.id)
    return found


def _as_it_was(title: str, before: str) -> str:
    """Return a title as it was where the layout cannot say more than was read."""
    return before if title == before or title == readable_title(before) else title
