from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from recto.server.content import imported_tree
from recto.server.content.imported_tree import ImportedPage, ImportedTree, append_pages, import_tree
from recto.server.content.revisions import StoredRevision, main_revision
from recto.server.http.problems import BadRequest, Conflict
from recto.server.platform import Platform
from support.content import Desk, make_space, titles
from support.platform import FrozenClock, Speaker

PAGES = (
    ImportedPage("one", "One", "one", text="First.\n", front_matter={"description": "About", "owner": "Grace"}),
    ImportedPage("two", "Two", "two", text="Second.\n", children=(ImportedPage("three", "Three", text="Third.\n"),)),
)


def bring(platform: Platform, space: str, pages: Sequence[ImportedPage], **tree: Any) -> StoredRevision:
    return platform.database.write_now(
        lambda connection: import_tree(platform.context(connection), space, ImportedTree(pages, **tree))
    )


def count(platform: Platform, table: str) -> int:
    return int(platform.database.read_now(lambda connection: connection.value(f"SELECT count(*) FROM {table}")))


async def test_a_tree_becomes_the_main_content(platform: Platform, ada: Speaker) -> None:
    space = make_space(
        platform,
        PAGES,
        files=({"id": "f", "name": "a.png", "contentType": "image/png", "size": 3},),
        variables={"name": "Recto"},
        reusable_contents=({"id": "r", "title": "Note", "text": "Mind.\n"},),
    )
    revision = await ada.get(f"/spaces/{space}/content")
    assert titles(revision["pages"]) == ["One", ("Two", ["Three"])]
    assert revision["pages"][0]["description"] == "About"
    assert revision["variables"] == {"name": "Recto"}
    assert [each["title"] for each in revision["reusableContents"]] == ["Note"]
    assert [each["name"] for each in revision["files"]] == ["a.png"]


async def test_what_is_the_same_makes_no_revision(platform: Platform, clock: FrozenClock) -> None:
    space = make_space(platform, PAGES, variables={"a": "b"})
    before = platform.database.read_now(lambda connection: main_revision(connection, space))
    clock.advance(days=1)
    assert bring(platform, space, PAGES, variables={"a": "b"}) == before
    assert bring(platform, space, PAGES, variables={"a": "c"}) != before


async def test_what_did_not_change_is_shared_and_keeps_its_time(
    platform: Platform, ada: Speaker, clock: FrozenClock
) -> None:
    space = make_space(platform, PAGES)
    texts, nodes = count(platform, "texts"), count(platform, "nodes")
    clock.advance(days=1)
    changed = ImportedPage("one", "One", "one", text="New.\n", front_matter=PAGES[0].front_matter)
    bring(platform, space, (changed, PAGES[1]))
    assert (count(platform, "texts"), count(platform, "nodes")) == (texts + 1, nodes + 2)
    one, two = (await ada.get(f"/spaces/{space}/content/pages"))["pages"]
    assert one["updatedAt"] > one["createdAt"] == two["updatedAt"]


async def test_an_import_and_a_change_request_merge(platform: Platform, ada: Speaker) -> None:
    space = make_space(platform, PAGES)
    desk = await Desk.open(ada, space)
    await desk.edit("two", "# Two\n\nSecond, edited.\n")
    bring(platform, space, (ImportedPage("one", "Uno", "one", text="First.\n"), PAGES[1]))
    await desk.merge()
    assert titles((await ada.get(f"/spaces/{space}/content/pages"))["pages"]) == ["Uno", ("Two", ["Three"])]
    merged = await ada.get(f"/spaces/{space}/content/page/two", format="markdown")
    assert merged["markdown"] == "# Two\n\nSecond, edited.\n"


async def test_a_locked_space_is_written_by_merges_alone(platform: Platform, ada: Speaker) -> None:
    space = make_space(platform, PAGES)
    await ada.send("PATCH", f"/spaces/{space}", {"editMode": "locked"})
    with pytest.raises(Conflict, match="locked"):
        bring(platform, space, ())
    desk = await Desk.open(ada, space)
    await desk.edit("one", "# One\n\nEdited.\n")
    await desk.merge()


@pytest.mark.parametrize(("limit", "kind"), [("MAX_PAGES", "pages"), ("MAX_FILES", "files")])
def test_no_more_is_added_than_a_space_can_have(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, limit: str, kind: str
) -> None:
    file = {"id": "f", "name": "a.png", "contentType": "image/png", "size": 3}
    space = make_space(platform, PAGES, files=(file, {**file, "id": "g"}, {**file, "id": "h"}))
    added = ImportedTree((ImportedPage("new", "New"),), files=({**file, "id": "i"},))
    monkeypatch.setattr(imported_tree, limit, 3)
    with pytest.raises(BadRequest, match=f"^The space would have 4 {kind}, and a space can have at most 3. Add fewer"):
        platform.database.write_now(lambda connection: append_pages(platform.context(connection), space, added))


async def test_nothing_of_a_broken_import_stays(platform: Platform) -> None:
    space = make_space(platform, PAGES)
    before = [count(platform, table) for table in ("revisions", "texts", "nodes", "search_sections", "search")]

    def work(connection: Any) -> None:
        import_tree(platform.context(connection), space, ImportedTree((ImportedPage("x", "X", text="X"),)))
        raise KeyError

    with pytest.raises(KeyError):
        platform.database.write_now(work)
    assert [count(platform, table) for table in ("revisions", "texts", "nodes", "search_sections", "search")] == before


async def test_groups_links_and_computed_pages_come_in(platform: Platform, ada: Speaker) -> None:
    space = make_space(
        platform,
        (
            ImportedPage("g", "Group", type="group", children=PAGES),
            ImportedPage("l", "Out", type="link", attributes={"target": {"kind": "url", "url": "https://example.org"}}),
            ImportedPage("c", "API", type="computed", attributes={"computed": {"type": "openapi"}}),
        ),
    )
    group, link, computed = (await ada.get(f"/spaces/{space}/content/pages"))["pages"]
    assert (group["type"], group["kind"], group["path"], group["pages"][0]["path"]) == (
        "group",
        "group",
        "group",
        "group/one",
    )
    assert link["target"] == {"kind": "url", "url": "https://example.org"}
    assert computed["computed"] == {"type": "openapi"}
    assert group["pages"][0]["kind"] == "sheet"
