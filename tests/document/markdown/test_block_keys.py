from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from recto.document import line_edits
from recto.document.line_edits import Edit, edits
from recto.document.markdown import block_keys
from recto.document.markdown.block_keys import (
    block_at_line,
    block_source,
    blocks_by_key,
    carry_keys,
    fresh_keys,
    replace_block,
)
from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.page import ParsedPage, parse_page
from support.block_pages import TEXT_BLOCKS

PAGE = """# Title

First paragraph.

{% hint style="info" %}
Inside the hint.
{% endhint %}

- one
- two
  goes on

  - nested

| a | b |
|---|---|
| 1 | 2 |

Same.

Same.
"""


def key_of(markdown: str, line: int, keys: tuple[str, ...] | None = None) -> str:
    found = block_at_line(parse_page(markdown), line, keys)
    assert found is not None
    return found.key


def carry(before: str, after: str) -> tuple[str, ...]:
    old = parse_page(before)
    return carry_keys(old, fresh_keys(old), parse_page(after))


def test_keys_depend_on_the_text_alone_and_are_all_different() -> None:
    keys = fresh_keys(parse_page(PAGE))
    assert keys == fresh_keys(parse_page(f"---\ntitle: x\n---\n{PAGE}"))
    assert len(set(keys)) == len(keys) == sum(1 for _ in parse_page(PAGE).walk())


@pytest.mark.parametrize(
    ("line", "kind", "source"),
    [
        (1, "heading", "# Title"),
        (3, "paragraph", "First paragraph."),
        (5, "hint", '{% hint style="info" %}\nInside the hint.\n{% endhint %}'),
        (6, "paragraph", "Inside the hint."),
        (9, "list-item", "- one"),
        (11, "list-item", "- two\n  goes on\n\n  - nested"),
        (13, "list-item", "- nested"),
        (17, "table", "| a | b |\n|---|---|\n| 1 | 2 |"),
    ],
)
def test_a_line_tells_the_block_that_a_person_means(line: int, kind: str, source: str) -> None:
    page = parse_page(PAGE)
    found = block_at_line(page, line)
    assert found is not None
    assert (str(found.block.kind), block_source(page, found.block)) == (kind, source)
    assert blocks_by_key(page)[found.key] is found.block


def test_no_block_stands_on_an_empty_line() -> None:
    assert block_at_line(parse_page(PAGE), 2) is None
    assert block_at_line(parse_page(PAGE), 500) is None


def test_edits_of_other_blocks_keep_a_key() -> None:
    after = PAGE.replace("# Title", "# Title\n\nNew first.").replace("- one\n", "")
    keys = carry(PAGE, after)
    assert key_of(after, 5, keys) == key_of(PAGE, 3)
    assert key_of(after, 8, keys) == key_of(PAGE, 6)
    assert key_of(after, 3, keys) not in fresh_keys(parse_page(PAGE))


def test_an_edit_of_the_block_itself_keeps_its_key_and_those_around_it() -> None:
    after = PAGE.replace("Inside the hint.", "Inside of this hint, now.").replace("First", "The very first")
    keys = carry(PAGE, after)
    assert keys == fresh_keys(parse_page(PAGE))


def test_a_block_that_moved_keeps_its_key() -> None:
    after = PAGE.replace("First paragraph.\n\n", "") + "\nFirst paragraph.\n"
    last = len(after.splitlines())
    assert key_of(after, last, carry(PAGE, after)) == key_of(PAGE, 3)


def test_of_several_edited_and_new_paragraphs_the_most_alike_keep_their_keys() -> None:
    before = "The quick brown fox jumps.\n\nSomething else entirely.\n"
    after = "A new start.\n\nThe quick red fox jumps.\n\nSomething else, entirely.\n"
    keys = carry(before, after)
    assert keys[1:] == fresh_keys(parse_page(before))


def test_a_new_block_like_a_removed_one_gets_a_key_that_is_free() -> None:
    keys = carry("Same.\n\nSame.\n", "Same.\n\nSame.\n\nSame.\n")
    assert len(set(keys)) == 3
    assert set(fresh_keys(parse_page("Same.\n\nSame.\n"))) < set(keys)


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        (3, "New\nlines.", PAGE.replace("First paragraph.", "New\nlines.")),
        (6, "Shorter.", PAGE.replace("Inside the hint.", "Shorter.")),
        (5, "Plain.", PAGE.replace('{% hint style="info" %}\nInside the hint.\n{% endhint %}', "Plain.")),
        (13, "- inner\n  more", PAGE.replace("  - nested", "  - inner\n    more")),
        (9, "- [x] done", PAGE.replace("- one", "- [x] done")),
    ],
)
def test_a_suggestion_replaces_the_source_of_its_block(line: int, text: str, expected: str) -> None:
    assert replace_block(PAGE, key_of(PAGE, line), text) == expected


def test_a_paragraph_in_an_item_or_a_quote_is_replaced_within_it() -> None:
    page = "> quoted\n> text\n\n1. [ ] task\n"
    keys = fresh_keys(parse_page(page))
    kinds = [str(block.kind) for block in parse_page(page).walk()]
    quoted, task = (key for key, kind in zip(keys, kinds, strict=True) if kind == "paragraph")
    assert replace_block(page, task, "new\ntask") == "> quoted\n> text\n\n1. [ ] new\n       task\n"
    assert replace_block(page, quoted, "other\nwords") == "> other\n> words\n\n1. [ ] task\n"


def test_an_unknown_key_is_reported() -> None:
    with pytest.raises(KeyError):
        replace_block(PAGE, "nothing", "x")


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "- x", "> q", "# h", "a b c"]), max_size=8))
def test_keys_stay_one_for_each_block_through_any_edit(parts: list[str]) -> None:
    before = "\n\n".join(parts)
    after = "\n\n".join([*reversed(parts), "a", "new"])
    old, new = parse_page(before), parse_page(after)
    keys = carry_keys(old, fresh_keys(old), new)
    assert len(keys) == len(set(keys)) == sum(1 for _ in new.walk())
    assert carry_keys(old, fresh_keys(old), old) == fresh_keys(old)


# What the keys are, worked out as plainly as can be


def plain_signatures(page: ParsedPage) -> list[tuple[BlockKind, int, str]]:
    found: list[tuple[BlockKind, int, str]] = []

    def walk(block: Block, depth: int) -> None:
        says_text = block.kind in (BlockKind.TABLE_CELL, BlockKind.PARAGRAPH)
        lines = [line.strip() for line in page.lines[block.start : block.end]]
        found.append((block.kind, depth, block.text if says_text else "\n".join(lines)))
        for child in block.children:
            walk(child, depth + (block.kind is not BlockKind.IF))

    for block in page.blocks:
        walk(block, 0)
    return found


def plainly_named(carried: list[str | None], signatures: list[tuple[BlockKind, int, str]]) -> tuple[str, ...]:
    keys = list(carried)
    for place, (kind, _, source) in enumerate(signatures):
        numbers = count(1)
        while keys[place] is None:
            made = blake2b(f"{kind}\0{source}\0{next(numbers)}".encode(), digest_size=9).hexdigest()
            keys[place] = None if made in keys else made
    return tuple(key for key in keys if key is not None)


def plainly_carried(before: ParsedPage, keys: tuple[str, ...], after: ParsedPage) -> tuple[str, ...]:
    old, new = plain_signatures(before), plain_signatures(after)
    carried: list[str | None] = [None] * len(new)
    stretches, reached, shift = [], 0, 0
    for edit in [*edits(old, new), Edit(len(old), len(old), len(new), len(new))]:
        for place in range(reached, edit.before_start):
            carried[place + shift] = keys[place]
        stretches.append((range(edit.before_start, edit.before_end), range(edit.after_start, edit.after_end)))
        reached, shift = edit.before_end, edit.after_end - edit.before_end
    gone = [place for olds, _ in stretches for place in olds]
    for place in [place for _, news in stretches for place in news]:
        same = next((each for each in gone if old[each] == new[place]), None)
        if same is not None:
            gone.remove(same)
            carried[place] = keys[same]
    for olds, news in stretches:
        kinds = dict.fromkeys(new[place][:2] for place in news)
        for kind in kinds:
            left = [place for place in olds if place in gone and old[place][:2] == kind]
            right = [place for place in news if carried[place] is None and new[place][:2] == kind]
            pairs = (
                list(zip(left, right, strict=True)) if len(left) == len(right) else most_alike(left, right, old, new)
            )
            for one, other in pairs:
                carried[other] = keys[one]
    return plainly_named(carried, new)


def most_alike(left: list[int], right: list[int], old: Any, new: Any) -> list[tuple[int, int]]:
    scores = [
        (score, -one, -other)
        for one in left
        for other in right
        if (score := fuzz.ratio(old[one][2][:2_000], new[other][2][:2_000], score_cutoff=40.0))
    ]
    pairs: list[tuple[int, int]] = []
    for _, one, other in sorted(scores, reverse=True):
        if all(-one != each[0] and -other != each[1] for each in pairs):
            pairs.append((-one, -other))
    return pairs


PIECES = [
    *TEXT_BLOCKS.values(),
    "Same.",
    "> a\n> > a",
    "- a\n- a\n  - a",
    "x" * 2_500,
    "```\n" + "line\n" * 900 + "```",
]
WORDS = ["a new word", "quite another thing", ""]


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=12),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12), st.sampled_from([*PIECES, *WORDS])), max_size=4),
)
def test_ordinary_edits_keep_the_keys_that_plain_reckoning_gives(
    parts: list[str], changes: list[tuple[int, int, str]]
) -> None:
    after = list(parts)
    for kind, at, text in changes:
        if kind == 0 or not after:
            after.insert(at, text)
        elif kind == 1:
            after.insert(at, after.pop(at % len(after)))
        elif kind == 2:
            after[at % len(after)] = f"{text} {after[at % len(after)]}"
        else:
            after.pop(at % len(after))
    old, new = parse_page("\n\n".join(parts)), parse_page("\n\n".join(after))
    keys = fresh_keys(old)
    assert keys == plainly_named([None] * len(keys), plain_signatures(old))
    assert carry_keys(old, keys, new) == plainly_carried(old, keys, new)


# What it costs

REWRITTEN: dict[str, Callable[[int, str], str]] = {
    "short blocks": lambda size, word: "".join(f"{word} {number}\n\n" for number in range(size + len(word))),
    "equal blocks": lambda size, word: f"{word}\n\n" * (size + len(word)),
    "blocks between anchors": lambda size, word: "".join(
        f"# {at}\n\n" + "".join(f"word {word} {each}\n\n" for each in range(9 + len(word))) for at in range(size // 10)
    ),
    "rows of one line": lambda size, word: f"<table>{f'<tr><td>{word}</td></tr>' * (size + len(word))}</table>\n",
    "rows": lambda size, word: "|a|\n|-|\n" + f"|{word}|\n" * (size + len(word)),
    "quotes within quotes": lambda size, word: ("> " * 40 + f"{word}\n\n") * (size // 20 + len(word)),
}


@pytest.mark.parametrize("hostile", REWRITTEN)
def test_rewriting_twice_the_blocks_costs_twice_as_much(hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def cost(size: int) -> dict[str, int]:
        done = {"pairs": 0, "bytes": 0, "keys": 0, "cells": 0}
        similarity, opcodes, encoded, key = (
            line_edits.similarity,
            Indel.opcodes,
            block_keys._encode,
            block_keys._Signed.key,
        )

        def count_calls(what: str, work: Callable[..., Any], weigh: Callable[..., int]) -> Callable[..., Any]:
            def count_all(*given: Any, **named: Any) -> Any:
                done[what] += weigh(*given)
                return work(*given, **named)

            return count_all

        old, new = (parse_page(REWRITTEN[hostile](size, word)) for word in ("one", "another"))
        with monkeypatch.context() as patch:
            patch.setattr(block_keys, "similarity", count_calls("pairs", similarity, lambda *_: 1))
            patch.setattr(Indel, "opcodes", count_calls("cells", opcodes, lambda one, other: len(one) * len(other)))
            patch.setattr(block_keys, "_encode", count_calls("bytes", encoded, len))
            patch.setattr(block_keys._Signed, "key", count_calls("keys", key, lambda *_: 1))
            patch.setattr(line_edits, "MOST_CELLS", 10_000)
            patch.setattr(block_keys, "_MOST_PAIRS", 100)
            patch.setattr(block_keys, "_MOST_PAIRS_IN_ALL", 500)
            carry_keys(old, fresh_keys(old), new)
        return done

    small, large = cost(400), cost(800)
    assert small["keys"]
    assert small["pairs"] or hostile not in ("short blocks", "blocks between anchors")
    assert {what: large[what] / small[what] for what in small if large[what] > 2.3 * small[what] + 500} == {}
