"""``SUMMARY.md`` written from a page tree; only the lines of changed entries differ from the file before."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recto.document.line_edits import edits
from recto.document.yaml_writing import write_yaml
from recto.frozen import frozen
from recto.server.content.tree import slug_for
from recto.server.exchange.book import BookPage, Kind
from recto.server.exchange.folder import Folder, FolderError
from recto.server.exchange.layout import Layout
from recto.server.exchange.listing import list_summary
from recto.server.exchange.page_file import entities, escape_title, escape_wholly
from recto.server.exchange.summary import EntryKind, has_rule, plain_title, read_summary, title_of_computed

_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[*+-]|\d{1,9}[.)])[ \t]+")
_FENCE = re.compile(r"[ \t]*(?:[*+-]|\d{1,9}[.)])[ \t]+(?P<fence>`{3,}|~{3,})")
_UNSAFE = re.compile(r"[\s\x00-\x20\x7f%#?<>()\[\]\\\"'`:&*]")
_TITLE = "# Table of contents"
_UNIT = 2


@frozen
class SummaryItem:
    """An entry of a summary: its level, counted from 0, and its content.

    ``path`` is a page's file below the book's root, or the address of a link; ``described`` is JSON.
    """

    level: int
    kind: str
    title: str
    path: str = ""
    anchor: str = ""
    described: str = ""


@frozen
class Line:
    """An entry to write, with the other parts of its line if that is a new line.

    ``text`` is the title of a page where its name in the tree is another; ``slug`` that of a group which its title does
    not give.
    """

    item: SummaryItem
    text: str = ""
    slug: str = ""


@frozen
class BookFiles:
    """The files of a book by their places, and where its summary and its pages lie; ``gone`` are files it had."""

    files: Mapping[str, int]
    root: str
    summary: str
    gone: Mapping[str, int] = field(default_factory=dict)


def write_summary(lines: Sequence[Line], book: BookFiles, before: str | None) -> tuple[str, bool]:
    """Return a summary with these entries, and whether it is read as all of them.

    Of ``before`` all lines stay whose entries are the same.
    """
    wanted = [line.item for line in lines]
    if before is not None:
        # Read with the files that it was written for, so that entries of deleted pages are not taken for remarks.
        known = _read(before, replace(book, files={**book.files, **book.gone}))
        if known is not None:
            known = [_with_title(each, wanted) for each in known]
            if [item for item, _ in known] == wanted:
                return before, True
            text = _Editing(before, known, lines).run()
            if _is_read_as(text, wanted, book):
                return text, True
    text = _Editing(f"{_TITLE}\n", [], lines).run()
    return text, _is_read_as(text, wanted, book)


def _is_read_as(text: str, wanted: Sequence[SummaryItem], book: BookFiles) -> bool:
    known = _read(text, book)
    return known is not None and [_with_title(each, wanted)[0] for each in known] == wanted


def _with_title(each: tuple[SummaryItem, int], wanted: Sequence[SummaryItem]) -> tuple[SummaryItem, int]:
    """Give an entry without a text the title that its page has."""
    item, line = each
    if item.title or item.kind != Kind.DOCUMENT:
        return each
    title = next((other.title for other in wanted if other.path == item.path and other.kind == item.kind), "")
    return SummaryItem(item.level, item.kind, title, item.path), line


def _read(text: str, book: BookFiles) -> list[tuple[SummaryItem, int]] | None:
    """Return the entries of a summary that are pages, links or groups, each with its line counted from 1."""
    try:
        entries = read_summary(text)
    except FolderError:
        return None
    nodes = list_summary(Folder(Path(), book.files), Layout(book.root, None, book.summary), entries).nodes
    return list(_items(nodes, 0))


def _items(nodes: Sequence[BookPage], level: int) -> Iterator[tuple[SummaryItem, int]]:
    for node in nodes:
        yield _item(node, level), node.line
        yield from _items(node.children, level + 1)


def _item(node: BookPage, level: int) -> SummaryItem:
    match node.kind:
        case Kind.DOCUMENT:
            return SummaryItem(level, node.kind, node.link_title or node.title, node.path or "")
        case Kind.LINK if node.target is not None:
            target = node.target
            return SummaryItem(level, node.kind, node.title, target.url or target.path or "", target.anchor or "")
        case Kind.COMPUTED:
            return SummaryItem(level, node.kind, node.title, described=entry_json(node.computed))
        case _:
            return SummaryItem(level, node.kind, node.title)


def entry_json(computed: Mapping[str, Any]) -> str:
    """Return the entry of computed pages as JSON, to be compared."""
    shown = {name: computed[name] for name in ("type", "dependencies", "props") if name in computed}
    return json.dumps(shown, ensure_ascii=False, sort_keys=True)


class _Editing:
    """Writes the wanted entries, with the lines of ``before`` for those that stand in it."""

    def __init__(self, before: str, known: Sequence[tuple[SummaryItem, int]], wanted: Sequence[Line]) -> None:
        self._lines = before.split("\n")
        self._known = known
        self._wanted = wanted
        self._out: list[str] = []
        self._reached = 0
        # The column of the last entry of each level that is still open; that of a heading is before the first.
        self._columns: dict[int, int] = {}
        self._in_group = False
        self._new_item = False
        marks = [found["mark"] for _, line in known if (found := _ITEM.match(self._lines[line - 1]))]
        self._mark = max("*-+", key=marks.count)
        indents = sorted({self._column(line - 1) for _, line in known} - {-1})
        self._unit = next((indent for indent in indents if indent > 0), _UNIT)
        documents = {line.item.path: at for at, line in enumerate(wanted) if line.item.kind == Kind.DOCUMENT}
        self._ahead = {
            at
            for at, line in enumerate(wanted)
            if line.item.kind == Kind.LINK and documents.get(line.item.path, -1) > at
        }

    def run(self) -> str:
        """Return the text."""
        old, new = [item for item, _ in self._known], [line.item for line in self._wanted]
        script = edits(old, new)
        kept: dict[int, int] = {}
        at_old = at_new = 0
        for edit in script:
            while at_new < edit.after_start:
                kept[at_new] = at_old
                at_new, at_old = at_new + 1, at_old + 1
            at_old, at_new = edit.before_end, edit.after_end
        while at_new < len(new):
            kept[at_new] = at_old
            at_new, at_old = at_new + 1, at_old + 1
        self._kept = kept
        if not self._known:
            self._out, self._reached = self._lines[:], len(self._lines)
            while self._out and not self._out[-1].strip():
                self._out.pop()
            self._out.append("")
        following = [len(old)] * (len(new) + 1)
        for at in reversed(range(len(new))):
            following[at] = kept.get(at, following[at + 1])
        places: dict[Hashable, list[int]] = {}
        for place, item in enumerate(old):
            places.setdefault(_identity(item), []).append(place)
        done = 0
        for at, line in enumerate(self._wanted):
            if at in kept:
                for gone in range(done, kept[at]):
                    self._drop(gone)
                self._keep(kept[at])
                done = kept[at] + 1
            else:
                # A new entry goes right after the entry before it; a renamed entry stays in place.
                same = places.get(_identity(line.item), ())
                first = bisect_left(same, done)
                if first < len(same) and same[first] < following[at]:
                    for gone in range(done, same[first] + 1):
                        self._drop(gone)
                    done = same[first] + 1
                self._write(at, line)
        for gone in range(done, len(old)):
            self._drop(gone)
        text = "\n".join([*self._out, *self._lines[self._reached :]])
        # A last line that was there stays as it was, also without a line end.
        return text if text.rpartition("\n")[2] in ("", self._lines[-1]) else text + "\n"

    def _column(self, index: int) -> int:
        """Return the column in which an entry's mark stands; -1 for a heading."""
        found = _ITEM.match(self._lines[index])
        return len(found["indent"].expandtabs(4)) if found else -1

    def _span(self, place: int) -> tuple[int, int]:
        """Return the lines that an entry takes, counted from 0."""
        start = self._known[place][1] - 1
        end = start + 1
        fence = _FENCE.match(self._lines[start])
        if fence and self._known[place][0].kind == Kind.COMPUTED:
            while end < len(self._lines) and not self._lines[end].strip().startswith(fence["fence"]):
                end += 1
            end += 1
        return start, min(end, len(self._lines))

    def _drop(self, place: int) -> None:
        """Leave an entry out, and keep the lines above it that say something."""
        start, end = self._span(place)
        gap = self._lines[self._reached : start]
        if self._out and any(line.strip() for line in gap):
            self._take_gap(gap)
        elif not self._out:
            self._out += gap
        self._reached = end

    def _take_gap(self, gap: Sequence[str]) -> None:
        self._out += gap
        if has_rule(gap):
            self._in_group = False
            self._columns.clear()

    def _keep(self, place: int) -> None:
        start, end = self._span(place)
        gap = self._lines[self._reached : start]
        level, column = self._known[place][0].level, self._column(start)
        if self._new_item and column >= 0 and not any(line.strip() for line in gap):
            gap = []
        elif column < 0 and not gap and self._out and self._out[-1].strip():
            gap = [""]
        self._take_gap(gap)
        if column >= 0 and level == 0:
            self._leave_group()
        self._out += self._lines[start:end]
        self._reached = end
        self._open(level, column)
        self._new_item = False

    def _open(self, level: int, column: int) -> None:
        for deeper in [each for each in self._columns if each >= level]:
            del self._columns[deeper]
        if column < 0:
            self._in_group = True
            self._columns[0] = -self._unit
        else:
            self._columns[level] = column

    def _leave_group(self) -> None:
        if self._in_group:
            self._space()
            self._out += ["***", ""]
            self._in_group = False
            self._columns.clear()

    def _space(self) -> None:
        if self._out and self._out[-1].strip():
            self._out.append("")

    def _write(self, at: int, line: Line) -> None:
        item = line.item
        if not self._out and not self._reached and self._known:
            start, _ = self._span(0)
            self._take_gap(self._lines[:start])
            self._reached = start
        if item.kind == Kind.GROUP and item.level == 0:
            self._space()
            anchor = f' <a href="#{line.slug}" id="{line.slug}"></a>' if line.slug else ""
            self._out += [_group(item.title, "## ", anchor), ""]
            self._open(0, -1)
            self._new_item = True
            return
        if item.level == 0:
            self._leave_group()
        if self._out and not _ITEM.match(self._out[-1]) and self._out[-1].lstrip().startswith("#"):
            self._out.append("")
        column = self._new_column(at)
        indent = " " * column
        if item.kind == Kind.COMPUTED:
            self._out += [f"{indent}{each}" if each else "" for each in _described_lines(line, self._mark)]
        else:
            self._out.append(f"{indent}{self._mark} {write_entry(line, is_ahead=at in self._ahead)}")
        self._open(item.level, column)
        self._new_item = True

    def _new_column(self, at: int) -> int:
        level = self._wanted[at].item.level
        if level in self._columns:
            return self._columns[level]
        above = self._columns.get(level - 1, -self._unit if level else -1)
        usual = max(0, above + self._unit) if level else 0
        for later in range(at + 1, len(self._wanted)):
            other = self._wanted[later].item.level
            if other < level:
                break
            if other == level and later in self._kept:
                column = self._column(self._known[self._kept[later]][1] - 1)
                return column if column > above else usual
        return usual


def _identity(item: SummaryItem) -> Hashable:
    """Return the identity of an entry, independent of its title: its file, its address, or the level of a group."""
    return (item.kind, item.path, item.anchor) if item.path else (item.kind, item.level)


def write_entry(line: Line, *, is_ahead: bool = False) -> str:
    """Return the text of an entry behind its mark; ``is_ahead`` if it is a link that precedes the page itself."""
    item = line.item
    if item.kind == Kind.GROUP:
        anchor = f' <a id="{line.slug}"></a>' if line.slug else ""
        return _group(item.title, "* ", anchor)[2:]
    texts = [escape_title(line.text or item.title), entities(line.text or item.title)]
    targets = list(_targets(item, is_ahead=is_ahead))
    named = f' "{escape_title(item.title).replace(chr(34), "&quot;")}"' if line.text else ""
    written = [f"[{text}]({target}{named})" for text in texts for target in targets]
    return next((each for each in written if _is_entry(each, item, line.text)), written[-1])


def _group(title: str, mark: str, anchor: str) -> str:
    """Return the line of a group: a heading, or an item without a link."""
    wanted = plain_title(escape_title(title))
    lines = [f"{mark}{text}{anchor}" for text in (escape_title(title), escape_wholly(title), entities(title))]
    for line in lines:
        entries = read_summary(f"{_TITLE}\n\n{line}\n")
        if [(entry.kind, entry.title) for entry in entries] == [(EntryKind.GROUP, wanted)]:
            return line
    return lines[-1]


def _targets(item: SummaryItem, *, is_ahead: bool) -> Iterator[str]:
    if "://" in item.path or item.path.startswith("//") or (item.kind == Kind.LINK and _is_address(item.path)):
        escaped = item.path.replace("\\", "\\\\").replace("&", "&amp;")
        yield from (item.path, escaped, f"<{escaped.replace('>', chr(92) + '>')}>")
        yield quote(item.path, safe="/:?#[]@!$&'*+,;=~%")
        return
    mark = f"#{item.anchor}" if item.anchor else "#" if is_ahead else ""
    path = _UNSAFE.sub(lambda found: quote(found[0], safe=""), item.path)
    yield path + mark
    yield f"<{path}{mark}>"


def _is_address(path: str) -> bool:
    return re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", path) is not None


def _is_entry(written: str, item: SummaryItem, text: str) -> bool:
    entries = read_summary(f"* {written}\n")
    if len(entries) != 1 or entries[0].title != plain_title(escape_title(text or item.title)):
        return False
    entry = entries[0]
    if entry.kind is EntryKind.LINK:
        return entry.target == item.path
    named = plain_title(escape_title(item.title)) if text else None
    return entry.kind is EntryKind.PAGE and (entry.anchor or "") == item.anchor and entry.link_title == named


def _described_lines(line: Line, mark: str) -> list[str]:
    computed: dict[str, Any] = json.loads(line.item.described)
    if title_of_computed(computed) != line.item.title:
        computed = {"title": line.item.title, **computed}
    inside = write_yaml(computed).rstrip("\n").split("\n")
    return [f"{mark} ```yaml", *(f"  {each}" if each else "" for each in inside), "  ```"]


def group_slug(title: str, slug: str) -> str:
    """Return the slug to write beside the title of a group: none where its title gives it."""
    return "" if slug == slug_for(title) else slug
