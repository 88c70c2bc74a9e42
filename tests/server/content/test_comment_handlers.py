"""Comments on spaces and change requests: anchors, replies, reactions, resolving, and who may do what."""

from __future__ import annotations

from threading import current_thread
from typing import Any

import pytest

from recto.contract.common import Role
from recto.document.rich_text.markdown_writer import to_markdown
from recto.server.content import comments
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker, join

PAGES = (
    ImportedPage("one", "One", "one", text="First paragraph.\n\nSecond paragraph.\n", attributes={"emoji": "1f3e0"}),
    ImportedPage("two", "Two", "two", text="Text.\n\n第一行，\n第二行。\n"),
)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


@pytest.fixture(params=["space", "change request"])
async def place(request: pytest.FixtureRequest, ada: Speaker, space: str) -> str:
    """The path of a space, and that of a change request: comments work the same on both."""
    if request.param == "space":
        return f"/spaces/{space}"
    return (await Desk.open(ada, space)).path


@pytest.fixture
def as_role(platform: Platform, organization: str) -> Any:
    def speaker(role: Role | None, name: str = "Grace Hopper") -> Speaker:
        return Speaker(platform, join(platform, organization, name, role))

    return speaker


async def post(speaker: Speaker, place: str, markdown: str = "Why?", **anchor: Any) -> Any:
    return await speaker.send("POST", f"{place}/comments", {"body": {"markdown": markdown}, **anchor})


async def list_items(speaker: Speaker, place: str, **query: Any) -> list[str]:
    answer = await speaker.request("GET", f"{place}/comments", params=query)
    return [each["body"]["markdown"] for each in answer.json()["items"]]


def leaf(text: str) -> dict[str, Any]:
    """Rich text of one paragraph."""
    words = {"object": "text", "leaves": [{"object": "leaf", "text": text, "marks": []}]}
    paragraph = {"object": "block", "type": "paragraph", "isVoid": False, "data": {}, "nodes": [words]}
    return {"object": "document", "data": {"schemaVersion": 1}, "nodes": [paragraph]}


async def test_rich_text_is_written_as_markdown_before_the_writers_turn(
    ada: Speaker, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    def note_and_write(document: Any) -> str:
        threads.append(current_thread().name)
        return to_markdown(document)

    monkeypatch.setattr(comments, "to_markdown", note_and_write)
    made = await ada.send("POST", f"{place}/comments", {"body": {"document": leaf("One")}})
    path = f"{place}/comments/{made['id']}"
    reply = await ada.send("POST", f"{path}/replies", {"body": {"document": leaf("Two")}})
    await ada.send("PUT", path, {"body": {"document": leaf("Three")}})
    await ada.send("PUT", f"{path}/replies/{reply['id']}", {"body": {"document": leaf("Four")}})
    assert len(threads) == 4
    assert not any(name.startswith("recto-writer") for name in threads)
    assert (await ada.get(path))["body"] == {"markdown": "Three\n"}
    assert (await ada.get(f"{path}/replies/{reply['id']}"))["body"] == {"markdown": "Four\n"}


async def test_rich_text_that_is_too_long_is_refused_before_it_is_written_as_markdown(
    ada: Speaker, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comments, "to_markdown", lambda _: pytest.fail("it was written"))
    body = {"body": {"document": leaf("a" + " " * 50_000)}}
    assert "body.document: at most 50000 characters" in await ada.refused("POST", f"{place}/comments", 400, body)


async def test_a_comment_is_posted_found_and_removed(ada: Speaker, place: str) -> None:
    made = await post(ada, place)
    assert made["object"] == "comment"
    assert made["postedBy"]["displayName"] == "Ada Lovelace"
    assert (made["status"], made["replies"], made["reactions"]) == ("open", 0, [])
    assert made["urls"]["location"].endswith(f"/comments/{made['id']}")
    assert await ada.get(f"{place}/comments/{made['id']}") == made
    await ada.send("DELETE", f"{place}/comments/{made['id']}", status=204)
    await ada.refused("GET", f"{place}/comments/{made['id']}", 404)
    await ada.send("DELETE", f"{place}/comments/{made['id']}", status=204)


async def test_a_comment_knows_its_page_and_its_block(ada: Speaker, space: str, place: str) -> None:
    document = (await ada.get(f"/spaces/{space}/content/page/one", format="document"))["document"]
    key = document["nodes"][1]["key"]
    made = await post(ada, place, page="one", node=key)
    assert made["target"]["node"] == {"id": key, "preview": "Second paragraph."}
    chinese = (await ada.get(f"/spaces/{space}/content/page/two", format="document"))["document"]["nodes"][1]["key"]
    assert (await post(ada, place, page="two", node=chinese))["target"]["node"]["preview"] == "第一行，第二行。"
    page = made["target"]["page"]
    assert (page["id"], page["title"], page["path"], page["emoji"], page["outdated"]) == (
        "one",
        "One",
        "one",
        "1f3e0",
        False,
    )
    assert made["target"]["space"] == space
    cell = {"record": "r", "definition": "d"}
    assert (await post(ada, place, page="one", tableCell=cell))["target"]["tableCell"] == cell


@pytest.mark.parametrize(
    ("anchor", "field"),
    [
        ({"page": "x"}, "page"),
        ({"page": "one", "node": "x"}, "node"),
        ({"node": "x"}, "page"),
        ({"tableCell": {"record": "r", "definition": "d"}}, "page"),
        ({"page": "one", "tableCell": {"record": "r"}}, "tableCell.definition"),
        ({"page": "one", "tableCell": {"record": "r", "definition": "d", "row": 1}}, "tableCell.row"),
    ],
)
async def test_a_comment_on_what_is_not_there_is_refused(
    ada: Speaker, place: str, anchor: dict[str, Any], field: str
) -> None:
    message = await ada.refused("POST", f"{place}/comments", 400, {"body": {"markdown": "Why?"}, **anchor})
    assert message.startswith(f"{field}:")
    assert "body.markdown" in await ada.refused("POST", f"{place}/comments", 400, {"body": {"markdown": " "}})


RICH = (
    "Look at `this`, **please**:\n\n1. first\n2. *second* with [a link](https://a.example/x)\n\n"
    "```suggestion\nThe text.\n```\n"
)


async def test_comments_in_rich_text_are_stored_as_markdown(ada: Speaker, place: str) -> None:
    said = await post(ada, place, RICH)
    rich = (await ada.get(f"{place}/comments/{said['id']}", format="document"))["body"]
    again = await ada.send("POST", f"{place}/comments", {"body": rich})
    assert again["body"] == {"markdown": RICH}
    replies = f"{place}/comments/{again['id']}/replies"
    reply = await ada.send("POST", replies, {"body": rich})
    assert reply["body"] == {"markdown": RICH}
    plain = {"object": "document", "nodes": [{"object": "block", "type": "paragraph", "nodes": [
        {"object": "text", "leaves": [{"object": "leaf", "text": "Yes."}]}]}]}  # fmt: skip
    edited = await ada.send("PUT", f"{replies}/{reply['id']}", {"body": {"document": plain}})
    assert edited["body"]["markdown"].strip() == "Yes."
    edited = await ada.send("PUT", f"{place}/comments/{again['id']}", {"body": {"document": plain}})
    assert edited["body"]["markdown"].strip() == "Yes."


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body: either markdown or document"),
        ({"markdown": "a", "document": {"nodes": []}}, "body: either markdown or document"),
        ({"document": {"object": "document", "nodes": []}}, "body.document: must not be empty"),
        ({"document": {"object": "document", "nodes": [{"object": "block"}]}}, "body.document: a block, inline"),
    ],
)
async def test_a_body_has_one_form_that_says_something(ada: Speaker, place: str, body: Any, field: str) -> None:
    assert (await ada.refused("POST", f"{place}/comments", 400, {"body": body})).startswith(field)


async def test_a_comment_stays_on_its_block_and_is_outdated_when_that_is_gone(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    document = (await ada.get(f"{desk.path}/content/page/one", format="document"))["document"]
    made = await post(ada, desk.path, page="one", node=document["nodes"][1]["key"])

    async def target() -> Any:
        return (await ada.get(f"{desk.path}/comments/{made['id']}"))["target"]

    await desk.edit("one", "# One\n\nNew.\n\nFirst paragraph.\n\nSecond paragraph, edited.\n")
    assert (await target())["page"]["outdated"] is False
    edited = (await ada.get(f"{desk.path}/content/page/one", format="document"))["document"]
    assert edited["nodes"][2]["key"] == made["target"]["node"]["id"]
    await desk.edit("one", "# One\n\nFirst paragraph.\n")
    assert (await target())["page"]["outdated"] is True
    await desk.write({"operation": "revert_page", "page": "one"})
    assert (await target())["page"]["outdated"] is False
    await desk.write({"operation": "delete_page", "page": "one"})
    gone = (await target())["page"]
    assert (gone["outdated"], gone["title"], gone["path"]) == (True, "One", "one")


async def test_replies_are_posted_edited_and_removed(ada: Speaker, place: str, as_role: Any) -> None:
    grace = as_role("comment")
    made = await post(ada, place)
    path = f"{place}/comments/{made['id']}/replies"
    reply = await grace.send("POST", path, {"body": {"markdown": "Because."}})
    assert reply["object"] == "comment-reply"
    assert reply["permissions"] == {"view": True, "edit": True, "reply": True, "delete": True}
    assert (await ada.get(f"{place}/comments/{made['id']}"))["replies"] == 1
    edited = await grace.send("PUT", f"{path}/{reply['id']}", {"body": {"markdown": "So."}, "addedReactions": ["👍"]})
    assert (edited["body"]["markdown"], edited["reactions"][0]["emoji"]) == ("So.", "👍")
    assert "editedAt" in edited
    assert [each["id"] for each in (await ada.get(path))["items"]] == [reply["id"]]
    assert await ada.get(f"{path}/{reply['id']}", format="markdown") | {"permissions": 0} == edited | {"permissions": 0}
    await grace.send("DELETE", f"{path}/{reply['id']}", status=204)
    await grace.refused("GET", f"{path}/{reply['id']}", 404)
    await grace.send("DELETE", f"{path}/{reply['id']}", status=204)
    assert (await ada.get(f"{place}/comments/{made['id']}"))["replies"] == 0


async def test_reactions_are_those_of_each_person(ada: Speaker, place: str, as_role: Any) -> None:
    grace = as_role("comment")
    path = f"{place}/comments/{(await post(ada, place))['id']}"
    await ada.send("PUT", path, {"addedReactions": ["🎉", "👍", "🎉"]})
    both = await grace.send("PUT", path, {"addedReactions": ["🎉"]})
    assert {each["emoji"]: each["count"] for each in both["reactions"]} == {"🎉": 2, "👍": 1}
    assert {each["user"]["displayName"] for each in both["reactions"][0]["users"]} == {"Ada Lovelace", "Grace Hopper"}
    left = await ada.send("PUT", path, {"removedReactions": ["🎉", "🚀"]})
    assert {each["emoji"]: each["count"] for each in left["reactions"]} == {"🎉": 1, "👍": 1}
    assert "addedReactions" in await ada.refused("PUT", path, 400, {"addedReactions": [" "]})


async def test_a_comment_is_resolved_and_counted_as_long_as_it_is_open(
    ada: Speaker, place: str, as_role: Any, clock: FrozenClock
) -> None:
    made = await post(ada, place)
    assert (await ada.get(place))["comments"] == 1
    clock.advance(minutes=5)
    resolved = await as_role("comment").send("PUT", f"{place}/comments/{made['id']}", {"resolved": True})
    assert (resolved["status"], resolved["resolvedBy"]["displayName"]) == ("resolved", "Grace Hopper")
    assert resolved["resolvedAt"] > resolved["postedAt"]
    assert (await ada.get(place))["comments"] == 0
    again = await ada.send("PUT", f"{place}/comments/{made['id']}", {"resolved": False})
    assert again["status"] == "open"
    assert "resolvedAt" not in again
    assert (await ada.get(place))["comments"] == 1


async def test_a_reply_on_a_change_request_resolves_its_comment(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    made = await post(ada, desk.path)
    path = f"{desk.path}/comments/{made['id']}"
    reply = await ada.send("POST", f"{path}/replies", {"body": {"markdown": "Done."}})
    await ada.send("PUT", f"{path}/replies/{reply['id']}", {"resolved": True})
    assert (await ada.get(path))["status"] == "resolved"


async def test_comments_are_listed_filtered_and_paged(
    ada: Speaker, place: str, as_role: Any, clock: FrozenClock
) -> None:
    grace = as_role("comment")
    for number, speaker in enumerate((ada, grace, ada)):
        clock.advance(minutes=1)
        made = await post(speaker, place, f"Number {number}", page=("one", "two", "one")[number])
    await ada.send("PUT", f"{place}/comments/{made['id']}", {"resolved": True})
    assert await list_items(ada, place) == ["Number 2", "Number 1", "Number 0"]
    assert await list_items(ada, place, order="asc") == ["Number 0", "Number 1", "Number 2"]
    assert await list_items(ada, place, status="open") == ["Number 1", "Number 0"]
    assert await list_items(ada, place, status="resolved") == ["Number 2"]
    assert await list_items(ada, place, targetPage="two") == ["Number 1"]
    authors = [(await grace.get("/user"))["id"], "nobody"]
    assert await list_items(ada, place, authors=authors) == ["Number 1"]
    first = await ada.get(f"{place}/comments", limit=2)
    rest = await ada.get(f"{place}/comments", limit=2, page=first["next"]["page"])
    assert (first["count"], [each["body"]["markdown"] for each in rest["items"]]) == (3, ["Number 0"])
    people = await ada.get(f"{place}/commenters")
    assert [each["user"]["displayName"] for each in people["items"]] == ["Ada Lovelace", "Grace Hopper"]


async def test_a_comment_comes_as_rich_text_where_that_is_asked_for(ada: Speaker, place: str) -> None:
    made = await post(ada, place, "Some **bold** text.")
    body = (await ada.get(f"{place}/comments/{made['id']}", format="document"))["body"]
    assert body["document"]["nodes"][0]["type"] == "paragraph"
    assert "markdown" not in body


async def test_comments_of_a_space_and_of_its_change_requests_are_apart(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    on_space, on_request = await post(ada, f"/spaces/{space}"), await post(ada, desk.path)
    await ada.refused("GET", f"/spaces/{space}/comments/{on_request['id']}", 404)
    await ada.refused("GET", f"{desk.path}/comments/{on_space['id']}", 404)
    assert on_request["target"]["changeRequest"] == (await desk.get())["id"]
    assert "changeRequest" not in on_space["target"]


@pytest.mark.parametrize(("role", "status"), [("read", 403), ("comment", 200), ("admin", 200)])
async def test_commenting_takes_the_role_comment(
    place: str, ada: Speaker, as_role: Any, role: Role, status: int
) -> None:
    grace = as_role(role)
    path = f"{place}/comments/{(await post(ada, place))['id']}"
    for method, suffix, body in (
        ("POST", f"{place}/comments", {"body": {"markdown": "Hm."}}),
        ("POST", f"{path}/replies", {"body": {"markdown": "Hm."}}),
        ("PUT", path, {"resolved": True}),
        ("PUT", path, {"addedReactions": ["👍"]}),
    ):
        assert (await grace.request(method, suffix, json=body)).status_code == status, suffix


async def test_people_edit_and_delete_what_is_theirs_and_admins_delete_everything(
    ada: Speaker, place: str, as_role: Any
) -> None:
    grace, alan = as_role("comment"), as_role("admin", "Alan Turing")
    path = f"{place}/comments/{(await post(ada, place))['id']}"
    assert (await ada.get(path))["permissions"] == {"view": True, "edit": True, "reply": True, "delete": True}
    assert (await grace.get(path))["permissions"] == {"view": True, "edit": False, "reply": True, "delete": False}
    assert (await alan.get(path))["permissions"] == {"view": True, "edit": False, "reply": True, "delete": True}
    await grace.refused("PUT", path, 403, {"body": {"markdown": "Mine now."}})
    await alan.refused("PUT", path, 403, {"body": {"markdown": "Mine now."}})
    await grace.refused("DELETE", path, 403)
    await alan.send("DELETE", path, status=204)


async def test_a_refused_change_leaves_the_rest_undone(ada: Speaker, place: str, as_role: Any) -> None:
    path = f"{place}/comments/{(await post(ada, place))['id']}"
    await as_role("comment").refused("PUT", path, 403, {"resolved": True, "body": {"markdown": "x"}})
    assert (await ada.get(path))["status"] == "open"


TABLE = "| Part | Price |\n| --- | --- |\n| Bolt | 1 |\n| Nut | 2 |\n"


async def test_a_comment_stays_on_its_cell_and_is_outdated_when_the_row_is_gone(
    platform: Platform, ada: Speaker
) -> None:
    space = make_space(platform, (ImportedPage("parts", "Parts", "parts", text=TABLE),))
    desk = await Desk.open(ada, space)
    document = (await ada.get(f"{desk.path}/content/page/parts", format="document"))["document"]
    table = document["nodes"][0]["data"]
    price = table["view"]["columns"][1]
    on_bolt, on_nut = [
        await post(ada, desk.path, page="parts", tableCell={"record": row, "definition": price})
        for row in table["records"]
    ]
    elsewhere = await post(ada, desk.path, page="parts", tableCell={"record": "r", "definition": "d"})

    async def list_outdated() -> list[bool]:
        paths = [f"{desk.path}/comments/{each['id']}" for each in (on_bolt, on_nut, elsewhere)]
        return [(await ada.get(path))["target"]["page"]["outdated"] for path in paths]

    assert await list_outdated() == [False, False, False]
    await desk.edit("parts", f"# Parts\n\nNew.\n\n{TABLE.replace('| 1 |', '| 3 |')}")
    assert await list_outdated() == [False, False, False]
    await desk.edit("parts", f"# Parts\n\nNew.\n\n{TABLE.replace('| Nut | 2 |', '').strip()}\n")
    assert await list_outdated() == [False, True, False]
    await desk.edit("parts", "# Parts\n\nNothing.\n")
    assert await list_outdated() == [True, True, False]


async def test_a_person_takes_back_no_reaction_but_their_own(ada: Speaker, place: str, as_role: Any) -> None:
    grace = as_role("comment")
    comment = f"{place}/comments/{(await post(ada, place))['id']}"
    reply = await ada.send("POST", f"{comment}/replies", {"body": {"markdown": "Because."}})
    for path in (comment, f"{comment}/replies/{reply['id']}"):
        await ada.send("PUT", path, {"addedReactions": ["🎉"]})
        await ada.send("PUT", path, {"addedReactions": ["🎉"]})
        untouched = await grace.send("PUT", path, {"removedReactions": ["🎉"]})
        assert [(each["emoji"], each["count"]) for each in untouched["reactions"]] == [("🎉", 1)]
        assert untouched["reactions"][0]["users"][0]["user"]["displayName"] == "Ada Lovelace"
        assert (await ada.send("PUT", path, {"removedReactions": ["🎉"]}))["reactions"] == []
        for wrong in ("", " ", "x" * 65):
            assert "Reactions:" in await ada.refused("PUT", path, 400, {"addedReactions": [wrong]})


async def test_replies_are_edited_and_deleted_by_their_author_alone(ada: Speaker, place: str, as_role: Any) -> None:
    grace, alan, reader = as_role("comment"), as_role("admin", "Alan Turing"), as_role("read", "Rita Reader")
    comment = f"{place}/comments/{(await post(ada, place))['id']}"
    path = f"{comment}/replies/{(await ada.send('POST', f'{comment}/replies', {'body': {'markdown': 'So.'}}))['id']}"
    for speaker in (grace, alan, reader):
        await speaker.refused("PUT", path, 403, {"body": {"markdown": "Mine."}})
    for speaker in (grace, reader):
        await speaker.refused("DELETE", path, 403)
        await speaker.refused("DELETE", comment, 403)
    assert (await grace.get(path))["permissions"] == {"view": True, "edit": False, "reply": True, "delete": False}
    assert (await reader.get(path))["permissions"] == {"view": True, "edit": False, "reply": False, "delete": False}
    await alan.send("DELETE", path, status=204)
    await reader.send("DELETE", path, status=204)


async def test_a_reply_reopens_its_comment_on_change_requests_alone(ada: Speaker, space: str) -> None:
    on_request = (await Desk.open(ada, space)).path
    for place, status in ((on_request, 200), (f"/spaces/{space}", 400)):
        comment = f"{place}/comments/{(await post(ada, place))['id']}"
        reply = await ada.send("POST", f"{comment}/replies", {"body": {"markdown": "Done."}})
        await ada.send("PUT", comment, {"resolved": True})
        answer = await ada.request("PUT", f"{comment}/replies/{reply['id']}", json={"resolved": False})
        assert answer.status_code == status
        assert (await ada.get(comment))["status"] == ("open" if status == 200 else "resolved")


async def test_a_change_of_nothing_changes_nothing(ada: Speaker, place: str, clock: FrozenClock) -> None:
    made = await post(ada, place)
    path = f"{place}/comments/{made['id']}"
    reply = await ada.send("POST", f"{path}/replies", {"body": {"markdown": "Because."}})
    clock.advance(minutes=1)
    replier = {"user": reply["postedBy"], "count": 1, "updatedAt": reply["postedAt"], "actionType": "comment"}
    replied = {"replies": 1, "repliers": [replier]}
    assert await ada.send("PUT", path, {}) == made | replied
    assert await ada.send("PUT", path, {"body": made["body"], "resolved": False}) == made | replied
    assert await ada.send("PUT", f"{path}/replies/{reply['id']}", {}) == reply
    for wrong in ({"body": None}, {"resolved": None}, {"addedReactions": None}, {"status": "resolved"}):
        await ada.refused("PUT", path, 400, wrong)


async def test_comments_are_listed_once_while_others_come_and_go(ada: Speaker, place: str, clock: FrozenClock) -> None:
    for order in ("asc", "desc"):
        made = []
        for number in range(5):
            clock.advance(minutes=1)
            made.append((await post(ada, place, f"{order} {number}"))["id"])
        seen: list[str] = []
        page: dict[str, Any] = {}
        while True:
            answer = (await ada.request("GET", f"{place}/comments", params={"limit": 2, "order": order, **page})).json()
            seen += [each["id"] for each in answer["items"]]
            await ada.send("DELETE", f"{place}/comments/{seen[-1]}", status=204)
            if len(seen) < 5:
                await post(ada, place, "In between")
            if "next" not in answer:
                break
            page = {"page": answer["next"]["page"]}
        assert [each for each in seen if each in made] == made[:: 1 if order == "asc" else -1]
        assert len(seen) == len(set(seen))


async def test_comments_of_several_authors_are_asked_for_by_repeating(ada: Speaker, place: str, as_role: Any) -> None:
    grace, alan = as_role("comment"), as_role("comment", "Alan Turing")
    for speaker in (ada, grace, alan):
        await post(speaker, place, (await speaker.get("/user"))["displayName"])
    wanted = [(await speaker.get("/user"))["id"] for speaker in (grace, alan)]
    assert sorted(await list_items(ada, place, authors=wanted)) == ["Alan Turing", "Grace Hopper"]
    assert len(await list_items(ada, place, authors=[*wanted, *(f"nobody{number}" for number in range(3000))])) == 2
    for wrong in ({"status": "fine"}, {"order": "up"}, {"format": "html"}, {"limit": 0}, {"page": "x"}):
        assert (await ada.request("GET", f"{place}/comments", params=wrong)).status_code == 400
