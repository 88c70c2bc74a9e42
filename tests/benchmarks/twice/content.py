"""What the content engine does with hostile pages, revisions and lists."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.twice.cases import case
from recto.document.block_keys import carry_keys, fresh_keys
from recto.document.lines import edits
from recto.document.markdown import parse_page


def _rewriting(before: str, after: str) -> Callable[[], object]:
    old, new = parse_page(before), parse_page(after)
    keys = fresh_keys(old)
    return lambda: carry_keys(old, keys, new)


@case("keys: short blocks rewritten", 5_000)
def _short_blocks(size: int) -> Callable[[], object]:
    return _rewriting(*("".join(f"{word}{each}\n\n" for each in range(size)) for word in "ab"))


@case("keys: equal blocks rewritten", 5_000)
def _equal_blocks(size: int) -> Callable[[], object]:
    return _rewriting("a\n\n" * size, "b\n\n" * (size + 5))


@case("keys: rows of a table in one line", 5_000)
def _rows(size: int) -> Callable[[], object]:
    return _rewriting(*(f"<table>{f'<tr><td>{word}</td></tr>' * (size + len(word))}</table>\n" for word in ("a", "bb")))


@case("keys: quotes within quotes", 100)
def _quotes(size: int) -> Callable[[], object]:
    return _rewriting(*(("> " * 50 + f"{word}\n\n") * size for word in "ab"))


@case("edits: lines in turns", 50_000)
def _lines(size: int) -> Callable[[], object]:
    before, after = ["a", "b"] * size, ["b", "c", "a"] * size
    return lambda: edits(before, after)


@case("edits: all lines in another order", 50_000)
def _reversed(size: int) -> Callable[[], object]:
    before = [str(number) for number in range(size)]
    return lambda: edits(before, before[::-1])
