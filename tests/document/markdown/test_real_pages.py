"""What real repositories write beyond the book: anchors, emphasis beside Chinese, custom blocks, odd indentation."""

from __future__ import annotations

from typing import Any

import pytest

from recto.document.markdown.blocks import Block, BlockKind, Inline, InlineKind, plain_text
from recto.document.markdown.html_tags import comments, without_comments
from recto.document.markdown.levelling import level_tags
from recto.document.markdown.outline import outline
from recto.document.markdown.page import parse_inline, parse_page
from recto.document.markdown.page_links import references
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rich_pages import to_document

_TEXTS = (BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.TABLE_CELL, BlockKind.HTML)


def shape(text: str) -> list[Any]:
    """The kinds of blocks, each with its words and what is in it."""
    page = parse_page(text)

    def of(block: Block) -> Any:
        words = plain_text(page.inline(block)) if block.kind in _TEXTS else ""
        return (str(block.kind), words, [of(child) for child in block.children])

    return [of(block) for block in page.blocks]


def strong(text: str) -> list[str]:
    def within(inlines: tuple[Inline, ...]) -> list[str]:
        found: list[str] = []
        for inline in inlines:
            if inline.kind is InlineKind.STRONG:
                found.append(plain_text(inline.children))
            found += within(inline.children)
        return found

    return within(parse_inline(text))


# Anchors


@pytest.mark.parametrize(
    "written", ["## The title {#my-id}", "## The title{#my-id}", "## The title {#my-id} ##", "The title {#my-id}\n---"]
)
def test_an_anchor_at_the_end_of_a_heading_is_hidden_and_leads_there(written: str) -> None:
    page = parse_page(f"See [it](#my-id).\n\n{written}\n")
    (heading,) = outline(page)
    assert (heading.text, heading.anchor) == ("The title", "my-id")
    assert references(page.source).has_anchor("my-id")
    again = parse_page(to_markdown(to_document(page)))
    assert [(each.text, each.anchor) for each in outline(again)] == [("The title", "my-id")]


@pytest.mark.parametrize("written", ["## Title \\{#x}", "## Title `{#x}`", "## Title {#x} y", "## Title {#}"])
def test_what_is_no_anchor_stays_in_the_heading(written: str) -> None:
    (heading,) = outline(parse_page(written))
    assert "{#" in heading.text
    assert outline(parse_page(to_markdown(to_document(written)))) == (heading,)


# Chinese, Japanese and Korean


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("**重要，**其中", ["重要，"]),
        ("これは**「強調」**です", ["「強調」"]),
        ("**이 용어(This term)**를 강조해", ["이 용어(This term)"]),
        ("我可以强调**这个`code`**吗", ["这个code"]),
        ("中**“引号”**文", ["“引号”"]),
        ("**Ｆｕｌｌ！**x", ["Ｆｕｌｌ！"]),
        ("a**“b”**c", []),
        ("a**(b)**c", []),
        ("**a😀.**b", []),
    ],
)
def test_emphasis_closes_beside_characters_that_have_no_spaces_around_them(text: str, marked: list[str]) -> None:
    assert [each for each in strong(text) if each] == marked


def test_underscores_within_words_stay_what_they_are_beside_them_too() -> None:
    assert plain_text(parse_inline("__“中”__中 snake_中_case")) == "__“中”__中 snake_中_case"


def test_strikethrough_closes_as_emphasis_does() -> None:
    assert plain_text(parse_inline("~~删除，~~其中")) == "删除，其中"


def test_marks_beside_these_characters_are_written_as_marks() -> None:
    written = "**重要，**其中 中**「あ」**文\n"
    assert to_markdown(to_document(written)) == written


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("中文\n换行", "中文换行"),
        ("中文，\n  换行", "中文，换行"),
        ("**中文**\n*换行*", "中文换行"),
        ("カタカナ\nです", "カタカナです"),
        ("中文\nand", "中文 and"),
        ("a\nb", "a b"),
        ("한국\n사람", "한국 사람"),
        ("中文\\\n换行", "中文 换行"),
    ],
)
def test_a_line_that_ends_between_characters_without_spaces_ends_in_none(text: str, read: str) -> None:
    assert plain_text(parse_inline(text)) == read
    cell = parse_page(f"<table><tr><td>{text}</td></tr></table>")
    (inlines,) = (cell.inline(block) for block in cell.walk() if block.kind is BlockKind.TABLE_CELL)
    if not set(text) & set("*\\"):
        assert plain_text(inlines) == read


# Custom blocks


def custom(tag: str, attributes: str = "") -> str:
    return f'<div data-gb-custom-block data-tag="{tag}"{attributes}>'


@pytest.mark.parametrize(
    ("written", "same_as"),
    [
        (
            f"""{custom("hint", " data-style='danger' class='hint'")}<p>Take <b>care</b>.</p></div>""",
            '{% hint style="danger" %}\nTake **care**.\n{% endhint %}',
        ),
        (
            f"{custom('hint')}\n\nTake *care*.\n\n- a\n\n</div>\n\nAfter.",
            "{% hint %}\nTake *care*.\n\n- a\n{% endhint %}\n\nAfter.",
        ),
        (f"{custom('hint')}\nTake care.\n</div>\nAfter.", "{% hint %}\nTake care.\n{% endhint %}\nAfter."),
        (
            f"{custom('tabs')}\n\n{custom('tab', ' data-title=One')}\n\na\n\n</div>\n\n"
            f"{custom('tab')}\n\nb\n\n</div>\n\n</div>",
            '{% tabs %}\n{% tab title="One" %}\na\n{% endtab %}\n{% tab %}\nb\n{% endtab %}\n{% endtabs %}',
        ),
        (
            f"{custom('code', ' data-title=x.py')}\n\n```py\n1\n```\n\n</div>",
            '{% code title="x.py" %}\n```py\n1\n```\n{% endcode %}',
        ),
        (f"{custom('embed', ' data-url=https://x.y/')}</div>\na", '{% embed url="https://x.y/" %}\na'),
        (
            f"{custom('content-ref', ' data-url=a.md')}\n\n[A](a.md)\n\n</div>",
            '{% content-ref url="a.md" %}\n[A](a.md)\n{% endcontent-ref %}',
        ),
        (f"{custom('file', ' data-src=a.pdf')}</div>\na", '{% file src="a.pdf" %}\na'),
        (
            f"{custom('swagger', ' data-method=get')}\n\n{custom('swagger-description')}\n\nD\n\n</div>\n\n</div>",
            '{% swagger method="get" %}\n{% swagger-description %}\nD\n{% endswagger-description %}\n{% endswagger %}',
        ),
        (
            f"{custom('tabs')}</div>\n\n{custom('tab', ' data-title=One')}\n\na\n\n</div>\n\n"
            f"{custom('tab', ' data-title=Two')}\n\nb\n\n</div>\n\n</div>\n\nc",
            '{% tabs %}\n{% tab title="One" %}\na\n{% endtab %}\n'
            '{% tab title="Two" %}\nb\n{% endtab %}\n{% endtabs %}\nc',
        ),
        (
            f"{custom('hint')}\n\n{custom('stepper')}</div>\n\n{custom('step')}\n\na\n\n</div>\n\nb\n\n</div>",
            "{% hint %}\n{% stepper %}\n{% step %}\na\n{% endstep %}\n{% endstepper %}\nb\n{% endhint %}",
        ),
        (
            f"1. a\n\n    {custom('hint')}<p>b</p></div>\n\n2. c",
            "1. a\n\n    {% hint %}\n    b\n    {% endhint %}\n\n2. c",
        ),
    ],
)  # fmt: skip
def test_an_element_that_stands_for_a_block_is_that_block(written: str, same_as: str) -> None:
    assert shape(written) == shape(same_as)
    kinds = [(block.kind, dict(block.attributes)) for block in parse_page(written).walk()]
    assert kinds == [(block.kind, dict(block.attributes)) for block in parse_page(same_as).walk()]
    assert shape(to_markdown(to_document(written))) == shape(same_as)


def test_each_end_of_an_element_ends_what_it_belongs_to() -> None:
    text = f'{custom("hint")}\n\n<div align="center">\n\ninner\n\n</div>\n\nlast\n\n</div>\n\n</div>\n\nafter\n'
    hint, stray, after = shape(text)
    assert [words for _, words, _ in hint[2]] == ["", "inner", "", "last"]
    assert (hint[0], stray[0], after) == ("hint", "html", ("paragraph", "after", []))


def test_an_element_without_an_end_loses_nothing() -> None:
    assert shape(f"{custom('hint')}\n\na\n\n- b\n") == [
        ("hint", "", []),
        ("paragraph", "a", []),
        ("list", "", [("list-item", "", [("paragraph", "b", [])])]),
    ]


# Ends that are indented otherwise than what they end


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "1. a\n\n   {% hint %}\n   text\n{% endhint %}\n2. b\n",
            "1. a\n\n   {% hint %}\n   text\n   {% endhint %}\n2. b\n",
        ),
        ("- a\n  {% hint %}\ntext\n{% endhint %}\n- b\n", "- a\n  {% hint %}\n  text\n  {% endhint %}\n- b\n"),
        (
            "- a\n  {% code title=\"x\" %}\n```\n  code\n```\n{% endcode %}\n- b\n",
            "- a\n  {% code title=\"x\" %}\n  ```\n    code\n  ```\n  {% endcode %}\n- b\n",
        ),
        ("{% hint %}\n- a\n  {% endhint %}\nafter\n", "{% hint %}\n- a\n{% endhint %}\nafter\n"),
        (
            "<details>\n<summary>S</summary>\n\n1. x\n\n   </details>\n\nafter\n",
            "<details>\n<summary>S</summary>\n\n1. x\n\n</details>\n\nafter\n",
        ),
        (
            "- {% tabs %}\n  {% tab title=\"a\" %}\n  x\n{% endtab %}\n{% endtabs %}\n",
            "- {% tabs %}\n  {% tab title=\"a\" %}\n  x\n  {% endtab %}\n  {% endtabs %}\n",
        ),
        (
            f"- a\n\n  {custom('hint')}\n\n  b\n\n</div>\n\nafter\n",
            f"- a\n\n  {custom('hint')}\n\n  b\n\n  </div>\n\nafter\n",
        ),
    ],
)  # fmt: skip
def test_an_end_that_is_indented_otherwise_ends_what_it_names(written: str, meant: str) -> None:
    assert level_tags(written) == meant
    assert shape(written) == shape(meant)
    assert len(parse_page(written).lines) == len(parse_page(meant).lines)


@pytest.mark.parametrize(
    "text",
    [
        "{% hint %}\na\n{% endhint %}\n",
        "    {% hint %}\n    shown as code\n    {% endhint %}\n",
        "```\n{% hint %}\n  {% endhint %}\n```\n",
        "- a {% hint %}\n{% endhint %}\n",
        "<div>\n  a\n  </div>\n",
        "{% embed url=\"a\" %}\n\n- b\n  {% endhint %}\n",
    ],
)  # fmt: skip
def test_other_lines_stay_where_they_are(text: str) -> None:
    assert level_tags(text) == text


# Comments


def test_comments_are_distinguished_from_markers() -> None:
    text = 'a<!-- b -->c<!-- odd: {"x": 1} -->d<!-->e<!-- open'
    assert without_comments(text) == 'ac<!-- odd: {"x": 1} -->de<!-- open'
    assert len(list(comments(text))) == 2
