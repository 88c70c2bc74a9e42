from __future__ import annotations

import json

import pytest

from recto.contract.model import Model
from recto.contract.rich_text import Block, Document, Inline, OtherNode, Text

WIRE = {
    "object": "document",
    "data": {"schemaVersion": 9, "further": {"free": True}},
    "nodes": [
        {
            "object": "block",
            "type": "paragraph",
            "key": "k1",
            "isVoid": False,
            "data": {"align": "center"},
            "nodes": [
                {
                    "object": "text",
                    "leaves": [{"object": "leaf", "text": "a", "marks": [{"object": "mark", "type": "bold"}]}],
                },
                {
                    "object": "inline",
                    "type": "link",
                    "data": {"ref": {"kind": "page", "page": "P"}},
                    "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "b", "selections": []}]}],
                },
            ],
        },
        {"object": "block", "type": "never-seen", "key": "k2", "isVoid": True, "fragments": [{"object": "fragment"}]},
        {"object": "new-kind", "anything": [1, 2]},
    ],
}


def test_rich_text_comes_out_as_it_went_in() -> None:
    document = Document.model_validate_json(json.dumps(WIRE))
    assert json.loads(document.to_json()) == WIRE


def test_each_node_is_read_as_what_it_is() -> None:
    document = Document.model_validate(WIRE)
    paragraph, unseen, other = document.nodes
    assert isinstance(paragraph, Block)
    assert (paragraph.type, paragraph.key, paragraph.data) == ("paragraph", "k1", {"align": "center"})
    text, link = paragraph.nodes
    assert isinstance(text, Text)
    assert (text.leaves[0].text, text.leaves[0].marks[0].type) == ("a", "bold")
    assert isinstance(link, Inline)
    assert isinstance(unseen, Block)
    assert isinstance(other, OtherNode)
    assert other.object == "new-kind"


@pytest.mark.parametrize("kind", ["block", "inline", "never-seen"])
def test_what_is_nested_is_read_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trying each kind on each level would read the innermost node 4,096 times."""
    node: dict[str, object] = {"object": kind, "type": "x"}
    for _ in range(12):
        node = {"object": kind, "type": "x", "nodes": [node]}
    Document.model_validate({"nodes": [node]})
    read = 0
    before = Model.model_post_init

    def count(model: Model, context: object, /) -> None:
        nonlocal read
        read += 1
        before(model, context)

    monkeypatch.setattr(Model, "model_post_init", count)
    Document.model_validate({"nodes": [node]})
    assert 0 < read <= 15
