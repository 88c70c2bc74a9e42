"""Keys by which comments name blocks: the same text has the same keys, and edits keep the keys of what they keep."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from recto.document.blocks import Block, BlockKind
from recto.document.lines import edits
from recto.document.markdown import Page, parse_page

Keys = tuple[str, ...]
"""One key for each block of a page, in the order of ``Page.walk``."""

_MOST_PAIRS = 10_000
_ALIKE = 40.0
_LONGEST_COMPARED = 2_000

_LEAD = re.compile(r"[\s>]*")
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


@dataclass(frozen=True, slots=True)
class KeyedBlock:
    """A block and the key that names it."""

    key: str
    block: Block


def fresh_keys(page: Page) -> Keys:
    """Return the keys of a page whose history is not known: each made of what the block is and how often it came."""
    return _named([None] * sum(1 for _ in page.walk()), list(_signatures(page)))


def carry_keys(before: Page, keys: Sequence[str], after: Page) -> Keys:
    """Return the keys of a page that was edited: blocks that are the same, moved or recognisably edited keep theirs."""
    old, new = list(_signatures(before)), list(_signatures(after))
    carried: list[str | None] = [None] * len(new)
    gone: dict[Hashable, list[int]] = {}
    unmatched: list[tuple[range, range]] = []
    reached_old = reached_new = 0
    for edit in [*edits(old, new), None]:
        stop = edit.before_start if edit else len(old)
        for place in range(stop - reached_old):
            carried[reached_new + place] = keys[reached_old + place]
        if edit:
            unmatched.append((range(edit.before_start, edit.before_end), range(edit.after_start, edit.after_end)))
            reached_old, reached_new = edit.before_end, edit.after_end
    for olds, _ in unmatched:
        for place in olds:
            gone.setdefault(old[place], []).append(place)
    taken: set[int] = set()
    for _, news in unmatched:
        for place in news:
            if same := gone.get(new[place]):
                taken.add(same[0])
                carried[place] = keys[same.pop(0)]
    for olds, news in unmatched:
        left = [place for place in olds if place not in taken]
        for one, other in _edited(left, [place for place in news if carried[place] is None], old, new):
            carried[other] = keys[one]
    return _named(carried, new)


def keyed_blocks(page: Page, keys: Sequence[str] | None = None) -> Mapping[str, Block]:
    """Return the blocks of a page by key; without keys, by those of a page whose history is not known."""
    return dict(zip(keys if keys is not None else fresh_keys(page), page.walk(), strict=True))


def block_at_line(page: Page, line: int, keys: Sequence[str] | None = None) -> KeyedBlock | None:
    """Return the block that a person means who points at a line (counted from 1, as a diff counts): the innermost.

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


def block_source(page: Page, block: Block) -> str:
    """Return what a suggestion for a block starts from: its source without the indentation of what it stands in."""
    if block.kind is BlockKind.PARAGRAPH:
        return block.text
    first = page.lines[block.start]
    lead = len(first) - len(_LEAD.sub("", first, count=1)) if block.kind is not BlockKind.QUOTE else 0
    return "\n".join(_without(line, lead) for line in page.lines[block.start : block.end])


def replace_block(markdown: str, key: str, text: str, keys: Sequence[str] | None = None) -> str:
    """Return the page with the source of one block replaced, in the place and at the depth where the block stands.

    Raise ``KeyError`` where no block has the key.
    """
    page = parse_page(markdown)
    block = keyed_blocks(page, keys)[key]
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
    return "\n".join([*page.lines[: block.start], *replaced, *page.lines[block.end :]])


def _without(line: str, lead: int) -> str:
    return line[lead:] if not line[:lead].strip(" \t>") else line.lstrip()


_Signature = tuple[BlockKind, int, str]


def _signatures(page: Page) -> Iterator[_Signature]:
    """Yield what makes a block the same one: its kind, how deep it stands, its source without outer white space."""
    ahead = [(block, 0) for block in reversed(page.blocks)]
    while ahead:
        block, depth = ahead.pop()
        if block.kind in (BlockKind.TABLE_CELL, BlockKind.PARAGRAPH):
            source = block.text
        else:
            source = "\n".join(line.strip() for line in page.lines[block.start : block.end])
        yield block.kind, depth, source
        # A condition around blocks makes no others of them.
        within = depth + (block.kind is not BlockKind.IF)
        ahead.extend((child, within) for child in reversed(block.children))


def _edited(
    olds: list[int], news: list[int], old: list[_Signature], new: list[_Signature]
) -> Iterator[tuple[int, int]]:
    """Pair blocks of one stretch that are the same kind at the same depth: in order where as many, else by likeness."""
    groups: dict[tuple[BlockKind, int], tuple[list[int], list[int]]] = {}
    for place in olds:
        groups.setdefault(old[place][:2], ([], []))[0].append(place)
    for place in news:
        groups.setdefault(new[place][:2], ([], []))[1].append(place)
    for before, after in groups.values():
        if len(before) == len(after):
            yield from zip(before, after, strict=True)
        elif before and after and len(before) * len(after) <= _MOST_PAIRS:
            yield from _most_alike(before, after, old, new)


def _most_alike(
    before: list[int], after: list[int], old: list[_Signature], new: list[_Signature]
) -> Iterator[tuple[int, int]]:
    from rapidfuzz.fuzz import ratio

    likeness = [
        (score, -one, -other)
        for one in before
        for other in after
        if (score := ratio(old[one][2][:_LONGEST_COMPARED], new[other][2][:_LONGEST_COMPARED], score_cutoff=_ALIKE))
    ]
    used: tuple[set[int], set[int]] = (set(), set())
    for _, one, other in sorted(likeness, reverse=True):
        if one not in used[0] and other not in used[1]:
            used[0].add(one)
            used[1].add(other)
            yield -one, -other


def _named(carried: Sequence[str | None], signatures: Sequence[_Signature]) -> Keys:
    """Return a key to each block that has none yet; no two are the same."""
    taken = {key for key in carried if key is not None}
    came: dict[_Signature, int] = {}
    keys: list[str] = []
    for key, signature in zip(carried, signatures, strict=True):
        while key is None:
            number = came[signature] = came.get(signature, 0) + 1
            made = _hash(signature, number)
            if made not in taken:
                taken.add(made)
                key = made
        keys.append(key)
    return tuple(keys)


def _hash(signature: _Signature, number: int) -> str:
    kind, _, source = signature
    return blake2b(f"{kind}\0{source}\0{number}".encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
