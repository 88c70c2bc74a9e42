"""Reads one book: its summary or folders as a page tree, and what lies beside the pages."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from mimetypes import MimeTypes
from pathlib import PurePosixPath
from typing import Any

from recto.contract.content import Variable
from recto.document.blocks import BlockKind
from recto.document.expression_values import text_of
from recto.document.links import read_include, read_link, resolve
from recto.document.markdown import parse_page
from recto.document.yaml_text import read_plain_yaml, read_yaml
from recto.server.content.measures import measures
from recto.server.exchange.files import MAX_FILE_BYTES, Folder, joined, normal_place
from recto.server.exchange.folder_error import FolderError
from recto.server.exchange.layout import Layout, read_layout
from recto.server.exchange.listing import Listing, list_folders, list_summary
from recto.server.exchange.page_text import PageText, take_apart
from recto.server.exchange.summary import read_summary
from recto.server.exchange.tree import Book, BookFile, BookPage, BookReport, Kind, Reusable

MAX_PAGES = 5_000
"""The most pages that a space holds."""

MAX_DEPTH = 50
"""How deeply pages may lie in one another."""

_ASSETS = ".gitbook/assets/"
_INCLUDES = ".gitbook/includes/"
# What comes in anyway or is on the web is left out: such a page need not be parsed.
_NAMES_A_FILE = re.compile(
    r"\{%-?\s*include\b|\{%-?\s*(?:file|openapi)[^\n]{0,1000}?\bsrc=[\"'](?!https?:|/files/|[^\"'\n]{0,1000}\.gitbook/assets/)"
)
_TYPES = MimeTypes()
"""What a file is by its name: as Python knows it, whatever the machine adds, and what Python 3.11 does not know."""
_TYPES.add_type("image/webp", ".webp")
_TYPES.add_type("image/avif", ".avif")
_TYPES.add_type("application/yaml", ".yaml")
_TYPES.add_type("application/yaml", ".yml")
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".ico"})


def read_book(folder: Folder, base: str, title: str) -> Book:
    """Read the book at ``base``.

    Raise ``FolderError`` where it has no pages, more than a space holds, or a file that cannot be read as text.
    """
    layout = read_layout(folder, base)
    listing = _listing(folder, layout)
    reader = _Reader(folder, layout.root)
    pages = tuple(reader.page(node) for node in listing.nodes)
    if not reader.texts:
        raise FolderError(_without_pages(folder, base, layout))
    reusables = reader.reusables()
    return Book(
        folder=base,
        root=layout.root,
        summary=layout.summary,
        title=title,
        pages=pages,
        files=_files(folder, layout.root, reader.named - reader.texts.keys()),
        reusables=reusables,
        variables=_variables(folder, layout.root),
        tags=_tags(folder, layout.root),
        redirects=layout.redirects,
        report=BookReport(
            unlisted=_unlisted(folder, layout, reader.texts.keys() | reader.included.keys()),
            dangling=listing.dangling,
            repeated=listing.repeated,
            outside=tuple(place for place in folder.outside if not base or place.startswith(f"{base}/")),
            unread_front_matter=tuple(reader.unread_front_matter),
        ),
    )


def _listing(folder: Folder, layout: Layout) -> Listing:
    if layout.summary is None:
        listing = list_folders(folder, layout)
    else:
        listing = list_summary(folder, layout, read_summary(folder.text(layout.summary)))
    count = sum(1 for node in listing.nodes for _ in node.walk())
    if count > MAX_PAGES:
        raise FolderError(
            f"{folder.top / layout.root} has {count:,} pages, and a space holds at most {MAX_PAGES:,}. "
            "Split it into several books, each in a folder of its own."
        )
    if _depth(listing.nodes) > MAX_DEPTH:
        raise FolderError(
            f"{folder.top / layout.root} has pages that lie more than {MAX_DEPTH} deep in one another. "
            "Bring them further up in the summary or the folders."
        )
    return listing


def _depth(pages: Sequence[BookPage]) -> int:
    return max((1 + _depth(page.children) for page in pages), default=0)


def _without_pages(folder: Folder, base: str, layout: Layout) -> str:
    where = folder.top / base
    if layout.summary is not None:
        return (
            f"{where} has no pages: no entry of {layout.summary} points at a file that is there. Correct the entries."
        )
    return f"{where} has no pages: there is no Markdown file (.md) in it. Name the folder that the documentation is in."


@dataclass
class _Reader:
    """Fills the nodes of a listing with what their files say; each file is read once.

    ``named`` are the paths that blocks of the texts read so far name as their files, ``included`` those of the texts
    that they include, whether they are there or not.
    """

    folder: Folder
    root: str

    def __post_init__(self) -> None:
        self.texts: dict[str, PageText] = {}
        self.named: set[str] = set()
        self.included: dict[str, None] = {}
        self.unread_front_matter: list[str] = []

    def page(self, node: BookPage) -> BookPage:
        """Return the node and all below it with titles, texts and front matter."""
        children = tuple(self.page(child) for child in node.children) if node.children else ()
        if node.kind is not Kind.DOCUMENT or node.path is None:
            return replace(node, children=children) if children else node
        text = self._read(node.path)
        return replace(
            node,
            title=text.title or _said_title(text) or node.title or PurePosixPath(node.path).stem,
            text=text.text,
            front_matter=text.front_matter,
            children=children,
        )

    def reusables(self) -> tuple[Reusable, ...]:
        """Read the texts that pages, or one another, include, and all that lie in a folder for such.

        The path of one that lies outside the root begins with ``../``.
        """
        for place in self.folder.under(self.root):
            if f"/{_INCLUDES}" in f"/{(path := _below(place, self.root))}" and is_markdown(place):
                self.included.setdefault(path)
        found: dict[str, Reusable] = {}
        while ahead := [path for path in self.included if path not in found]:
            for path in ahead:
                at = normal_place(joined(self.root, path))
                if at is None or at not in self.folder or not is_markdown(at):
                    del self.included[path]
                    continue
                text = take_apart(self.folder.text(at))
                self._look_for_names(text, path)
                said = text.front_matter.get("title")
                title = said if isinstance(said, str) and said else text.title or PurePosixPath(path).stem
                found[path] = Reusable(path, title, text.text, text.front_matter)
        return tuple(found[path] for path in sorted(found))

    def _read(self, path: str) -> PageText:
        text = take_apart(self.folder.text(joined(self.root, path)))
        self.texts[path] = text
        self._look_for_names(text, path)
        if not text.readable:
            self.unread_front_matter.append(path)
        return text

    def _look_for_names(self, text: PageText, path: str) -> None:
        """Note what the blocks of a text include, and what they show as a file or what is written in one."""
        if _NAMES_A_FILE.search(text.text) is None:
            return
        for block in parse_page(text.text).walk():
            if block.kind is BlockKind.INCLUDE and (included := block.attributes.get("path")):
                meant = resolve(read_include(included), path)
                if meant is not None:
                    self.included.setdefault(meant)
            elif block.kind in (BlockKind.FILE, BlockKind.OPENAPI) and (src := block.attributes.get("src")):
                meant = resolve(read_link(src), path)
                if meant is not None:
                    self.named.add(meant)


def _said_title(text: PageText) -> str:
    said = text.front_matter.get("title")
    return " ".join(said.split()) if isinstance(said, str) else ""


def is_markdown(place: str) -> bool:
    """Whether a file is a page by its name."""
    return place.lower().endswith((".md", ".markdown"))


def _below(place: str, root: str) -> str:
    return place[len(root) + 1 :] if root else place


def _unlisted(folder: Folder, layout: Layout, listed: Set[str]) -> tuple[str, ...]:
    if layout.summary is None:
        return ()
    return tuple(
        path
        for place in folder.under(layout.root)
        if is_markdown(place)
        and place != layout.summary
        and (path := _below(place, layout.root)) not in listed
        and not re.search(r"(?:^|/)\.gitbook/", path)
    )


def _files(folder: Folder, root: str, named: Set[str]) -> tuple[BookFile, ...]:
    """List what lies in ``.gitbook/assets``, and pictures and what pages have ``named`` wherever they are."""
    found = []
    for place in folder.under(root):
        path = _below(place, root)
        is_picture = PurePosixPath(path).suffix.lower() in _PICTURES
        if not (is_picture or path in named or path.startswith(_ASSETS)):
            continue
        size = folder.size(place)
        if size > MAX_FILE_BYTES:
            raise FolderError(f"{place} is larger than 100 MB, which is the most that a space takes. Make it smaller.")
        name = PurePosixPath(path).name
        content_type = _TYPES.guess_type(name)[0] or "application/octet-stream"
        source = folder.top / place
        found.append(BookFile(path, name, content_type, source, size, measures(content_type, source)))
    return tuple(found)


def _variables(folder: Folder, root: str) -> dict[str, Variable]:
    """Return the variables of a space; a number that would be written otherwise, as 1.10 would, stays a text."""
    place = joined(root, ".gitbook/vars.yaml")
    values, texts = (_yaml(folder, place, read) for read in (read_yaml, read_plain_yaml))
    if not isinstance(values, dict):
        return {}
    return {
        name: value if text_of(value) == texts[name] else texts[name]
        for name, value in values.items()
        if isinstance(texts.get(name), str)
    }


def _tags(folder: Folder, root: str) -> tuple[Any, ...]:
    said = _yaml(folder, joined(root, ".gitbook/tags.yaml"), read_yaml)
    return tuple(said) if isinstance(said, list) else ()


def _yaml(folder: Folder, place: str, read: Any) -> Any:
    if place not in folder:
        return None
    try:
        return read(folder.text(place))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise FolderError(f"{place} is not valid YAML: {reason}. Correct it, then open the folder again.") from error
