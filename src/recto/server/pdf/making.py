"""PDFs as jobs: content is read, written as the data of a book, and set."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from recto.contract.addresses import Address, InChangeRequest
from recto.contract.export_report import PdfReport
from recto.contract.import_report import Finding
from recto.document.expressions.language import UNDEFINED, ExpressionError, parse, text_of
from recto.document.markdown.blocks import Block
from recto.document.markdown.page import ParsedPage
from recto.document.openapi.api_model import Field, Operation
from recto.document.openapi.description import Description
from recto.document.openapi.source import Unreadable, mapping_of
from recto.document.pdf.nodes import Destination, Surroundings, clean_text, label_of, needs_glyph, write_page
from recto.document.pdf.words import ENGLISH, words_of
from recto.frozen import frozen
from recto.server.content.change_requests import find_change_request
from recto.server.content.computed_pages import compute_pages
from recto.server.content.content_handlers import view_at
from recto.server.content.link_index import LinkTarget, links_of
from recto.server.content.objects import load_blob, load_manifest, load_text
from recto.server.content.page_text import lower_headings, read_page
from recto.server.content.revisions import FileEntry, StoredRevision
from recto.server.content.tree import Node, Tree
from recto.server.context import Context
from recto.server.exchange.findings import make_finding
from recto.server.fetching import Fetcher, show_address
from recto.server.http.problems import NotFound
from recto.server.jobs import Job, JobFailed, JobResult, Task
from recto.server.pdf.fonts import find_free_fonts, order_fonts, writing_of
from recto.server.pdf.typesetting import Typeset, typeset
from recto.server.specifications.stored_specifications import get_version, read_values, specification_of_space
from recto.urls import scheme_of

MOST_FETCHED = 200
"""The most pictures of other servers that are fetched for a PDF."""

MOST_PICTURE_BYTES = 20 * 1000 * 1000
"""The largest picture in a PDF, in bytes."""

MOST_WRITTEN = 50 * 1000 * 1000
"""The most data of a book that is set, in bytes.

Typesetting takes some 100 times as much memory for plain text, and more for tables: beyond this it must fail, later.
"""

_PICTURES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/svg+xml": "svg",
    "image/webp": "webp",
}
_TOO_LARGE = (
    "The content is too large for one PDF. Choose a page, alone or with the pages below it; `recto pdf` takes --page"
    " and --only."
)
_WEB = ("http", "https")
_NAME = re.compile(r"[^\s,]+")
_DEEPEST_HEADING = 60
_MOST_CHARACTERS_NAMED = 30
_CHARACTERS_IN_A_LINE = 3


@frozen
class Part:
    """The part of the content in a PDF: all of it, a page with those below it, or with ``only`` the page alone."""

    page: str | None = None
    only: bool = False


def pdf_task(at: Address, part: Part, what: str, save: Callable[[Path], None], fonts: Path | None) -> Task[PdfReport]:
    """Return the job that makes a PDF; ``save`` is called with the file, which is deleted afterwards."""

    def do(job: Job) -> PdfReport:
        with TemporaryDirectory(prefix="recto-pdf-") as scratch:
            folder = Path(scratch)
            job.progress("Reading pages", 0, None)
            book = job.read(lambda context: _find_book(context, at, part))
            found = _Writing(job, book, folder).write()
            job.progress("Setting the PDF", 0, None)
            made = typeset(folder, found.characters, found.pictures, fonts, job)
            size = made.pdf.stat().st_size
            job.end_cancelling()
            save(made.pdf)
        findings = (*book.left_out, *found.findings(made, book.language, fonts))
        report = PdfReport(book.title, len(book.chapters), size, findings)
        finished = job.finish(lambda context: (report, JobResult({"pages": report.pages}, findings=findings)))
        assert finished is not None
        return finished

    return Task("PDF", what, do, at.space)


def find_title(context: Context, at: Address, part: Part) -> str:
    """Return the title of the space, or of the page that a part names.

    Raises :class:`NotFound` where the caller does not see the content, or the page is not in it.
    """
    revision = view_at(context, at).revision
    if part.page is None:
        return context.database.value("SELECT title FROM spaces WHERE id = ?", at.space) or "Untitled"
    place = compute_pages(context.database, revision).tree.places.get(part.page)
    if place is None:
        raise NotFound(f"There is no page {part.page} here.")
    return place.node.title


@frozen
class _Chapter:
    """A page of the book: its level, and the groups that begin above it."""

    node: Node
    depth: int
    groups: tuple[tuple[Node, int], ...] = ()


@frozen
class _Book:
    revision: StoredRevision
    tree: Tree
    computed: Mapping[str, str]
    """The texts of computed pages, by their ids."""
    title: str
    subtitle: str
    app: str
    """What the addresses of pages begin with on the web; empty where no browser opens them."""
    chapters: tuple[_Chapter, ...]
    targets: Mapping[str, Mapping[str, LinkTarget]]
    """Where links lead, by the id of their page or reusable content, and as they are written."""
    files: Mapping[str, FileEntry]
    contents: Mapping[str, Mapping[str, Any]]
    """The reusable contents, by their ids."""
    variables: Mapping[str, Any]
    language: str | None
    left_out: tuple[Finding, ...] = ()


def _find_book(context: Context, at: Address, part: Part) -> _Book:
    title = find_title(context, at, part)
    view = view_at(context, at)
    database, revision = context.database, view.revision
    language = database.value("SELECT language FROM spaces WHERE id = ?", at.space)
    words = words_of(language)
    pages = compute_pages(context.database, revision)
    tree = pages.tree
    subtitle = ""
    if isinstance(at, InChangeRequest):
        request = find_change_request(database, at.space, at.change_request)
        subject = request["subject"] or words.no_subject
        subtitle = f"{words.change_request} #{request['number']}: {subject}"
    hidden: list[str] = []
    if part.page is None:
        chapters = tuple(_walk(tree.root.children, 1, hidden))
    else:
        node = tree.places[part.page].node
        space = find_title(context, at, Part())
        subtitle = " · ".join(filter(None, (space, subtitle)))
        chapters = tuple(_walk((replace(node, children=()) if part.only else node,), 1, hidden, named=node.id))
    targets: dict[str, dict[str, LinkTarget]] = {}
    for link in links_of(database, revision):
        targets.setdefault(link.source.id, {}).update((place.target, link.target) for place in link.places)
    extras = load_manifest(database, revision.extras)
    app = f"{context.app(view.thing)}/"
    left_out = make_finding(
        len(hidden), ("{} hidden page", "is not in the PDF:"), ("{} hidden pages", "are not in the PDF:"), hidden
    )
    return _Book(
        revision=revision,
        tree=tree,
        computed=pages.texts,
        title=title,
        subtitle=subtitle,
        app=app if scheme_of(app) in _WEB else "",
        chapters=chapters,
        targets=targets,
        files={entry["id"]: entry for entry in load_manifest(database, revision.files)},
        contents={each["id"]: each for each in extras.get("reusableContents", ())},
        variables=extras.get("variables", {}),
        language=language,
        left_out=() if left_out is None else (left_out,),
    )


def _walk(nodes: Sequence[Node], depth: int, hidden: list[str], named: str = "") -> Iterator[_Chapter]:
    """Yield the pages in order; groups are given to the page that follows them, hidden pages are only named."""
    groups: list[tuple[Node, int]] = []
    ahead = [(node, depth) for node in reversed(nodes)]
    while ahead:
        node, level = ahead.pop()
        if node.attributes.get("hidden") and node.id != named:
            hidden.append(node.title)
            continue
        ahead += [(child, min(level + 1, _DEEPEST_HEADING)) for child in reversed(node.children)]
        if node.type == "group":
            groups.append((node, level))
        else:
            yield _Chapter(node, level, tuple(groups))
            groups = []
    for node, level in groups:
        yield _Chapter(node, level)


@frozen
class _Found:
    """Findings of writing a book: its characters, its pictures by file, and the missing ones."""

    characters: Counter[str] = field(default_factory=Counter)
    formulas: Counter[str] = field(default_factory=Counter)
    """How many formulas stand as they are written, by the titles of their pages."""
    pictures: dict[str, str] = field(default_factory=dict)
    """Addresses of pictures, as they are shown, by their files."""
    unseen: dict[str, str] = field(default_factory=dict)
    """Why a picture is not shown, by its address."""

    def findings(self, made: Typeset, language: str | None, fonts: Path | None) -> Iterator[Finding]:
        """Yield what the PDF does not show, and which fonts would show more; ``fonts`` is the folder with fonts."""
        unseen = self.unseen | {self.pictures[file]: "it cannot be read" for file in made.broken}
        pictures = make_finding(
            len(unseen),
            ("{} picture", "is not shown:"),
            ("{} pictures", "are not shown:"),
            (f"{address}: {why}" for address, why in unseen.items()),
        )
        missing = sorted(made.missing, key=lambda each: (-self.characters[each], each))
        characters = make_finding(
            len(missing),
            ("{} character", "is in no font; its number stands in its place:"),
            ("{} characters", "are in no font; their numbers stand in their places:"),
            _name_characters(missing, self.characters),
        )
        formulas = make_finding(
            self.formulas.total(),
            ("{} formula", "stands as it is written in TeX:"),
            ("{} formulas", "stand as they are written in TeX:"),
            (f"{title}: {number:,}" for title, number in self.formulas.items()),
        )
        yield from (each for each in (pictures, characters, formulas) if each is not None)
        free = tuple(find_free_fonts(missing, writing_of(language, self.characters)))
        if free:
            yield Finding(
                "Free fonts that have them; save them in the folder that “fonts” in the settings names:", free
            )
        if fonts is not None and not fonts.is_dir():
            yield Finding("The folder with fonts that the settings name is not there.")


class _Writing:
    """Writes the data of a book into a folder."""

    def __init__(self, job: Job, book: _Book, folder: Path) -> None:
        self._job = job
        self._book = book
        self._folder = folder
        self._found = _Found()
        self._places = {chapter.node.id: place for place, chapter in enumerate(book.chapters)}
        self._files: dict[str, str | None] = {}
        self._fetcher = Fetcher(is_local=False, is_cancelled=job.is_cancelled)
        self._fetched = 0
        self._written = 0
        self._included: dict[str, ParsedPage] = {}
        self._words = words_of(book.language)
        self._descriptions: dict[str, Description | None] = {}

    def write(self) -> _Found:
        """Write the chapters, and what the template reads besides."""
        chapters, anchors = [], {label_of(place): True for place in self._places.values()}
        total = len(self._book.chapters)
        groups = total
        parts: list[dict[str, Any]] = []
        for place, chapter in enumerate(self._book.chapters):
            self._job.stop_if_cancelled()
            self._job.progress("Reading pages", place, total)
            node = chapter.node
            for group, depth in chapter.groups:
                parts.append({"title": self._text(group.title), "depth": depth, "label": label_of(groups)})
                anchors[label_of(groups)] = True
                groups += 1
            computed = self._book.computed.get(node.id)
            text = self._job.read(partial(_load_text, name=node.text)) if computed is None else computed
            written = write_page(
                read_page(lower_headings(text)), place, chapter.depth - 1, self._surroundings(node.id, node)
            )
            self._found.characters.update(written.characters)
            if written.formulas:
                self._found.formulas[self._text(node.title)] += written.formulas
            anchors |= dict.fromkeys(written.anchors, True)
            nodes = [*written.nodes, *self._target(node)]
            title = self._text(node.title or self._words.untitled)
            description = self._text(str(node.attributes.get("description") or ""))
            heading = {"title": title, "depth": chapter.depth, "label": label_of(place)}
            if (
                not nodes
                and not description
                and place + 1 < total
                and self._book.chapters[place + 1].depth > chapter.depth
            ):
                parts.append(heading)  # it says nothing but what the pages below it belong to
                continue
            self._write(f"{place}.json", nodes)
            chapters.append({**heading, "parts": parts, "description": description, "file": f"{place}.json"})
            parts = []
        self._write("fonts.json", order_fonts(self._book.language, self._found.characters))
        created = datetime.fromisoformat(self._book.revision.created_at)
        self._write("anchors.json", anchors)
        self._write(
            "book.json",
            {
                "title": self._text(self._book.title),
                "subtitle": self._text(self._book.subtitle),
                "imprint": self._text(self._words.write_date(created)),
                "english": {"contents": ENGLISH.contents, "imprint": ENGLISH.write_date(created)},
                "date": [created.year, created.month, created.day],
                "contents": self._text(self._words.contents),
                "missing": self._text(self._words.missing),
                "chapters": chapters,
            },
        )
        return self._found

    def _target(self, node: Node) -> list[dict[str, Any]]:
        """Return where a link page leads, if that is in the book or on the web."""
        target: Mapping[str, Any] = node.attributes.get("target") or {}
        if not target.get("space") and (place := self._places.get(str(target.get("page")))) is not None:
            title = self._text(self._book.chapters[place].node.title)
            return [{"k": "pointer", "c": [{"k": "link", "to": label_of(place), "c": [title]}]}]
        url = self._text(str(target.get("url") or ""))
        is_on_the_web = scheme_of(url) in _WEB
        return [{"k": "pointer", "c": [{"k": "link", "url": url, "c": [url]}]}] if is_on_the_web else []

    def _text(self, text: str) -> str:
        """Return a title as it is set, and count its characters."""
        words = " ".join(clean_text(text).split())
        self._found.characters.update(filter(needs_glyph, words))
        return words

    def _write(self, name: str, value: Any) -> None:
        """Write data into a file of the folder; raises :class:`JobFailed` once the book is too large."""
        data = json.dumps(value)
        self._written += len(data)
        if self._written > MOST_WRITTEN:
            raise JobFailed(_TOO_LARGE)
        (self._folder / name).write_text(data, encoding="ascii")

    def _surroundings(self, source: str, page: Node) -> Surroundings:
        """Return what a text is written with: of a page, or of a reusable content that ``page`` includes."""
        targets = self._book.targets.get(source, {})
        names = {"space": {"vars": self._book.variables}, "page": {"vars": page.attributes.get("variables", {})}}
        return Surroundings(
            leads_to=lambda written: self._destination(targets.get(written), written),
            title_of=lambda written: self._title(targets.get(written)),
            picture=lambda written: self._picture(targets.get(written), written),
            included=lambda written: self._include(targets.get(written), page),
            value_of=partial(_evaluate, names=names),
            described=self._describe,
            words=self._words,
        )

    def _describe(self, block: Block) -> Operation | tuple[Field, ...] | None:
        """Return what a block names of a specification of the organization, if that has it."""
        attributes = block.attributes
        if not (name := attributes.get("spec", "")):
            return None
        if name not in self._descriptions:
            self._descriptions[name] = self._job.read(
                partial(_load_description, space=self._book.revision.space, name=name)
            )
        description = self._descriptions[name]
        if description is None:
            return None
        try:
            if block.name == "openapi-schemas":
                return description.schemas(tuple(_NAME.findall(attributes.get("schemas", ""))))
            if webhook := attributes.get("webhook", "") or attributes.get("name", ""):
                return description.webhook(webhook, attributes.get("method", ""))
            return description.operation(attributes.get("path", ""), attributes.get("method", ""))
        except Unreadable:
            return None

    def _destination(self, target: LinkTarget | None, written: str) -> Destination | None:
        if target is None or target.kind == "url":
            return Destination(url=written) if scheme_of(written) in (*_WEB, "mailto") else None
        if target.kind in ("page", "anchor") and not target.space:
            place = self._places.get(target.name)
            if place is not None:
                return Destination(place=place, anchor=target.anchor)
            is_there = target.name in self._book.tree.places and self._book.app
            return Destination(url=self._book.app + target.name) if is_there else None
        url = str(self._book.files[target.name].get("url") or "") if target.name in self._book.files else ""
        return Destination(url=url) if scheme_of(url) in _WEB else None

    def _title(self, target: LinkTarget | None) -> str | None:
        if target is None:
            return None
        place = self._book.tree.places.get(target.name)
        if place is not None:
            return place.node.title
        return str(self._book.files[target.name]["name"]) if target.name in self._book.files else None

    def _include(self, target: LinkTarget | None, page: Node) -> tuple[ParsedPage, Surroundings] | None:
        content = self._book.contents.get(target.name) if target is not None else None
        if content is None:
            return None
        name = str(content["id"])
        if name not in self._included:
            text = self._job.read(partial(_load_text, name=content.get("text")))
            self._included[name] = read_page(text)
        return self._included[name], self._surroundings(name, page)

    def _picture(self, target: LinkTarget | None, written: str) -> str | None:
        """Return the file of a picture beside the template, storing it the first time."""
        entry = self._book.files.get(target.name) if target is not None else None
        key = str(entry["id"]) if entry is not None else written
        if key not in self._files:
            shown = str(entry["name"]) if entry is not None else show_address(written)
            try:
                content, kind = self._load(entry, written)
                ending = _PICTURES[kind]
            except KeyError:
                self._found.unseen[shown] = "it is of a kind that a PDF cannot hold"
                self._files[key] = None
            except JobFailed as error:
                self._found.unseen[shown] = str(error)
                self._files[key] = None
            else:
                file = self._files[key] = f"picture-{len(self._files)}.{ending}"
                (self._folder / file).write_bytes(content)
                self._found.pictures[file] = shown
        return self._files[key]

    def _load(self, entry: FileEntry | None, written: str) -> tuple[bytes, str]:
        """Return a picture and its kind; raises :class:`JobFailed` if it cannot be fetched."""
        if entry is not None and "blob" in entry:
            content = self._job.read(lambda context: load_blob(context.database, entry["blob"]))
            if content is None or len(content) > MOST_PICTURE_BYTES:
                raise JobFailed("it is not stored" if content is None else "it is too large")
            return content, entry["contentType"]
        url = str(entry.get("url") or "") if entry is not None else written
        if scheme_of(url) not in _WEB:
            raise JobFailed("it is not in the space")
        if self._fetched >= MOST_FETCHED:
            raise JobFailed(f"more than {MOST_FETCHED} would be fetched")
        self._fetched += 1
        self._job.progress("Fetching pictures", self._fetched, None)
        found = self._fetcher.get(url, most=MOST_PICTURE_BYTES)
        return found.content, found.content_type


def _name_characters(missing: Sequence[str], often: Mapping[str, int]) -> Iterator[str]:
    """Yield lines with characters and how often each stands in the book; the PDF itself has the numbers of all."""
    named = [
        f"{each} U+{ord(each):04X} " + ("once" if often[each] == 1 else f"{often[each]:,} times")
        for each in missing[:_MOST_CHARACTERS_NAMED]
    ]
    for at in range(0, len(named), _CHARACTERS_IN_A_LINE):
        yield ", ".join(named[at : at + _CHARACTERS_IN_A_LINE])
    if len(missing) > len(named):
        yield f"and {len(missing) - len(named):,} more"


def _load_description(context: Context, space: str, name: str) -> Description | None:
    row = specification_of_space(context.database, space, name)
    if row is None or row["last_version"] is None:
        return None
    return Description(mapping_of(read_values(get_version(context.database, row, row["last_version"]))))


def _load_text(context: Context, name: str | None) -> str:
    return load_text(context.database, name)


def _evaluate(source: str, names: Mapping[str, Any]) -> str | None:
    try:
        value = parse(source).evaluate(names)
    except ExpressionError:
        return None
    return None if value is None or value is UNDEFINED else " ".join(text_of(value).split())
