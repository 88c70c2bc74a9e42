"""The targets of links in a revision's content, and whether they exist.

The links of a text depend on the text alone and are stored by its hash; their targets depend on the other content of
the revision, computed pages included. Nothing is stored for a revision, so nothing can be out of date. The blocks of a
computed page are no links: the page that declares it stands for them."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Final, Literal

from recto.document.markdown.page_links import (
    SPECIFICATIONS,
    Link,
    LinkKind,
    References,
    loose_anchor,
    read_link,
    references,
    resolve,
)
from recto.frozen import frozen
from recto.server.content.attributes import source_path
from recto.server.content.computed_pages import Computed, compute_pages, specification_of, versions_of
from recto.server.content.objects import Remembered, load_manifest, load_texts, text_hash
from recto.server.content.page_text import is_readable
from recto.server.content.revisions import FileEntry, StoredRevision
from recto.server.content.tree import Node, Tree, digest
from recto.server.storage.database import Connection

READER: Final = 3
"""The version of the reader of links; it grows when the same text is read differently."""


def save_references(connection: Connection, found: Mapping[str, References]) -> None:
    """Save the references of texts, by their hashes."""
    connection.execute_many(
        "INSERT OR REPLACE INTO text_references (text, reader, body) VALUES (?, ?, ?)",
        [(text, READER, _write(each)) for text, each in found.items()],
    )


def load_references(connection: Connection, texts: Iterable[str]) -> dict[str, References]:
    """Return the references of these texts that this version of the reader stored."""
    rows = connection.all(
        "SELECT text, body FROM text_references WHERE reader = ? AND text IN (SELECT value FROM json_each(?))",
        READER,
        json.dumps(list(texts)),
    )
    return {row["text"]: _read(row["body"]) for row in rows}


def _write(found: References) -> str:
    links = [
        [link.kind, link.target, link.text, link.line, link.path, link.anchor, link.needed] for link in found.links
    ]
    return json.dumps([links, sorted(found.anchors)])


def _read(body: str) -> References:
    links, anchors = json.loads(body)
    return References(tuple(Link(LinkKind(kind), *rest) for kind, *rest in links), frozenset(anchors))


Relation = Literal["reference", "dependsOn"]

BESIDE_THE_TEXT = -1
"""The line of a link that stands in no text, such as a page's cover."""

NOTHING = References((), frozenset())
"""The references of an empty text."""

_PAGE_ENDS = (".md", ".mdx", ".markdown")
_BATCH = 500
_WORTH_KEEPING = 20  # fewer texts are read again as quickly as they are stored
_TO_A_SPACE = re.compile("/(?:s|spaces)/")

_references: Remembered[References] = Remembered(200_000, lambda found: 1 + len(found.links) + len(found.anchors))
_links: Remembered[tuple[FoundLink, ...]] = Remembered(200_000, len)
_outward: Remembered[tuple[FoundLink, ...]] = Remembered(20_000, len)


@frozen
class LinkSource:
    """The source of a link: a page or a reusable content, by its id."""

    kind: Literal["page", "reusable-content"]
    id: str


@frozen
class LinkTarget:
    """The target of a link.

    ``kind`` is that of a content reference and ``name`` its id or address, as far as written where it does not
    exist. An ``anchor`` of a page has the kind ``anchor``. A path that leads out of the documentation has the kind
    ``outside``; ``name`` is that path, relative to its top. ``space`` is set for a target in another space, whose
    content this revision does not know: ``found`` is true then, as for everything outside of the revision.
    """

    kind: str
    name: str
    anchor: str = ""
    space: str = ""
    found: bool = True


@frozen
class FoundLink:
    """A link of a page or reusable content to a target, with all its places.

    ``key`` tells the link from all others of the revision, and stays the same while others come and go.
    """

    key: tuple[str, str, str]
    source: LinkSource
    relation: Relation
    target: LinkTarget
    places: tuple[Link, ...]


def links_of(connection: Connection, revision: StoredRevision) -> tuple[FoundLink, ...]:
    """Return all links of a revision, page by page in the order of the tree, reusable contents last."""
    name = _name(connection, revision)
    found = _links.get(name)
    if found is None:
        found = tuple(_Reading(connection, revision).links())
        _links.put(name, found)
    return found


def outward_links(connection: Connection, revision: StoredRevision) -> tuple[FoundLink, ...]:
    """Return the links of a revision that may lead to another space; there are few, whatever the others are."""
    name = _name(connection, revision)
    found = _outward.get(name)
    if found is None:
        every = _links.get(name)
        read = _Reading(connection, revision).links() if every is None else every
        found = tuple(link for link in read if _leads_out(link.target))
        _outward.put(name, found)
    return found


def _leads_out(target: LinkTarget) -> bool:
    return (
        bool(target.space) or target.kind == "space" or (target.kind == "url" and bool(_TO_A_SPACE.search(target.name)))
    )


def links_of_page(connection: Connection, revision: StoredRevision, page: str) -> tuple[FoundLink, ...]:
    """Return the links of a page of a revision; other pages are read only as far as they are linked to."""
    found = _links.get(_name(connection, revision))
    if found is None:
        return tuple(_Reading(connection, revision).links_of_page(page))
    return tuple(link for link in found if link.source == LinkSource("page", page))


def _name(connection: Connection, revision: StoredRevision) -> str:
    versions = versions_of(connection, revision)
    return digest(f"{revision.space} {revision.root} {revision.files} {revision.extras} {versions}".encode())


def has_anchor(connection: Connection, pages: Computed, page: str, anchor: str) -> bool:
    """Whether a page has a place of that name."""
    node, text = pages.tree.places[page].node, pages.texts.get(page)
    if text is not None:
        found = _computed_references(text)
    else:
        found = references_in(connection, (node.text,))[node.text] if node.text else NOTHING
    return found.has_anchor(anchor) or loose_anchor(anchor) == loose_anchor(node.title)


def _computed_references(text: str) -> References:
    def read() -> References:
        found = read_references(text)
        return replace(found, links=tuple(link for link in found.links if link.kind is not LinkKind.OPENAPI))

    return _references.get_or_make(f"computed {text_hash(text)}", read)


def read_references(text: str) -> References:
    """Return the references and anchors of a text; a text that is not parsed has none."""
    return references(text) if is_readable(text) else NOTHING


def references_in(connection: Connection, texts: Iterable[str]) -> dict[str, References]:
    """Return the references and anchors of texts, by their hashes."""
    known = {text: _references.get(text) for text in set(texts)}
    missing = [text for text, found in known.items() if found is None]
    for at in range(0, len(missing), _BATCH):
        batch = missing[at : at + _BATCH]
        kept = load_references(connection, batch)
        read = {
            name: read_references(body)
            for name, body in load_texts(connection, (text for text in batch if text not in kept)).items()
        }
        if len(read) >= _WORTH_KEEPING:
            connection.later(partial(save_references, found=read))
        for text, found in (kept | read).items():
            known[text] = found
            _references.put(text, found)
    return {text: found for text, found in known.items() if found is not None}


class _Reading:
    """Reads the links of a revision."""

    def __init__(self, connection: Connection, revision: StoredRevision) -> None:
        self._connection = connection
        self._space = revision.space
        self._computed = compute_pages(connection, revision)
        self._tree = self._computed.tree
        self._files: list[FileEntry] = load_manifest(connection, revision.files)
        extras: Mapping[str, Any] = load_manifest(connection, revision.extras)
        self._contents: list[Mapping[str, Any]] = list(extras.get("reusableContents", ()))
        self._references: dict[str, References] = {}

    @cached_property
    def _pages_by_file(self) -> dict[str, str]:
        named = ((source_path(place.node.attributes), page) for page, place in self._tree.places.items())
        return {file: page for file, page in named if file}

    @cached_property
    def _file_ids(self) -> set[str]:
        return {str(entry["id"]) for entry in self._files}

    @cached_property
    def _files_by_path(self) -> dict[str, str]:
        return {str(entry["path"]): str(entry["id"]) for entry in self._files if entry.get("path")}

    @cached_property
    def _files_by_name(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for entry in self._files:
            for name in {str(entry.get("name") or ""), posixpath.basename(str(entry.get("path") or ""))}:
                by_name.setdefault(name, []).append(str(entry["id"]))
        return by_name

    @cached_property
    def _content_ids(self) -> set[str]:
        return {str(each["id"]) for each in self._contents}

    @cached_property
    def _contents_by_path(self) -> dict[str, str]:
        return {str(each["path"]): str(each["id"]) for each in self._contents if each.get("path")}

    def links(self) -> Iterator[FoundLink]:
        """Yield the links of all pages and reusable contents."""
        pages = (place.node.text for place in self._tree.places.values() if place.node.text)
        contents = (str(each["text"]) for each in self._contents)
        self._references = references_in(self._connection, chain(pages, contents))
        included_in: dict[str, str] = {}
        for page, place in self._tree.places.items():
            for link in self.links_of_page(page):
                if link.target.kind == "reusable-content":
                    included_in.setdefault(link.target.name, source_path(place.node.attributes) or "")
                yield link
        for content in self._contents:
            path, name = str(content.get("path") or ""), str(content["id"])
            # Some write the paths in an included text as they are from the page that includes it.
            source, page_path = LinkSource("reusable-content", name), included_in.get(name) or path
            yield from self._gather(source, self._references_of(content["text"]).links, path, page_path)

    def links_of_page(self, page: str) -> Iterator[FoundLink]:
        """Yield the links of a page."""
        place = self._tree.places[page]
        written = [*_attribute_links(place.node), *self._references_at(place.node).links]
        if written:
            file = source_path(place.node.attributes) or ""
            yield from self._gather(LinkSource("page", page), written, file, place.path)

    def _references_at(self, node: Node) -> References:
        text = self._computed.texts.get(node.id)
        return self._references_of(node.text) if text is None else _computed_references(text)

    def _references_of(self, text: str | None) -> References:
        if text is None:
            return NOTHING
        if text not in self._references:
            self._references |= references_in(self._connection, (text,))
        return self._references[text]

    def _gather(self, source: LinkSource, written: Iterable[Link], file: str, path: str) -> Iterator[FoundLink]:
        """Yield the links of a source, merged by target."""
        gathered: dict[tuple[Relation, LinkTarget], list[Link]] = {}
        for link in written:
            relation: Relation = "dependsOn" if link.needed else "reference"
            gathered.setdefault((relation, self._target(link, source, file, path)), []).append(link)
        for (relation, target), places in gathered.items():
            name = f"{target.kind} {target.space} {target.name} #{target.anchor}"
            yield FoundLink((source.id, relation, name), source, relation, target, tuple(places))

    def _target(self, link: Link, source: LinkSource, file: str, path: str) -> LinkTarget:
        match link.kind:
            case LinkKind.URL:
                return LinkTarget("url", link.target)
            case LinkKind.ANCHOR:
                return self._on_own_page(link, source)
            case LinkKind.PAGE_ID:
                return self._page(page_named(self._tree, link.path), link)
            case LinkKind.FILE_ID:
                return self._file(link.path.partition("/")[0])
            case LinkKind.REUSABLE_ID:
                return LinkTarget("reusable-content", link.path, found=link.path in self._content_ids)
            case LinkKind.SPACE:
                return self._in_space(link)
            case LinkKind.COLLECTION:
                return LinkTarget("collection", link.path)
            case LinkKind.OPENAPI:
                # A reference beside the text names what the organization has, and no file.
                if link.line == BESIDE_THE_TEXT:
                    return LinkTarget("openapi", link.path, found=False)
                return self._specification(link, file or path)
            case LinkKind.BROKEN:
                return LinkTarget("page", link.path, link.anchor, found=False)
            case LinkKind.INCLUDE:
                return self._include(link, file or path)
            case _:
                return self._by_path(link, file, path)

    def _on_own_page(self, link: Link, source: LinkSource) -> LinkTarget:
        if source.kind == "page":
            return self._page(source.id, link)
        # A reusable content is shown within pages that have anchors of their own.
        return LinkTarget("anchor", source.id, link.anchor)

    def _in_space(self, link: Link) -> LinkTarget:
        space, page, anchor = split_space_path(link)
        if space != self._space:
            return LinkTarget(
                "anchor" if page and anchor else "page" if page else "space", page or space, anchor, space
            )
        return self._page(page_named(self._tree, page), link) if page else LinkTarget("space", space)

    def _page(self, page: str | None, link: Link) -> LinkTarget:
        """Return a page, or a place in it where the link says which."""
        kind = "anchor" if link.anchor else "page"
        if page is None:
            return LinkTarget(kind, link.path or link.target, link.anchor, found=False)
        return LinkTarget(kind, page, link.anchor, found=not link.anchor or self._has_anchor(page, link.anchor))

    def _has_anchor(self, page: str, anchor: str) -> bool:
        node = self._tree.places[page].node
        return self._references_at(node).has_anchor(anchor) or loose_anchor(anchor) == loose_anchor(node.title)

    def _file(self, file: str) -> LinkTarget:
        return LinkTarget("file", file, found=file in self._file_ids)

    def _include(self, link: Link, base: str) -> LinkTarget:
        file = resolve(link, base)
        content = self._contents_by_path.get(file) if file else None
        return LinkTarget("reusable-content", content or link.path, found=content is not None)

    def _specification(self, link: Link, base: str) -> LinkTarget:
        """Return the file of a specification by its path, else by its name where that is unique.

        A revision does not know whether the organization has a specification of this name. Where a block says itself
        where the specification is, nothing is amiss.
        """
        for name in (link.path + ending for ending in SPECIFICATIONS):
            path = resolve(read_link(name), base or "README.md")
            called = self._files_by_name.get(name.rpartition("/")[2], [])
            found = self._files_by_path.get(path or "") or (called[0] if len(called) == 1 else None)
            if found is not None:
                return LinkTarget("file", found)
        return LinkTarget("openapi", link.path, found=not link.needed)

    def _by_path(self, link: Link, file: str, path: str) -> LinkTarget:
        """Follow a path as it is written in a repository, else as it stands in an address."""
        for place in dict.fromkeys((file, path)):
            meant = resolve(link, place or "README.md") if place or not file else None
            if meant is None:
                continue
            page = self._page_at(meant)
            if page is not None:
                return self._page(page, link)
            if meant in self._files_by_path:
                return LinkTarget("file", self._files_by_path[meant])
        outside = posixpath.normpath(posixpath.join(posixpath.dirname(file), link.path)) if file else ""
        if outside.startswith("../"):
            return LinkTarget("outside", outside, link.anchor, found=False)
        if link.kind is LinkKind.FILE:
            return LinkTarget("file", link.path, found=False)
        return self._page(None, link)

    def _page_at(self, meant: str) -> str | None:
        """Return the page that has this file, or else this address; a folder's is the page that opens it."""
        for file in (meant, f"{meant}.md", f"{meant}/README.md"):
            if file in self._pages_by_file:
                return self._pages_by_file[file]
        bare, end = posixpath.splitext(meant)
        address = bare if end.lower() in _PAGE_ENDS else meant
        folder, name = posixpath.split(address)
        for each in (address, folder if name.lower() == "readme" else address, address.lower()):
            if each in self._tree.paths:
                return self._tree.paths[each]
        return None


def page_named(tree: Tree, written: str) -> str | None:
    """Return the page that an id or a path of slugs means; ``None`` where there is none."""
    return written if written in tree.places else tree.paths.get(written)


def split_space_path(link: Link) -> tuple[str, str, str]:
    """Return the space, the page in it (its id or path, or nothing) and the anchor that ``/spaces/…`` names."""
    space, _, rest = link.path.partition("/")
    return space, rest.removeprefix("pages/").strip("/"), link.anchor


def _attribute_links(node: Node) -> Iterator[Link]:
    """Yield the links of a page's attributes: its cover, the target of a link page, sources of computed pages."""
    cover = node.attributes.get("cover") or {}
    for reference in (cover.get("ref"), cover.get("refDark"), node.attributes.get("target")):
        address = _address(reference) if isinstance(reference, Mapping) else ""
        if address:
            yield read_link(address, node.title, BESIDE_THE_TEXT)
    if "computed_seed" not in node.attributes and (specification := specification_of(node)):
        yield Link(LinkKind.OPENAPI, specification, node.title, BESIDE_THE_TEXT, specification, needed=True)


def _address(reference: Mapping[str, Any]) -> str:
    """Return a content reference as a link is written."""
    fields = {name: str(value) for name, value in reference.items() if value is not None}
    space = f"/spaces/{fields['space']}" if fields.get("space") else ""
    page = f"{space}/pages/{fields['page']}" if fields.get("page") else ""
    match fields.get("kind"):
        case "page":
            return page
        case "anchor":
            return f"{page}#{fields.get('anchor', '')}"
        case "file":
            return f"/files/{fields.get('file', '')}"
        case "space":
            return space
        case "collection":
            return f"/collections/{fields.get('collection', '')}"
        case "reusable-content":
            return f"/reusable-content/{fields.get('reusableContent', '')}"
    return fields.get("url", "")
