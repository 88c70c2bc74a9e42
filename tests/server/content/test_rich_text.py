"""Rich text over the API: what is written as a document is read back as it was, with the keys of its blocks."""

from __future__ import annotations

from typing import Any

import pytest

from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.pages import EVERYTHING
from support.platform import Speaker

TEXT = EVERYTHING.partition("---\n\n# A page of *everything*\n\n")[2]
REUSED = {"id": "R", "title": "R", "text": "Again."}


@pytest.fixture
async def desk(platform: Platform, ada: Speaker) -> Desk:
    pages = (ImportedPage("home", "Home", "home", text=TEXT), ImportedPage("empty", "Empty", "empty"))
    return await Desk.open(ada, make_space(platform, pages, reusable_contents=(REUSED,)))


async def document(desk: Desk, page: str = "home") -> Any:
    return (await desk.speaker.get(f"{desk.path}/content/page/{page}", format="document"))["document"]


async def write(desk: Desk, rich_text: Any, page: str = "home") -> None:
    await desk.write({"operation": "update_page", "page": page, "document": {"document": rich_text}})


def keys(rich_text: Any) -> list[str]:
    """The keys of all blocks, in reading order."""
    found: list[str] = []
    for node in rich_text["nodes"]:
        if node["object"] == "block":
            found += [node["key"], *keys(node)]
    return found


async def test_a_document_that_is_sent_back_is_the_same(desk: Desk) -> None:
    before = await document(desk)
    assert len(before["nodes"]) > 10
    await write(desk, before)
    after = await document(desk)
    assert after == before
    markdown = await desk.text("home")
    await write(desk, after)
    assert await desk.text("home") == markdown


async def test_a_document_can_be_put_on_another_page_and_keeps_its_keys(desk: Desk) -> None:
    before = await document(desk)
    await write(desk, before, "empty")
    after = await document(desk, "empty")
    assert after == before


async def test_one_block_that_is_edited_leaves_the_keys_of_all(desk: Desk) -> None:
    before = await document(desk)
    paragraph = next(node for node in before["nodes"] if node["type"] == "paragraph")
    paragraph["nodes"] = [{"object": "text", "leaves": [{"object": "leaf", "text": "Something else altogether."}]}]
    await write(desk, before)
    after = await document(desk)
    assert keys(after) == keys(before)
    assert after["nodes"][before["nodes"].index(paragraph)]["nodes"][0]["leaves"][0]["text"].startswith("Something")


async def test_blocks_that_move_and_new_ones_have_the_keys_they_are_sent_with(desk: Desk) -> None:
    def paragraph(key: str, words: str) -> dict[str, Any]:
        text = {"object": "text", "leaves": [{"object": "leaf", "text": words}]}
        return {"object": "block", "type": "paragraph", "key": key, "nodes": [text]}

    await write(desk, {"nodes": [paragraph("one", "Same."), paragraph("two", "Same."), paragraph("three", "Other.")]})
    assert keys(await document(desk)) == ["one", "two", "three"]
    await write(desk, {"nodes": [paragraph("two", "Now this."), paragraph("four", "New."), paragraph("one", "Same.")]})
    assert keys(await document(desk)) == ["two", "four", "one"]
    await write(desk, {"nodes": [paragraph("twice", "A."), paragraph("twice", "B."), paragraph("not a key!", "C.")]})
    found = keys(await document(desk))
    assert len(set(found)) == 3
    assert not {"twice", "not a key!"} & set(found)


async def test_includes_are_reusable_contents_both_ways(desk: Desk) -> None:
    await desk.edit("empty", '# Empty\n\n{% include "/reusable-content/R" %}\n')
    (node,) = (await document(desk, "empty"))["nodes"]
    assert (node["type"], node["data"]["ref"]) == (
        "reusable-content",
        {"kind": "reusable-content", "reusableContent": "R"},
    )
    await write(
        desk, {"nodes": [{"object": "block", "type": "reusable-content", "data": {"ref": node["data"]["ref"]}}]}
    )
    assert await desk.text("empty") == '# Empty\n\n{% include "/reusable-content/R" %}\n'


async def test_what_would_be_lost_is_refused(desk: Desk) -> None:
    broken = {"nodes": [{"object": "block", "nodes": "text"}]}
    message = await desk.refused({"operation": "update_page", "page": "home", "document": {"document": broken}})
    assert message.startswith("changes[0].document.document")
