"""Content writes: the five kinds of change, references, limits, and what is refused."""

from __future__ import annotations

import base64
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from recto.contract.changes import Change, InsertFiles, InsertPage, NewFile, PageText
from recto.server.content import write_plan
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import load_text
from recto.server.content.page_serializers import LAYOUT
from recto.server.content.revisions import main_revision, tree_of
from recto.server.content.write_plan import Writer
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from support.calls import calls
from support.content import Desk, make_space, titles
from support.platform import FrozenClock, Speaker

PAGES = (
    ImportedPage("one", "One", "one", text="First.\n\nSecond.\n"),
    ImportedPage("group", "Group", "group", "group", children=(ImportedPage("two", "Two", "two", text="Text.\n"),)),
    ImportedPage("link", "Link", "link", "link", attributes={"target": {"kind": "url", "url": "https://example.org"}}),
)


@pytest.fixture
async def desk(platform: Platform, ada: Speaker) -> Desk:
    return await Desk.open(ada, make_space(platform, PAGES))


def insert(markdown: str = "", **values: Any) -> dict[str, Any]:
    return {"operation": "insert_page", "document": {"markdown": markdown}, **values}


def update(page: str, **values: Any) -> dict[str, Any]:
    return {"operation": "update_page", "page": page, **values}


async def tree(desk: Desk) -> Any:
    return titles((await desk.speaker.get(f"{desk.path}/content/pages"))["pages"])


async def page(desk: Desk, name: str, **query: Any) -> Any:
    return await desk.speaker.get(f"{desk.path}/content/page/{name}", **query)


async def test_pages_are_inserted_at_the_given_place(desk: Desk) -> None:
    answer = await desk.write(
        insert("# Three\n\nText.\n", at=0),
        insert("Text.\n", title="Four", into="two", slug="vier"),
        insert("no title\n", at=99),
    )
    assert [each["object"] for each in answer["changes"]] == ["created_page"] * 3
    assert await tree(desk) == ["Three", "One", ("Group", [("Two", ["Four"])]), "Link", "Untitled"]
    made = await page(desk, answer["changes"][1]["page"]["id"], format="markdown")
    assert (made["path"], made["slug"], made["markdown"]) == ("group/two/vier", "vier", "# Four\n\nText.\n")


async def test_one_write_is_one_revision_and_the_default_answer_is_the_change_request(desk: Desk) -> None:
    before = await desk.get()
    answer = await desk.speaker.send(
        "POST", f"{desk.path}/content", {"changes": [update("one", title="Uno"), update("two", title="Dos")]}
    )
    assert answer["object"] == "change-request"
    revision = await desk.speaker.get(f"/spaces/{desk.space}/revisions/{answer['revision']}")
    assert revision["parents"] == [before["revision"]]
    assert revision["type"] == "edits"


async def test_a_page_keeps_its_id_when_it_is_renamed_and_moved(desk: Desk) -> None:
    await desk.write(update("one", title="Uno", slug="uno", into="group", at=0))
    moved = await page(desk, "one")
    assert (moved["title"], moved["path"]) == ("Uno", "group/uno")
    await desk.write(update("one", into=None))
    assert await tree(desk) == [("Group", ["Two"]), "Link", "Uno"]
    await desk.write(update("one", at=0))
    assert await tree(desk) == ["Uno", ("Group", ["Two"]), "Link"]


async def test_what_is_left_out_stays_and_what_is_empty_goes(desk: Desk) -> None:
    await desk.write(update("one", emoji="1f3e0", description="About", hidden=True, icon="house"))
    await desk.write(update("one", emoji="", hidden=False))
    changed = await page(desk, "one", format="markdown")
    assert "emoji" not in changed
    assert (changed["description"], changed["icon"], changed["hidden"]) == ("About", "house", False)
    assert changed["markdown"] == "# One\n\nFirst.\n\nSecond.\n"


async def test_an_edit_comes_back_byte_for_byte(desk: Desk) -> None:
    text = "# One\n\n  [a](../b.md 'c')  \n\n\n```\n# code\n```\r\n\\[x\\]\u200b\n\tend"
    await desk.edit("one", text)
    assert await desk.text("one") == text
    await desk.edit("one", await desk.text("one"))
    assert await desk.text("one") == text


async def test_a_heading_names_the_page_unless_it_is_named_otherwise(desk: Desk) -> None:
    await desk.edit("one", "# Uno # <!-- one -->\n\nText.\n")
    assert await desk.text("one") == "# Uno\n\nText.\n"
    await desk.write(update("one", title="Un", document={"markdown": "# Uno\n\nText.\n"}))
    assert await desk.text("one") == "# Un\n\nText.\n"
    await desk.write(update("one", title="One", document={"markdown": "# Another\n\nText.\n"}))
    assert await desk.text("one") == "# One\n\n## Another\n\nText.\n"


@pytest.mark.parametrize("heading", ["# Three", "# Three #", "Three\n====="])
async def test_a_title_that_is_given_twice_is_the_title_once(desk: Desk, heading: str) -> None:
    made = await desk.write(insert(f"{heading}\n\nText.\n", title=" Three "))
    new = made["changes"][0]["page"]["id"]
    await desk.write(update("one", title="Three", document={"markdown": f"{heading}\n\nText.\n"}))
    await desk.edit("two", f"---\ntitle: Three\n---\n{heading}\n\nText.\n")
    for name in (new, "one", "two"):
        assert await desk.text(name) == "# Three\n\nText.\n"


async def test_headings_of_level_1_stay_as_they_are_written_when_a_word_changes(
    platform: Platform, ada: Speaker
) -> None:
    space = make_space(platform, [ImportedPage("one", "One", "one", text="First.\n\n# Part\n\nLast\n====\n")])
    desk = await Desk.open(ada, space)
    given = (await page(desk, "one", format="markdown"))["markdown"]
    assert given == "# One\n\nFirst.\n\n## Part\n\nLast\n----\n"
    await desk.write(update("one", document={"markdown": given.replace("First", "Changed")}))
    await desk.merge()

    def stored(connection: Connection) -> str:
        node = tree_of(connection, main_revision(connection, space)).get("one")
        assert node is not None
        return load_text(connection, node.text)

    assert platform.database.read_now(stored) == "Changed.\n\n# Part\n\nLast\n====\n"


async def test_a_write_of_the_same_text_changes_no_page(desk: Desk, clock: FrozenClock) -> None:
    before = await page(desk, "one", format="markdown")
    clock.advance(hours=1)
    await desk.write(update("one", title="One", hidden=False, document={"markdown": before["markdown"]}))
    assert await page(desk, "one", format="markdown") == before
    assert await desk.speaker.get(f"{desk.path}/changes") == {"changes": []}


async def test_front_matter_sets_attributes_and_keeps_what_it_does_not_know(desk: Desk) -> None:
    front = "description: About\nif: visitor.claims.beta\nhidden: true\nowner: Grace\n"
    looks = "cover: https://example.org/a.png\ncoverY: 3\nlayout:\n  width: wide\n  title:\n    visible: false\n"
    await desk.edit("one", f"---\n{front}{looks}---\n# One\n\nT\n")
    changed = await page(desk, "one", format="markdown")
    assert changed["markdown"] == "# One\n\nT\n"
    assert (changed["description"], changed["condition"], changed["hidden"]) == ("About", "visitor.claims.beta", True)
    assert changed["cover"] == {"ref": {"kind": "url", "url": "https://example.org/a.png"}, "yPos": 3}
    assert changed["layout"] == LAYOUT | {"width": "wide", "title": False}
    await desk.edit("one", "# One\n\nOther.\n")
    assert (await page(desk, "one"))["description"] == "About"


async def test_pages_and_files_of_one_write_point_at_each_other(desk: Desk) -> None:
    answer = await desk.write(
        insert("---\ncover: ./picture\n---\n[next](./later#part) ![p](./picture)\n", title="Now", ref="now"),
        insert('<img src="./picture">\n', title="Later", ref="later", into="./now"),
        {
            "operation": "insert_files",
            "files": [
                {
                    "name": "p.png",
                    "ref": "picture",
                    "contentType": "image/png",
                    "base64": base64.b64encode(b"bytes").decode(),
                }
            ],
        },
    )
    now, later = (each["page"]["id"] for each in answer["changes"])
    assert answer["changes"][0]["ref"] == "now"
    file = answer["insertedFiles"][0]["file"]
    assert await desk.text(now) == f"# Now\n\n[next](/pages/{later}#part) ![p](/files/{file})\n"
    assert await desk.text(later) == f'# Later\n\n<img src="/files/{file}">\n'
    assert (await page(desk, later))["path"] == "now/later"
    assert (await page(desk, now))["cover"] == {"ref": {"kind": "file", "file": file}, "yPos": 0}
    stored = await desk.speaker.get(f"{desk.path}/content/files/{file}")
    assert (stored["name"], stored["size"], stored["contentType"]) == ("p.png", 5, "image/png")
    assert (await desk.speaker.get(f"{desk.path}/content/files"))["count"] == 1
    bytes_of = stored["downloadURL"].removeprefix("http://recto.test/v1")
    download = await desk.speaker.request("GET", bytes_of)
    assert (download.status_code, download.content, download.headers["content-type"]) == (200, b"bytes", "image/png")
    await desk.speaker.refused("GET", bytes_of + "0", 404)
    assert "dimensions" not in stored


async def test_what_is_no_name_of_the_write_is_left_as_it_is(desk: Desk) -> None:
    text = "[a](./late) [b](./later/on) [c](./later) [d](<./later>) [e](./lat[er) [f](./later(s))\n\n[g]: ./later"
    answer = await desk.write(insert(text, title="Now"), *(insert(title=ref, ref=ref) for ref in ("later", "lat[er")))
    now, later, bracket = (each["page"]["id"] for each in answer["changes"])
    expected = text.replace("(./later)", f"(/pages/{later})").replace("<./later>", f"</pages/{later}>")
    expected = expected.replace("(./lat[er)", f"(/pages/{bracket})").replace(": ./later", f": /pages/{later}")
    assert await desk.text(now) == f"# Now\n\n{expected}"


def test_a_page_costs_as_much_however_many_names_a_write_has(platform: Platform) -> None:
    space = make_space(platform, PAGES)

    def cost_of_pages(connection: Any, names: int) -> int:
        context, revision = platform.context(connection), main_revision(connection, space)
        files = [NewFile(name="a", ref=f"file{each}", url="https://example.org/a.png") for each in range(names)]
        page = InsertPage(title="Page", document=PageText(markdown="[a](./file0)"))

        def cost(pages: int) -> int:
            changes: list[Change] = [*(InsertFiles(files=(file,)) for file in files), *[page] * pages]
            return calls(lambda: Writer(context, revision, revision.id).apply(changes))

        return cost(20) - cost(1)

    few, many = (platform.database.read_now(partial(cost_of_pages, names=names)) for names in (1, 200))
    assert many <= 1.1 * few


async def test_a_picture_that_is_put_in_has_its_measures(desk: Desk) -> None:
    drawing = BytesIO()
    Image.new("RGB", (30, 20)).save(drawing, "PNG")
    content = base64.b64encode(drawing.getvalue()).decode()
    answer = await desk.write(
        {"operation": "insert_files", "files": [{"name": "p.png", "contentType": "image/png", "base64": content}]}
    )
    stored = await desk.speaker.get(f"{desk.path}/content/files/{answer['insertedFiles'][0]['file']}")
    assert stored["dimensions"] == {"width": 30, "height": 20}


async def test_a_space_has_no_more_files_than_it_may(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_plan, "MAX_FILES", 3)
    one = {"operation": "insert_files", "files": [{"name": "a", "url": "https://example.org/a.png"}]}
    await desk.write(one, one)
    assert await desk.refused(one, one) == "changes[1].operation: a space can have at most 3 files"
    await desk.write(one)
    assert (await desk.speaker.get(f"{desk.path}/content/files"))["count"] == 3


async def test_a_page_goes_with_those_below_it_and_comes_back_by_reverting(desk: Desk) -> None:
    await desk.edit("two", "# Two\n\nEdited.\n")
    answer = await desk.write({"operation": "delete_page", "page": "group"})
    assert answer["changes"] == [{"object": "deleted_page", "page": "group"}]
    assert await tree(desk) == ["One", "Link"]
    await desk.write({"operation": "revert_page", "page": "two"})
    assert await tree(desk) == ["One", "Link", "Two"]
    assert await desk.text("two") == "# Two\n\nText.\n"


async def test_a_page_comes_back_to_its_place(desk: Desk) -> None:
    for page_id in ("one", "link", "two"):
        await desk.write({"operation": "delete_page", "page": page_id})
        await desk.write({"operation": "revert_page", "page": page_id})
        assert await tree(desk) == ["One", ("Group", ["Two"]), "Link"]


async def test_a_page_or_some_of_its_blocks_are_reverted(desk: Desk) -> None:
    base = await page(desk, "one", format="document")
    second = base["document"]["nodes"][1]["key"]
    await desk.edit("one", "# Uno\n\nFirst, edited.\n\nSecond, edited.\n")
    await desk.write({"operation": "revert_page", "page": "one", "block": [second]})
    assert await desk.text("one") == "# Uno\n\nFirst, edited.\n\nSecond.\n"
    await desk.write({"operation": "revert_page", "page": "one"})
    assert await desk.text("one") == "# One\n\nFirst.\n\nSecond.\n"


async def test_rich_text_is_written_too(desk: Desk) -> None:
    document = (await page(desk, "one", format="document"))["document"]
    await desk.write(update("two", document={"document": document}))
    assert await desk.text("two") == "# Two\n\nFirst.\n\nSecond.\n"


async def test_times_tell_when_a_page_was_changed(desk: Desk, clock: FrozenClock) -> None:
    before = await page(desk, "one")
    clock.advance(hours=1)
    await desk.edit("two", "# Two\n\nOther.\n")
    assert (await page(desk, "one"))["updatedAt"] == before["updatedAt"]
    changed = await page(desk, "two")
    assert changed["createdAt"] == before["createdAt"]
    assert changed["updatedAt"] > before["updatedAt"]


REFUSED: list[tuple[dict[str, Any], str]] = [
    (update("nowhere", title="x"), "changes[1].page"),
    (update("group", title="x"), "changes[1].page"),
    (update("one", title="  "), "changes[1].title"),
    (update("one", slug="a/b"), "changes[1].slug"),
    (update("one", slug=".."), "changes[1].slug"),
    (update("one", slug="link"), "changes[1].slug"),
    (update("one", slug="x" * 101), "changes[1].slug"),
    (update("one", at=-1), "changes[1].at"),
    (update("one", at="0"), "changes[1].at"),
    (update("one", hidden="no"), "changes[1].hidden"),
    (update("one", colour="red"), "changes[1].colour"),
    ({"operation": "rename_page", "page": "one"}, "changes[1]"),
    ({"page": "one"}, "changes[1]"),
    ({"operation": "insert_files", "files": [{"name": ""}]}, "changes[1].files[0].name"),
    ({"operation": "insert_files", "files": [{"name": "x" * 257}]}, "changes[1].files[0].name"),
    ({"operation": "insert_files", "files": []}, "changes[1].files"),
    ({"operation": "insert_files", "files": [{"name": "a"}] * 21}, "changes[1].files"),
    (update("one", into="one"), "changes[1].into"),
    (update("one", into="nowhere"), "changes[1].into"),
    (update("one", into="link"), "changes[1].into"),
    (update("one", document={"markdown": "---\na: [\n---\n"}), "changes[1].document.markdown"),
    (update("one", document={"markdown": f"---\na: 0x{'f' * 3600}\n---\n"}), "changes[1].document.markdown"),
    (
        update("one", document={"document": {"nodes": [{"object": "block", "type": "quote", "nodes": ["Lost."]}]}}),
        "changes[1].document.document",
    ),
    (insert(slug="one"), "changes[1].slug"),
    (insert(ref="a b"), "changes[1].ref"),
    ({"operation": "delete_page", "page": "nowhere"}, "changes[1].page"),
    ({"operation": "revert_page", "page": "nowhere"}, "changes[1].page"),
    ({"operation": "revert_page", "page": "one", "revision": "nowhere"}, "changes[1].revision"),
    ({"operation": "revert_page", "page": "one", "block": ["nowhere"]}, "changes[1].block"),
    ({"operation": "insert_files", "files": [{"name": "a"}]}, "changes[1].files[0].url"),
    (
        {"operation": "insert_files", "files": [{"name": "a", "url": "https://a", "contentType": "a/b\r\nx: y"}]},
        "changes[1].files[0].contentType",
    ),
    ({"operation": "insert_files", "files": [{"name": "a", "url": "file:///etc"}]}, "changes[1].files[0].url"),
    ({"operation": "insert_files", "files": [{"name": "a", "url": "http://[docs"}]}, "changes[1].files[0].url"),
    ({"operation": "insert_files", "files": [{"name": "a", "base64": "YQ=="}]}, "changes[1].files[0].contentType"),
    (
        {"operation": "insert_files", "files": [{"name": "a", "base64": "%", "contentType": "a/b"}]},
        "changes[1].files[0].base64",
    ),
    (
        {
            "operation": "insert_files",
            "files": [{"name": "a", "base64": base64.b64encode(bytes(1_048_577)).decode(), "contentType": "a/b"}],
        },
        "changes[1].files[0].base64",
    ),
]


@pytest.mark.parametrize(("change", "field"), REFUSED)
async def test_a_change_that_cannot_be_made_is_named_and_nothing_is_changed(
    desk: Desk, change: dict[str, Any], field: str
) -> None:
    before = await desk.get()
    message = await desk.refused(update("one", title="Uno"), change)
    assert message.startswith(f"{field}:")
    assert ";" not in message, "one thing is wrong, and one thing is said"
    assert await desk.get() == before
    assert await desk.text("one") == "# One\n\nFirst.\n\nSecond.\n"


async def test_a_page_never_comes_under_a_page_below_it(desk: Desk) -> None:
    await desk.write(update("two", into="one"))
    assert (await desk.refused(update("one", into="two"))).startswith("changes[0].into:")


async def test_a_condition_that_cannot_be_read_is_refused_unless_it_came_with_a_file(desk: Desk) -> None:
    wrong = "changes[0].condition: A name is missing before the end (character 16)"
    for change in (insert(title="New", condition="visitor.claims."), update("one", condition="visitor.claims.")):
        assert await desk.refused(change) == wrong
    await desk.edit("one", '---\nif: "visitor.claims."\n---\n# One\n')
    await desk.write(update("one", title="Uno", condition="visitor.claims."))
    await desk.write(update("one", condition=""))
    assert "condition" not in await page(desk, "one")


@pytest.mark.parametrize("count", [0, 51])
async def test_a_write_has_1_to_50_changes(desk: Desk, count: int) -> None:
    assert "changes" in await desk.refused(*[update("one", title="x")] * count)


async def test_fifty_changes_and_a_slug_of_a_hundred_letters_are_taken(desk: Desk) -> None:
    await desk.write(*[update("one", slug="x" * 100)] * 50)
    assert "slug" in await desk.refused(update("one", slug="x" * 101))


async def test_pages_with_one_title_get_slugs_of_their_own(desk: Desk) -> None:
    answer = await desk.write(insert("# One\n"), insert("# One\n"))
    slugs = [(await page(desk, each["page"]["id"]))["slug"] for each in answer["changes"]]
    assert slugs == ["one-1", "one-2"]


async def test_a_merged_or_archived_change_request_is_not_written(desk: Desk) -> None:
    await desk.speaker.send("PATCH", desk.path, {"status": "archived"})
    assert "archived" in await desk.refused(update("one", title="x"), status=409)
    await desk.speaker.send("PATCH", desk.path, {"status": "open"})
    await desk.merge()
    assert "merged" in await desk.refused(update("one", title="x"), status=409)


async def test_pages_lie_at_most_fifty_levels_deep(desk: Desk) -> None:
    def chain(name: str, levels: int) -> list[dict[str, Any]]:
        return [
            insert(title=f"{name}{level}", ref=f"{name}{level}", **({"into": f"./{name}{level - 1}"} if level else {}))
            for level in range(levels)
        ]

    made = await desk.write(*chain("deep", 50))
    last = made["changes"][-1]["page"]["id"]
    assert (await desk.refused(insert(title="x", into=last))).startswith("changes[0].into:")
    assert (await desk.refused(update("one", into=last))).startswith("changes[0].into:")
    assert (await desk.refused(update(made["changes"][0]["page"]["id"], into="one"))).startswith("changes[0].into:")


async def test_a_page_does_not_come_back_deeper_than_fifty_levels(desk: Desk) -> None:
    await desk.write(update("two", into="one"))
    await desk.merge()
    desk = await Desk.open(desk.speaker, desk.space)
    chain = [
        insert(title=f"deep{level}", ref=f"{level}", **({"into": f"./{level - 1}"} if level else {}))
        for level in range(49)
    ]
    last = (await desk.write({"operation": "delete_page", "page": "two"}, *chain))["changes"][-1]["page"]["id"]
    await desk.write(update("one", into=last))
    assert (await desk.refused({"operation": "revert_page", "page": "two"})).startswith("changes[0].page:")


async def test_front_matter_of_any_kind_is_taken(desk: Desk) -> None:
    front = 'title: "\\ud800 T"\n"\\udfff": .nan\nx: !!binary aGk=\ny: !!set {a, b}\nz: {1: [2020-01-01, null]}\n'
    await desk.edit("one", f"---\n{front}icon: 3\n---\nText.\n")
    changed = await page(desk, "one", format="markdown")
    assert (changed["markdown"], changed["icon"]) == ("# ? T\n\nText.\n", "3")


async def test_a_word_that_is_changed_in_rich_text_is_all_that_changes_in_the_page(desk: Desk) -> None:
    text = "* one\n*   two  \nthree&nbsp;words\n\n\nTitle\n===\n\n| a   | b |\n|-----|---|\n| __c__ | d |\n"
    await desk.edit("one", f"# The page\n\n{text}")
    document = (await page(desk, "one", format="document"))["document"]
    (leaf,) = document["nodes"][0]["nodes"][1]["nodes"][0]["nodes"][0]["leaves"]
    leaf["text"] = leaf["text"].replace("two", "second")
    await desk.write({"operation": "update_page", "page": "one", "document": {"document": document}})
    stored = await page(desk, "one", format="markdown")
    expected = text.replace("two", "second").replace("===", "---")
    assert stored["markdown"] == f"# The page\n\n{expected}"
