from __future__ import annotations

import pytest

from recto.server.exchange.book_reader import take_apart
from recto.server.exchange.page_file import PageFile, front_matter_of, write_page


def test_front_matter_title_and_text_are_parted() -> None:
    page = take_apart("---\ndescription: What it is\nx-own: [1, two]\n---\n\n# The title\n\nText.\n")
    assert (page.title, page.text) == ("The title", "Text.\n")
    assert page.front_matter == {"description": "What it is", "x-own": [1, "two"]}


def test_the_place_of_a_cover_is_a_whole_number() -> None:
    cover = {"ref": {"kind": "url", "url": "a.png"}, "yPos": 12.0}
    assert repr(front_matter_of({"cover": cover}, str)["coverY"]) == "12"


def test_dates_in_front_matter_stay_as_written() -> None:
    assert take_apart("---\ndate: 2024-05-01\n---\n").front_matter == {"date": "2024-05-01"}


@pytest.mark.parametrize(
    ("written", "title", "text"),
    [
        ("# A\nText", "A", "Text"),
        ("\n\n# A #\n\nText", "A", "Text"),
        ("\u200b# A\nText", "A", "Text"),
        ("Title\n=====\n\nText", "Title", "Text"),
        ("# `code` and \\_ and <a href='#a' id='a'></a>\n", "code and _ and", ""),
        ("# A <!-- omit in toc -->\nText", "A", "Text"),
        ("A <!-- b --> `<!-- c -->` {#d} <!-- e -->\n===\nText", "A <!-- c -->", "Text"),
        ("No heading", None, "No heading"),
        ("## Second level\n", None, "## Second level\n"),
        ("#hashtag\n", None, "#hashtag\n"),
        ("", None, ""),
        ("#\n\nText", None, "Text"),
        ("```sh\n# comment\n```\n", None, "```sh\n# comment\n```\n"),
    ],
)
def test_the_title_is_the_heading_that_opens_the_page(written: str, title: str | None, text: str) -> None:
    page = take_apart(written)
    assert (page.title, page.text) == (title, text)


def test_a_title_further_down_stays_in_the_text() -> None:
    written = '{% hint style="info" %}\nFirst.\n{% endhint %}\n\n# The title\n\nText.\n'
    page = take_apart(written)
    assert (page.title, page.text) == ("The title", written)


def test_code_between_hides_no_later_title() -> None:
    assert take_apart("```sh\n# no\n```\n\n# Yes\n").title == "Yes"


@pytest.mark.parametrize("broken", ["---\na: [\n---\n\n# A\n", "---\n\ta: 1\n---\n\n# A\n"])
def test_front_matter_that_is_not_yaml_stays_in_the_text(broken: str) -> None:
    page = take_apart(broken)
    assert (page.text, page.readable, page.title) == (broken, False, "A")


def test_rules_around_text_are_no_front_matter() -> None:
    written = "---\nJust a sentence.\n---\n"
    page = take_apart(written)
    assert (page.text, page.readable) == (written, True)


def test_front_matter_that_unfolds_without_end_is_not_taken() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    page = take_apart(f"---\n{bomb}---\n\n# A\n")
    assert not page.readable
    assert page.front_matter == {}


def test_a_mark_without_an_end_is_text() -> None:
    assert take_apart("---\nno end\n").text == "---\nno end\n"


@pytest.mark.parametrize("line", ["# A{}b", "A{}b\n==="])
@pytest.mark.parametrize("part", [" ", "\t", "<a ", "{#", "<a id='x'"])
def test_a_long_heading_is_replaced_in_time_that_grows_with_it(line: str, part: str) -> None:
    source = f"{line.format(part * 20_000)}\n\nText.\n".encode()
    assert write_page(PageFile("New", "Text.\n"), source) == b"# New\n\nText.\n"


def test_a_heading_keeps_its_anchor_when_its_words_change() -> None:
    source = b"\n# Old {#here}\n\nText.\n"
    assert write_page(PageFile("New", "Text.\n"), source) == b"\n# New {#here}\n\nText.\n"


def test_a_heading_keeps_its_comment_when_its_words_change() -> None:
    source = b"# Old <!-- omit in toc -->\n\nText.\n"
    assert write_page(PageFile("Old", "Other.\n"), source) == b"# Old <!-- omit in toc -->\n\nOther.\n"
    assert write_page(PageFile("New", "Text.\n"), source) == b"# New <!-- omit in toc -->\n\nText.\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntitle: Old\n---\n\nText.\n", "---\ntitle: New\n---\n\nText.\n"),
        ("---\ntitle: Old\n---\n\n# Old\n\nText.\n", "---\ntitle: New\n---\n\n# New\n\nText.\n"),
        ("---\ntitle: Other\n---\n\n# Old\n\nText.\n", "---\ntitle: Other\n---\n\n# New\n\nText.\n"),
    ],
)
def test_a_new_title_stands_where_the_old_one_stood(before: str, after: str) -> None:
    assert write_page(PageFile("New", "Text.\n"), before.encode()) == after.encode()
