"""What is reviewed: prose in many short lines, lines full of links, and merges that moved many pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from benchmarks.twice.cases import case
from recto.document.merge.page_tree import DocumentTree, TreeEntry
from recto.store.page_diff import PageDiff
from recto.store.revert_plan import Placing
from recto.tui.lists.diff_list import draw_item

_NOW = datetime(2026, 3, 2, tzinfo=UTC)


@case("review: a paragraph of many lines", 4_000)
def short_lines(size: int) -> Callable[[], object]:
    before = "".join(f"> word {at}\n" for at in range(size))
    after = before.replace("word 7\n", "another\n")
    return lambda: PageDiff(before, after)


@case("review: a line of many links", 1_000)
def links(size: int) -> Callable[[], object]:
    line = "".join(f"[a](/pages/{at}) " for at in range(size))
    _, removed, _ = PageDiff(line + "\n", line.replace("[a]", "[b]") + "\n").rows()
    titles = {str(at): f"Page {at}" for at in range(0, size, 2)}
    return lambda: draw_item(removed, 100, _NOW, titles)


@case("review: a merge that put many pages in another order", 1_000)
def order(size: int) -> Callable[[], object]:
    entries = [TreeEntry(f"p{at}") for at in range(size)]
    now, target = DocumentTree.of(entries), DocumentTree.of(entries[::-1])

    def work() -> None:
        placing = Placing(now, target)
        for entry in target.walk():
            placing.place(entry.id)

    return work
