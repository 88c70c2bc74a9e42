from __future__ import annotations

from recto.server.exchange.book import Kind
from recto.server.exchange.summary_file import BookFiles, Line, SummaryItem, write_summary
from support.calls import calls


def pages(count: int, title: str, file: str) -> list[Line]:
    return [Line(SummaryItem(0, Kind.DOCUMENT, f"{title} {number}", f"{file}{number}.md")) for number in range(count)]


def book_of(*lines: Line) -> BookFiles:
    return BookFiles({line.item.path: 1 for line in lines}, "", "SUMMARY.md")


def write(lines: list[Line], before: list[Line]) -> str:
    book = book_of(*lines, *before)
    text, _ = write_summary(lines, book, write_summary(before, book, None)[0])
    return text


def test_a_renamed_entry_stays_in_its_place_and_a_new_one_follows_that_before_it() -> None:
    before = pages(4, "Page", "a")
    renamed, new = pages(3, "Other", "a")[2], pages(1, "New", "b")[0]
    assert write([before[0], new, renamed, before[3]], before).split("\n")[2:] == [
        "* [Page 0](a0.md)",
        "* [New 0](b0.md)",
        "* [Other 2](a2.md)",
        "* [Page 3](a3.md)",
        "",
    ]


def test_entries_that_are_all_new_take_steps_in_proportion_to_their_number() -> None:
    def cost(count: int) -> int:
        return calls(lambda: write(pages(count, "New", "b"), pages(count, "Page", "a")))

    assert cost(800) <= 2.3 * cost(400)
