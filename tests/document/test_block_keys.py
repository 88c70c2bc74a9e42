from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document.block_keys import (
    block_at_line,
    block_source,
    carry_keys,
    fresh_keys,
    keyed_blocks,
    replace_block,
)
from recto.document.markdown import parse_page

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


def carried(before: str, after: str) -> tuple[str, ...]:
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
    assert keyed_blocks(page)[found.key] is found.block


def test_no_block_stands_on_an_empty_line() -> None:
    assert block_at_line(parse_page(PAGE), 2) is None
    assert block_at_line(parse_page(PAGE), 500) is None


def test_edits_of_other_blocks_keep_a_key() -> None:
    after = PAGE.replace("# Title", "# Title\n\nNew first.").replace("- one\n", "")
    keys = carried(PAGE, after)
    assert key_of(after, 5, keys) == key_of(PAGE, 3)
    assert key_of(after, 8, keys) == key_of(PAGE, 6)
    assert key_of(after, 3, keys) not in fresh_keys(parse_page(PAGE))


def test_an_edit_of_the_block_itself_keeps_its_key_and_those_around_it() -> None:
    after = PAGE.replace("Inside the hint.", "Inside of this hint, now.").replace("First", "The very first")
    keys = carried(PAGE, after)
    assert keys == fresh_keys(parse_page(PAGE))


def test_a_block_that_moved_keeps_its_key() -> None:
    after = PAGE.replace("First paragraph.\n\n", "") + "\nFirst paragraph.\n"
    last = len(after.splitlines())
    assert key_of(after, last, carried(PAGE, after)) == key_of(PAGE, 3)


def test_of_several_edited_and_new_paragraphs_the_most_alike_keep_their_keys() -> None:
    before = "The quick brown fox jumps.\n\nSomething else entirely.\n"
    after = "A new start.\n\nThe quick red fox jumps.\n\nSomething else, entirely.\n"
    keys = carried(before, after)
    assert keys[1:] == fresh_keys(parse_page(before))


def test_a_new_block_like_a_removed_one_gets_a_key_that_is_free() -> None:
    keys = carried("Same.\n\nSame.\n", "Same.\n\nSame.\n\nSame.\n")
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


def test_an_unknown_key_is_told() -> None:
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
