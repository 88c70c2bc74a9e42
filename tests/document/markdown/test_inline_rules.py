"""The rules for inline text are applied only where they can act, and find what they find where all are asked."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from recto.document.markdown.parser import install_inline_rules, sort_inline_rules

_PIECES = (
    *(
        "word",
        "資料",
        " ",
        "  ",
        "\n",
        "\\",
        "\\\n",
        "\\*",
        "`",
        "``",
        "~~",
        "~",
        "*",
        "**",
        "_",
        "__",
        "$$",
        "$",
        "a-b",
        "#",
    ),
    *(
        "[",
        "]",
        "](u)",
        "[r]",
        "![",
        "!",
        "[^1]",
        "^",
        "<",
        ">",
        "<b>",
        "<https://a.b>",
        "<a@b.c>",
        "&amp;",
        "&",
        "&#x20;",
    ),
    *(":a:", "@", "{%", "%}", "+", "=", '<code class="expression">', "</code>", "|", "。", "“"),
)
_DEFINITIONS = "[r]: https://a.b\n\n[^1]: note\n"


def parser(*, sorted_rules: bool) -> MarkdownIt:
    made = MarkdownIt("commonmark").enable(["strikethrough"])
    footnote_plugin(made, inline=False, move_to_end=False)
    install_inline_rules(made)
    if sorted_rules:
        sort_inline_rules(made)
    return made


OURS, THEIRS = parser(sorted_rules=True), parser(sorted_rules=False)


def tokens_of(made: MarkdownIt, text: str) -> list[tuple[Any, ...]]:
    env: dict[str, Any] = {}
    made.parse(_DEFINITIONS, env)
    tokens: list[Token] = []
    made.inline.parse(text, made, env, tokens)
    return [(one.type, one.level, one.attrs, one.markup, one.content, str(one.children)) for one in tokens]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(text=st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
@example(text="[a-b] [r] ![x][r] [^1] a_b-c")
@example(text="a  \nb\\\nc `d` $$e$$ ~~f~~ &lt; <i>g</i> <https://a.b>")
def test_each_text_is_read_as_all_rules_read_it(text: str) -> None:
    assert tokens_of(OURS, text) == tokens_of(THEIRS, text)


def test_no_rule_is_asked_within_words() -> None:
    made = parser(sorted_rules=True)
    assert made.inline.terminator_re.search("well-known words: a = b + c, 5 % @ {x} > y # z") is None
