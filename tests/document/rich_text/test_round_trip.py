"""Markdown to rich text and back: the same blocks, the same words, and a second trip that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recto.contract.rich_text import Document
from recto.document.markdown.blocks import Block, BlockKind, plain_text
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.rich_text.fragments import document_nodes
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rich_pages import sent_keys, to_document
from support.pages import COSTLY, EVERYTHING, HOSTILE, SAMPLES, sample_pages
from support.slow import with_slow

_SPOKEN = frozenset(
    {BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.TABLE_CELL, BlockKind.EXPANDABLE, BlockKind.FIGURE}
)


def nodes_of(document: Document) -> list[dict[str, Any]]:
    """Return the nodes in the form without fragments."""
    return [dict(node) for node in document_nodes(document)]


def without_keys(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: without_keys(value) for name, value in node.items() if name != "key"}
    return [without_keys(item) for item in node] if isinstance(node, list) else node


def walk(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from walk(node.get("nodes", []))


def meaning(page: ParsedPage, block: Block) -> Any:
    """What a block is and says, white space and ways of spelling it aside."""
    text = plain_text(page.inline(block)) if block.kind in _SPOKEN else block.text
    # Code can be written in several ways that mean the same.
    name = "" if block.kind is BlockKind.CODE else block.name
    inside = [meaning(page, child) for child in block.children]
    return str(block.kind), name, block.level, dict(block.attributes), " ".join(text.split()), inside


def meanings(page: ParsedPage) -> list[Any]:
    return [meaning(page, block) for block in page.blocks]


def numbered(page: ParsedPage) -> Document:
    """Return a page as rich text whose keys say nothing but the place of each block."""
    return to_document(page, [str(place) for place, _ in enumerate(page.walk())])


def go_and_return(markdown: str) -> str:
    """Take a page through rich text and back, hold it to its blocks and inlines, and return it as it was written."""
    page = parse_page(markdown)
    document = numbered(page)
    written = to_markdown(document)
    again = parse_page(written)
    assert numbered(again) == document
    assert [block.kind for block in again.walk()] == [block.kind for block in page.walk()]
    return written


# For each kind of block and inline, in which types of rich text it is told apart.
KINDS: dict[str, tuple[str, list[str]]] = {
    "headings": ("# A\n\n## B\n\n### C\n\n#### D\n", ["heading-1", "heading-2", "heading-3"]),
    "heading with anchor": ('## A <a href="#x" id="x"></a>\n', ["heading-2", "anchor"]),
    "heading that ends in #": ("## C \\#\n", ["heading-2"]),
    "hint": ('{% hint style="info" icon="bolt" %}\nA\n{% endhint %}\n', ["hint", "paragraph"]),
    "hint, single quotes": ("{% hint style='danger' %}\nA\n{% endhint %}\n", ["hint"]),
    "tabs": (
        '{% tabs %}\n{% tab title="A" icon="a" %}\na\n{% endtab %}\n\n{% tab %}\nb\n{% endtab %}\n{% endtabs %}\n',
        ["tabs", "tabs-item"],
    ),
    "code": (
        '{% code title="a" overflow="wrap" lineNumbers="true" expandable="true" fullWidth="true" %}\n'
        "```js\nx\n```\n{% endcode %}\n\n```mermaid\ngraph\n```\n\n    indented\n",
        ["code", "code-line"],
    ),
    "code in html": (
        '<pre class="language-sh" data-title="T"><code class="lang-sh"><strong>a</strong> b\n</code></pre>\n', ["code"]
    ),
    "expandable": ("<details open>\n\n<summary>A <b>b</b></summary>\n\n* x\n\n</details>\n", ["expandable"]),
    "images": (
        '<figure><img src="a.png" alt="A" width="3"><figcaption><p>Cap <strong>b</strong></p></figcaption></figure>\n\n'
        '<div data-with-frame="true"><figure><img src="/files/F" alt=""><figcaption></figcaption></figure></div>\n\n'
        '<picture><source srcset="d.png" media="(prefers-color-scheme: dark)"><img src="l.png" alt=""></picture>\n',
        ["images", "image"],
    ),
    "pictures in one line": ("<figure><img src='a'></figure> <figure><img src='b'></figure>\n", ["images", "image"]),
    "drawing": ('<img src="a.svg" alt="" class="gitbook-drawing">\n', ["drawing", "image"]),
    "inline picture": ('A ![b](c.png "t") <img src="d" alt="" data-size="line"> e\n', ["inline-image"]),
    "content-ref": (
        '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}\n\n{% page-ref page="b.md" %}\n',
        ["content-ref"],
    ),
    "embed": (
        '{% embed url="https://x.y" caption="C" %}\n\n{% embed url="https://x.z" %}\nC\n{% endembed %}\n', ["embed"]
    ),
    "file": ('{% file src="/files/F" caption="C" %}\n', ["file"]),
    "stepper": ("{% stepper %}\n{% step %}\n## A\n\nb\n{% endstep %}\n{% endstepper %}\n", ["stepper", "stepper-step"]),
    "columns": (
        '{% columns %}\n{% column width="50%" valign="top" %}\na\n{% endcolumn %}\n\n'
        "{% column %}\nb\n{% endcolumn %}\n{% endcolumns %}\n",
        ["columns", "column"],
    ),
    "include": ('{% include "../a.md" %}\n\n{% include "/reusable-content/R" %}\n', ["reusable-content"]),
    "openapi": (
        '{% openapi src="a.yaml" path="/x" method="get" %}\n[a.yaml](a.yaml)\n{% endopenapi %}\n\n'
        '{% openapi-operation spec="s" path="/x" method="get" %}\n[s](s)\n{% endopenapi-operation %}\n\n'
        '{% openapi-webhook spec="s" name="w" %}\n\n{% openapi-schemas spec="s" schemas="A" %}\n',
        ["openapi-operation", "openapi-webhook", "openapi-schemas"],
    ),
    "swagger": (
        '{% swagger method="get" path="/x" baseUrl="y" summary="S" %}\n{% swagger-description %}\nD\n'
        '{% endswagger-description %}\n\n{% swagger-parameter in="path" name="p" %}\nP\n{% endswagger-parameter %}\n\n'
        '{% swagger-response status="200" %}\n```\n{}\n```\n{% endswagger-response %}\n{% endswagger %}\n',
        ["swagger"],
    ),
    "updates": (
        '{% updates format="full" %}\n{% update date="2026-01-01" %}\n## A\n{% endupdate %}\n{% endupdates %}\n',
        ["updates", "update"],
    ),
    "if": ('{% if visitor.claims.plan === "pro" && !x %}\nA\n{% endif %}\n', ["if"]),
    "integration": (
        '{% @figma/embed url="u" title="T" %}\n\n{% prompt description="d" %}\nx\n{% endprompt %}\n',
        ["integration", "prompt"],
    ),
    "cards": (
        '<table data-view="cards"><thead><tr><th>T</th>'
        '<th data-hidden data-card-target data-type="content-ref">G</th></tr></thead><tbody><tr>'
        '<td><strong>a</strong><br>b</td><td><a href="a.md">a.md</a></td></tr></tbody></table>\n',
        ["table", "table-row", "table-cell"],
    ),
    "table": ("| a | b |\n|:-:|--:|\n| `x\\|y` | **z**<br>w |\n| [l](u) |  |\n", ["table", "table-row", "table-cell"]),
    "button": ('<a href="u" class="button primary" data-icon="bolt">Go</a>\n', ["button"]),
    "math": ("$$\nx^2\n$$\n\nA $$y$$ b\n", ["math", "inline-math"]),
    "lists": (
        "- a\n- b\n  1. c\n  2. d\n\n     e\n\n* other\n\n3) three\n4) four\n\n- [ ] open\n- [x] done\n",
        ["list-unordered", "list-ordered", "list-tasks", "list-item"],
    ),
    "mention": ('[T](page.md "mention") [T](/pages/P "title")\n', ["mention", "link"]),
    "emoji": (':smile: <i class="fa-house">:house:</i>\n', ["emoji", "icon"]),
    "expression": (
        'A <code class="expression">space.vars.a_b ? `${x}*` : "*y*" &amp;&amp; 1 &lt; 2</code>\n', ["expression"]
    ),
    "marks": (
        '<mark style="color:red;">r **b**</mark> ~~s~~ H<sub>2</sub>O x<sup>2</sup> **a *b* c**d `e` <kbd>Ctrl</kbd>\n',
        ["paragraph"],
    ),
    "marks over code and links": ("**Add the `code` and [l](u) :smile: x** y\n", ["link", "emoji"]),
    "white space": ("&#x20;a <strong>b </strong>c&#x20;\n\n<br>d<br><br>e\\\nf\n\n[g ](u)h ` i ` j\n", ["paragraph"]),
    "footnotes": (
        'A[^1] <a data-footnote-ref href="#user-content-fn-2">2</a>\n\n[^1]: One\n', ["annotation", "footnote"]
    ),
    "quote": ("> a\n>\n> > b\n>\n> - c\n", ["blockquote"]),
    "divider": ("a\n\n***\n\nb\n", ["divider"]),
    "html": ('<div class="x">\n<p>a</p>\n</div>\n\nA <u>b</u> <!-- c\n- d --> e\n', ["html"]),
    "definitions": ("[a][r]\n\n[r]: https://x.y \"t\"\n", ["link", "reference"]),
    "broken link": ("[a](/broken/pages/P)\n", ["link"]),
    "unknown tags": ('{% odd a="%&#125;" %}\nx\n{% endodd %}\n\n{% endhint %}\n\n{% hint %}\n', ["tag", "hint"]),
    "what looks like more": (
        "1\\. a\n\n\\- b\n\n\\# c\n\n&#123;% hint %}\n\na &lt;/details> \\{% endhint %}\n\n+ \\+ d\n\n\\=== e\n",
        ["paragraph"],
    ),
    "front matter": ("---\ntitle: A\n---\n\nb\n", ["paragraph"]),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_block_survives_and_is_distinguished(name: str) -> None:
    markdown, types = KINDS[name]
    written = go_and_return(markdown)
    assert meanings(parse_page(written)) == meanings(parse_page(markdown))
    assert set(types) <= {node.get("type") for node in walk(nodes_of(to_document(markdown)))}
    assert go_and_return(written) == written


@pytest.mark.parametrize("name", with_slow(HOSTILE, COSTLY))
def test_pages_that_mean_ill_survive(name: str) -> None:
    go_and_return(HOSTILE[name])


def test_a_page_of_everything_survives() -> None:
    written = go_and_return(EVERYTHING)
    assert meanings(parse_page(written)) == meanings(parse_page(EVERYTHING))
    assert go_and_return(written) == written


SHARDS = 4


@pytest.mark.slow
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample documentation is not beside the repository")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_page_of_the_samples_survives(shard: int) -> None:
    for text in dict.fromkeys(file.read_text(encoding="utf-8") for file in sample_pages()[shard::SHARDS]):
        go_and_return(text)


_PIECES = [
    *(
        "**",
        "*",
        "_",
        "~~",
        "`",
        "``",
        "[",
        "](u)",
        "![",
        "<br>",
        "<b>c</b>",
        "\\",
        "\\\n",
        "\n",
        "  ",
        " ",
        "&#x20;",
    ),
    *(
        "$$",
        " :a: ",
        "<",
        ">",
        "|",
        "{%",
        "%}",
        "a",
        "b c",
        "1.",
        "#",
        "-",
        "+",
        "=",
        "!",
        "&amp;",
        "&lt;",
        "資",
        "。",
        "“",
    ),
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
@example("![![\\\n](u)](u)")
def test_any_line_of_text_survives(text: str) -> None:
    document = to_document(f"x{text}")
    written = to_markdown(document)
    assert without_keys(nodes_of(to_document(written))) == without_keys(nodes_of(document))


_MARKS = st.lists(st.sampled_from(["bold", "italic", "strikethrough", "code", "color", "superscript"]), unique=True)
_LEAVES = st.lists(
    st.tuples(st.text(st.sampled_from("ab 資。*_~`[]<>\\\n#1.-$:|&!"), min_size=1, max_size=5), _MARKS), max_size=5
)


@settings(max_examples=200, deadline=None)
@given(_LEAVES, st.sampled_from(["paragraph", "heading-2", "table-cell"]))
def test_any_marked_text_is_written_so_that_it_reads_the_same(leaves: list[tuple[str, list[str]]], type: str) -> None:
    text = {
        "object": "text",
        "leaves": [
            {"object": "leaf", "text": words, "marks": [{"object": "mark", "type": mark} for mark in marks]}
            for words, marks in leaves
        ],
    }
    node: dict[str, Any] = {"object": "block", "type": type, "nodes": [text]}
    if type == "table-cell":
        node = {
            "object": "block",
            "type": "table",
            "nodes": [{"object": "block", "type": "table-row", "nodes": [node]}],
        }
    written = to_markdown(Document.model_validate({"nodes": [node]}))

    def characters_of(pairs: list[tuple[str, Any]]) -> list[tuple[str, frozenset[str]]]:
        joined: list[tuple[str, frozenset[str]]] = []
        for words, marks in pairs:
            characters = words.replace("\n", " ") if "code" in marks else words
            joined += [(character, frozenset(marks)) for character in characters]
        while joined and joined[-1][0] == "\n":
            joined.pop()
        return joined

    read = [
        (leaf["text"], [mark["type"] for mark in leaf["marks"]])
        for node in walk(nodes_of(to_document(written)))
        for leaf in node.get("leaves", [])
    ]
    assert characters_of(read) == characters_of(leaves), written


def changed(markdown: str, change: Any) -> str:
    nodes = nodes_of(to_document(markdown))
    change(nodes)
    return to_markdown(Document.model_validate({"nodes": nodes}))


def test_what_was_changed_counts_and_not_the_source_beside_it() -> None:
    def leaf(node: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = next(each for each in walk([node]) if each.get("leaves"))["leaves"][0]
        return found

    cards = KINDS["cards"][0]
    written = changed(cards, lambda nodes: leaf(nodes[0]["nodes"][1]["nodes"][0]).update(text="new & <b>"))
    assert "<td><strong>new &amp; &lt;b&gt;</strong><br>b</td>" in written
    assert 'data-view="cards"' in written
    assert 'data-card-target="true"' in written
    go_and_return(written)

    figure = '<figure><img src="a.png" alt="A" width="3"><figcaption><p>Cap</p></figcaption></figure>\n'
    assert changed(figure, lambda nodes: leaf(nodes[0]).update(text="Other")) == figure.replace("Cap", "Other")
    assert 'src="/files/F"' in changed(
        figure, lambda nodes: nodes[0]["nodes"][0]["data"].update(ref={"kind": "file", "file": "F"})
    )
    wide = "| a |\n|---|\n| x | kept |\n"
    assert changed(wide, lambda nodes: nodes) == wide
    assert "| y \\| kept |" in changed(wide, lambda nodes: leaf(nodes[0]["nodes"][1]).update(text="y | kept"))
    embed = '{% embed url="https://x.y" %}\n'
    assert changed(embed, lambda nodes: nodes[0]["data"].update(url="https://x.z")) == embed.replace("x.y", "x.z")
    card = '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}\n'
    assert '{% content-ref url="/pages/P" %}' in changed(
        card, lambda nodes: nodes[0]["data"].update(ref={"kind": "page", "page": "P"})
    )
    more = "<details>\n\n<summary>A <b>b</b></summary>\n\nx\n\n</details>\n"
    assert "<summary>C &amp; d</summary>" in changed(more, lambda nodes: nodes[0]["data"].update(title="C & d"))


@pytest.mark.parametrize(
    ("node", "written"),
    [
        (
            {"type": "reusable-content", "data": {"ref": {"kind": "reusable-content", "reusableContent": "R"}}},
            '{% include "/reusable-content/R" %}\n',
        ),
        ({"type": "file", "data": {"ref": {"kind": "file", "file": "F"}}}, '{% file src="/files/F" %}\n'),
        ({"type": "strange-one", "data": {"a": "b--c"}}, '<!-- strange-one: {"a": "b-\\u002dc"} -->\n'),
    ],
)  # fmt: skip
def test_blocks_of_other_services_are_read_again(node: dict[str, Any], written: str) -> None:
    assert to_markdown(Document.model_validate({"nodes": [{"object": "block", **node}]})) == written
    (read,) = nodes_of(to_document(written))
    assert read["type"] == node["type"]
    assert node["data"].items() <= read["data"].items()
    go_and_return(written)


def test_unknown_inlines_are_read_again() -> None:
    inline = {"object": "inline", "type": "tag-of-theirs", "isVoid": True, "data": {"tag": "T"}}
    paragraph = {"object": "block", "type": "paragraph", "nodes": [inline]}
    written = to_markdown(Document.model_validate({"nodes": [paragraph]}))
    read = [node for node in walk(nodes_of(to_document(written))) if node["object"] == "inline"]
    assert [(node["type"], node["data"]) for node in read] == [("tag-of-theirs", {"tag": "T"})]


def test_a_comment_stands_for_no_block_that_is_written_otherwise() -> None:
    go_and_return('<!-- paragraph: {} -->\n\n<!-- html: {"source": "# a"} -->\n\n<!-- odd: {"a": } -->\n')


def test_blocks_keep_the_keys_that_they_are_sent_with() -> None:
    nodes = nodes_of(to_document("# A\n\nOne.\n\n- two\n- three\n\n| a |\n|---|\n| b |\n"))
    for number, node in enumerate(each for each in walk(nodes) if each["object"] == "block"):
        node["key"] = f"own-{number}"
    nodes.insert(0, nodes.pop())
    document = Document.model_validate({"nodes": nodes})
    page = parse_page(to_markdown(document))
    sent = [node["key"] for node in walk(nodes) if node["object"] == "block"]
    assert sent_keys(document, page) == sent
    nodes[0]["key"] = nodes[1]["key"]
    nodes[2]["key"] = "<b>"
    document = Document.model_validate({"nodes": nodes})
    found = sent_keys(document, page)
    assert (found[0], found.count(None)) == (None, 3)
