from __future__ import annotations

import pytest

from recto.server.exchange.summary import EntryKind, SummaryEntry, plain_title, read_summary


def outline(entries: list[SummaryEntry]) -> list[object]:
    return [(entry.title, outline(entry.children)) if entry.children else entry.title for entry in entries]


def only(text: str) -> SummaryEntry:
    (entry,) = read_summary(text)
    return entry


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
@pytest.mark.parametrize("mark", ["*", "-", "+"])
def test_lists_nest_by_any_indent_and_mark(indent: str, mark: str) -> None:
    lines = ["[A](a.md)", "\t[B](b.md)", "\t\t[C](c.md)", "\t[D](d.md)", "[E](e.md)"]
    text = "\n".join(line.replace("\t", indent).replace("[", f"{mark} [") for line in lines)
    assert outline(read_summary(text)) == [("A", [("B", ["C"]), "D"]), "E"]


def test_a_heading_opens_a_group_and_a_rule_ends_it() -> None:
    group = '## Group <a href="#the-group" id="the-group"></a>'
    text = f"# Contents\n\n* [A](a.md)\n\n{group}\n\n* [B](b.md)\n\n***\n\n* [C](c.md)\n"
    entries = read_summary(text)
    assert outline(entries) == ["A", ("Group", ["B"]), "C"]
    assert (entries[1].kind, entries[1].anchor, entries[1].line) == (EntryKind.GROUP, "the-group", 5)


def test_a_list_does_not_go_on_over_a_heading() -> None:
    assert outline(read_summary("* [A](a.md)\n\n## Group\n\n  * [B](b.md)\n")) == ["A", ("Group", ["B"])]


@pytest.mark.parametrize("title", ["# Table of contents", "## Contents", "\n\n### Contents"])
def test_a_heading_over_everything_is_no_group(title: str) -> None:
    assert outline(read_summary(f"{title}\n\n* [A](a.md)\n")) == ["A"]


def test_an_entry_may_have_no_target_yet() -> None:
    assert (only("* [Later]()\n").kind, only("* [Later]()\n").target) == (EntryKind.PAGE, "")


@pytest.mark.parametrize(
    ("written", "target", "title"),
    [
        ("[A](a.md)", "a.md", "A"),
        ("[A](<name (1).md>)", "name (1).md", "A"),
        ("[A](name (1).md)", "name (1).md", "A"),
        ("[A](preface/01\\_intro.md)", "preface/01_intro.md", "A"),
        ("[confd\\_lib\\_cdb](a.md)", "a.md", "confd_lib_cdb"),
        ("[List\\[int\\] and \\`x\\`](a.md)", "a.md", "List[int] and `x`"),
        ("[a [nested] b](a.md)", "a.md", "a [nested] b"),
        ("[**Bold** and `code`](a.md)", "a.md", "Bold and code"),
        ("[Q\\&A &#x26; more&#x20;](a.md)", "a.md", "Q&A & more"),
        ("[\u200bZero\u200b](a.md)", "a.md", "Zero"),
        (
            "[\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f4bb\u200d](a.md)",
            "a.md",
            "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f4bb",
        ),
        ("[\u7c21\u4ecb](README.md)", "README.md", "\u7c21\u4ecb"),
    ],
)
def test_a_link_is_read_as_it_is_meant(written: str, target: str, title: str) -> None:
    entry = only(f"* {written}\n")
    assert (entry.kind, entry.target, entry.title) == (EntryKind.PAGE, target, title)


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("target", ["a.md", "<a.md>"])
def test_a_link_title_is_kept(quote: str, target: str) -> None:
    entry = only(f"* [A]({target} {quote}Short name{quote})\n")
    assert (entry.target, entry.link_title) == ("a.md", "Short name")


def test_an_anchor_is_parted_from_the_file() -> None:
    entry = only("* [A](a.md#part-2)\n")
    assert (entry.target, entry.anchor) == ("a.md", "part-2")


@pytest.mark.parametrize("address", ["https://example.org/a", "http://example.org", "mailto:a@example.org"])
def test_an_address_is_a_link_page(address: str) -> None:
    entry = only(f"* [A]({address})\n")
    assert (entry.kind, entry.target) == (EntryKind.LINK, address)


def test_an_entry_without_a_link_is_a_group() -> None:
    entry = only("* Just words\n  * [A](a.md)\n")
    assert (entry.kind, entry.title, outline(entry.children)) == (EntryKind.GROUP, "Just words", ["A"])


def test_what_is_commented_out_is_not_there_and_lines_keep_their_numbers() -> None:
    entry = only("<!--\n* [Old](old.md)\n-->\n* [A](a.md)\n")
    assert (entry.title, entry.line) == ("A", 4)


def test_computed_pages_are_read_from_their_fence() -> None:
    text = (
        "# Contents\n\n## API\n\n* [Overview](README.md)\n"
        "* ```yaml\n  type: builtin:openapi\n  props:\n    models: false\n"
        "  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: payments\n  ```\n"
        "* [After](b.md)\n"
    )
    group = only(text)
    assert outline([group]) == [("API", ["Overview", "payments", "After"])]
    computed = group.children[1]
    assert computed.kind is EntryKind.COMPUTED
    assert computed.described["type"] == "builtin:openapi"
    assert computed.described["props"] == {"models": False}
    (titled,) = only(text.replace("models: false", "models: false\n  title: Payments API")).children[1:2]
    assert titled.title == "Payments API"


BROKEN = ("* [A](", "* [A", "* [](", "*", "* [A](<a.md", "## ", "***\n***", "<!-- * [A](a.md)")
ENDLESS = ("[", "<a ", "![a", "**a ", "(", "[a](", "<!--", '"')


@pytest.mark.parametrize("broken", [*BROKEN, *(f"{mark} {part * 20_000}" for part in ENDLESS for mark in ("*", "##"))])
def test_broken_and_hostile_summaries_are_read_to_their_end(broken: str) -> None:
    entries = read_summary(f"{broken}\n\n## Group\n\n* [Last](last.md)\n")
    assert outline(entries)[-1] == ("Group", ["Last"])


def test_titles_lose_tags_and_links() -> None:
    assert plain_title('The <a href="#x" id="x"></a> `x` of [y](z.md) ![alt](i.png)') == "The x of y alt"
