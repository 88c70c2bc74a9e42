from __future__ import annotations

import re

import pytest

from recto.document.merge.diff import LineKind
from recto.store.page_diff import NO_LINE_END, DiffRow, Fold, HunkHead, PageDiff, ShownLine

LONG = "".join(f"- Line {number}.\n" for number in range(1, 101))


def as_list(text: str) -> str:
    """Return each line as an item of a list: the lines of a paragraph would count as one."""
    return re.sub(r"(?m)^(?=.)", "- ", text)


def format_rows(rows: list[DiffRow]) -> list[str]:
    signs = {LineKind.CONTEXT: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-"}
    told = []
    for row in rows:
        match row:
            case HunkHead():
                told.append(f"@ {row.number} {row.place}".rstrip())
            case Fold():
                told.append(f"… {row.lines}")
            case ShownLine():
                told.append(f"{signs[row.line.kind]}{row.line.text.removeprefix('- ')}")
    return told


def test_changed_lines_stand_with_three_around_them_and_folds_between() -> None:
    diff = PageDiff(LONG, LONG.replace("Line 50.", "Line fifty."))
    assert format_rows(diff.rows()) == [
        "… 46",
        "@ 1",
        " Line 47.",
        " Line 48.",
        " Line 49.",
        "-Line 50.",
        "+Line fifty.",
        " Line 51.",
        " Line 52.",
        " Line 53.",
        "… 47",
    ]
    assert (diff.added, diff.removed) == (1, 1)


def test_a_fold_that_is_opened_shows_its_lines() -> None:
    diff = PageDiff(LONG, LONG.replace("Line 50.", "Line fifty."))
    rows = diff.rows(opened={0})
    assert format_rows(rows)[0] == " Line 1."
    assert sum(isinstance(row, Fold) for row in rows) == 1


def test_everything_is_shown_where_that_is_wanted() -> None:
    diff = PageDiff(LONG, LONG.replace("Line 50.", "Line fifty."))
    rows = diff.rows(everything=True)
    assert not any(isinstance(row, Fold) for row in rows)
    assert sum(isinstance(row, ShownLine) for row in rows) == 101


def test_stretches_that_are_to_be_kept_are_shown() -> None:
    diff = PageDiff(LONG, LONG.replace("Line 50.", "Line fifty."))
    assert " Line 10." in format_rows(diff.rows(keep=[(10, 11)]))
    assert " Line 12." not in format_rows(diff.rows(keep=[(10, 11)]))


def test_few_lines_between_changes_are_no_fold() -> None:
    diff = PageDiff(LONG, LONG.replace("Line 50.", "A.").replace("Line 58.", "B."))
    told = format_rows(diff.rows())
    assert " Line 54." in told
    assert sum(line.startswith("…") for line in told) == 2


def test_a_hunk_says_under_which_heading_and_in_which_blocks_it_stands() -> None:
    before = "## Install\n\n" + "Text.\n\n" * 10 + '{% hint style="info" %}\nOne.\n{% endhint %}\n'
    diff = PageDiff(before, before.replace("One.", "Two."))
    assert [row.place for row in diff.rows() if isinstance(row, HunkHead)] == ["Install › hint"]


def test_a_new_page_is_all_added_and_a_deleted_one_all_removed() -> None:
    assert [line.kind for line in PageDiff("", as_list("a\nb\n")).lines] == [LineKind.ADDED] * 2
    assert [line.kind for line in PageDiff(as_list("a\nb\n"), "").lines] == [LineKind.REMOVED] * 2


def test_equal_texts_have_no_changes() -> None:
    diff = PageDiff(LONG, LONG)
    assert format_rows(diff.rows()) == ["… 100"]
    assert format_rows(PageDiff("", "").rows()) == []


def test_a_comment_on_a_removed_line_goes_to_the_line_nearest_to_it() -> None:
    diff = PageDiff("One.\n\nTwo.\n", "One.\n\nNew.\n")
    removed = next(index for index, line in enumerate(diff.lines) if line.kind is LineKind.REMOVED)
    assert diff.new_number_at(removed) == 3
    assert PageDiff("One.\n", "").new_number_at(0) is None


def words(diff: PageDiff) -> list[str]:
    return [line.text[start:end] for line in diff.lines for start, end in line.marks]


def test_a_reflowed_paragraph_keeps_its_words() -> None:
    before = "These steps go once around everything. They take about\nfive minutes, and you can stop.\n"
    after = "These six steps go once around everything. They take\nabout five minutes, and you can stop.\n"
    assert "".join(words(PageDiff(before, after))).split() == ["six"]


def test_the_lines_of_a_paragraph_are_one_and_keep_the_number_of_the_last() -> None:
    before = "One is\nfirst.\n\n> Two is\n> second.\n\n* Three\n  is third.\n\n```\nFour\nis code.\n```\n"
    diff = PageDiff(before, before.replace("Two", "Number two"))
    shown = [(line.new_number, line.text) for line in diff.lines if line.kind is not LineKind.REMOVED]
    assert [(number, text) for number, text in shown if text] == [
        (2, "One is first."),
        (5, "> Number two is second."),
        (8, "* Three is third."),
        (10, "```"),
        (11, "Four"),
        (12, "is code."),
        (13, "```"),
    ]
    assert words(diff) == ["Two", "Number two"]


def test_chinese_and_japanese_lines_are_joined_without_a_space() -> None:
    before = "这是第一行，\n这是第二行。\nWords\n文字\n> 引用\n> かな\n"
    diff = PageDiff(before, before.replace("第二", "第三"))
    assert {line.text for line in diff.lines} == {
        "这是第一行，这是第二行。 Words 文字",
        "这是第一行，这是第三行。 Words 文字",
        "> 引用かな",
    }
    assert words(diff) == ["二", "三"]
    assert PageDiff("第一行，\n第二行。\n", "第一行，第二行。\n").only_wraps


def test_a_hard_break_keeps_its_line() -> None:
    lines = PageDiff("", "Yours,  \nAda\\\nand Grace\n").lines
    assert [line.text for line in lines] == ["Yours,  ", "Ada\\", "and Grace"]


def test_a_rewrapped_paragraph_is_unchanged() -> None:
    diff = PageDiff("One two\nthree four.\n", "One two three\nfour.\n")
    assert (diff.added, diff.removed, diff.only_wraps) == (0, 0, True)
    assert not PageDiff("One.\n", "One.\n").only_wraps


def test_a_stretch_that_is_another_text_is_wholly_new() -> None:
    diff = PageDiff("Apples grow on trees.\nPears do too.\n", "Nothing is like before\nin this paragraph now.\n")
    assert words(diff) == []


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a\nb", "a\nb\n", [" a", " b", f"- {NO_LINE_END}"]),
        ("a\nb\n", "a\nb", [" a", " b", f"+ {NO_LINE_END}"]),
        ("a\nb", "a\nb\nc\n", [" a", " b", f"- {NO_LINE_END}", "+c"]),
        ("a\nb", "a\nb\nc", [" a", " b", f"- {NO_LINE_END}", "+c"]),
        ("a\nb\nc", "a\nb", [" a", " b", f"+ {NO_LINE_END}", "-c"]),
        ("a\nx\nb", "a\ny\nb\n", [" a", "-x", "+y", " b", f"- {NO_LINE_END}"]),
        ("a\nb", "a\nc", [" a", "-b", "+c"]),
        ("b", "", ["-b"]),
    ],
)
def test_a_line_that_only_lost_or_got_its_end_is_shown_once(before: str, after: str, shown: list[str]) -> None:
    signs = {LineKind.CONTEXT: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}
    diff = PageDiff(as_list(before), as_list(after))
    texts = [line.text.removeprefix("- ") for line in diff.lines]
    told = [signs[line.kind] + " " * line.remark + text for line, text in zip(diff.lines, texts, strict=True)]
    assert told == shown
    assert diff.added + diff.removed > 0
