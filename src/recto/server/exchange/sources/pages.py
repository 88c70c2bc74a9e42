"""Pages of a source: converted, and written as Markdown into the folder that is then read."""

from __future__ import annotations

import mimetypes
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote

from recto.document.conversion.html import ConversionError, ConvertedPage, convert_html
from recto.frozen import frozen
from recto.server.exchange.folder import LeftOut, Reason, normal_place, relative_path
from recto.server.exchange.layout import ASSETS
from recto.server.exchange.page_file import escape_title

HTML = (".html", ".htm", ".xhtml")

_META = re.compile(rb"""<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})""", re.IGNORECASE)
_CHARSETS = re.compile(
    r"(?:utf-?(?:8|16)|us-ascii|iso-?8859-\d{1,2}|windows-\d{3,4}|cp\d{3,4}|shift[_-]jis|euc-\w{2,3}|gb\w+|big5|koi8-\w)"
)
_ANCHOR = re.compile(rb"""href\s{0,9}=\s{0,9}["'][^"'#\s]{1,2000}#([^"'\s]{1,300})["']""", re.IGNORECASE)
_HEAD = 4096
_LONGEST_TITLE = 300


@frozen
class SourcePage:
    """A page in the order of its source: the place of its file, and the pages under it; a group has no place."""

    place: str
    title: str
    children: Sequence[SourcePage] = ()


@frozen
class FolderDraft:
    """A folder that is being written; ``left_out`` collects the files that are not written."""

    top: Path
    left_out: list[LeftOut] = field(default_factory=list)

    def write(self, place: str, page: ConvertedPage) -> None:
        """Write a page."""
        title = escape_title(page.title[:_LONGEST_TITLE])
        self.write_text(place, f"# {title}\n\n{page.text}" if title else page.text)

    def write_text(self, place: str, text: str) -> None:
        """Write a text file."""
        self.write_bytes(place, text.encode("utf-8", "replace"))

    def write_bytes(self, place: str, content: bytes) -> None:
        """Write a file."""
        target = self.top / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def keep_picture(self, content: bytes, content_type: str, name: str = "") -> str:
        """Store a picture under its name, or a name made from its content, and return its place."""
        ending = mimetypes.guess_extension(content_type) or ""
        digest = sha256(content).hexdigest()[:12]
        stem, dot, own = name.rpartition(".")
        safe = re.sub(r"[^\w.-]+", "-", stem if dot else name).strip("-.")[:60] or "picture"
        ending = f".{own}" if dot and re.fullmatch(r"\w{1,8}", own) else ending
        place = f"{ASSETS}/{safe}-{digest}{ending}"
        self.write_bytes(place, content)
        return place

    def write_summary(self, entries: Iterable[SourcePage]) -> None:
        """Write the order of the pages."""
        lines = ["# Summary", ""]

        def add(entries: Iterable[SourcePage], depth: int) -> None:
            for entry in entries:
                title = escape_title(entry.title[:_LONGEST_TITLE])
                written = f"[{title or 'Untitled'}]({quote(entry.place)})" if entry.place else title
                lines.append(f"{'  ' * depth}* {written}")
                add(entry.children, depth + 1)

        add(entries, 0)
        self.write_text("SUMMARY.md", "\n".join(lines) + "\n")


def convert_file(
    draft: FolderDraft,
    place: str,
    content: bytes,
    pages: Mapping[str, str],
    *,
    charset: str = "",
    lead: Callable[[str, str], str | None] | None = None,
    anchors: Set[str] = frozenset(),
) -> ConvertedPage | None:
    """Return an HTML file as a page; ``None``, noted in the draft, where it cannot be converted.

    ``pages`` gives the places of the Markdown pages that HTML files become. ``lead`` returns where any other address
    leads, by its kind. ``anchors`` are the ids by which other pages lead to parts of this page.
    """
    new = pages.get(place, place)

    def address(kind: str, target: str) -> str | None:
        path, mark, anchor = target.partition("#")
        plain = unquote(path.partition("?")[0])
        if path and ":" not in path.split("/")[0] and not path.startswith("//"):
            meant = normal_place(posixpath.join(posixpath.dirname(place), plain)) if not plain.startswith("/") else None
            if meant is not None and meant in pages:
                return relative(pages[meant], new) + (mark + anchor)
            if lead is None:
                return relative(meant, new) + (mark + anchor) if meant is not None else None
        return lead(kind, target) if lead is not None else target

    def keep(picture: bytes, content_type: str) -> str:
        return relative(draft.keep_picture(picture, content_type), new)

    try:
        return convert_html(decode(content, charset), address=address, keep_picture=keep, anchors=anchors)
    except ConversionError as error:
        draft.left_out.append(LeftOut(place, Reason.UNCONVERTED if "nested" not in str(error) else Reason.NESTED))
        return None


def anchors_in(content: bytes) -> Iterator[str]:
    """Yield the ids by which an HTML file links to parts of other pages."""
    return (unquote(found[1].decode("utf-8", "replace")) for found in _ANCHOR.finditer(content))


def relative(place: str, page: str) -> str:
    """Return the path from a page to a file."""
    return relative_path(place, posixpath.dirname(page))


def decode(content: bytes, charset: str = "") -> str:
    """Return an HTML file as text, by its byte-order mark, the charset that is named for it, or UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    named = _META.search(content[:_HEAD])
    for name in (charset.lower(), named[1].decode().lower() if named else "", "utf-8-sig"):
        if name and (_CHARSETS.fullmatch(name) or name == "utf-8-sig"):
            try:
                return content.decode("utf-8-sig" if name in ("utf-8", "utf8") else name)
            except (UnicodeDecodeError, LookupError):
                continue
    return content.decode("utf-8", "replace")


def page_place(place: str, taken: Set[str] = frozenset()) -> str:
    """Return where the Markdown page of an HTML file goes: ``index.html`` is the page of its folder."""
    folder, slash, name = place.rpartition("/")
    stem = name.rpartition(".")[0]
    new = f"{folder}{slash}{'README' if stem.lower() == 'index' else stem}.md"
    return new if new not in taken else f"{folder}{slash}{name}.md"
