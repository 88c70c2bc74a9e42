"""Conflicts: what each kind leaves behind, what settles it, and that none of them is ever forgotten."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from recto.document.merge.page_tree import MAX_LEVELS
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.open_conflicts import find_open_conflicts
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import Speaker

PAGES = (
    ImportedPage("one", "One", "one", text="".join(f"Line {n}.\n" for n in range(20))),
    ImportedPage("two", "Two", "two", text="Text.\n", children=(ImportedPage("below", "Below", "below"),)),
    ImportedPage("three", "Three", "three", text="Text.\n"),
)


@pytest.fixture
async def mine(ada: Speaker, platform: Platform) -> Desk:
    return await Desk.open(ada, make_space(platform, PAGES))


@pytest.fixture
async def other(ada: Speaker, mine: Desk) -> Desk:
    return await Desk.open(ada, mine.space)


def update(page: str, **values: Any) -> dict[str, Any]:
    return {"operation": "update_page", "page": page, **values}


async def list_conflicts(platform: Platform, desk: Desk) -> list[tuple[str, str]]:
    revision = (await desk.get())["revision"]
    found = platform.database.read_now(lambda connection: find_open_conflicts(connection, revision))
    return [(each.page, each.field) for each in found]


async def refusal(desk: Desk) -> str:
    return await desk.speaker.refused("POST", f"{desk.path}/merge", 409)


LINES = PAGES[0].text


CASES: list[tuple[str, dict[str, Any], dict[str, Any], tuple[str, str], dict[str, Any]]] = [
    (
        "title",
        update("one", title="Mine"),
        update("one", title="Theirs"),
        ("one", "title"),
        update("one", title="Mine"),
    ),
    ("emoji", update("one", emoji="1"), update("one", emoji="2"), ("one", "emoji"), update("one", emoji="3")),
    ("slug", update("one", slug="x"), update("one", slug="y"), ("one", "slug"), update("one", slug="z")),
    (
        "move",
        update("one", into="two"),
        update("one", into="three"),
        ("one", "parent"),
        update("one", into="three"),
    ),
    (
        "we deleted",
        {"operation": "delete_page", "page": "three"},
        update("three", title="Theirs"),
        ("three", "deleted"),
        {"operation": "delete_page", "page": "three"},
    ),
    (
        "they deleted",
        update("three", title="Mine"),
        {"operation": "delete_page", "page": "three"},
        ("three", "deleted"),
        update("three", title="Mine"),
    ),
    (
        "text",
        update("one", document={"markdown": LINES.replace("Line 3.", "Mine.")}),
        update("one", document={"markdown": LINES.replace("Line 3.", "Theirs.")}),
        ("one", "text"),
        update("one", document={"markdown": LINES.replace("Line 3.", "Both.")}),
    ),
    (
        "reverted",
        update("one", title="Mine"),
        update("one", title="Theirs"),
        ("one", "title"),
        {"operation": "revert_page", "page": "one"},
    ),
]


@pytest.mark.parametrize(
    ("ours", "theirs", "conflict", "settling"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
async def test_a_conflict_blocks_the_merge_until_it_is_settled(
    platform: Platform,
    mine: Desk,
    other: Desk,
    ours: dict[str, Any],
    theirs: dict[str, Any],
    conflict: tuple[str, str],
    settling: dict[str, Any],
) -> None:
    await mine.write(ours)
    await other.write(theirs)
    await other.merge()
    before = await mine.get()
    await refusal(mine)
    assert await mine.get() == before
    assert (await mine.update())["result"] == "conflicts"
    assert await list_conflicts(platform, mine) == [conflict]
    await refusal(mine)
    await mine.write(update("below", title="Something else"))
    assert await list_conflicts(platform, mine) == [conflict]
    assert (await mine.update())["result"] == "update"
    assert await list_conflicts(platform, mine) == [conflict]
    await mine.write(settling)
    assert await list_conflicts(platform, mine) == []
    await mine.merge()


async def test_the_side_of_the_change_request_is_shown_until_then(mine: Desk, other: Desk) -> None:
    await mine.write(update("one", title="Mine"), {"operation": "delete_page", "page": "three"})
    await other.write(update("one", title="Theirs"), update("three", title="Kept"))
    await other.merge()
    await mine.update()
    assert (await mine.speaker.get(f"{mine.path}/content/page/one"))["title"] == "Mine"
    assert (await mine.speaker.get(f"{mine.path}/content/page/three"))["title"] == "Kept"


async def test_markers_count_as_long_as_one_is_left(platform: Platform, mine: Desk, other: Desk) -> None:
    await mine.edit("one", LINES.replace("Line 3.", "Mine 3.").replace("Line 15.", "Mine 15."))
    await other.edit("one", LINES.replace("Line 3.", "Theirs 3.").replace("Line 15.", "Theirs 15."))
    await other.merge()
    await mine.update()
    marked = await mine.text("one")
    assert marked.count("<<<<<<< change request #1") == 2
    assert marked.count(">>>>>>> main content") == 2
    start, end = marked.index("<<<<<<<"), marked.index("main content") + len("main content\n")
    await mine.edit("one", marked[:start] + "Settled.\n" + marked[end:])
    assert "“One”" in await refusal(mine)
    assert await list_conflicts(platform, mine) == [("one", "text")]
    await mine.edit("one", "# One\n\nAll new.\n")
    await mine.merge()


async def test_a_conflict_on_a_conflict_keeps_both(platform: Platform, mine: Desk, other: Desk) -> None:
    third = await Desk.open(mine.speaker, mine.space)
    await mine.edit("one", LINES.replace("Line 3.", "Mine."))
    await other.edit("one", LINES.replace("Line 3.", "Theirs."))
    await other.merge()
    await mine.update()
    await third.update()
    await third.edit("one", LINES.replace("Line 3.", "Third."))
    await third.merge()
    assert (await mine.update())["result"] == "conflicts"
    text = await mine.text("one")
    assert all(word in text for word in ("Mine.", "Theirs.", "Third."))
    await mine.edit("one", text.replace("Line 9.", "Another edit."))
    assert await list_conflicts(platform, mine) == [("one", "text")]
    await mine.edit("one", LINES)
    await mine.merge()


async def test_markers_that_a_page_shows_as_an_example_are_no_conflict(mine: Desk, other: Desk) -> None:
    example = "```\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n```\n"
    await mine.edit("one", f"# One\n\n{example}")
    await other.write(update("two", title="Zwei"))
    await other.merge()
    assert (await mine.update())["result"] == "update"
    await mine.merge()
    page = await mine.speaker.get(f"/spaces/{mine.space}/content/page/one", format="markdown")
    assert page["markdown"] == f"# One\n\n{example}"


async def test_the_message_names_each_page_once(mine: Desk, other: Desk) -> None:
    await mine.write(update("one", title="Uno", emoji="1"), update("two", title="Due"))
    await other.write(update("one", title="Un", emoji="2"), update("two", title="Deux"))
    await other.merge()
    message = await refusal(mine)
    assert message.count("“Uno”") == 1
    assert message.count("“Due”") == 1


async def test_pages_with_one_slug_from_both_sides_both_stay(mine: Desk, other: Desk) -> None:
    for desk, text in ((mine, "Mine.\n"), (other, "Theirs.\n")):
        await desk.write({"operation": "insert_page", "title": "New", "document": {"markdown": text}})
    await other.merge()
    await mine.merge()
    pages = (await mine.speaker.get(f"/spaces/{mine.space}/content/pages"))["pages"]
    texts = {}
    for page in pages:
        if page["title"] == "New":
            found = await mine.speaker.get(f"/spaces/{mine.space}/content/path/{page['path']}", format="markdown")
            texts[page["slug"]] = found["markdown"]
    assert texts == {"new": "# New\n\nTheirs.\n", "new-1": "# New\n\nMine.\n"}


async def test_a_conflict_goes_with_the_page_that_it_is_about(platform: Platform, mine: Desk, other: Desk) -> None:
    await mine.write(update("below", title="Mine"))
    await other.write(update("below", title="Theirs"))
    await other.merge()
    await mine.update()
    await mine.write({"operation": "delete_page", "page": "two"})
    assert await list_conflicts(platform, mine) == []
    await mine.merge()


@pytest.mark.parametrize(
    ("ours", "theirs", "agreeing"),
    [
        (update("one", title="Mine"), update("one", title="Theirs"), update("one", title="Mine")),
        (update("one", into="two"), update("one", into="three"), update("one", into="two")),
    ],
)
async def test_a_conflict_ends_when_the_main_content_comes_to_say_the_same(
    platform: Platform, mine: Desk, other: Desk, ours: dict[str, Any], theirs: dict[str, Any], agreeing: dict[str, Any]
) -> None:
    await mine.write(ours)
    await other.write(theirs)
    await other.merge()
    await mine.update()
    third = await Desk.open(mine.speaker, mine.space)
    await third.write(agreeing)
    await third.merge()
    assert (await mine.update())["result"] == "update"
    assert await list_conflicts(platform, mine) == []
    await mine.merge()


async def test_pages_that_two_requests_together_put_too_deep_are_a_conflict_until_they_are_moved_otherwise(
    ada: Speaker, platform: Platform
) -> None:
    names = [f"p{at:03}" for at in range(110)]
    space = make_space(platform, [ImportedPage(name, name, name) for name in names])
    desks = [await Desk.open(ada, space) for _ in range(2)]
    for first, desk in enumerate(desks):
        moves = [update(page, into=above) for page, above in pairwise(names)][first::2]
        for start in range(0, len(moves), 50):
            await desk.write(*moves[start : start + 50])
    await desks[0].merge()
    mine = desks[1]
    assert "The change request cannot be merged" in await refusal(mine)
    await mine.update()
    for path in (f"/spaces/{space}/content", f"{mine.path}/content", f"{mine.path}/content/pages"):
        assert deepest((await ada.get(path))["pages"]) <= MAX_LEVELS
    found = await list_conflicts(platform, mine)
    assert {field for _, field in found} == {"parent"}
    await mine.write(*(update(page, into=None) for page, _ in found))
    await mine.merge()


def deepest(pages: list[Any]) -> int:
    return max((1 + deepest(page.get("pages", [])) for page in pages), default=0)
