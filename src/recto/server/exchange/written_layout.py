"""A revision as the files of the layout that :func:`import_folder` reads: what was not edited as it was imported."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recto.contract.import_report import Finding
from recto.document.yaml_text import YamlError, read_yaml
from recto.document.yaml_writing import edit_yaml, write_yaml
from recto.frozen import frozen
from recto.server.content.attributes import source_path
from recto.server.content.objects import load_blob, load_texts
from recto.server.content.revisions import Content, StoredRevision, content_of
from recto.server.content.tree import Node, digest
from recto.server.exchange.book import BookPage, Kind
from recto.server.exchange.findings import make_finding
from recto.server.exchange.folder import SKIPPED_FOLDERS, Folder, join_path, normal_place, path_below, relative_path
from recto.server.exchange.imported_files import (
    ImportedFiles,
    Unkept,
    load_source,
    page_digest,
    remembered_paths,
    settings_digests,
    tree_digest,
    walk_nodes,
)
from recto.server.exchange.layout import (
    ASSETS,
    INCLUDES,
    LAYOUT_FILE,
    TAGS_FILE,
    VARIABLES_FILE,
    Layout,
    read_redirects,
)
from recto.server.exchange.listing import list_folders
from recto.server.exchange.page_file import PageFile, decode, encode_like, front_matter_of, readable_title, write_page
from recto.server.exchange.summary_file import BookFiles, Line, SummaryItem, entry_json, group_slug, write_summary
from recto.server.storage.database import Connection

LONGEST_NAME = 200
"""The longest name of a file, in bytes of UTF-8: file systems take 255, and a number and an ending may follow."""

LONGEST_FOLDER = 200
"""The longest path of a folder that new pages are put in, in bytes; pages further down are put beside each other."""

_FORBIDDEN = re.compile(
    r'[<>:"/\\|?*%#\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]+|\s+'
)
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(?:\..*)?",
    re.IGNORECASE,
)
_TAKEN_NAMES = frozenset({"summary", "readme", *SKIPPED_FOLDERS})
"""Names with another meaning in the layout, or that the reader skips."""


def safe_name(name: str, otherwise: str = "page") -> str:
    """Return a name that a file or folder may have on every file system, without an ending of its own."""
    plain = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    plain = _FORBIDDEN.sub("-", plain).strip("-. ")
    plain = _cut(plain, LONGEST_NAME).rstrip("-. ")
    if not plain:
        return otherwise
    if _RESERVED.fullmatch(plain) or plain.casefold() in _TAKEN_NAMES:
        return f"{otherwise}-{plain}"
    return plain


def _cut(name: str, most: int) -> str:
    return name.encode()[:most].decode(errors="ignore")


class Paths:
    """The paths that are taken, and new ones beside them, none of which is another's but for case or spelling."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._numbers: dict[str, int] = {}
        for path in taken:
            self.take(path)

    def take(self, path: str) -> None:
        """Note that a file has a path."""
        folded = _fold(path)
        self._files.add(folded)
        while (folded := posixpath.dirname(folded)) and folded not in self._folders:
            self._folders.add(folded)

    def new(self, folder: str, name: str, ending: str) -> str:
        """Return a path that is free, and take it; a number is put behind the name where it must be."""
        if len(folder.encode()) > LONGEST_FOLDER:
            folder = _shorter(folder)
        folder = self._folder(folder)
        first = _fold(join_path(folder, f"{name}{ending}"))
        number = self._numbers.get(first, 1)
        while True:
            path = join_path(folder, f"{name}{f'-{number}' if number > 1 else ''}{ending}")
            if (folded := _fold(path)) not in self._files and folded not in self._folders:
                self.take(path)
                self._numbers[first] = number + 1
                return path
            number += 1

    def _folder(self, folder: str) -> str:
        """Return a folder of which no part is the name of a file."""
        made = ""
        for part in folder.split("/") if folder else ():
            number = 1
            while _fold(candidate := join_path(made, f"{part}{f'-{number}' if number > 1 else ''}")) in self._files:
                number += 1
            made = candidate
        return made


def _shorter(folder: str) -> str:
    """Return the longest part of a path of folders from the top that is short enough."""
    while len(folder.encode()) > LONGEST_FOLDER:
        folder = posixpath.dirname(folder)
    return folder


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


_BY_ID = re.compile(
    r"""(\]\(<?|=["']|\]:[ \t]*<?|include ["'])/(pages|files|reusable-content)/([\w-]+)(?=[)#?"'>\s]|\Z)"""
)
_IN_A_PATH = re.compile(r"[\s()<>\"'\\#?%\[\]]")
_GIT = re.compile(r"\.git[. ]*|git~\d+", re.IGNORECASE)
_IGNORED = re.compile(r"[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


@frozen
class LayoutFile:
    """A file of a layout: the hash of a stored blob, or its bytes where there is none.

    ``item`` is the id of the page, file or reusable content that it is.
    """

    path: str
    blob: str | None = None
    content: bytes = b""
    item: str | None = None

    @property
    def name(self) -> str:
        """The hash of its bytes, as blobs are named."""
        return self.blob or digest(self.content)

    def read(self, connection: Connection) -> bytes:
        """Return its bytes."""
        return self.content if self.blob is None else load_blob(connection, self.blob) or b""


@frozen
class WrittenLayout:
    """The files of a revision in the layout, by their paths, which lead nowhere but below the folder that holds them.

    ``folder`` is where they lay in the folder that was imported: ``""`` for the folder itself. ``new_paths`` are those
    of pages, files and reusable contents that had none, by their ids: keep them with ``remember_paths`` once the files
    are written, so that an import finds them again. ``left_out`` is what the layout does not hold
    of the revision, and ``unkept`` what it does not hold of the folder that was imported.
    """

    files: Mapping[str, LayoutFile]
    folder: str = ""
    new_paths: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[Finding, ...] = ()
    unkept: tuple[Unkept, ...] = ()

    def hashes(self) -> dict[str, str]:
        """Return the hash of each file's bytes by its path."""
        return {path: file.name for path, file in self.files.items()}


def layout_of(connection: Connection, revision: StoredRevision) -> WrittenLayout:
    """Return the files of a revision."""
    content = content_of(connection, revision)

    def read_blob(name: str) -> bytes:
        return load_blob(connection, name) or b""

    return write_layout(
        content,
        load_source(connection, content.extras),
        remembered_paths(connection, revision.space),
        lambda texts: load_texts(connection, texts),
        read_blob,
    )


def write_layout(
    content: Content,
    source: ImportedFiles | None,
    remembered: Mapping[str, str],
    texts: Callable[[Iterable[str]], Mapping[str, str]],
    read_blob: Callable[[str], bytes],
    occupied: Collection[str] = (),
) -> WrittenLayout:
    """Return the files of a content; ``texts`` and ``read_blob`` give texts and bytes by their hashes.

    ``occupied`` are paths of files that are not of the space, and are not to be replaced.
    """
    return _Writing(content, source or ImportedFiles({}), remembered, texts, read_blob, occupied).run()


@dataclass
class _Writing:
    content: Content
    source: ImportedFiles
    remembered: Mapping[str, str]
    texts: Callable[[Iterable[str]], Mapping[str, str]]
    read_blob: Callable[[str], bytes]
    occupied: Collection[str]

    def __post_init__(self) -> None:
        self.files: dict[str, LayoutFile] = {}
        self.left_out: list[Finding] = []
        self.new_paths: dict[str, str] = {}
        self.reusables: list[Mapping[str, Any]] = list(self.content.extras.get("reusableContents", ()))
        gone = {*self.source.pages, *self.source.reusables, *self.source.assets}
        self.kept = {path: blob for path, blob in self.source.blobs.items() if path not in gone}
        self.paths: dict[str, str] = {}
        self._name_all()

    def run(self) -> WrittenLayout:
        """Return all files."""
        self.files = {path: LayoutFile(path, blob) for path, blob in self.kept.items()}
        self._write_assets()
        self._write_pages()
        self._write_reusables()
        self._write_variables()
        self._write_tags()
        self._write_redirects()
        self._write_summary()
        files = dict(sorted(self.files.items()))
        return WrittenLayout(files, self.source.folder, self.new_paths, tuple(self.left_out), self.source.unkept)

    # Paths

    def _name_all(self) -> None:
        """Give each page, file and reusable content the path that it came from, had in an export, or gets now."""
        root = self.source.root
        named: list[tuple[str, Any]] = [
            *((node.id, source_path(node.attributes)) for node in self._documents()),
            *((str(entry["id"]), entry.get("path")) for entry in (*self.content.files, *self.reusables)),
        ]
        taken = dict.fromkeys((*self.kept, *self.occupied), "")
        for item, written in named:
            place = join_path(root, str(written)) if written else self.remembered.get(item)
            path = safe_place(place) if place else None
            if path is not None and path not in taken:
                taken[path] = item
                self.paths[item] = path
        # A path that was given once is kept as long as its item may come back; files that were not imported may still
        # exist.
        unkept = (place for each in self.source.unkept for place in each.places)
        settings = (join_path(root, "SUMMARY.md"), *self._settings_places())
        paths = Paths((*taken, *self.remembered.values(), *unkept, *settings))
        self._name_pages(self.content.root, root, paths)
        for entry in self.content.files:
            name, ending = posixpath.splitext(str(entry.get("name") or "file"))
            self._name(entry, paths, join_path(root, ASSETS), safe_name(name, "file"), _safe_ending(ending))
        for each in self.reusables:
            self._name(each, paths, join_path(root, INCLUDES), safe_name(str(each["title"]), "text"), ".md")

    def _settings_places(self) -> tuple[str, ...]:
        return (
            self.source.layout or LAYOUT_FILE,
            join_path(self.source.root, VARIABLES_FILE),
            join_path(self.source.root, TAGS_FILE),
        )

    def _name(self, entry: Mapping[str, Any], paths: Paths, folder: str, name: str, ending: str) -> None:
        item = str(entry["id"])
        if item not in self.paths:
            self.paths[item] = self.new_paths[item] = paths.new(folder, name, ending)

    def _name_pages(self, parent: Node, folder: str, paths: Paths) -> None:
        for node in parent.children:
            name = safe_name(node.slug or node.title)
            if node.type == Kind.DOCUMENT and node.id not in self.paths:
                self.paths[node.id] = self.new_paths[node.id] = paths.new(folder, name, ".md")
            path = self.paths.get(node.id)
            self._name_pages(node, _folder_below(path) if path else join_path(folder, name), paths)

    def _documents(self) -> Iterator[Node]:
        return (node for node in self.content.root.walk() if node.type == Kind.DOCUMENT)

    def _relative(self, path: str, page: str) -> str:
        """Return a path as a link from the file of a page has it."""
        written = relative_path(path, posixpath.dirname(page))
        return _IN_A_PATH.sub(lambda found: quote(found[0], safe=""), written)

    def _locate(self, page: str) -> Callable[[str], str]:
        """Return a function that gives an address in the front matter of a page as its file has it."""

        def locate(address: str) -> str:
            if address.startswith("/files/"):
                path = self.paths.get(address.removeprefix("/files/"))
                return relative_path(path, posixpath.dirname(page)) if path else address
            path = normal_place(posixpath.join(posixpath.dirname(page), address))
            return relative_path(path, posixpath.dirname(page)) if path in self.files else address

        return locate

    # Pages and what they show

    def _write_assets(self) -> None:
        lost: list[str] = []
        for entry in self.content.files:
            path = self.paths[str(entry["id"])]
            if entry.get("blob"):
                self.files[path] = LayoutFile(path, str(entry["blob"]), item=str(entry["id"]))
            else:
                lost.append(path)
        self._leave_out(
            lost,
            ("{} file", "is stored elsewhere, so it is not there:"),
            ("{} files", "are stored elsewhere, so they are not there:"),
        )

    def _write_pages(self) -> None:
        edited: list[tuple[Node, str]] = []
        for node in self._documents():
            path = self.paths[node.id]
            if self.source.pages.get(path) == page_digest(node.title, node.text, node.attributes):
                self.files[path] = LayoutFile(path, self.source.blobs[path], item=node.id)
            else:
                edited.append((node, path))
        texts = self.texts([node.text for node, _ in edited if node.text])
        for node, path in edited:
            text = self._with_paths(texts[node.text] if node.text else "", path)
            content = self._page_file(node, path, text)
            self.files[path] = LayoutFile(path, content=content, item=node.id)

    def _page_file(self, node: Node, path: str, text: str) -> bytes:
        locate = self._locate(path)
        front = front_matter_of(node.attributes, locate)
        is_untitled = self.source.titles.get(path) == node.title
        title = None if is_untitled else readable_title(node.title)
        before = self.read_blob(self.source.blobs[path]) if path in self.source.pages else None
        return write_page(PageFile(title, text, front), before, locate)

    def _with_paths(self, text: str, page: str) -> str:
        """Return a text in which links by id to what has a file are links to that file."""

        def point(found: re.Match[str]) -> str:
            path = self.paths.get(found[3])
            return found[1] + self._relative(path, page) if path else found[0]

        return _BY_ID.sub(point, text) if "/" in text else text

    def _write_reusables(self) -> None:
        edited: list[tuple[Mapping[str, Any], str]] = []
        for each in self.reusables:
            path = self.paths[str(each["id"])]
            if path in self.files and self.files[path].item is not None:
                continue  # a page is included as a whole
            if self.source.reusables.get(path) == each.get("text"):
                self.files[path] = LayoutFile(path, self.source.blobs[path], item=str(each["id"]))
            else:
                edited.append((each, path))
        texts = self.texts([str(each["text"]) for each, _ in edited if each.get("text")])
        for each, path in edited:
            text = self._with_paths(texts.get(str(each.get("text")), ""), path)
            known = path in self.source.reusables
            page = PageFile(None, text, None if known else {"title": str(each["title"])})
            content = write_page(page, self.read_blob(self.source.blobs[path]) if known else None)
            self.files[path] = LayoutFile(path, content=content, item=str(each["id"]))

    # Settings

    def _is_as_read(self, name: str) -> bool:
        return settings_digests(self.content.extras).get(name) == self.source.settings.get(name)

    def _write_variables(self) -> None:
        if self._is_as_read("variables"):
            return
        path = join_path(self.source.root, VARIABLES_FILE)
        wanted = dict(self.content.extras.get("variables", {}))
        before = self._settings_text(path)
        old = _mapping(before)
        changed = {name: wanted.get(name) for name in {**old, **wanted} if old.get(name) != wanted.get(name)}
        self._put(path, edit_yaml(before, wanted, changed))

    def _write_tags(self) -> None:
        if not self._is_as_read("tags"):
            tags = list(self.content.extras.get("tags", ()))
            self._put(join_path(self.source.root, TAGS_FILE), write_yaml(tags) if tags else "")

    def _write_redirects(self) -> None:
        if self._is_as_read("redirects"):
            return
        path = self.source.layout or LAYOUT_FILE
        before = self._settings_text(path)
        old = _mapping(before)
        redirects = dict(self.content.extras.get("redirects", {}))
        if read_redirects(old) != redirects:
            wanted = {key: value for key, value in old.items() if key != "redirects"}
            changed = {"redirects": redirects or None}
            self._put(path, edit_yaml(before, wanted | ({"redirects": redirects} if redirects else {}), changed))

    def _settings_text(self, path: str) -> str:
        blob = self.kept.get(path)
        return self.read_blob(blob).decode("utf-8-sig", "replace").replace("\r\n", "\n") if blob else ""

    def _put(self, path: str, text: str) -> None:
        """Write a file, or leave it out where it says nothing."""
        if text.strip():
            self.files[path] = LayoutFile(path, content=text.encode("utf-8", "replace"))
        else:
            self.files.pop(path, None)

    # The table of contents

    def _write_summary(self) -> None:
        nodes = list(walk_nodes(self.content.root))
        has_moved = not self.source.pages.keys() <= set(self.paths.values())
        if self.source.blobs and self.source.tree == tree_digest(nodes) and not has_moved:
            return
        if self.source.blobs and self.source.summary is None and self._is_tree_of_folders():
            return
        path = self.source.summary or join_path(self.source.root, "SUMMARY.md")
        blob = self.kept.get(path)
        before = self.read_blob(blob) if blob else None
        lines = list(self._lines())
        text, is_read = write_summary(lines, self._book(path), decode(before) if before is not None else None)
        content = encode_like(before, text) if before is not None else text.encode("utf-8", "replace")
        self.files[path] = LayoutFile(path, content=content)
        if not is_read:
            self.left_out.append(Finding("SUMMARY.md cannot show the whole page tree. Check it before you use it."))

    def _book(self, summary: str) -> BookFiles:
        gone = dict.fromkeys(self.source.pages, 0)
        return BookFiles(dict.fromkeys((*self.files, summary), 0), self.source.root, summary, gone)

    def _lines(self) -> Iterator[Line]:
        lost: list[str] = []
        groups: list[str] = []
        for level, node in walk_nodes(self.content.root):
            attributes = node.attributes
            shown = readable_title(node.link_title)
            match node.type:
                case Kind.DOCUMENT:
                    text = readable_title(node.title) if attributes.get("link_title") else ""
                    yield Line(
                        SummaryItem(level, node.type, shown, path_below(self.paths[node.id], self.source.root)), text
                    )
                case Kind.LINK:
                    item = self._link(level, shown, attributes)
                    if item is None:
                        lost.append(shown)
                    else:
                        yield Line(item)
                case Kind.COMPUTED:
                    yield Line(
                        SummaryItem(level, node.type, shown, described=entry_json(attributes.get("computed") or {}))
                    )
                case _:
                    if any(attributes.get(name) for name in ("icon", "emoji", "description", "hidden")):
                        groups.append(shown)
                    yield Line(SummaryItem(level, Kind.GROUP, shown), slug=group_slug(shown, node.slug))
        self._leave_out(
            lost,
            ("{} link page", "leads to what has no file:"),
            ("{} link pages", "lead to what has no file:"),
        )
        self._leave_out(
            groups,
            ("{} group", "has an icon or description, or is hidden, which the layout does not hold:"),
            ("{} groups", "have icons or descriptions, or are hidden, which the layout does not hold:"),
        )

    def _leave_out(self, named: Sequence[str], one: tuple[str, str], many: tuple[str, str]) -> None:
        finding = make_finding(len(named), one, many, named)
        if finding is not None:
            self.left_out.append(finding)

    def _link(self, level: int, title: str, attributes: Mapping[str, Any]) -> SummaryItem | None:
        target = attributes.get("target") or {}
        if target.get("kind") in ("page", "anchor") and target.get("page") in self.paths:
            path = path_below(self.paths[target["page"]], self.source.root)
            return SummaryItem(level, Kind.LINK, title, path, str(target.get("anchor") or ""))
        address = target.get("url") or attributes.get("href")
        return SummaryItem(level, Kind.LINK, title, str(address)) if address else None

    def _is_tree_of_folders(self) -> bool:
        """Whether the folders alone give the page tree, as they did when the book was imported."""
        folder = Folder(Path(), dict.fromkeys(self.files, 0))
        root = self.source.root
        listed = list_folders(folder, Layout(root, folder.find(join_path(root, "README.md")), None)).nodes
        return self._is_same_shape(self.content.root.children, listed)

    def _is_same_shape(self, nodes: tuple[Node, ...], listed: tuple[BookPage, ...]) -> bool:
        if len(nodes) != len(listed):
            return False
        for node, page in zip(nodes, listed, strict=True):
            if node.type != page.kind or node.attributes.get("link_title"):
                return False
            if page.path is None and page.title != node.title:
                return False
            if page.path is not None and path_below(self.paths[node.id], self.source.root) != page.path:
                return False
            if not self._is_same_shape(node.children, page.children):
                return False
        return True


def safe_place(place: str) -> str | None:
    """Return a path below a folder that may be written to; ``None`` if it leads out of the folder or into Git's own."""
    path = normal_place(place)
    if not path or path != place or "\x00" in path or re.match("[A-Za-z]:", path):
        return None
    if any(_GIT.fullmatch(_IGNORED.sub("", part)) for part in path.split("/")):
        return None
    return path


def _safe_ending(ending: str) -> str:
    return ending if re.fullmatch(r"\.\w{1,20}", ending) else ""


def _folder_below(path: str) -> str:
    """Return the folder in which the pages below a page are put."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    return folder if stem.casefold() == "readme" else join_path(folder, stem)


def _mapping(text: str) -> dict[str, Any]:
    try:
        values = read_yaml(text)
    except YamlError:
        return {}
    return values if isinstance(values, dict) else {}
