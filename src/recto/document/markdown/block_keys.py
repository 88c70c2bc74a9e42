"""Keys by which comments name blocks: the same text has the same keys, and edits keep the keys of what they keep."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import product

from recto.document.line_edits import edits, similarity
from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.page import ParsedPage, parse_page
from recto.frozen import frozen
from recto.pattern import pattern

Keys = tuple[str, ...]
"""The keys of a page's blocks, in the order of ``ParsedPage.walk``."""

_MOST_PAIRS = 10_000
"""The most pairs of blocks that are compared in a range, before only near ones are."""
_MOST_PAIRS_IN_ALL = 50_000
_NEARBY = 4
_ALIKE = 40.0
_LONGEST_COMPARED = 2_000
_STRIPPED_AT_ONCE = 100_000
_KEY_BYTES = 9

_LEAD = pattern(r"[\s>]*")
_HOLDERS = frozenset(
    {
        BlockKind.HINT,
        BlockKind.TABS,
        BlockKind.TAB,
        BlockKind.STEPPER,
        BlockKind.STEP,
        BlockKind.COLUMNS,
        BlockKind.COLUMN,
        BlockKind.EXPANDABLE,
        BlockKind.UPDATES,
        BlockKind.UPDATE,
        BlockKind.IF,
        BlockKind.TAG,
        BlockKind.LIST,
        BlockKind.SWAGGER,
        BlockKind.PROMPT,
    }
)


@frozen
class KeyedBlock:
    """A block and the key that names it."""

    key: str
    block: Block


def fresh_keys(page: ParsedPage) -> Keys:
    """Return the keys of a page whose history is not known: each made of what the block is and how often it came."""
    signed = _Signed(page, {})
    return _name_all([None] * len(signed.signatures), signed)


def carry_keys(before: ParsedPage, keys: Sequence[str], after: ParsedPage) -> Keys:
    """Return the keys of a page that was edited: blocks that are the same, moved or recognisably edited keep theirs."""
    known: dict[_Signature, _Signature] = {}
    old, new = _Signed(before, known), _Signed(after, known)
    del known
    carried: list[str | None] = [None] * len(new.signatures)
    gone: dict[_Signature, deque[int]] = {}
    unmatched: list[tuple[range, range]] = []
    reached_old = reached_new = 0
    for edit in [*edits(old.signatures, new.signatures), None]:
        stop = edit.before_start if edit else len(old.signatures)
        for place in range(stop - reached_old):
            carried[reached_new + place] = keys[reached_old + place]
        if edit:
            unmatched.append((range(edit.before_start, edit.before_end), range(edit.after_start, edit.after_end)))
            reached_old, reached_new = edit.before_end, edit.after_end
    for olds, _ in unmatched:
        for place in olds:
            gone.setdefault(old.signatures[place], deque()).append(place)
    taken: set[int] = set()
    for _, news in unmatched:
        for place in news:
            if same := gone.get(new.signatures[place]):
                taken.add(same[0])
                carried[place] = keys[same.popleft()]
    pairing = _Pairing(old, new)
    for olds, news in unmatched:
        left = [place for place in olds if place not in taken]
        for one, other in pairing.pairs(left, [place for place in news if carried[place] is None]):
            carried[other] = keys[one]
    return _name_all(carried, new)


def blocks_by_key(page: ParsedPage, keys: Sequence[str] | None = None) -> Mapping[str, Block]:
    """Return the blocks of a page by key; without keys, by those of a page whose history is not known."""
    return dict(zip(keys if keys is not None else fresh_keys(page), page.walk(), strict=True))


def block_at_line(page: ParsedPage, line: int, keys: Sequence[str] | None = None) -> KeyedBlock | None:
    """Return the innermost block at a line, counted from 1 as in a diff.

    List items, tables and quotes are taken whole. ``None`` for empty lines between blocks and for front matter.
    """
    found: Block | None = None
    inside: Sequence[Block] = page.blocks
    while block := next((block for block in inside if block.start <= line - 1 < block.end), None):
        found = block
        nested = tuple(child for child in block.children if child.kind is BlockKind.LIST)
        inside = nested if block.kind is BlockKind.LIST_ITEM else block.children if block.kind in _HOLDERS else ()
    if found is None:
        return None
    named = zip(keys if keys is not None else fresh_keys(page), page.walk(), strict=True)
    return next(KeyedBlock(key, block) for key, block in named if block is found)


def block_source(page: ParsedPage, block: Block) -> str:
    """Return the source of a block as the start of a suggestion, without the indentation of its surroundings."""
    if block.kind is BlockKind.PARAGRAPH:
        return block.text
    first = page.lines[block.start]
    lead = len(first) - len(_LEAD.sub("", first, count=1)) if block.kind is not BlockKind.QUOTE else 0
    return "\n".join(_without(line, lead) for line in page.lines[block.start : block.end])


def replace_block(markdown: str, key: str, text: str, keys: Sequence[str] | None = None) -> str:
    """Return the page with the source of a block replaced, in the same place and depth.

    Raise ``KeyError`` where no block has the key.
    """
    page = parse_page(markdown)
    block = blocks_by_key(page, keys)[key]
    return "\n".join([*page.lines[: block.start], *lines_with(page, block, text), *page.lines[block.end :]])


def lines_with(page: ParsedPage, block: Block, text: str) -> list[str]:
    """Return the lines of a block with another source, at the depth where the block stands."""
    source = page.source_of(block)
    within = source.find(block.text) if block.kind is BlockKind.PARAGRAPH else -1
    if within < 0:
        within = 0 if block.kind is BlockKind.QUOTE else len(_LEAD.match(source.partition("\n")[0])[0])  # type: ignore[index]
        after = ""
    else:
        after = source[within + len(block.text) :]
    lead = source[:within]
    further = re.sub(r"[^>\s]", " ", lead.rpartition("\n")[2])
    first, *rest = text.split("\n")
    replaced = [lead + first, *(f"{further}{line}" if line else further.rstrip() for line in rest)]
    replaced[-1] += after
    return replaced


def _without(line: str, lead: int) -> str:
    return line[lead:] if not line[:lead].strip(" \t>") else line.lstrip()


_Signature = tuple[BlockKind, int, str]
"""A block's identity: its kind, its depth, and its source, hashed where it is long."""


class _Signed:
    """The blocks of a page, in reading order, by their signatures.

    Blocks within each other, and rows that share a line, have sources that are longer together than the page is: each
    range of lines is read once, and long sources are kept as hashes. Equal signatures are one object where they are
    ``known``: most blocks of an edited page are those of the former text.
    """

    def __init__(self, page: ParsedPage, known: dict[_Signature, _Signature]) -> None:
        self.signatures: list[_Signature] = []
        self._page = page
        self._read: dict[tuple[BlockKind, int, int], str] = {}
        self._long: dict[tuple[BlockKind, str], tuple[str, blake2b]] = {}
        ahead = [(block, 0) for block in reversed(page.blocks)]
        while ahead:
            block, depth = ahead.pop()
            signature = block.kind, depth, self._source(block)
            self.signatures.append(known.setdefault(signature, signature))
            # A condition around blocks does not change them.
            within = depth + (block.kind is not BlockKind.IF)
            ahead.extend((child, within) for child in reversed(block.children))
        self._read.clear()

    def begin(self, place: int) -> str:
        """Return what the source of a block begins with."""
        kind, _, source = self.signatures[place]
        return self._long[kind, source][0] if (kind, source) in self._long else source

    def key(self, place: int, number: int) -> str:
        """Return the key of a block that is the ``number``-th of its kind and source."""
        kind, _, source = self.signatures[place]
        if (kind, source) in self._long:
            hashed = self._long[kind, source][1].copy()
            hashed.update(f"\0{number}".encode())
            return hashed.hexdigest()
        return blake2b(_encode(f"{kind}\0{source}\0{number}"), digest_size=_KEY_BYTES).hexdigest()

    @cached_property
    def _lines(self) -> Sequence[str]:
        return [line.strip() for line in self._page.lines]

    def _source(self, block: Block) -> str:
        """Return the source of a block without outer white space, or its hash where it is long."""
        if block.kind in (BlockKind.TABLE_CELL, BlockKind.PARAGRAPH):
            return self._name_all(block.kind, [block.text])
        if len(block.text) == len(self._page.source) > _LONGEST_COMPARED:
            # The lines of a whole page that is one block would take many times its memory.
            return self._name_long(block.kind, _strip_lines(block.text))
        stretch = (block.kind, block.start, block.end)
        source = self._read.get(stretch)
        if source is None:
            source = self._read[stretch] = self._name_all(block.kind, self._lines[block.start : block.end])
        return source

    def _name_all(self, kind: BlockKind, lines: Sequence[str]) -> str:
        if sum(map(len, lines)) + len(lines) <= _LONGEST_COMPARED:
            return "\n".join(lines)
        return self._name_long(kind, ["\n".join(lines)])

    def _name_long(self, kind: BlockKind, parts: Iterable[str]) -> str:
        """Return the hash of a source that comes in parts."""
        hashed = blake2b(_encode(f"{kind}\0"), digest_size=_KEY_BYTES)
        begin = ""
        for part in parts:
            hashed.update(_encode(part))
            begin += part[: _LONGEST_COMPARED - len(begin)]
        name = hashed.hexdigest()
        self._long.setdefault((kind, name), (begin, hashed))
        return name


def _strip_lines(text: str) -> Iterator[str]:
    """Yield a text with each of its lines stripped, some lines at a time."""
    start = 0
    while start <= len(text):
        stop = text.find("\n", start + _STRIPPED_AT_ONCE)
        stop = stop if stop >= 0 else len(text)
        lines = "\n".join(line.strip() for line in text[start:stop].split("\n"))
        yield f"\n{lines}" if start else lines
        start = stop + 1


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class _Pairing:
    """Pairs blocks that were edited with what they became."""

    def __init__(self, old: _Signed, new: _Signed) -> None:
        self._old = old
        self._new = new
        self._pairs_left = _MOST_PAIRS_IN_ALL

    def pairs(self, olds: list[int], news: list[int]) -> Iterator[tuple[int, int]]:
        """Pair blocks of a range by kind and depth: in order if equally many, else by likeness."""
        groups: dict[tuple[BlockKind, int], tuple[list[int], list[int]]] = {}
        for place in olds:
            groups.setdefault(self._old.signatures[place][:2], ([], []))[0].append(place)
        for place in news:
            groups.setdefault(self._new.signatures[place][:2], ([], []))[1].append(place)
        for before, after in groups.values():
            if len(before) == len(after):
                yield from zip(before, after, strict=True)
            elif before and after:
                yield from self._most_alike(before, after)

    def _most_alike(self, before: list[int], after: list[int]) -> Iterator[tuple[int, int]]:
        old, new = self._old, self._new
        scores: list[tuple[float, int, int]] = []
        known: dict[tuple[str, str], float] = {}
        for one, other in self._candidates(before, after):
            pair = old.signatures[one][2], new.signatures[other][2]
            score = known.get(pair)
            if score is None:
                score = known[pair] = similarity(old.begin(one), new.begin(other), _ALIKE)
            if score:
                scores.append((score, -one, -other))
        used: tuple[set[int], set[int]] = (set(), set())
        for _, one, other in sorted(scores, reverse=True):
            if one not in used[0] and other not in used[1]:
                used[0].add(one)
                used[1].add(other)
                yield -one, -other

    def _candidates(self, before: list[int], after: list[int]) -> Iterator[tuple[int, int]]:
        """Yield the pairs that are worth comparing: all of a few blocks, of many those that stand near each other."""
        count = len(before) * len(after)
        if count <= min(_MOST_PAIRS, self._pairs_left):
            self._pairs_left -= count
            yield from product(before, after)
            return
        for place, one in enumerate(before):
            middle = place * len(after) // len(before)
            yield from ((one, other) for other in after[max(0, middle - _NEARBY) : middle + _NEARBY + 1])


def _name_all(carried: Sequence[str | None], signed: _Signed) -> Keys:
    """Return a key to each block that has none yet; no two are the same."""
    taken = {key for key in carried if key is not None}
    came: dict[tuple[BlockKind, str], int] = {}
    keys: list[str] = []
    for place, (key, (kind, _, source)) in enumerate(zip(carried, signed.signatures, strict=True)):
        while key is None:
            number = came[kind, source] = came.get((kind, source), 0) + 1
            made = signed.key(place, number)
            if made not in taken:
                taken.add(made)
                key = made
        keys.append(key)
    return tuple(keys)
