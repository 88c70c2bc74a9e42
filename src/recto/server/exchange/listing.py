"""The files that are pages, in order: from the entries of a summary, or else from the folders."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from recto.frozen import frozen
from recto.server.content.tree import slug_for
from recto.server.exchange.book import BookPage, Dangling, Kind, Repeated, Target
from recto.server.exchange.folder import Folder, is_markdown, join_path, path_below
from recto.server.exchange.layout import Layout
from recto.server.exchange.summary import EntryKind, SummaryEntry

MAX_SLUG = 100
"""The longest slug, in characters."""

_BETWEEN = re.compile(r"[^\w.~-]+")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")


def slug_of(name: str) -> str:
    """Return the slug of a file or folder name: the name itself, with a hyphen for what a path does not hold."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFC", name))
    return _BETWEEN.sub("-", plain).strip("-").strip(".")[:MAX_SLUG] or "page"


@frozen
class Listing:
    """The page tree with paths, slugs and the summary's titles, its files not read yet."""

    nodes: tuple[BookPage, ...]
    dangling: tuple[Dangling, ...] = ()
    repeated: tuple[Repeated, ...] = ()


def list_summary(folder: Folder, layout: Layout, entries: list[SummaryEntry]) -> Listing:
    """Return the tree that a summary describes.

    An entry for a file that another entry lists, or for a place in it, is a link page. An entry that points nowhere
    is left out; with entries below it, it is kept as their group.
    """
    lister = _Lister(folder, layout)
    lister.match_files(entries)
    nodes = lister.nodes(entries)
    return Listing(nodes, tuple(lister.dangling), tuple(lister.repeated))


@dataclass
class _Lister:
    folder: Folder
    layout: Layout
    dangling: list[Dangling] = field(default_factory=list)
    repeated: list[Repeated] = field(default_factory=list)
    # Each entry's file, and for each file the entry that stands for it in the tree.
    _paths: dict[int, str] = field(default_factory=dict)
    _stands: dict[str, SummaryEntry] = field(default_factory=dict)

    def match_files(self, entries: list[SummaryEntry]) -> None:
        """Find each entry's file; the first entry without an anchor stands for it, else the first entry."""
        for entry in entries:
            if entry.kind is EntryKind.PAGE:
                self._match_file(entry)
            self.match_files(entry.children)

    def _match_file(self, entry: SummaryEntry) -> None:
        path = self._find(entry.target)
        if path is None:
            written = f"{entry.target}#{entry.anchor}" if entry.anchor else entry.target
            self.dangling.append(Dangling(entry.line, entry.title, written))
            return
        self._paths[id(entry)] = path
        before = self._stands.setdefault(path, entry)
        if before is not entry and before.anchor is not None and entry.anchor is None:
            self._stands[path] = entry

    def nodes(self, entries: list[SummaryEntry]) -> tuple[BookPage, ...]:
        """Return the nodes of entries."""
        made = (self._node(entry) for entry in entries)
        return tuple(node for node in made if node is not None)

    def _node(self, entry: SummaryEntry) -> BookPage | None:
        path = self._paths.get(id(entry))
        if path is not None and self._stands[path] is entry:
            slug = _slug_of_file(path)
            children = self.nodes(entry.children)
            link_title = entry.link_title or entry.title or None
            return BookPage(
                Kind.DOCUMENT, entry.title, slug, path, link_title=link_title, children=children, line=entry.line
            )
        if path is not None and entry.anchor is None:
            self.repeated.append(Repeated(entry.line, entry.title, path))
        children = self.nodes(entry.children)
        if entry.kind is EntryKind.GROUP or (children and entry.kind is not EntryKind.COMPUTED):
            return BookPage(Kind.GROUP, entry.title, _slug_of_group(entry), children=children, line=entry.line)
        if entry.kind is EntryKind.COMPUTED:
            slug = slug_for(entry.title)
            return BookPage(
                Kind.COMPUTED, entry.title, slug, computed=entry.described, children=children, line=entry.line
            )
        if entry.kind is EntryKind.LINK:
            target = Target(url=entry.target)
            return BookPage(Kind.LINK, entry.title, slug_for(entry.title), target=target, line=entry.line)
        if path is None:
            return None
        title = entry.title or PurePosixPath(path).stem
        target = Target(path=path, anchor=entry.anchor or None)
        return BookPage(Kind.LINK, title, slug_for(title), target=target, line=entry.line)

    def _find(self, written: str) -> str | None:
        """Return the Markdown file of the book that an entry means, by its path in the book."""
        if not written:
            return None
        root = self.layout.root
        bases = [root]
        if self.layout.summary is not None and (beside := posixpath.dirname(self.layout.summary)) != root:
            bases.append(beside)
        for base in bases:
            for spelling in (written, f"{written}.md", f"{written}/README.md"):
                place = self.folder.find(posixpath.join(base, spelling.lstrip("/")))
                if place is not None and is_markdown(place) and _is_below(place, root):
                    return path_below(place, root)
        return None


def _is_below(place: str, root: str) -> bool:
    return not root or place.startswith(f"{root}/")


def _slug_of_group(entry: SummaryEntry) -> str:
    return slug_of(entry.anchor) if entry.anchor else slug_for(entry.title)


def _slug_of_file(path: str) -> str:
    """Return the slug of a page's file: its name's stem, or its folder's name for a ``README.md``."""
    above, name = posixpath.split(path)
    stem, _ = posixpath.splitext(name)
    if stem.casefold() == "readme":
        return slug_of(posixpath.basename(above)) if above else "readme"
    return slug_of(stem)


def list_folders(folder: Folder, layout: Layout) -> Listing:
    """Return the tree that the folders make: a folder's ``README.md`` is the page above its files."""
    top = _Folder("")
    for place in folder.under(layout.root):
        path = path_below(place, layout.root)
        if is_markdown(path) and "/.gitbook/" not in f"/{path}":
            top.put(path)
    readme = path_below(layout.readme, layout.root) if layout.readme else None
    return Listing(top.nodes(readme))


@dataclass
class _Folder:
    """A folder while the tree is made from folders."""

    place: str
    readme: str | None = None
    files: list[str] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)

    def put(self, path: str) -> None:
        folder = self
        *above, name = path.split("/")
        for part in above:
            folder = folder.folders.setdefault(part, _Folder(join_path(folder.place, part)))
        if PurePosixPath(name).stem.casefold() == "readme" and folder.readme is None:
            folder.readme = path
        else:
            folder.files.append(path)

    def nodes(self, landing: str | None = None) -> tuple[BookPage, ...]:
        """Return the pages of the folder: the landing page first, then files and folders by name."""
        first = landing or (None if self.place else self.readme)
        pages = [] if first is None else [self._page(first)]
        rest: list[tuple[str, str | _Folder]] = [(PurePosixPath(path).stem, path) for path in self.files]
        if not self.place and self.readme and self.readme != first:
            rest.append((PurePosixPath(self.readme).stem, self.readme))
        rest.extend(self.folders.items())
        for _, item in sorted(rest, key=lambda named: _natural(named[0])):
            if isinstance(item, _Folder):
                pages.append(item._as_page(landing))
            elif item != first:
                pages.append(self._page(item))
        return tuple(pages)

    def _as_page(self, landing: str | None) -> BookPage:
        name = PurePosixPath(self.place).name
        slug = slug_of(name)
        children = self.nodes()
        if self.readme is None or self.readme == landing:
            return BookPage(Kind.GROUP, _title_of(name), slug, children=children)
        return BookPage(Kind.DOCUMENT, _title_of(name), slug, self.readme, children=children)

    @staticmethod
    def _page(path: str) -> BookPage:
        return BookPage(Kind.DOCUMENT, _title_of(PurePosixPath(path).stem), _slug_of_file(path), path)


def _title_of(name: str) -> str:
    """Return a file or folder name as a title: ``getting-started`` is ``Getting started``."""
    words = re.sub(r"[-_\s]+", " ", name).strip()
    return words[:1].upper() + words[1:] or name


def _natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts ``2`` before ``10`` and does not mind the case of letters."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
