from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from recto.contract.rich_text import Document
from recto.document.markdown.block_keys import fresh_keys
from recto.document.markdown.page import parse_page
from recto.document.rich_text.fragments import document_nodes
from recto.document.rich_text.inline_nodes import reference
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rewriting import rewrite
from recto.document.rich_text.rich_pages import document_json, page_nodes, to_document
from support.block_pages import BLOCKS
from support.hostile import SIZED
from support.pages import COSTLY, EVERYTHING, HOSTILE
from support.slow import with_slow


def blocks(nodes: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for node in nodes:
        if node["object"] == "block":
            yield node
        yield from blocks(node.get("nodes", []))


def plain(markdown: str) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = to_document(markdown).model_dump(by_alias=True, mode="json")["nodes"]
    return nodes


def without_keys(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: without_keys(value) for name, value in node.items() if name != "key"}
    return [without_keys(item) for item in node] if isinstance(node, list) else node


SAMPLES = [
    "# One\n\n## Two\n\n##### Five\n",
    "Plain **bold** *italic* ~~gone~~ `code` ***both*** and **`code`**.\n",
    "A [link](a.md), [titled](<a b.md> \"t\"), [m](m.md \"mention\") and ![pic](p.png).\n",
    'Text :smile: $$a+b$$ <code class="expression">space.vars.x</code> <mark style="color:red;">red</mark>.\n',
    'See[^1] <i class="fa-house">:house:</i> <a class="button" href="u">Go</a>\n\n[^1]: A note.\n',
    '# Title <a href="#x" id="x"></a>\n',
    "1 \\* 2 \\_ 3 \\[not] a link \\<b> \\`c\\` 5 | 6 $ \\# a\\~b &amp;lt; http://x.y/a_b_c\n",
    "1\\. not a list\n\n\\- nor this\n\n\\# nor a heading\n\n\\{% hint %}\n",
    "one\\\ntwo\n",
    "- a\n- b\n  - c\n\n    more\n- d\n",
    "3. three\n4. four\n\n   - inner\n",
    "- one list\n\n* another\n\n1. third\n\n1) fourth\n",
    "- [ ] open\n- [x] done\n",
    "> quoted\n>\n> - list\n",
    "```python\nx = 1\n\n  y\n```\n\n````\n```\n````\n",
    '{% code title="a \'b\'" lineNumbers="true" %}\n```sh\nls\n```\n{% endcode %}\n',
    '{% hint style="warning" %}\nCareful.\n\n- list\n{% endhint %}\n',
    '{% tabs %}\n{% tab title="A & B" %}\na\n{% endtab %}\n\n{% tab %}\n```\nb\n```\n{% endtab %}\n{% endtabs %}\n',
    "{% stepper %}\n{% step %}\n### S\n\ntext\n{% endstep %}\n{% endstepper %}\n",
    '{% columns %}\n{% column width="50%" %}\na\n{% endcolumn %}\n{% endcolumns %}\n',
    '{% updates format="full" %}\n{% update date="2024-01-01" %}\n## U\n{% endupdate %}\n{% endupdates %}\n',
    "<details open>\n\n<summary>More <b>here</b> &amp; there</summary>\n\ntext\n\n</details>\n",
    "| a | b |\n|:-:|---|\n| `x\\|y` | **z**<br>w |\n",
    "| a |\n|---|\n| x | kept too |\n",
    '<table data-view="cards"><tr><th>A</th></tr><tr><td>x</td></tr></table>\n',
    '<figure><img src="a.png" alt="A"><figcaption><p>Cap</p></figcaption></figure>\n',
    "<figure><img src='a'></figure> <figure><img src='b'></figure>\n",
    '{% embed url="https://x.y" %}\n\n{% file src="a.zip" %}\n\n{% include "../i.md" %}\n',
    '{% embed url="https://x.y" %}\nCaption\n{% endembed %}\n',
    '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}\n\n{% page-ref page="b.md" %}\n',
    '{% openapi src="a.yaml" path="/x" method="get" %}\n[a.yaml](a.yaml)\n{% endopenapi %}\n',
    '{% if visitor.claims.a == "b" %}\n<p>html</p>\n{% endif %}\n',
    "{% @figma/embed url=\"x\" %}\n\n{% odd %}\nx\n{% endodd %}\n",
    "$$\nx^2\n$$\n\n***\n\n<div>html</div>\n\n[r]: https://x.y\n",
    "資料庫**粗體**文字。**「引號」**後\n",
]  # fmt: skip


@pytest.mark.parametrize("markdown", SAMPLES)
def test_a_page_survives_the_way_through_rich_text(markdown: str) -> None:
    document = to_document(markdown)
    written = to_markdown(document)
    assert without_keys(plain(written)) == without_keys(plain(markdown))
    assert to_markdown(to_document(written)) == written
    assert Document.model_validate_json(document.to_json()) == document


def test_types_and_marks_are_those_of_the_field() -> None:
    (paragraph, tasks) = plain("A **b** [c](/pages/P1#x)\n\n- [x] d\n")
    assert paragraph["type"] == "paragraph"
    text, link = paragraph["nodes"]
    assert [(leaf["text"], [mark["type"] for mark in leaf["marks"]]) for leaf in text["leaves"]] == [
        ("A ", []),
        ("b", ["bold"]),
        (" ", []),
    ]
    assert link["data"]["ref"] == {"kind": "anchor", "page": "P1", "anchor": "x"}
    assert (tasks["type"], tasks["nodes"][0]["type"]) == ("list-tasks", "list-item")
    assert tasks["nodes"][0]["data"] == {"checked": True}


def test_blocks_carry_the_keys_of_the_page() -> None:
    markdown = "# A\n\n{% hint %}\n- b\n{% endhint %}\n\n| a |\n|---|\n| b |\n"
    assert [block["key"] for block in blocks(document_nodes(to_document(markdown)))] == list(
        fresh_keys(parse_page(markdown))
    )


def test_every_key_is_there_once() -> None:
    for markdown in SAMPLES:
        keys = [block["key"] for block in blocks(plain(markdown))]
        assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/pages/P", {"kind": "page", "page": "P"}),
        ("/files/F", {"kind": "file", "file": "F"}),
        ("a.md#x", {"kind": "url", "url": "a.md#x"}),
    ],
)
def test_links_are_references(target: str, expected: dict[str, str]) -> None:
    assert reference(target) == expected


def test_blocks_of_others_are_written_as_far_as_they_can_be() -> None:
    def text(words: str) -> dict[str, Any]:
        return {"object": "text", "leaves": [{"object": "leaf", "text": words, "marks": []}]}

    document = Document.model_validate(
        {
            "object": "document",
            "data": {"schemaVersion": 9},
            "nodes": [
                {"object": "block", "type": "strange", "key": "1", "nodes": [text("Kept.")]},
                {"object": "block", "type": "drawing", "key": "2", "isVoid": True, "data": {"file": "F"}},
                {
                    "object": "block",
                    "type": "images",
                    "nodes": [{"object": "block", "type": "image", "data": {"ref": {"kind": "file", "file": "F"}}}],
                },
                {
                    "object": "block",
                    "type": "paragraph",
                    "nodes": [{"object": "inline", "type": "emoji", "data": {"code": "1f3e0"}}],
                },
            ],
        }
    )
    assert (
        to_markdown(document) == 'Kept.\n\n<!-- drawing: {"file": "F"} -->\n\n'
        '<figure><img src="/files/F" alt=""><figcaption></figcaption></figure>\n\n🏠\n'
    )


@pytest.mark.parametrize(
    ("node", "written"),
    [
        ({"type": "heading-1", "data": {"level": "q"}}, "# Kept.\n"),
        ({"type": "heading-9"}, "###### Kept.\n"),
        ({"type": "strange", "data": {"tag": ""}, "nodes": []}, "{% strange %}\n{% endstrange %}\n"),
        ({"type": "paragraph", "data": 5}, "Kept.\n"),
        ({"type": "paragraph", "leaves": [7], "fragments": [None]}, "Kept.\n"),
    ],
)
def test_values_that_make_no_sense_are_passed_over(node: dict[str, Any], written: str) -> None:
    kept = {"object": "text", "leaves": [{"text": "Kept.", "marks": 5}, "?"]}
    document = Document.model_validate({"nodes": [{"object": "strange", "nodes": [kept, 5], **node}]})
    assert to_markdown(document) == written


def test_references_and_numbers_that_make_no_sense_are_passed_over() -> None:
    link = {"object": "inline", "type": "link", "data": {"ref": 5}}
    item = {"object": "block", "type": "list-item", "nodes": [link]}
    document = Document.model_validate(
        {"nodes": [{"object": "block", "type": "list-ordered", "data": {"start": []}, "nodes": [item]}]}
    )
    assert to_markdown(document) == "1. []()\n"


def test_an_empty_page_is_an_empty_document() -> None:
    assert (to_document("").nodes, to_markdown(to_document(""))) == ((), "")


# Large pages

PAGES = {**BLOCKS, **HOSTILE, "everything": EVERYTHING, **{name: make(200) for name, make in SIZED.items()}}


@pytest.mark.parametrize("name", with_slow(PAGES, COSTLY))
def test_the_json_of_a_page_and_its_nodes_are_those_of_its_document(name: str) -> None:
    document = to_document(PAGES[name])
    assert json.loads(document_json(PAGES[name])) == json.loads(document.to_json())
    assert write_in_full(page_nodes(PAGES[name])) == write_in_full(document_nodes(document))


def write_in_full(value: Any) -> Any:
    """Return nodes without what says nothing."""
    if isinstance(value, Mapping):
        full = {name: write_in_full(each) for name, each in value.items()}
        return {name: each for name, each in full.items() if each not in (None, [], {}, False)}
    return [write_in_full(each) for each in value] if isinstance(value, list) else value


def test_no_model_is_made_of_a_page_that_is_given_out_or_written_back(monkeypatch: pytest.MonkeyPatch) -> None:
    text = EVERYTHING.partition("---\n\n")[2]
    document = to_document(text)
    nodes = [*document.nodes[1:], document.nodes[0]]
    changed = document.model_copy(update={"nodes": tuple(nodes)})

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("validating a large page holds all other threads for seconds")

    monkeypatch.setattr(Document, "model_validate", refuse)
    assert document_json(text)
    assert rewrite(text, changed) != text


@pytest.mark.parametrize("levels", [99, 100, 150, 900])
def test_a_comment_of_deeply_nested_data_stands_for_a_block_up_to_a_limit(levels: int) -> None:
    text = f'<!-- strange: {{"a": {"[" * levels}{"]" * levels}}} -->\n'
    (node,) = json.loads(document_json(text))["nodes"]
    assert node["type"] == ("strange" if levels < 100 else "html")
    document = Document.model_validate({"nodes": [node]})
    assert rewrite("Other.\n", document) == text


def test_numbers_in_a_comment_that_json_does_not_have_are_none() -> None:
    text = '<!-- strange: {"a": NaN, "b": 1e999, "c": -Infinity, "d": 1.5} -->\n'
    (node,) = json.loads(document_json(text))["nodes"]
    assert node["data"] == {"a": None, "b": None, "c": None, "d": 1.5}


@pytest.mark.slow
@pytest.mark.parametrize("space", [" ", "\n", " \n", "\u2003"])
@pytest.mark.parametrize("mark", [(), ("bold",)])
def test_a_long_run_of_spaces_is_written_in_time_that_grows_with_it(space: str, mark: Sequence[str]) -> None:
    marks = [{"object": "mark", "type": each, "data": {}} for each in mark]
    leaf = {"object": "leaf", "text": f"a{space * 50_000}a", "marks": marks}
    paragraph = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    assert len(to_markdown(Document.model_validate({"object": "document", "nodes": [paragraph]}))) > 50_000


@pytest.mark.parametrize("text", ["  a", "a  ", " \n a\n\nb ", "\n\na", "\u2003a\nb", "a \n b"])
def test_white_space_at_the_ends_and_beside_line_breaks_stays(text: str) -> None:
    leaf = {"object": "leaf", "text": text, "marks": []}
    paragraph = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    written = to_markdown(Document.model_validate({"object": "document", "nodes": [paragraph]}))
    (again,) = plain(written)
    assert "".join(leaf["text"] for node in again["nodes"] for leaf in node["leaves"]) == text
