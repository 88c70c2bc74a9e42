"""Rich text in fragments, as hosted services have it: it is read, and what is made has the same form."""

from __future__ import annotations

from typing import Any

import pytest

from recto.contract.rich_text import Block, Document
from recto.document.markdown.page import parse_page
from recto.document.rich_text.fragments import document_nodes
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rich_pages import sent_keys, to_document
from support.block_pages import BLOCKS
from support.pages import COSTLY, EVERYTHING, HOSTILE, SAMPLES, sample_pages
from support.slow import with_slow

Node = dict[str, Any]


def text(words: str, *marks: str) -> Node:
    leaf = {"object": "leaf", "text": words, "marks": [{"object": "mark", "type": mark} for mark in marks]}
    return {"object": "text", "key": "t", "leaves": [leaf]}


def block(type: str, *nodes: Node, **further: Any) -> Node:
    return {"object": "block", "type": type, "isVoid": False, "data": {}, "nodes": list(nodes), **further}


def fragment(name: str, *nodes: Node, **further: Any) -> Node:
    return {"object": "fragment", "key": f"key-{name}", "fragment": name, "nodes": list(nodes), **further}


def markdown_of(*nodes: Node) -> str:
    return to_markdown(Document.model_validate({"nodes": list(nodes)}))


EXPANDABLE = block(
    "expandable",
    isVoid=True,
    fragments=[
        fragment("a", block("paragraph", text("What is "), text("in it", "bold")), type="expandable-title"),
        fragment("expandable-body", block("paragraph", text("This.")), block("divider", isVoid=True)),
    ],
)
TABLE = block(
    "table",
    isVoid=True,
    data={
        "view": {"type": "grid", "columns": ["b", "a", "n", "s", "c", "f"]},
        "definition": {
            "a": {"id": "a", "title": "First", "type": "text", "textAlignment": "right"},
            "b": {"id": "b", "title": "Second", "type": "text"},
            "n": {"id": "n", "title": "Count", "type": "number"},
            "s": {"id": "s", "title": "State", "type": "select", "options": [{"value": "o1", "label": "Open"}]},
            "c": {"id": "c", "title": "Done", "type": "checkbox"},
            "f": {"id": "f", "title": "Files", "type": "files"},
        },
        "records": {
            "r2": {"orderIndex": "b", "values": {"a": "f3", "n": 0, "s": [], "c": False, "f": []}},
            "r1": {
                "orderIndex": "a",
                "values": {"a": "f1", "b": "f2", "n": 2.5, "s": ["o1"], "c": True, "f": ["F1", "F2"]},
            },
        },
    },
    fragments=[
        fragment("f1", block("paragraph", text("one", "code")), block("paragraph", text("more"))),
        fragment("f2", block("list-unordered", block("list-item", block("paragraph", text("item"))))),
        fragment("f3", block("paragraph", text("two"))),
    ],
)
CARDS = block(
    "table",
    isVoid=True,
    data={
        "view": {"type": "cards", "cardSize": "large", "columns": ["t"], "targetDefinition": "g"},
        "definition": {"t": {"id": "t", "title": "", "type": "text"}, "g": {"id": "g", "type": "content-ref"}},
        "records": {"r": {"orderIndex": "a", "values": {"t": "f", "g": {"kind": "page", "page": "P"}}}},
    },
    fragments=[fragment("f", block("paragraph", text("Title")))],
)


def test_the_contract_keeps_fragments_with_their_nodes_typed() -> None:
    (read,) = Document.model_validate({"nodes": [EXPANDABLE]}).nodes
    assert isinstance(read, Block)
    assert [each.type for each in read.fragments] == ["expandable-title", None]
    assert isinstance(read.fragments[1].nodes[0], Block)
    assert "fragments" not in to_document("words").model_dump_json(exclude_unset=True)


def test_the_title_and_the_body_of_an_expandable_are_read() -> None:
    assert markdown_of(EXPANDABLE) == (
        "<details>\n\n<summary>What is <strong>in it</strong></summary>\n\nThis.\n\n***\n\n</details>\n"
    )


def test_the_cells_of_a_table_are_read_in_the_order_of_its_view_and_records() -> None:
    assert markdown_of(TABLE) == (
        '<table><thead><tr><th>Second</th><th align="right">First</th><th data-type="number">Count</th>'
        '<th data-type="select">State</th><th data-type="checkbox">Done</th>'
        '<th data-type="files">Files</th></tr>'
        '</thead><tbody><tr><td>• item</td><td align="right"><code>one</code><br>more</td><td>2.5</td><td>Open</td>'
        "<td>✓</td>"
        '<td><a href="/files/F1">/files/F1</a>, <a href="/files/F2">/files/F2</a></td></tr>'
        '<tr><td></td><td align="right">two</td><td>0</td><td></td><td></td><td></td></tr></tbody></table>\n'
    )


def test_a_title_of_several_lines_keeps_its_marks() -> None:
    written_before = "<details>\n\n<summary><code>a</code><br><code>b &lt;c></code></summary>\n\nBody.\n\n</details>\n"
    again = to_markdown(to_document(written_before))
    assert "<summary><code>a</code><br><code>b &lt;c&gt;</code></summary>" in again


def test_cards_are_read_with_what_they_lead_to() -> None:
    assert markdown_of(CARDS) == (
        '<table data-view="cards" data-card-size="large"><thead><tr><th></th>'
        '<th data-hidden="true" data-card-target="true" data-type="content-ref"></th></tr></thead>'
        '<tbody><tr><td>Title</td><td><a href="/pages/P">/pages/P</a></td></tr></tbody></table>\n'
    )


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (block("strange-one", fragments=[fragment("x", block("paragraph", text("held")))]), "held\n"),
        (
            block(
                "images",
                block(
                    "image",
                    data={"ref": {"kind": "file", "file": "F"}},
                    fragments=[fragment("caption", block("paragraph", text("Caption")), type="caption")],
                ),
            ),
            '<figure><img src="/files/F" alt=""><figcaption><p>Caption</p></figcaption></figure>\n',
        ),
        (
            block(
                "paragraph",
                {
                    "object": "inline",
                    "type": "annotation",
                    "nodes": [text("word")],
                    "fragments": [fragment("annotation-body", block("paragraph", text("what it means")))],
                },
            ),
            "word (what it means)\n",
        ),
        (block("expandable", fragments=[{"object": "fragment"}]), "<details>\n\n<summary></summary>\n\n</details>\n"),
        (block("table", data={"records": [], "view": 3, "definition": None}), ""),
    ],
)
def test_whatever_holds_fragments_loses_no_word(node: Node, words: str) -> None:
    assert markdown_of(node) == words


def forms(markdown: str) -> tuple[Any, Any]:
    """A page's rich text, and the same once more by way of the form without fragments, without what a key says."""
    document = to_document(markdown)
    again = to_document(to_markdown(Document.model_validate({"nodes": document_nodes(document)})))
    return strip_keys(document_nodes(document)), strip_keys(document_nodes(again))


def strip_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: strip_keys(each) for name, each in value.items() if name != "key"}
    return [strip_keys(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", with_slow([*BLOCKS, *HOSTILE, "everything"], COSTLY))
def test_one_form_becomes_the_other_without_a_loss(name: str) -> None:
    one, other = forms({**BLOCKS, **HOSTILE, "everything": EVERYTHING}[name])
    assert one == other


@pytest.mark.slow
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample documentation is not beside the repository")
def test_the_tables_and_expandables_of_the_samples_become_the_other_form_without_a_loss() -> None:
    for file in sample_pages()[::4]:
        written = file.read_text(encoding="utf-8")
        if "|" in written or "<t" in written or "<details" in written:
            one, other = forms(written)
            assert one == other, file


def test_what_is_made_has_the_form_of_hosted_services() -> None:
    document = to_document(
        "| A | *B* |\n|---|--:|\n| one | **two** |\n\n<details><summary>T</summary>\n\nBody.\n\n</details>\n"
    )
    table, expandable = document.model_dump(mode="json", by_alias=True)["nodes"]
    columns = table["data"]["view"]["columns"]
    assert [table["data"]["definition"][name]["title"] for name in columns] == ["A", "B"]
    (record,) = table["data"]["records"].values()
    cells = {each["fragment"]: each["nodes"] for each in table["fragments"]}
    assert [cells[record["values"][name]][0]["type"] for name in columns] == ["paragraph", "paragraph"]
    assert cells[record["values"][columns[1]]][0]["nodes"][0]["leaves"][0]["text"] == "two"
    assert [each["type"] for each in expandable["fragments"]] == ["expandable-title", "expandable-body"]
    assert (table["nodes"], expandable["nodes"]) == ([], [])


def test_blocks_in_fragments_keep_the_keys_that_they_are_sent_with() -> None:
    page = parse_page("| A |\n|---|\n| one |\n\n<details><summary>T</summary>\n\nBody.\n\n</details>\n")
    keys = [f"own-{place}" for place, _ in enumerate(page.walk())]
    assert sent_keys(to_document(page, keys), page) == keys
