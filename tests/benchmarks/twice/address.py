"""What a change request changes, where a space is seen in it: many deleted pages, many changed lines."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.twice.cases import case
from recto.contract.content import Page
from recto.store.review_pages import changed_lines
from recto.tui.screens.reading.page_index import with_deleted


@case("address: every other page deleted", 2_000)
def deleted_pages(size: int) -> Callable[[], object]:
    before = tuple(Page(id=str(number), type="document", title="Page") for number in range(size))
    return lambda: with_deleted(before[::2], before, {page.id for page in before[1::2]})


@case("address: every other line edited", 2_000)
def edited_lines(size: int) -> Callable[[], object]:
    before = [f"Line {number} of a text.\n" for number in range(size)]
    after = [line if number % 2 else line.replace("text", "page") for number, line in enumerate(before)]
    return lambda: changed_lines("".join(before), "".join(after))
