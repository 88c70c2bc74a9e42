"""Books: a summary or folders as a page tree, with the files beside the pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from recto.contract.changes import content_type_of
from recto.contract.content import Variable
from recto.document.expressions.claims import condition_fault
from recto.document.expressions.values import text_of
from recto.document.markdown.blocks import BlockKind
from recto.document.markdown.front_matter import split_front_matter
from recto.document.markdown.page import parse_page
from recto.document.markdown.page_links import Link, LinkKind, links, read_include, read_link, resolve
from recto.document.merge.page_tree import MAX_LEVELS
from recto.document.yaml_text import read_plain_yaml, read_yaml
from recto.frozen import frozen
from recto.server.content.page_text import heading_title, part_title
from recto.server.content.picture_dimensions import measures
from recto.server.content.revisions import MAX_FILES, MAX_PAGES
from recto.server.exchange.book import (
    MAX_SOURCE_BYTES,
    Book,
    BookFile,
    BookPage,
    BookReport,
    Kind,
    MissingFile,
    NotUtf8,
    Reusable,
    SourceFile,
    UnreadFile,
)
from recto.server.exchange.folder import (
    MAX_SETTINGS_BYTES,
    Folder,
    FolderError,
    LeftOut,
    Reason,
    UnreadableFileError,
    decode_as_it_stands,
    is_markdown,
    join_path,
    normal_place,
    path_below,
    relative_path,
)
from recto.server.exchange.layout import ASSETS, INCLUDES, TAGS_FILE, VARIABLES_FILE, Layout, read_layout
from recto.server.exchange.listing import Listing, list_folders, list_summary
from recto.server.exchange.summary import plain_title, read_summary

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_HEADING_OR_FENCE = re.compile(r"^ {0,3}(?:#[ \t]+(?P<title>[^ \t\n][^\n]*)$|(?P<fence>`{3,}|~{3,}))", re.MULTILINE)


@frozen
class PageText:
    """The parts of a page's file.

    ``title`` is ``None`` where there is no level-1 heading. A title that opens the page is no longer in ``text``;
    a title further down stays in the text. ``readable`` is false where the front matter is not valid YAML: it then
    stays in the text, so that nothing is lost.
    """

    title: str | None
    text: str
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    readable: bool = True


def take_apart(written: str) -> PageText:
    """Take a page's file apart. The text comes with ``\\n`` line ends."""
    front, body = split_front_matter(written.lstrip(_INVISIBLE))
    if front.problem is not None:
        return PageText(_later_title(written), written, readable=False)
    heading, text = part_title(body.lstrip(_INVISIBLE))
    if heading is None:
        return PageText(_later_title(body), text.lstrip("\n"), front.values)
    return PageText(plain_title(heading_title(heading)) or None, text, front.values)


def _later_title(body: str) -> str | None:
    """Return the first level-1 heading outside fenced code."""
    fence = ""
    for match in _HEADING_OR_FENCE.finditer(body):
        if match["fence"]:
            mark = match["fence"]
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence):
                fence = ""
        elif not fence and match["title"]:
            return plain_title(heading_title(match["title"])) or None
    return None


MAX_LETTERS = 500 * 1000 * 1000
"""The most characters of text that a book has."""

# Files that are imported anyway or are on the web do not count: such a page need not be parsed.
_NAMES_A_FILE = re.compile(
    r"\{%-?\s*include\b|\{%-?\s*(?:file|openapi)[^\n]{0,1000}?\bsrc=[\"'](?!https?:|/files/|[^\"'\n]{0,1000}\.gitbook/assets/)"
)
# The addresses that a text may link to or show, in brackets or in an attribute.
_IN_BRACKETS = re.compile(r"\]\([ \t]{0,9}(?:<([^<>\n]{1,1000})>|([^()\s<>]{1,1000}))")
_IN_HREF = re.compile(r"href=[\"']([^\"'#\n][^\"'\n]{0,999})[\"']")
_IN_ATTRIBUTE = re.compile(r"src(?:set)?=[\"']([^\"'\n]{1,1000})[\"']")
# A workspace may lie in the folder; it is not to be stored in itself.
_WORKSPACE = re.compile(r"\.recto(?:-wal|-shm|-journal|\.jobs)?$")
_COVERS = ("cover", "coverDark")
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".ico"})


OnRead: TypeAlias = Callable[[str, bytes, str], None]
"""Called for each text that has been read: with its file's place in the opened folder and bytes, and the text."""


def ignore_text(place: str, content: bytes, text: str) -> None:
    """Do nothing about a text that has been read."""


ReadLinks: TypeAlias = Callable[[str], Iterable[Link]]
"""Returns the links of a text."""


def read_links(text: str) -> Iterable[Link]:
    """Return the links of a text, which is parsed."""
    return links(parse_page(text))


def read_book(
    folder: Folder,
    base: str,
    title: str,
    on_read: OnRead = ignore_text,
    links_of: ReadLinks = read_links,
    *,
    takes_linked: bool = False,
) -> Book:
    """Read the book at ``base``; ``on_read`` is called for each text of a page or to be included.

    ``links_of`` is asked for the links of texts that seem to name files that are not there. With ``takes_linked`` the
    files that pages link to come along, wherever they lie.

    A page that cannot be read keeps its place without a text. Raise ``FolderError`` where the book has no pages that
    can, more than a space holds, or settings or a summary that cannot be read.
    """
    layout = read_layout(folder, base)
    reader = _Reader(folder, layout.root, on_read, links_of, takes_linked)
    listing = _listing(folder, layout, reader)
    pages = tuple(reader.page(node) for node in listing.nodes)
    if not reader.texts:
        raise FolderError(_without_pages(folder, base, layout, reader.unread_pages))
    reusables = reader.reusables()
    listed = reader.texts.keys() | {unread.path for unread in reader.unread_pages}
    files, files_left_out = _files(folder, layout.root, reader.named - listed, reader.unread_files)
    home = _home(base, layout.root)
    needed = {join_path(layout.root, path) for path in (*listed, *reader.included, *(file.path for file in files))}
    sources, unkept = _sources(folder, (base, layout.root), home, needed)
    return Book(
        folder=base,
        root=layout.root,
        summary=layout.summary,
        title=title,
        pages=pages,
        files=files,
        reusables=reusables,
        variables=_variables(folder, layout.root),
        tags=_tags(folder, layout.root),
        redirects=layout.redirects,
        layout=layout.file,
        home=home,
        sources=sources,
        unkept=unkept,
        report=BookReport(
            unlisted=_find_unlisted(folder, layout, listed | reader.included.keys()),
            dangling=listing.dangling,
            repeated=listing.repeated,
            missing=tuple(reader.missing),
            outside=tuple(reader.outside),
            unread_front_matter=tuple(reader.unread_front_matter),
            unread_conditions=tuple(reader.unread_conditions),
            not_utf8=tuple(dict.fromkeys(reader.not_utf8)),
            unread_pages=tuple(reader.unread_pages),
            unread_files=tuple(reader.unread_files),
            files_left_out=files_left_out,
            sources_left_out=sum(each.reason is Reason.UNKEPT for each in unkept),
        ),
    )


def _listing(folder: Folder, layout: Layout, reader: _Reader) -> Listing:
    if layout.summary is None:
        listing = list_folders(folder, layout)
    else:
        written = reader.text_at(layout.summary, relative_path(layout.summary, layout.root))
        listing = list_summary(folder, layout, read_summary(written))
    count = sum(1 for node in listing.nodes for _ in node.walk())
    if count > MAX_PAGES:
        raise FolderError(
            f"{folder.show(layout.root)} has {count:,} pages, and a space can have at most {MAX_PAGES:,}. "
            "Split it into several books, each in a folder of its own."
        )
    if _depth(listing.nodes) > MAX_LEVELS:
        raise FolderError(
            f"{folder.show(layout.root)} has pages nested more than {MAX_LEVELS} deep. "
            "Move them further up in the summary or the folders."
        )
    return listing


def _depth(pages: Sequence[BookPage]) -> int:
    return max((1 + _depth(page.children) for page in pages), default=0)


def _without_pages(folder: Folder, base: str, layout: Layout, unread: Sequence[UnreadFile]) -> str:
    where = folder.show(base)
    if unread:
        named = f"{join_path(layout.root, unread[0].path)} cannot be read ({unread[0].reason})"
        rest = f", nor can {len(unread) - 1:,} more" if len(unread) > 1 else ""
        return f"{where} has no page that can be read: {named}{rest}. Make them readable, then open the folder again."
    if layout.summary is not None:
        return (
            f"{where} has no pages: no entry of {layout.summary} points at a file that is there. Correct the entries."
        )
    return f"{where} has no pages: there is no Markdown file (.md) in it. Name the folder that the documentation is in."


@dataclass
class _Reader:
    """Fills the nodes of a listing with their files' texts; each file is read once.

    ``named`` are the paths that blocks of the texts read so far name as their files, ``included`` those of the texts
    that they include, whether they are there or not, each with the file that includes it first. ``missing`` are the
    files that they show or link to in vain, ``outside`` those of them that are outside the root.
    """

    folder: Folder
    root: str
    on_read: OnRead
    links_of: ReadLinks
    takes_linked: bool

    def __post_init__(self) -> None:
        self.texts: dict[str, PageText] = {}
        self.named: set[str] = set()
        self.included: dict[str, str] = {}
        self.missing: dict[MissingFile, None] = {}
        self.outside: dict[MissingFile, None] = {}
        self.unread_front_matter: list[str] = []
        self.unread_conditions: list[UnreadFile] = []
        self.not_utf8: list[NotUtf8] = []
        self.unread_pages: list[UnreadFile] = []
        self.unread_files: list[UnreadFile] = []
        self._letters = 0

    def page(self, node: BookPage) -> BookPage:
        """Return the node and all below it with titles, texts and front matter."""
        children = tuple(self.page(child) for child in node.children) if node.children else ()
        if node.kind is not Kind.DOCUMENT or node.path is None:
            return replace(node, children=children) if children else node
        try:
            text = self._read(node.path)
        except UnreadableFileError as error:
            self.unread_pages.append(UnreadFile(node.path, error.reason))
            title = node.title or PurePosixPath(node.path).stem
            return replace(node, title=title, link_title=None, children=children, is_unread=True)
        title = text.title or front_title(text) or node.title or PurePosixPath(node.path).stem
        return replace(
            node,
            title=title,
            link_title=node.link_title if node.link_title != title else None,
            text=text.text,
            front_matter=text.front_matter,
            children=children,
            is_untitled=not (text.title or front_title(text)),
        )

    def reusables(self) -> tuple[Reusable, ...]:
        """Read the texts that are included, and all texts in a folder for includes.

        Paths outside the root begin with ``../``.
        """
        for place in self.folder.under(self.root):
            if f"/{INCLUDES}/" in f"/{(path := path_below(place, self.root))}" and is_markdown(place):
                self.included.setdefault(path, "")
        found: dict[str, Reusable] = {}
        ahead = list(self.included)
        while ahead:
            known = len(self.included)
            for path in ahead:
                at = normal_place(join_path(self.root, path))
                if at is None or at not in self.folder or not is_markdown(at):
                    continue
                try:
                    text = self._take_apart(at, path)
                except UnreadableFileError as error:
                    self.unread_files.append(UnreadFile(path, error.reason))
                    continue
                title = front_title(text) or text.title or PurePosixPath(path).stem
                found[path] = Reusable(path, title, text.text, text.front_matter)
            ahead = list(islice(self.included, known, None))
        return tuple(found[path] for path in sorted(found))

    def _read(self, path: str) -> PageText:
        text = self.texts[path] = self._take_apart(join_path(self.root, path), path)
        if not text.readable:
            self.unread_front_matter.append(path)
        for cover in map(text.front_matter.get, _COVERS):
            if isinstance(cover, str):
                self._note_if_missing(read_link(cover), path)
        if (wrong := condition_fault(str(text.front_matter.get("if") or ""))) is not None:
            self.unread_conditions.append(UnreadFile(path, wrong.removesuffix(".")))
        return text

    def text_at(self, place: str, path: str) -> str:
        """Return a file's text as it stands; where some of it is not UTF-8, note so.

        Raise ``UnreadableFileError`` where it cannot be read.
        """
        return self._decode(self.folder.content(place), path)

    def _decode(self, content: bytes, path: str) -> str:
        text, bad_line = decode_as_it_stands(content)
        if bad_line is not None:
            self.not_utf8.append(NotUtf8(path, bad_line))
        return text

    def _take_apart(self, place: str, path: str) -> PageText:
        content = self.folder.content(place)
        text = take_apart(self._decode(content, path))
        self._letters += len(text.text)
        if self._letters > MAX_LETTERS:
            raise FolderError(
                f"{self.folder.show(self.root)} has more than {MAX_LETTERS // 1_000_000} million characters of text. "
                "Split it into several books, or open a part of it."
            )
        self._look_for_names(text, path)
        self._look_for_missing(text.text, path)
        self.on_read(place, content, text.text)
        return text

    def _look_for_names(self, text: PageText, path: str) -> None:
        """Note the texts that blocks include, and the files that they show or read."""
        if _NAMES_A_FILE.search(text.text) is None:
            return
        for block in parse_page(text.text).walk():
            if block.kind is BlockKind.INCLUDE and (included := block.attributes.get("path")):
                link = read_include(included)
                meant = resolve(link, path)
                if meant is not None:
                    self.included.setdefault(meant, path)
                if not self._is_there(link, path):
                    self.missing.setdefault(MissingFile(path, included))
            elif block.kind in (BlockKind.FILE, BlockKind.OPENAPI) and (src := block.attributes.get("src")):
                self.named.update(self._possible_paths(read_link(src), path))

    def _look_for_missing(self, text: str, path: str) -> None:
        """Note the pictures and files that a text shows or links to and that are not there.

        Most texts name none, so that only those need be asked about in which something looks like it.
        """
        meant = [read_link(target) for target in _files_meant(text)]
        if self.takes_linked:
            self.named.update(place for link in meant for place in self._possible_paths(link, path))
        if all(self._is_there(link, path) for link in meant):
            return
        for link in self.links_of(text):
            self._note_if_missing(link, path)

    def _note_if_missing(self, link: Link, path: str) -> None:
        if not self._is_there(link, path):
            found = self.outside if self._is_outside(link, path) else self.missing
            found.setdefault(MissingFile(path, link.path))

    def _is_outside(self, link: Link, path: str) -> bool:
        """Whether a file that is not among those of the book lies elsewhere in the folder."""
        place = normal_place(posixpath.join(self.root, posixpath.dirname(path), link.path))
        return not link.path.startswith("/") and place is not None and place in self.folder

    def _is_there(self, link: Link, path: str) -> bool:
        if link.kind not in (LinkKind.FILE, LinkKind.INCLUDE):
            return True
        places = (normal_place(join_path(self.root, meant)) for meant in self._possible_paths(link, path))
        return any(place is not None and place in self.folder for place in places)

    def _possible_paths(self, link: Link, path: str) -> Iterator[str]:
        """Yield the paths that a link may mean: from its file, then from the first file that includes it."""
        for place in (path, self.included.get(path)):
            if place and (meant := resolve(link, place)) is not None:
                yield meant


def _files_meant(text: str) -> Iterator[str]:
    """Yield whatever looks like the address of a picture or file, in code as well."""
    in_brackets = (within or bare for within, bare in _IN_BRACKETS.findall(text))
    in_tags = (match[1] for match in _IN_HREF.finditer(text)) if "=" in text and "href" in text else ()
    for target in chain(in_brackets, in_tags):
        if "." in target and not target.endswith(".md") and "://" not in target:
            yield target
    if "=" in text and "src" in text:
        yield from (match[1] for match in _IN_ATTRIBUTE.finditer(text))


def front_title(text: PageText) -> str:
    """Return the title that a page's front matter gives it; empty where it gives none."""
    title = text.front_matter.get("title")
    return " ".join(title.split()) if isinstance(title, str) else ""


def _find_unlisted(folder: Folder, layout: Layout, listed: Set[str]) -> tuple[str, ...]:
    if layout.summary is None:
        return ()
    return tuple(
        path
        for place in folder.under(layout.root)
        if is_markdown(place)
        and place != layout.summary
        and (path := path_below(place, layout.root)) not in listed
        and not re.search(r"(?:^|/)\.gitbook/", path)
    )


def _files(folder: Folder, root: str, named: Set[str], unread: list[UnreadFile]) -> tuple[tuple[BookFile, ...], int]:
    """List what lies in ``.gitbook/assets``, pictures, and files that pages have ``named``.

    Return the files, and how many there are beyond those that a space holds. Those that may not be read join
    ``unread``.
    """
    found: list[BookFile] = []
    left_out = 0
    for place in folder.under(root):
        path = path_below(place, root)
        is_picture = posixpath.splitext(path)[1].lower() in _PICTURES
        if not (is_picture or path in named or path.startswith(f"{ASSETS}/")):
            continue
        if len(found) == MAX_FILES:
            left_out += 1
            continue
        if not folder.may_be_read(place):
            unread.append(UnreadFile(path, "Permission denied"))
            continue
        name = PurePosixPath(path).name
        content_type = content_type_of(name)
        source = folder.source(place)
        size = folder.size(place)
        found.append(BookFile(path, name, content_type, source, size, measures(content_type, source)))
    return tuple(found), left_out


def _home(base: str, root: str) -> str:
    """Return the place that holds both a book's file of settings and its pages."""
    if not base or root == base or root.startswith(f"{base}/"):
        return base
    return posixpath.commonpath([base, root]) if root else ""


def _sources(
    folder: Folder, places: Sequence[str], home: str, needed: Set[str]
) -> tuple[tuple[SourceFile, ...], tuple[LeftOut, ...]]:
    """List all files of a book, and what cannot be kept of it; files that are ``needed`` are all kept."""
    found: dict[str, SourceFile] = {}
    unkept: dict[tuple[str, Reason], None] = {}
    size = 0
    for base in dict.fromkeys(places):
        start = f"{base}/" if base else ""
        beside = (place for place in folder.beside if place.startswith(start))
        for place in (*folder.under(base), *beside):
            path = path_below(place, home)
            if path in found or _WORKSPACE.search(path):
                continue
            if not folder.may_be_read(place):
                unkept[path, Reason.UNREADABLE] = None
                continue
            each = folder.files.get(place, folder.beside.get(place, 0))
            if place not in needed:
                size += each
                if size > MAX_SOURCE_BYTES:
                    size -= each
                    unkept[path, Reason.UNKEPT] = None
                    continue
            found[path] = SourceFile(path, folder.source(place), each)
        for left in (*folder.left_out, *folder.unkept):
            if left.place.startswith(start):
                unkept[path_below(left.place, home), left.reason] = None
    return tuple(found.values()), tuple(LeftOut(*each) for each in sorted(unkept))


def _variables(folder: Folder, root: str) -> dict[str, Variable]:
    """Return the variables of a space; a number that would be written otherwise, as 1.10 would, stays a text."""
    place = join_path(root, VARIABLES_FILE)
    values, texts = (_yaml(folder, place, read) for read in (read_yaml, read_plain_yaml))
    if not isinstance(values, dict):
        return {}
    return {
        name: value if text_of(value) == texts[name] else texts[name]
        for name, value in values.items()
        if isinstance(texts.get(name), str)
    }


def _tags(folder: Folder, root: str) -> tuple[Any, ...]:
    tags = _yaml(folder, join_path(root, TAGS_FILE), read_yaml)
    return tuple(tags) if isinstance(tags, list) else ()


def _yaml(folder: Folder, place: str, read: Any) -> Any:
    if place not in folder:
        return None
    try:
        return read(folder.text(place, MAX_SETTINGS_BYTES))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise FolderError(f"{place} is not valid YAML: {reason}. Correct it, then open the folder again.") from error
