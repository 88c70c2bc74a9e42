"""Pages parted for a translator and joined again: nothing but words changes, or the text is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recto.document.markdown.blocks import Block, BlockKind, Inline, InlineKind, plain_text
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.markdown.page_links import links
from recto.document.translation.page_texts import split
from recto.document.translation.tagged_text import Broken, count_words
from support.pages import EVERYTHING, HOSTILE
from support.slow import with_slow

_SPOKEN = frozenset(
    {
        BlockKind.PARAGRAPH,
        BlockKind.HEADING,
        BlockKind.TABLE_CELL,
        BlockKind.EXPANDABLE,
        BlockKind.FIGURE,
        BlockKind.HTML,
    }
)
_VALUES = frozenset({InlineKind.CODE, InlineKind.EXPRESSION, InlineKind.MATH, InlineKind.FOOTNOTE, InlineKind.HTML})


def structure(markdown: str) -> list[Any]:
    """The blocks of a page with their code and formulas, where its links lead, and the code in its texts."""
    page = parse_page(markdown)
    blocks = [
        (block.kind, block.name, block.level, len(block.children), "" if block.kind in _SPOKEN else code(block))
        for block in page.walk()
    ]
    values = [sorted(held(page.inline(block))) for block in page.walk() if block.kind in _SPOKEN]
    return [page.front_matter.source, blocks, sorted(link.target for link in links(page)), values]


def code(block: Block) -> str:
    return "" if block.kind in (BlockKind.EMBED, BlockKind.FILE) else block.text


def held(inlines: tuple[Inline, ...]) -> list[tuple[str, str]]:
    found = [(str(each.kind), each.text if each.kind in _VALUES else "") for each in inlines]
    return [
        *(each for each in found if each[0] not in (InlineKind.TEXT, InlineKind.SOFT_BREAK)),
        *(each for inline in inlines for each in held(inline.children)),
    ]


def words(page: ParsedPage) -> str:
    return " ".join(" ".join(plain_text(page.inline(each)) for each in page.walk() if each.kind in _SPOKEN).split())


def translate(markdown: str, change: Callable[[str], str]) -> str:
    parted = split(markdown)
    return parted.join([change(text) for text in parted.texts])


# What is sent


@pytest.mark.parametrize(
    ("markdown", "texts"),
    [
        ("# Title {#id}\n\n**Bold *and* more** words\nbelow.\n", ("Title", "<1>Bold <2>and</2> more</1> words below.")),
        ("Call `f()` or <https://a.b/c>, see [the guide](g.md#x).\n", ("Call <1/> or <2/>, see <3>the guide</3>.",)),
        ("2 < 3 &amp; \\*4\\* > 1 in A&nbsp;B\n", ("2 &lt; 3 &amp; *4* &gt; 1 in A\xa0B",)),
        ('- [x] Done\n- [ ] x\n  > Quoted\n  > words\n\n1. First\n', ("Done", "x", "Quoted words", "First")),
        ("| A | B |\n|---|---|\n| a \\| b | `c` |\n", ("A", "B", "a | b")),
        ("```sh\nls\n```\n\n$$x$$\n\n<!-- no -->\n\n12.5\n\n[page.md](page.md)\n\nhttps://a.b/c\n", ()),
        ('{% tabs %}\n{% tab title="The \\"first\\"" %}\nIn\n{% endtab %}\n{% endtabs %}\n', ('The "first"', "In")),
        ('<details>\n<summary>More <b>here</b></summary>\n\nInside\n</details>\n', ("More <1>here</1>", "Inside")),
        ('<figure><img src="a.png" alt="A cat"><figcaption><p>Name</p></figcaption></figure>\n', ("A cat", "Name")),
        ("See ![a cat](cat.png) and ![](dog.png) there\n", ("See <1>a cat</1> and <2/> there",)),
        ('Value: <code class="expression">space.vars.n</code>, [P](p.md "mention")\n', ("Value: <1/>, <2/>",)),
        ('<mark style="color:red;">Red</mark> :smile: words <a href="#a" id="a"></a>\n', ("<1>Red</1> <2/> words",)),
        (
            '<table data-view="cards"><thead><tr><th>T</th><th data-hidden data-card-target>L</th></tr></thead>'
            "<tbody><tr><td><strong>One</strong><ul><li>two</li><li>three</li></ul></td>"
            '<td><a href="a.md">a</a></td></tr></tbody></table>\n',
            ("T", "<1>One</1>", "two", "three"),
        ),
        (
            '<div class="a">\n<p>One <b>two</b></p>\n<!-- no -->\n<script>f("no")</script>\n<p><img src="a.png" '
            'alt="A cat"> three\n<code>f()</code></p>\n</div>\n\n- <center>Four</center>\n\n> <div>Five</div>\n',
            ("One <1>two</1>", "<1>A cat</1> three <2/>", "Four", "Five"),
        ),
        ("<?php say('no') ?>\n\n<!DOCTYPE no>\n\n<div>\nno <!-- no\n</div>\n\n> <div>\n> no\n> </div>\n", ()),
        ('{% content-ref url="a.md" %}\n[A page](a.md)\n{% endcontent-ref %}\n', ()),
        ("---\ntitle: A title\n---\nWords\n", ("Words",)),
        ("中文的\n一行和**粗体**。\n", ("中文的一行和<1>粗体</1>。",)),
    ],
)  # fmt: skip
def test_a_translator_gets_words_with_numbered_tags(markdown: str, texts: tuple[str, ...]) -> None:
    assert split(markdown).texts == texts


def test_words_are_counted_without_tags_and_by_characters_where_there_are_no_spaces() -> None:
    assert count_words(["See <1>the guide</1>: it isn't &lt;long&gt; 10/<2/>", "一行文字 and two"]) == 13


# What comes back


FREE_HTML = """\
<div align="center" data-x="{{x}}">
<h1>A <em>title</em></h1>
<p>See <a href="guide.md" title="no">the <b>guide</b></a> and <code>f()</code>.<br>
<img src="cat.png" alt="A cat"></p>
<script>say("no words")</script>
</div>

- <center>In a list</center>
  <ul><li>one<li>two</ul>

<custom-part name="no">words

"""

PAGES = {
    "everything": EVERYTHING,
    "free html": FREE_HTML,
    **{name: page for name, page in HOSTILE.items() if name != "brackets"},
}
"""Without those brackets, which take seconds to parse each time; the benchmarks have them."""
NASTY = [
    "|", "# ", "- ", "1. ", "> ", "`", "```", "**", "_", "~~", "[x](y)", "![x](y)", "[^1]", "[x]: y", "{% hint %}",
    "%}", "{#id}", "\n", "\n\n", "\r\n---\n", "  \n", "<script>", "</details>", "</table>", "<!--", "-->",
    "&lt;b&gt;", "&amp;", "&", "\\", "$$", "$$x$$", ":smile:", '"', "'", "#", "=", "    ", "\t", "\0", "\ud800",
    "\u2028", "{{", "words", "\N{NO-BREAK SPACE}", "。", "中", "é", "\x1b[31m", "https://a.b/c",
]  # fmt: skip
"""What a translator may put into a text."""


@pytest.mark.parametrize("page", with_slow(PAGES.values(), [HOSTILE["emphasis"]]), ids=PAGES)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_upper_case_letters_leave_all_but_words_as_they_were(page: str, ending: str) -> None:
    page = "\ufeff" + page.replace("\n", ending)
    assert translate(page, str) == page
    upper = translate(page, str.upper)
    assert structure(upper) == structure(page)
    assert upper.startswith("\ufeff") and upper.count("\r") == upper.count("\n") * (ending == "\r\n")
    unchanged = re.compile(r"^(\{% (?!tab |file|embed)|```|---|\|---|\$\$|description|npm|\t).*$", re.MULTILINE)
    assert [each[0] for each in unchanged.finditer(upper)] == [each[0] for each in unchanged.finditer(page)]
    again = split(upper).texts
    assert [text for text in again if text != text.upper() and "\N{REPLACEMENT CHARACTER}" not in text] == []


@pytest.mark.slow
@given(st.text())
@example("a\r\n\rb | c\n--|--\n`\n\u2028|x")
def test_any_page_with_its_own_texts_is_the_same(text: str) -> None:
    assert translate(text, str) == text


@pytest.mark.slow
@given(st.data())
def test_nothing_that_a_translator_adds_changes_the_structure(data: st.DataObject) -> None:
    """It reads as words, or is refused."""
    page = data.draw(st.sampled_from([page for page in PAGES.values() if len(page) < 10_000]))
    parted = split(page)
    if not parted.texts:
        return
    texts = list(parted.texts)
    place = data.draw(st.integers(0, len(texts) - 1))
    pieces = data.draw(st.lists(st.sampled_from([*NASTY, *re.findall(r"</?\d+/?>|[^<>]+", texts[place])]), max_size=6))
    texts[place] = data.draw(
        st.sampled_from(["".join(pieces), texts[place] + "".join(pieces), "".join(pieces) + texts[place]])
    )
    try:
        joined = parted.join(texts)
    except Broken:
        return
    assert structure(joined) == structure(page)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1))
@example("#")
@example("C#")
@example("## #")
@example("snake_case * 2 | 3 `x` [a](b) <b> {% end %} {#x} \\\\| &lt; 1.")
@pytest.mark.parametrize(
    "page", ["# Old\n", "Old\n", "- Old\n", "Old\n===\n", "> Old\n", "| Old |\n|---|\n", "**Old**\n"]
)
def test_a_text_reads_as_the_translator_wrote_it(page: str, text: str) -> None:
    translated = (
        split(page).texts[0].replace("Old", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    )
    try:
        joined = split(page).join([translated])
    except Broken:
        assert not text.strip("\ufeff") or ":" in text
        return
    assert words(parse_page(joined)) == " ".join(text.strip("\ufeff").split())


@pytest.mark.parametrize(
    ("translated", "reason"),
    [
        ("See the guide and <2/>.", "tag 1 is missing"),
        ("See <1>the</1> <1>guide</1> and <2/>.", "tag 1 comes twice"),
        ("See <1>the guide and <2/></1>.", "tag 2 is not where it was, in no other tag"),
        ("See <1>the guide</2/> and <2/>.", "tag 2 ends where it does not begin"),
        ("See </1>the guide<1> and <2/>.", "tag 1 ends where it does not begin"),
        ("See <1>the guide and", "tag 1 does not end"),
        ("See <1></1> and <2/>.", "tag 1 has become empty"),
        ("See <1/>the guide and <2/>.", "tag 1 has become empty"),
        ("See <1>the guide</1> and <2>f</2>.", "tag 2 holds a text"),
        ("See <1>the guide</1>, <3/> and <2/>.", "tag 3 is not in the source"),
        (" ", "tag 1 is missing"),
    ],
)
def test_a_text_with_other_tags_is_refused(translated: str, reason: str) -> None:
    parted = split("# Title\n\nSee [the guide](guide.md) and `f()`.\n")
    assert parted.texts[1] == "See <1>the guide</1> and <2/>."
    with pytest.raises(Broken, match=re.escape(f"Text 2 (“See the guide and .”): {reason}.")):
        parted.join(["Titel", translated])


def test_an_empty_text_is_refused_and_so_is_another_number_of_texts() -> None:
    parted = split("# Title\n\nWords\n")
    with pytest.raises(Broken, match=re.escape("Text 2 (“Words”): it has become empty.")):
        parted.join(["Title", "\n"])
    with pytest.raises(Broken, match=r"The page has 2 texts, and 1 came back\."):
        parted.join(["Title"])


def test_tags_may_come_in_another_order() -> None:
    page = "See [the guide](guide.md), `f()` and **bold**.\n"
    assert translate(page, lambda text: "<3>fett</3>, <2></2>, <1>Anleitung</1>") == (
        "**fett**, `f()`, [Anleitung](guide.md)\n"
    )


def test_marks_that_markdown_would_not_read_are_written_as_html() -> None:
    assert translate("An *old* word\n", lambda text: "Ur<1>alt</1>es <1x>") == "Ur*alt*es \\<1x>\n"
    assert translate("An _old_ word\n", lambda text: "Ur<1>alt</1>es") == "Ur<em>alt</em>es\n"


def test_lines_of_a_quote_and_breaks_keep_their_place() -> None:
    page = "> - One `a\n>   b` line\\\n>   more\n"
    assert split(page).texts == ("One <1/> line<2/>more",)
    assert translate(page, lambda text: "Uno <1/><2/>1. dos") == "> - Uno `a\n>   b`\\\n>   1\\. dos\n"


@pytest.mark.parametrize("space", [" ", "\n", "\t", "> "])
def test_a_translation_with_a_long_run_of_spaces_is_written_in_time_that_grows_with_it(space: str) -> None:
    assert split("Words.\n").join([f"Wörter{space * 100_000}hier"]).startswith("Wörter")
