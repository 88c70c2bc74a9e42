"""The keys of the blocks of pages: by them comments stay on their block while the page is edited.

They follow from a page's text alone until the page is edited; from then on they are stored beside it where they differ,
or it is stored from which texts they are carried when they are needed.
Blocks are those of the text as it is given out, without the title.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import accumulate

from recto.contract.rich_text import Document
from recto.document.markdown.block_keys import Keys, block_source, blocks_by_key, carry_keys, fresh_keys, lines_with
from recto.document.markdown.blocks import Block
from recto.document.markdown.page import ParsedPage
from recto.document.text import on_one_line
from recto.frozen import frozen
from recto.server.content.objects import PendingObjects, Remembered
from recto.server.content.page_text import lower_headings, read_page, turn_for
from recto.server.content.tree import digest
from recto.server.storage.database import Connection

_PREVIEW = 120


def _size_of(page: ParsedPage) -> int:
    return sum(1 for _ in page.walk()) + len(page.source) // 100


class Previews:
    """The beginning of each block of a page, by its key: a line of at most 120 characters.

    As one text, whose lines are found by their sorted starts: a hundred thousand small texts took ten times the memory.
    """

    __slots__ = ("_lines", "_starts")

    def __init__(self, previews: Iterable[tuple[str, str]]) -> None:
        self._lines = "".join(f"{key} {preview}\n" for key, preview in previews).encode("utf-8", "surrogatepass")
        starts = array("L", accumulate((len(line) for line in BytesIO(self._lines)), initial=0))
        self._starts = array("L", sorted(starts[:-1], key=self._key))

    def __len__(self) -> int:
        """Return how many bytes they take."""
        return len(self._lines) + len(self._starts) * self._starts.itemsize

    def _key(self, start: int) -> bytes:
        return self._lines[start : self._lines.index(b" ", start)]

    def get(self, key: str) -> str | None:
        """Return the preview of a block, or ``None`` where there is no such block."""
        sought = key.encode("utf-8", "surrogatepass")
        place = bisect_left(self._starts, sought, key=self._key)
        if place == len(self._starts) or self._key(start := self._starts[place]) != sought:
            return None
        line = self._lines[start : self._lines.index(b"\n", start)]
        return line[len(sought) + 1 :].decode("utf-8", "surrogatepass")

    def __contains__(self, key: str) -> bool:
        """Whether there is a block with this key."""
        return self.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        """Yield the keys."""
        return (key for key, _ in self.items())

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield keys and previews, in reading order."""
        for line in self._lines.decode("utf-8", "surrogatepass").split("\n")[:-1]:
            key, _, preview = line.partition(" ")
            yield key, preview


# The largest pages are parsed again, each block of which takes 250 bytes, but all that is made of several of them fits.
_pages: Remembered[ParsedPage] = Remembered(30_000, _size_of)
_fresh: Remembered[str] = Remembered(8 * 1024 * 1024, len)
_carried: Remembered[str] = Remembered(8 * 1024 * 1024, len)
_previews: Remembered[Previews] = Remembered(24 * 1024 * 1024, len)
_documents: Remembered[bytes] = Remembered(24 * 1024 * 1024, len)


def _parse(pending: PendingObjects, text: str | None) -> ParsedPage:
    return _pages.get_or_make(text or "", lambda: read_page(lower_headings(pending.text(text))))


def _fresh_keys(pending: PendingObjects, text: str | None, parsed: ParsedPage | None = None) -> Keys:
    return _as_keys(_fresh.get_or_make(text or "", lambda: " ".join(fresh_keys(parsed or _parse(pending, text)))))


def _as_keys(kept: str) -> Keys:
    return tuple(kept.split())


@frozen
class _Kept:
    """The stored keys of a page with a text, or the texts to carry them from."""

    keys: str
    befores: str | None


def _load(pending: PendingObjects, page: str, text: str | None) -> _Kept | None:
    row = pending.keys(page, text or "")
    return _Kept(*row) if row else None


def block_keys(pending: PendingObjects, page: str, text: str | None) -> Keys:
    """Return the keys of a page's blocks where it has this text, in reading order."""
    with turn_for(pending.text(text)):
        return _keys(pending, page, text, _load(pending, page, text))


def _keys(
    pending: PendingObjects, page: str, text: str | None, kept: _Kept | None, parsed: ParsedPage | None = None
) -> Keys:
    if kept is None or text is None:
        return _fresh_keys(pending, text, parsed)
    if kept.befores is None:
        return tuple(json.loads(kept.keys))
    name = digest(f"{page} {text} {kept.befores}".encode())
    befores: list[str | None] = json.loads(kept.befores)
    return _as_keys(_carried.get_or_make(name, lambda: " ".join(_carry(pending, page, befores, text, None, parsed))))


def carry_sent(pending: PendingObjects, page: str, before: str | None, after: str | None, source: Document) -> None:
    """Keep the keys of the rich text that a page was written from, then those of the former text.

    All texts must be stored or in ``pending``, where the keys go.
    """
    if after is None or _load(pending, page, after):
        return
    with turn_for(pending.text(after)):
        keys = _carry(pending, page, (before,), after, source)
    if keys != _fresh_keys(pending, after):
        pending.put_keys(page, after, json.dumps(keys))


def carry_later(pending: PendingObjects, page: str, befores: Sequence[str | None], after: str | None) -> None:
    """Keep the keys of the earlier texts for the blocks of a page's new text, computed on demand.

    Edits and merges make many texts that few will ask about. Where a block could have two keys it keeps that of the
    earlier text of ``befores``. All texts must be stored or in ``pending``.
    """
    if after is None or _load(pending, page, after) or not any(befores):
        return
    for before in befores:
        kept = _load(pending, page, before)
        # What was put off is done now, so that no reader has to follow a long line back. An edit that is merged is
        # left: the text that it was made of has its keys, and the merged text seldom asks for those of the edit.
        if kept is not None and kept.befores is not None and (len(befores) == 1 or not _is_edit(kept)):
            pending.put_keys(page, str(before), json.dumps(_keys(pending, page, before, kept)))
    pending.put_keys(page, after, "", json.dumps(befores))


def _is_edit(kept: _Kept) -> bool:
    """Whether deferred keys are those of an edit of a single text, not of a merge."""
    return kept.befores is not None and len(json.loads(kept.befores)) == 1


@frozen
class Carried:
    """Computed deferred keys of a page with a text; ``befores`` are the texts that they come from."""

    page: str
    text: str
    befores: str
    keys: str | None
    """``None`` where they follow from the text."""

    def store(self, connection: Connection) -> None:
        """Store them, unless another writer has."""
        where = "page = ? AND text = ? AND befores = ?", self.page, self.text, self.befores
        if self.keys is None:
            connection.execute(f"DELETE FROM block_keys WHERE {where[0]}", *where[1:])
        else:
            connection.execute(
                f"UPDATE block_keys SET keys = ?, befores = NULL WHERE {where[0]}", self.keys, *where[1:]
            )


def carry_postponed(connection: Connection, page: str, text: str) -> Carried | None:
    """Compute the deferred keys of a page; ``None`` if there are none."""
    pending = PendingObjects(connection)
    kept = _load(pending, page, text)
    if kept is None or kept.befores is None:
        return None
    with turn_for(pending.text(text)):
        found = _keys(pending, page, text, kept)
        return Carried(page, text, kept.befores, None if found == _fresh_keys(pending, text) else json.dumps(found))


def _carry(
    pending: PendingObjects,
    page: str,
    befores: Sequence[str | None],
    after: str,
    source: Document | None = None,
    parsed: ParsedPage | None = None,
) -> Keys:
    parsed = parsed or _parse(pending, after)
    keys: list[str | None] = [None for _ in parsed.walk()] if source is None else _keys_as_sent(source, parsed)
    used = {key for key in keys if key is not None}
    for before in dict.fromkeys(befores):
        if None not in keys:
            break
        known = block_keys(pending, page, before)
        carried = carry_keys(_parse(pending, before), known, parsed)
        kept = set(known)
        for place, key in enumerate(carried):
            if keys[place] is None and key in kept and key not in used:
                keys[place] = key
                used.add(key)
    named = [key for key in keys if key is not None]
    return tuple(named) if len(named) == len(keys) else _settle(keys, _fresh_keys(pending, after, parsed), used)


def _keys_as_sent(source: Document, page: ParsedPage) -> list[str | None]:
    from recto.document.rich_text.rich_pages import sent_keys

    return sent_keys(source, page)


def _settle(keys: Sequence[str | None], fresh: Keys, used: set[str]) -> Keys:
    """Give each block without a key the key of its text, or a variant if that is in use."""
    settled = []
    for key, own in zip(keys, fresh, strict=True):
        while key is None:
            if own not in used:
                used.add(own)
                key = own
            own = digest(own.encode())[: len(own)]
        settled.append(key)
    return tuple(settled)


def previews(connection: Connection, page: str, text: str | None) -> Previews:
    """Return how the blocks of a page begin."""
    pending = PendingObjects(connection)
    kept = _load(pending, page, text)
    name = digest(f"{page} {text} {kept}".encode())

    def make() -> Previews:
        with turn_for(pending.text(text)):
            parsed = _parse(pending, text)
            blocks = blocks_by_key(parsed, _keys(pending, page, text, kept, parsed))
            return Previews((key, _preview(block_source(parsed, block))) for key, block in blocks.items())

    return _previews.get_or_make(name, make)


def _preview(source: str) -> str:
    return on_one_line(source)[:_PREVIEW]


def revert_blocks(text: str, keys: Sequence[str], was: str, was_keys: Sequence[str], wanted: Sequence[str]) -> str:
    """Return a text with some of its blocks reverted to another text, by their keys.

    A new block is removed, and a removed block comes back, with the blocks around it, after the block
    that stood before it. Raises :class:`LookupError` with a key that neither text has.
    """
    page, earlier = read_page(lower_headings(text)), read_page(lower_headings(was))
    now, before = blocks_by_key(page, keys), blocks_by_key(earlier, was_keys)
    changed: list[tuple[int, int, list[str]]] = []
    gone: set[int] = set()
    for key in dict.fromkeys(wanted):
        if key in now and key in before:
            block = now[key]
            changed.append((block.start, block.end, lines_with(page, block, block_source(earlier, before[key]))))
        elif key in now:
            changed.append((now[key].start, _end_of(page, now[key]), []))
        elif key in before:
            gone.add(id(before[key]))
        else:
            raise LookupError(key)
    changed += _put_back(earlier, {id(block): now[key] for key, block in before.items() if key in now}, gone)
    return _with_changes(page.lines, changed)


def _end_of(page: ParsedPage, block: Block) -> int:
    """Return the line after a block and the empty ones below it."""
    end = block.end
    while end < len(page.lines) and not page.lines[end].strip():
        end += 1
    return end


def _put_back(earlier: ParsedPage, left: Mapping[int, Block], gone: set[int]) -> Iterator[tuple[int, int, list[str]]]:
    """Yield insertions that restore missing blocks; ``left`` are the remaining ones by key."""
    place = 0
    for block in earlier.blocks:
        if any(id(each) in gone for each in block.walk()):
            yield place, place, earlier.source_of(block).split("\n")
        if id(block) in left:
            place = left[id(block)].end


def _with_changes(lines: Sequence[str], changed: Sequence[tuple[int, int, list[str]]]) -> str:
    """Return lines with ranges replaced, of overlapping ranges the larger, and space around insertions."""
    written: list[str] = []
    reached = 0
    # Insertions at a place stand before replacements from there.
    for start, end, new in sorted(changed, key=lambda change: (change[0], change[1] > change[0], -change[1])):
        if start < reached and start < end:
            continue
        written += lines[reached:start]
        reached = max(reached, end)
        if start == end and written and written[-1].strip():
            written.append("")
        written += new
        if start == end and reached < len(lines) and lines[reached].strip():
            written.append("")
    return "\n".join([*written, *lines[reached:]])


def write_document(connection: Connection, page: str, text: str | None, edited: str | None = None) -> bytes:
    """Return a page's text as rich text, whose blocks have the page's keys, as the wire has it.

    ``edited`` replaces the text; blocks that are the same in both keep their key.
    """
    pending = PendingObjects(connection)
    kept = _load(pending, page, text)

    def make() -> bytes:
        from recto.document.rich_text.rich_pages import document_json

        with turn_for(pending.text(text)):
            parsed = _parse(pending, text)
            keys = _keys(pending, page, text, kept, parsed)
            if edited is not None:
                before, parsed = parsed, read_page(edited)
                keys = carry_keys(before, keys, parsed)
            return document_json(parsed, keys)

    return _documents.get_or_make(digest(f"{page} {text} {kept} {edited is None} {edited}".encode()), make)


def plain_document(markdown: str) -> Document:
    """Return a text that is no page, such as a comment, as rich text."""
    from recto.document.rich_text.rich_pages import to_document

    return to_document(read_page(markdown))
