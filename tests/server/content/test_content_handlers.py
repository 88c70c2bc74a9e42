"""Content as it is read: the main content, past revisions, files, rich text, and what changed."""

from __future__ import annotations

from typing import Any

import pytest

from recto.contract.content import Page
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.platform import Platform
from recto.urls import read_url
from support.content import Desk, make_space, titles
from support.platform import BASE_URL, Speaker

FILES = tuple(
    {"id": f"f{number}", "name": f"{number}.png", "contentType": "image/png", "size": number, "git": {"oid": "1"}}
    for number in range(3)
)
PAGES = (
    ImportedPage("home", "Home", "home", text="# Big\n\nText.\n", attributes={"git": {"oid": "1", "path": "a.md"}}),
    ImportedPage(
        "a",
        "A",
        "a",
        children=(ImportedPage("b", "B", "b", text="A sentence of some words.\n"), ImportedPage("c", "C", "c")),
    ),
)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES, files=FILES, variables={"v": "1"})


@pytest.fixture(params=["main", "past", "change request"])
async def content(request: pytest.FixtureRequest, ada: Speaker, space: str) -> str:
    """The path of the same content as main content, as a past revision, and in a change request."""
    if request.param == "main":
        return f"/spaces/{space}/content"
    if request.param == "past":
        return f"/spaces/{space}/revisions/{(await ada.get(f'/spaces/{space}'))['revision']}"
    return f"{(await Desk.open(ada, space)).path}/content"


async def test_content_is_read_in_the_same_way_wherever_it_is(ada: Speaker, content: str) -> None:
    revision = await ada.get(content)
    assert revision["object"] == "revision"
    assert titles(revision["pages"]) == ["Home", ("A", ["B", "C"])]
    assert revision["variables"] == {"v": "1"}
    assert (await ada.get(f"{content}/pages"))["pages"] == revision["pages"]
    page = await ada.get(f"{content}/page/b")
    assert (page["path"], page["title"], page["pages"], "markdown" in page) == ("a/b", "B", [], False)
    assert await ada.get(f"{content}/path/a/b") == page
    place = read_url(f"{BASE_URL}/v1{content}/page/b")
    assert place is not None
    assert page["urls"]["app"] == str(place) or "change-requests" in content
    await ada.refused("GET", f"{content}/page/nowhere", 404)
    await ada.refused("GET", f"{content}/path/a/nowhere", 404)


async def test_text_comes_in_the_format_that_is_asked_for(ada: Speaker, content: str) -> None:
    page = await ada.get(f"{content}/page/home", format="markdown")
    assert page["markdown"] == "# Home\n\n## Big\n\nText.\n"
    assert (await ada.get(f"{content}/path/a/b", format="markdown"))["markdown"] == "# B\n\nA sentence of some words.\n"
    document = (await ada.get(f"{content}/page/home", format="document"))["document"]
    assert [node["type"] for node in document["nodes"]] == ["heading-2", "paragraph"]
    assert all(node["key"] for node in document["nodes"])
    await ada.refused("GET", f"{content}/page/home", 400, format="html")
    await ada.refused("GET", f"{content}/page/home", 400, evaluated="perhaps")


async def test_files_are_listed_and_read(ada: Speaker, content: str) -> None:
    first = await ada.get(f"{content}/files", limit=2)
    rest = await ada.get(f"{content}/files", limit=2, page=first["next"]["page"])
    assert [each["name"] for each in first["items"] + rest["items"]] == ["0.png", "1.png", "2.png"]
    assert first["count"] == 3
    assert await ada.get(f"{content}/files/f1") == first["items"][1]
    await ada.refused("GET", f"{content}/files/nowhere", 404)


async def test_a_past_revision_stays_as_it_was(ada: Speaker, space: str) -> None:
    past = f"/spaces/{space}/revisions/{(await ada.get(f'/spaces/{space}'))['revision']}"
    before = await ada.get(past), await ada.get(f"{past}/page/b", format="document")
    desk = await Desk.open(ada, space)
    await desk.edit("b", "# Bee\n\nOther.\n")
    await desk.write({"operation": "delete_page", "page": "c"})
    await desk.merge()
    assert (await ada.get(past), await ada.get(f"{past}/page/b", format="document")) == before


async def test_a_revision_of_another_space_is_not_found(ada: Speaker, platform: Platform, space: str) -> None:
    other = (await ada.get(f"/spaces/{make_space(platform, PAGES)}"))["revision"]
    await ada.refused("GET", f"/spaces/{space}/revisions/{other}", 404)
    await ada.refused("GET", f"/spaces/{space}/revisions/nowhere/page/b", 404)


async def test_keys_of_blocks_are_the_same_in_each_revision_that_has_the_block(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)

    async def keys(path: str) -> list[str]:
        document = (await ada.get(f"{path}/page/b", format="document"))["document"]
        return [node["key"] for node in document["nodes"]]

    (first,) = await keys(f"/spaces/{space}/content")
    await desk.edit("b", "# B\n\nNew.\n\nA sentence of some more words.\n")
    new, edited = await keys(f"{desk.path}/content")
    assert edited == first != new
    await desk.edit("b", "# B\n\nA sentence of some more words.\n\nNew.\n")
    assert await keys(f"{desk.path}/content") == [first, new]
    await desk.merge()
    assert await keys(f"/spaces/{space}/content") == [first, new]


async def test_changes_are_listed_as_a_person_would_name_them(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    assert await ada.get(f"{desk.path}/changes") == {"changes": []}
    made = await desk.write(
        {"operation": "update_page", "page": "home", "title": "House", "document": {"markdown": "New.\n"}},
        {"operation": "update_page", "page": "b", "into": None},
        {"operation": "delete_page", "page": "c"},
        {"operation": "insert_page", "document": {}, "title": "New", "into": "home"},
        {"operation": "insert_files", "files": [{"name": "x", "url": "https://example.org/x"}]},
    )
    new = made["changes"][3]["page"]["id"]
    changes = (await ada.get(f"{desk.path}/changes"))["changes"]
    assert [(each["type"], each.get("page", {}).get("path")) for each in changes] == [
        ("page_edited", "home"),
        ("page_created", "home/new"),
        ("page_moved", "b"),
        ("page_deleted", "a/c"),
        ("file_created", None),
    ]
    assert changes[0]["attributes"]["title"] == {"before": "Home", "after": "House"}
    assert changes[0]["attributes"]["document"]["before"] != changes[0]["attributes"]["document"]["after"]
    assert changes[1]["page"] == {"id": new, "type": "document", "title": "New", "path": "home/new"}
    assert changes[2]["parent"] == {"before": "a", "after": None}
    assert await ada.get(f"{desk.path}/changes", limit=2) == {"changes": changes[:2], "more": 3}
    merged = (await desk.merge())["revision"]
    assert (await ada.get(f"/spaces/{space}/revisions/{merged}/changes"))["changes"] == changes
    assert (await ada.get(f"{desk.path}/changes"))["changes"] == changes


async def test_a_new_order_among_siblings_is_a_move(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await desk.write({"operation": "update_page", "page": "home", "at": 1})
    (change,) = (await ada.get(f"{desk.path}/changes"))["changes"]
    assert (change["type"], change["parent"]) == ("page_moved", {"before": None, "after": None})


async def test_a_move_names_the_page_that_it_leads_into(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await desk.write({"operation": "update_page", "page": "b", "into": "home"})
    (change,) = (await ada.get(f"{desk.path}/changes"))["changes"]
    assert (change["type"], change["parent"]) == ("page_moved", {"before": "a", "after": "home"})


async def test_an_import_tells_what_it_changed(platform: Platform, ada: Speaker, space: str) -> None:
    def work(connection: Any) -> str:
        tree = ImportedTree(
            PAGES[:1],
            files=FILES[1:],
            variables={"v": "2"},
            reusable_contents=({"id": "r", "title": "R", "text": "t"},),
        )
        return import_tree(platform.context(connection), space, tree).id

    revision = platform.database.write_now(work)
    changes = (await ada.get(f"/spaces/{space}/revisions/{revision}/changes"))["changes"]
    assert [each["type"] for each in changes] == [
        "page_deleted",
        "page_deleted",
        "page_deleted",
        "file_deleted",
        "variables_edited",
        "reusable_content_created",
    ]
    (content,) = (await ada.get(f"/spaces/{space}/revisions/{revision}"))["reusableContents"]
    assert content == {"object": "reusable-content", "id": "r", "title": "R", "markdown": "t"}
    without = ImportedTree(PAGES[:1], files=FILES[1:], variables={"v": "2"})
    later = platform.database.write_now(lambda connection: import_tree(platform.context(connection), space, without).id)
    (change,) = (await ada.get(f"/spaces/{space}/revisions/{later}/changes"))["changes"]
    assert (change["type"], change["reusableContent"]["id"]) == ("reusable_content_deleted", "r")


async def test_a_merge_of_both_sides_keeps_the_keys_of_both(ada: Speaker, platform: Platform) -> None:
    words = ("alpha bravo charlie", "delta echo foxtrot", "golf hotel india", "juliett kilo lima")
    space = make_space(platform, (ImportedPage("p", "P", "p", text="\n\n".join(words) + "\n"),))

    async def keys(path: str) -> dict[str, str]:
        document = (await ada.get(f"{path}/page/p", format="document"))["document"]
        return {node["nodes"][0]["leaves"][0]["text"]: node["key"] for node in document["nodes"]}

    known = await keys(f"/spaces/{space}/content")
    ours, theirs = await Desk.open(ada, space), await Desk.open(ada, space)
    await ours.edit("p", "\n\n".join((words[0] + " ours", *words[1:])) + "\n")
    await theirs.edit("p", "\n\n".join((*words[:3], words[3] + " theirs")) + "\n")
    await theirs.merge()
    await ours.merge()
    merged = await keys(f"/spaces/{space}/content")
    assert merged == {
        words[0] + " ours": known[words[0]],
        words[1]: known[words[1]],
        words[2]: known[words[2]],
        words[3] + " theirs": known[words[3]],
    }


async def test_the_tree_says_of_each_page_what_the_page_says_of_itself(platform: Platform, ada: Speaker) -> None:
    """The tree is written without models; a single page is checked against the contract."""
    attributes = {
        "cover": {"ref": {"kind": "file", "file": "logo"}, "yPos": 12.5},
        "layout": {"width": "wide", "outline": False},
        "variables": {"product": "Recto"},
        "computed": {"type": "openapi", "dependencies": ["a"]},
        "computed_seed": "seed",
        "emoji": "1f44b",
        "icon": "house",
        "description": "Quoted “so” \\ and so",
        "condition": "visitor.claims.beta",
        "hidden": True,
        "no_index": True,
        "git": {"oid": "abc", "path": "a.md"},
    }
    link = {"target": {"kind": "url", "url": "https://example.org"}, "href": "https://example.org"}
    space = make_space(
        platform,
        (
            ImportedPage("all", "All", "all", attributes=attributes, children=(ImportedPage("in", "In", "in"),)),
            ImportedPage("away", "Away", "away", type="link", attributes=link),
        ),
    )
    with_git: dict[str, Any] = {}
    for options in (with_git, {"metadata": "false"}):
        tree = await ada.get(f"/spaces/{space}/content/pages", **options)
        for page in (*tree["pages"], *tree["pages"][0]["pages"]):
            assert page == await ada.get(f"/spaces/{space}/content/page/{page['id']}", **options)
            assert Page.model_validate(page).model_extra == {}, "the contract names every field"
        assert (await ada.get(f"/spaces/{space}/content", **options))["pages"] == tree["pages"]
        assert ("git" in tree["pages"][0]) == (options is with_git)
