from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from recto.document.markdown import block_rules
from recto.document.markdown.parser import install_paragraph_rule

_PIECES = (
    *("word", "Überschrift", "資料", "  two in", "    four in", "\ttab", "\\", "1) one", "- item", "* * *", "***", "+"),
    *("===", "---", "- - -", "  ===", "    ---", "=", "-", "--- x", "| a | b |", "|---|---|", ":--", "-|-", "a | b"),
    *("> quote", ">", "> ---", "```", "~~~ py", "# Title", "<div>", "</div>", "<b>", "[a]: b", "[^1]: note", "$$"),
    *("{% hint %}", "{% endhint %}", "<details><summary>s</summary>", "", "", "x  "),
)


def parser(*, ours: bool) -> MarkdownIt:
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    block_rules.install(made)
    if ours:
        install_paragraph_rule(made)
    return made.disable(["inline", "text_join"])


OURS, THEIRS = parser(ours=True), parser(ours=False)


def tokens_of(made: MarkdownIt, text: str) -> list[tuple[Any, ...]]:
    return [(one.type, one.tag, one.level, one.map, one.markup, one.content) for one in made.parse(text)]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(lines=st.lists(st.sampled_from(_PIECES), max_size=9))
@example(lines=["word", "a | b", "-|-", "c"])
@example(lines=["> word", "資料", "==="])
@example(lines=["- word", "word", "---"])
def test_it_finds_what_the_two_rules_of_the_parser_find(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert tokens_of(OURS, text) == tokens_of(THEIRS, text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(text=st.text(alphabet="ab=-|:> \n\t#*1.)`<é\u00a0", max_size=60))
def test_it_does_so_in_any_text(text: str) -> None:
    assert tokens_of(OURS, text) == tokens_of(THEIRS, text)


def test_no_other_rule_is_asked_about_prose() -> None:
    made, asked = parser(ours=True), []

    def ask(_state: Any, line: int, _end: int, _silent: bool) -> bool:
        asked.append(line)
        return False

    made.block.ruler.after("prose", "asked", ask)
    made.parse("A line,\nand another.\n\n" * 20 + "- item\n")
    assert asked == [60]
