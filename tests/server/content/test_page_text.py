from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.server.content import page_text
from recto.server.content.page_text import (
    Titled,
    export_page,
    heading_title,
    is_readable,
    lower_headings,
    part_title,
    raise_headings,
)


@pytest.mark.parametrize(
    ("markdown", "heading", "text"),
    [
        ("# Title\n\nText\n", "Title", "Text\n"),
        ("# Title\nText\n", "Title", "Text\n"),
        ("# Title\n\n\n\nText", "Title", "\n\nText"),
        ("\n\n# Title\n", "Title", ""),
        ("# Title", "Title", ""),
        ("#   Title   \r\n\r\nText\r\n", "Title", "Text\r\n"),
        ("Title\n=====\n\nText\n", "Title", "Text\n"),
        ("#\n\nText\n", "", "Text\n"),
        ("", None, ""),
        ("Text\n", None, "Text\n"),
        ("\n\nText\n", None, "\n\nText\n"),
        ("## Section\n", None, "## Section\n"),
        ("#Not a heading\n", None, "#Not a heading\n"),
        ("    # Code\n", None, "    # Code\n"),
        ("- item\n===\n", None, "- item\n===\n"),
        ("<<<<<<< a\n=======\nB\n>>>>>>> b\n", None, "<<<<<<< a\n=======\nB\n>>>>>>> b\n"),
    ],
)
def test_the_leading_heading_is_parted_from_the_text(markdown: str, heading: str | None, text: str) -> None:
    assert part_title(markdown) == Titled(heading, text)


@pytest.mark.parametrize(
    ("heading", "title"),
    [("Title", "Title"), ("Title ##", "Title"), ("C#", "C#"), ("##", ""), ("a  b", "a b"), ("a # #", "a #")],
)
def test_a_heading_gives_a_title(heading: str, title: str) -> None:
    assert heading_title(heading) == title


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# One\n\n## Two\n", "## One\n\n## Two\n"),
        ("One\n===\n", "One\n---\n"),
        ("```\n# code\n```\n# Not code\n", "```\n# code\n```\n## Not code\n"),
        ("````\n```\n# code\n````\n", "````\n```\n# code\n````\n"),
        ("~~~ sh\n# code\n", "~~~ sh\n# code\n"),
        ("#tag and # sign\n", "#tag and # sign\n"),
        ("===\n", "===\n"),
        ("<<<<<<< a\nA\n=======\nB\n>>>>>>> b\n", "<<<<<<< a\nA\n=======\nB\n>>>>>>> b\n"),
        ("<<<<<<< a\nA\n===\n=======\nB\n>>>>>>> b\n", "<<<<<<< a\nA\n---\n=======\nB\n>>>>>>> b\n"),
        ("<<<<<<< a\n=======\nB\n>>>>>>> b\nC\n=======\n", "<<<<<<< a\n=======\nB\n>>>>>>> b\nC\n-------\n"),
    ],
)
def test_headings_at_level_1_come_out_at_level_2(text: str, shown: str) -> None:
    assert lower_headings(text) == shown


LINES = st.lists(
    st.sampled_from(["", "text", "# One", "## Two", "===", "---", "```", "~~~", "# #", "  # x", "- a", "\ttab", "a\r"])
    | st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12),
    max_size=8,
)


@given(lines=LINES, ended=st.booleans())
@settings(derandomize=True, deadline=None)
def test_what_is_given_out_comes_back_to_the_letter(lines: list[str], ended: bool) -> None:
    text = lower_headings("\n".join(lines) + ("\n" if ended else ""))
    assert lower_headings(text) == text
    assert part_title(export_page("A title", text)) == Titled("A title", text)


@given(lines=LINES, ended=st.booleans())
@settings(derandomize=True, deadline=None)
def test_what_is_sent_back_unchanged_is_the_text_to_the_letter(lines: list[str], ended: bool) -> None:
    text = "\n".join(lines) + ("\n" if ended else "")
    assert raise_headings(lower_headings(text), text) == text


@given(before=LINES, after=LINES)
@settings(derandomize=True, deadline=None)
def test_whatever_is_sent_is_given_out_as_it_was_sent(before: list[str], after: list[str]) -> None:
    sent = "\n".join(after)
    assert lower_headings(raise_headings(sent, "\n".join(before))) == lower_headings(sent)


@pytest.mark.parametrize(
    ("before", "sent", "kept"),
    [
        ("A\n\n# One\n\nB\n\nTwo\n===\n", "C\n\n## One\n\nB\n\nTwo\n---\n", "C\n\n# One\n\nB\n\nTwo\n===\n"),
        ("# One\n\n# Two\n", "## New\n\n## One\n\n### Two\n", "## New\n\n# One\n\n### Two\n"),
        ("A\n\n# One\n", "A\n\n```\n## One\n```\n", "A\n\n```\n## One\n```\n"),
    ],
    ids=["another line", "another heading", "in code now"],
)
def test_headings_that_stay_are_written_as_before(before: str, sent: str, kept: str) -> None:
    assert raise_headings(sent, before) == kept


def test_each_kind_of_line_end_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_text, "MOST_MARKS", 10)
    for end in ("\n", "\r", "\r\n"):
        assert is_readable(f"word{end}" * 10)
        assert not is_readable(f"word{end}" * 11)


@pytest.mark.parametrize(
    "line", ["# " + " " * 50_000 + "x", "#" * 50_000, "=" * 50_000 + "x", "`" * 50_000, "# " + "#" * 50_000 + "x"]
)
def test_a_hostile_line_takes_no_time(line: str) -> None:
    heading, _ = part_title(line + "\n" + line)
    heading_title(heading or line)
    assert len(lower_headings(f"a\n{line}\n{line}")) >= 50_000


def test_the_lines_of_a_text_that_is_too_large_for_blocks_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_text, "split_lines", None)
    text = "# a\n" * (page_text.MOST_MARKS // 2 + 1)
    assert lower_headings(text) == text
    assert raise_headings(text, "# a\n") == raise_headings("# a\n", text) + text[4:] == text
