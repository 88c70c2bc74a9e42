"""What the content engine does with hostile pages, revisions and lists."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.twice.cases import case
from recto.contract.rich_text import Document
from recto.document.expressions.evaluation import evaluate_page
from recto.document.line_edits import edits
from recto.document.markdown.block_keys import carry_keys, fresh_keys
from recto.document.markdown.page import parse_page
from recto.document.merge.diff import diff_lines
from recto.document.merge.text_merge import merge_text
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rich_pages import document_json
from recto.server.content.keys import revert_blocks


def _rewrite(before: str, after: str) -> Callable[[], object]:
    old, new = parse_page(before), parse_page(after)
    keys = fresh_keys(old)
    return lambda: carry_keys(old, keys, new)


@case("keys: short blocks rewritten", 5_000)
def _short_blocks(size: int) -> Callable[[], object]:
    return _rewrite(*("".join(f"{word}{each}\n\n" for each in range(size)) for word in "ab"))


@case("keys: equal blocks rewritten", 5_000)
def _equal_blocks(size: int) -> Callable[[], object]:
    return _rewrite("a\n\n" * size, "b\n\n" * (size + 5))


@case("keys: rows of a table in one line", 5_000)
def _rows(size: int) -> Callable[[], object]:
    return _rewrite(*(f"<table>{f'<tr><td>{word}</td></tr>' * (size + len(word))}</table>\n" for word in ("a", "bb")))


@case("keys: quotes within quotes", 100)
def _quotes(size: int) -> Callable[[], object]:
    return _rewrite(*(("> " * 50 + f"{word}\n\n") * size for word in "ab"))


@case("keys: blocks reverted", 2_000)
def _reverted(size: int) -> Callable[[], object]:
    was, text = ("".join(f"{word}{each}\n\n" for each in range(size)) for word in ("a", "b"))
    was_keys = fresh_keys(parse_page(was))
    keys = carry_keys(parse_page(was), was_keys, parse_page(text))
    return lambda: revert_blocks(text, keys, was, was_keys, was_keys)


@case("edits: lines in turns", 50_000)
def _lines(size: int) -> Callable[[], object]:
    before, after = ["a", "b"] * size, ["b", "c", "a"] * size
    return lambda: edits(before, after)


@case("edits: all lines in another order", 50_000)
def _reversed(size: int) -> Callable[[], object]:
    before = [str(number) for number in range(size)]
    return lambda: edits(before, before[::-1])


@case("diff: all lines in another order", 10_000)
def _diff(size: int) -> Callable[[], object]:
    lines = [f"Words of line {number}.\n" for number in range(size)]
    return lambda: [hunk.lines for hunk in diff_lines("".join(lines), "".join(lines[::-1])).hunks]


@case("merge: all lines rewritten by both", 10_000)
def _rewritten(size: int) -> Callable[[], object]:
    base, ours, theirs = ("".join(f"{word}{each}\n" for each in range(size)) for word in ("", "a", "b"))
    return lambda: merge_text(base, ours, theirs)


@case("merge: conflicts between equal lines", 5_000)
def _conflicts(size: int) -> Callable[[], object]:
    base = "".join(f"base {each}\n" for each in range(size))
    ours = "".join(f"{'base' if each % 5 else 'ours'} {each}\n" for each in range(size))
    theirs = "".join(f"{'theirs' if each % 5 else 'ours'} {each}\n" for each in range(size))
    return lambda: merge_text(base, ours, theirs)


@case("evaluation: conditions within conditions", 1_000)
def _conditions(size: int) -> Callable[[], object]:
    text = '{% if "a" %}\n' * size + "x\n" + "{% endif %}\n" * size
    return lambda: evaluate_page(text, {})


@case("evaluation: conditions on one line", 2_000)
def _line_of_conditions(size: int) -> Callable[[], object]:
    text = "a {% if true %}x{% endif %} " * size
    return lambda: evaluate_page(text, {})


@case("rich text: a page of short blocks", 2_000)
def _rich_text(size: int) -> Callable[[], object]:
    page = parse_page("a\n\n" * size)
    return lambda: document_json(page)


@case("rich text: inlines of one paragraph", 1_000)
def _inlines(size: int) -> Callable[[], object]:
    emoji = {"object": "inline", "type": "emoji", "isVoid": True, "data": {"code": "1f3e0"}, "nodes": []}
    words = [
        {"object": "text", "leaves": [{"object": "leaf", "text": "x", "marks": [{"object": "mark", "type": mark}]}]}
        for mark in ("bold", "italic")
    ]
    paragraph = {"object": "block", "type": "paragraph", "nodes": [words[0], emoji, words[1]] * size}
    document = Document.model_validate({"object": "document", "data": {}, "nodes": [paragraph]})
    return lambda: to_markdown(document)
