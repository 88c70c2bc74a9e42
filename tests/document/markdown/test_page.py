from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document.markdown.blocks import Block, BlockKind, InlineKind, plain_text
from recto.document.markdown.page import ParsedPage, parse_page


def shape(blocks: tuple[Block, ...]) -> str:
    """Write kinds as ``hint(paragraph) code``."""
    return " ".join(
        f"{block.kind}({inner})" if (inner := shape(block.children)) else str(block.kind) for block in blocks
    )


def inline(markdown: str) -> list[tuple[str, str, str]]:
    page = parse_page(markdown)
    return [
        (str(piece.kind), piece.text or plain_text(piece.children), piece.target)
        for piece in page.inline(page.blocks[0])
    ]


def only(markdown: str) -> Block:
    (block,) = parse_page(markdown).blocks
    return block


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# A\n\ntext\n***\n> quote\n", "heading paragraph divider quote(paragraph)"),
        ("- a\n  1. b\n", "list(list-item(paragraph list(list-item(paragraph))))"),
        ("| a |\n|---|\n| 1 |\n", "table(table-row(table-cell) table-row(table-cell))"),
        ('{% hint style="info" %}\ntext\n{% endhint %}\n', "hint(paragraph)"),
        ("{% hint %}one line{% endhint %} after", "hint(paragraph) paragraph"),
        ("{% hint %}\nlast words.{% endhint %}", "hint(paragraph)"),
        ("text\n{% hint %}\nin\n{% endhint %}\ntext", "paragraph hint(paragraph) paragraph"),
        ("- a\n\n  {% hint %}\n  in\n  {% endhint %}\n", "list(list-item(paragraph hint(paragraph)))"),
        ("> {% hint %}\n> in\n> {% endhint %}\n", "quote(hint(paragraph))"),
        ("{% hint %}\n{% hint %}\nin\n{% endhint %}\n{% endhint %}", "hint(hint(paragraph))"),
        ("{% tabs %}{% tab title='a' %}\nx\n{% endtab %}{% endtabs %}", "tabs(tab(paragraph))"),
        ("{% tabs %}\n{% tab %}\nx\n{% tab %}\ny\n{% endtabs %}", "tabs(tab(paragraph) tab(paragraph))"),
        ("{% stepper %}\n{% step %}\n## S\n{% endstep %}\n{% endstepper %}", "stepper(step(heading))"),
        ("{% columns %}\n{% column %}\na\n{% endcolumn %}\n{% endcolumns %}", "columns(column(paragraph))"),
        ("{% updates %}\n{% update %}\na\n{% endupdate %}\n{% endupdates %}", "updates(update(paragraph))"),
        ("{% code title='x' %}\n```\na\n```\n{% endcode %}", "code"),
        ("{% code %}\n```\na\n```\n\n```\nb\n```\n{% endcode %}", "tag(code code)"),
        ("{% embed url='x' %}\n\na\n\n{% embed url='y' %}\nb\n{% endembed %}", "embed paragraph embed(paragraph)"),
        ("{% content-ref url='a.md' %}\n[a](a.md)\n{% endcontent-ref %}", "content-ref(paragraph)"),
        ("{% page-ref page='a.md' %}\n{% file src='a.zip' %}\n{% include 'a.md' %}", "content-ref file include"),
        ("{% openapi src='a' path='/b' method='get' %}\n[a](a)\n{% endopenapi %}", "openapi(paragraph)"),
        ("{% swagger %}\n{% swagger-x %}\nx\n{% endswagger-x %}\n{% endswagger %}", "swagger(swagger(paragraph))"),
        ("{% if visitor.claims.a == 'b' %}\nx\n{% endif %}", "if(paragraph)"),
        ("{% @figma/embed url='x' %}\n{% unknown %}\nx\n{% endunknown %}", "tag tag(paragraph)"),
        ("{% hint %}\nnever closed", "hint paragraph"),
        ("text\n\n{% endhint %}", "paragraph tag"),
        ("{% hint %}\n{% tabs %}\nx\n{% endhint %}", "hint(tabs paragraph)"),
        ("{% not a tag", "paragraph"),
        ("```\n{% hint %}\n```", "code"),
        ("<details>\n<summary>S</summary>\n\ntext\n</details>\nafter", "expandable(paragraph) paragraph"),
        ("<details open><summary>S</summary>text</details>", "expandable(paragraph)"),
        ("<details>\n\n<summary>S</summary>\n<details>x</details>\n</details>", "expandable(expandable(paragraph))"),
        ("{% if x %}\n<p>a</p>\n{% endif %}", "if(html)"),
        ("<details>\n<p>a</p>\n</details>", "expandable(html)"),
        ("</details>", "tag"),
        ("<figure><img src='a.png' alt=''><figcaption></figcaption></figure>\ntext", "figure paragraph"),
        ("<div data-with-frame='true'><figure><img src='a'></figure></div>", "figure"),
        ("<figure><img src='a'></figure> <figure><img src='b'></figure>", "figure figure"),
        ("<table>\n<tr><td>a\n\nb</td></tr></table>\ntext", "table(table-row(table-cell)) paragraph"),
        ("<pre class='lang-sh'><code>a\n\n<b>b</b></code></pre>", "code"),
        ("<figure><pre>a</pre><figcaption>A</figcaption></figure>\n<p>b</p>", "html"),
        ("<figure>\n<pre><code>a</code></pre>\n<figcaption>A</figcaption>\n</figure>", "code"),
        ("<div>x</div>", "html"),
        ("$$\nx^2\n$$\n\n$$y$$", "math math"),
        ("a[^1]\n\n[^1]: note\n\n[r]: x.md", "paragraph footnote(paragraph) reference"),
        ("", ""),
    ],
)  # fmt: skip
def test_blocks_are_those_of_the_field(markdown: str, expected: str) -> None:
    assert shape(parse_page(markdown).blocks) == expected


def test_blocks_know_their_lines_below_the_front_matter() -> None:
    page = parse_page(
        '\ufeff---\r\ntitle: A\r\n---\r\n\r\n# A\r\n\r\n{% hint style="info" %}\r\nx\r\n{% endhint %}\r\n'
    )
    heading, hint = page.blocks
    assert (heading.start, heading.end, hint.start, hint.end) == (4, 5, 6, 9)
    assert page.source_of(hint) == '{% hint style="info" %}\nx\n{% endhint %}'
    assert page.front_matter.values == {"title": "A"}


@pytest.mark.parametrize(
    ("markdown", "attributes"),
    [
        ("{% hint style=\"info\" icon='star' %}\nx\n{% endhint %}", {"style": "info", "icon": "star"}),
        ('{% tab title="It\'s %} here" %}', {"title": "It's %} here"}),
        ('{% embed\n   url="https://a.b"\n   caption=\'say "hi"\' %}', {"url": "https://a.b", "caption": 'say "hi"'}),
        ("{% embed url=https://a.b fullWidth=true %}", {"url": "https://a.b", "fullWidth": "true"}),
        ('{% tab title="a \\"b\\" &amp; c" %}', {"title": 'a "b" & c'}),
        ('{% include "../a b.md" %}', {"path": "../a b.md"}),
        ('{% if visitor.claims.plan == "pro" %}', {"expression": 'visitor.claims.plan == "pro"'}),
        ("```python title=x\n```", {"language": "python", "info": "title=x"}),
        ("<figure><img src='a&amp;b.png' alt='A' width='20'></figure>", {"src": "a&b.png", "alt": "A", "width": "20"}),
        ("<details open>\n</details>", {"open": "true"}),
    ],
)
def test_attributes_are_read_in_either_quotes(markdown: str, attributes: dict[str, str]) -> None:
    assert dict(only(markdown).attributes) == attributes


def test_code_in_a_wrapper_has_the_attributes_of_both() -> None:
    code = only('{% code title="a.py" lineNumbers="true" %}\n```python\nx = 1\n```\n{% endcode %}')
    assert (code.text, code.attributes) == ("x = 1", {"language": "python", "title": "a.py", "lineNumbers": "true"})


def test_tasks_know_whether_they_are_done() -> None:
    items = only("- [ ] one\n- [x] two\n- three").children
    assert [(item.attributes.get("checked"), item.children[0].text) for item in items] == [
        ("false", "one"),
        ("true", "two"),
        (None, "three"),
    ]


def test_tables_know_header_and_alignment_and_html_keeps_its_attributes() -> None:
    assert [dict(cell.attributes) for cell in only("| a | b |\n|:-:|---|\n| 1 | 2 |").children[0].children] == [
        {"header": "true", "align": "center"},
        {"header": "true"},
    ]
    table = only('<table data-view="cards"><tr><th data-hidden>A</th></tr><tr><td><b>x</b><br>y</td></tr></table>')
    assert table.attributes == {"data-view": "cards"}
    assert table.children[0].children[0].attributes == {"data-hidden": "true", "header": "true"}
    assert table.children[1].children[0].text == "<b>x</b><br>y"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("**b** *c* ~~d~~ `e`", ["strong:b", "text: ", "emphasis:c", "text: ", "strikethrough:d", "text: ", "code:e"]),
        ('[t](a.md) [m](b.md "mention")', ["link:t>a.md", "text: ", "mention:m>b.md"]),
        ("![alt](p.png)", ["image:alt>p.png"]),
        ("![what\nit *is*](p.png)", ["image:what it is>p.png"]),
        ("![a ![b\\\nc](q.png)](p.png)", ["image:a b c>p.png"]),
        ('<img src="p.png" alt="A" data-size="line"> x', ["image:A>p.png", "text: x"]),
        ("a\nb  \nc", ["text:a", "soft-break:", "text:b", "break:", "text:c"]),
        ("at 10:20:30 :smile: a:b:c", ["text:at 10:20:30 ", "emoji:smile", "text: a:b:c"]),
        ("$$a+b$$ and $5", ["math:a+b", "text: and $5"]),
        ('<code class="expression">space.vars.x</code>', ["expression:space.vars.x"]),
        ('<mark style="color:red;">**r**</mark>&#x20;x', ["highlight:r", "text: x"]),
        ('T <a href="#x" id="x"></a>', ["text:T ", "anchor:>x"]),
        ('<a class="button primary" href="u">Go</a>', ["button:Go>u"]),
        ('<i class="fa-house">:house:</i>', ["icon:house"]),
        ("<b>never closed", ["html:<b>", "text:never closed"]),
        ("x</b> <u>y</u>", ["text:x", "html:</b>", "text: ", "html:<u>", "text:y", "html:</u>"]),
        ("**a <b>b** c</b>", ["strong:a b", "text: c", "html:</b>"]),
        ("see [r] and [^1]\n\n[r]: x.md\n[^1]: n", ["text:see ", "link:r>x.md", "text: and ", "footnote:1"]),
    ],
)  # fmt: skip
def test_inline_text_is_parsed_when_asked_for(markdown: str, expected: list[str]) -> None:
    assert [f"{kind}:{text}" + (f">{target}" if target else "") for kind, text, target in inline(markdown)] == expected


def test_a_cell_has_the_lines_of_its_row() -> None:
    (table,) = parse_page("\n| a | b |\n|---|---|\n| c | d |\n").blocks
    cells = [[(cell.start, cell.end) for cell in row.children] for row in table.children]
    assert cells == [[(1, 2), (1, 2)], [(3, 4), (3, 4)]]


def test_cells_beyond_the_columns_of_a_table_stay_to_be_read() -> None:
    table = only("| a | b |\n|---|---|\n| 1 | 2 | 3 | `x\\|y` |\n| 1 | 2 ||\n| 1 |\n")
    assert [[cell.text for cell in row.children] for row in table.children[1:]] == [
        ["1", "2 | 3 | `x\\|y`"],
        ["1", "2"],
        ["1", ""],
    ]
    (quote,) = parse_page("> | a | b |\n> |---|---|\n> | 1 | 2 |\n").blocks
    assert [cell.text for cell in quote.children[0].children[1].children] == ["1", "2"]


def test_html_cells_become_lines() -> None:
    page = parse_page("<table><tr><td><p>a</p><ul><li>b</li><li>c &amp; d</li></ul></td></tr></table>")
    cell = page.blocks[0].children[0].children[0]
    assert plain_text(page.inline(cell)) == "a • b • c & d"


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5000 + " deep",
        "\n".join("  " * depth + f"- item {depth}" for depth in range(200)),
        "{% hint %}\n" * 500 + "x\n" + "{% endhint %}\n" * 500,
        "{% hint " + '"' * 5000,
        "<details>\n" * 300,
        "<b>" * 5000,
        "[" * 20000,
        "*a **b" * 5000,
        '<a "' * 5000,
        "<table>" * 2000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_only_text(text: str) -> None:
    page = parse_page(text)
    for block in page.walk():
        page.inline(block)
    assert list_uncovered(page) == []


def list_uncovered(page: ParsedPage) -> list[str]:
    covered = {line for block in page.blocks for line in range(block.start, block.end)}
    covered.update(range(page.front_matter.lines))
    return [line for number, line in enumerate(page.lines) if line.strip() and number not in covered]


PIECES = [
    "{% hint style='info' %}",
    "{% endhint %}",
    "{% tabs %}",
    "{% tab title=\"a\" %}",
    "{% endtab %}",
    "{% endtabs %}",
    "{% code %}",
    "{% endcode %}",
    "{% embed url='x' %}",
    "{% @a/b %}",
    "<details>",
    "<summary>s</summary>",
    "</details>",
    "<figure><img src='a'></figure>",
    "<table><tr><td>",
    "</table>",
    "```",
    "- word",
    "  word",
    "    word",
    "> word",
    "1. word",
    "# word",
    "| a | b |",
    "|---|---|",
    "[^1]: word",
    "[r]: word",
    "$$",
    "---",
    "word word",
    "word {% endhint %}",
    "",
]  # fmt: skip


@pytest.mark.slow
@settings(derandomize=True, max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join))
def test_no_line_is_ever_lost_and_blocks_stay_in_order(text: str) -> None:
    page = parse_page(text)
    assert list_uncovered(page) == []
    for block in page.walk():
        assert 0 <= block.start <= block.end <= len(page.lines)
        for first, second in pairwise(block.children):
            assert first.start <= second.start
        page.inline(block)
    words = " ".join(f"{block.text} {' '.join(block.attributes.values())}" for block in page.walk())
    assert words.count("word") >= text.count("word") - page.front_matter.source.count("word")


def test_kinds_are_words() -> None:
    assert (str(BlockKind.CONTENT_REF), str(InlineKind.SOFT_BREAK)) == ("content-ref", "soft-break")


def test_a_text_that_was_read_without_definitions_is_read_anew_where_a_page_has_some() -> None:
    for definitions, kinds in (("", ["text"]), ("\n\n[r]: https://a.b", ["link"]), ("", ["text"])):
        page = parse_page(f"[words][r]{definitions}\n")
        assert [inline.kind for inline in page.inline(page.blocks[0])] == kinds
