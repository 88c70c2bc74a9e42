"""Reviews, requested reviewers, contributors, and the rules that a merge must meet."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker, join, stranger

PAGES = (ImportedPage("one", "One", "one", text="Text.\n"),)


@pytest.fixture
def grace_id(platform: Platform, organization: str) -> str:
    return join(platform, organization, "Grace Hopper", "review")


@pytest.fixture
def grace(platform: Platform, grace_id: str) -> Speaker:
    return Speaker(platform, grace_id)


@pytest.fixture
async def desk(platform: Platform, ada: Speaker) -> Desk:
    return await Desk.open(ada, make_space(platform, PAGES))


async def review(speaker: Speaker, desk: Desk, status: str = "approved", **body: Any) -> Any:
    return await speaker.send("POST", f"{desk.path}/reviews", {"status": status, **body}, 201)


async def test_a_review_says_who_thinks_what_of_which_revision(desk: Desk, grace: Speaker) -> None:
    made = await review(grace, desk, "changes-requested", comment={"markdown": "Not yet."})
    assert made["object"] == "change-request-review"
    assert (made["status"], made["outdated"], made["reviewer"]["displayName"]) == (
        "changes-requested",
        False,
        "Grace Hopper",
    )
    assert made["revision"] == (await desk.get())["revision"]
    assert made["comment"]["body"]["markdown"] == "Not yet."
    (said,) = (await grace.get(f"{desk.path}/comments"))["items"]
    assert (said["target"]["review"], (await desk.get())["comments"]) == (made["id"], 1)
    assert (await grace.get(f"{desk.path}/reviews"))["items"] == [made]


async def test_reviews_are_listed_by_whether_they_are_outdated_and_in_either_form(
    desk: Desk, ada: Speaker, grace: Speaker
) -> None:
    document = {"object": "document", "nodes": [{"object": "block", "type": "paragraph", "nodes": [
        {"object": "text", "leaves": [{"object": "leaf", "text": "Not yet.", "marks": []}]}]}]}  # fmt: skip
    first = await review(grace, desk, "changes-requested", comment={"document": document})
    assert first["comment"]["body"]["markdown"].strip() == "Not yet."
    second = await review(grace, desk)
    path = f"{desk.path}/reviews"
    for asked, found in ((True, [first["id"]]), (False, [second["id"]]), (None, [second["id"], first["id"]])):
        query = {} if asked is None else {"outdated": str(asked).lower()}
        answer = await ada.request("GET", path, params=query)
        assert {each["id"] for each in answer.json()["items"]} == set(found)
    (rich,) = (await ada.get(path, outdated="true", format="document"))["items"]
    assert "markdown" not in rich["comment"]["body"]
    assert rich["comment"]["body"]["document"]["nodes"][0]["nodes"][0]["leaves"][0]["text"] == "Not yet."


async def test_who_asks_for_a_review_may_say_what_it_is_about(desk: Desk, ada: Speaker, grace_id: str) -> None:
    description = {"object": "document", "nodes": [{"object": "block", "type": "paragraph", "nodes": [
        {"object": "text", "leaves": [{"object": "leaf", "text": "Why.", "marks": []}]}]}]}  # fmt: skip
    body = {"users": [grace_id], "subject": "Say more", "description": description}
    await ada.send("POST", f"{desk.path}/requested-reviewers", body)
    found = await desk.get()
    assert (found["subject"], found["description"]["nodes"][0]["nodes"][0]["leaves"][0]["text"]) == ("Say more", "Why.")
    await ada.send("POST", f"{desk.path}/requested-reviewers", {"users": [grace_id]})
    assert (await desk.get())["description"] == found["description"]


async def test_a_newer_review_of_a_person_makes_the_older_one_outdated(
    desk: Desk, ada: Speaker, grace: Speaker, clock: FrozenClock
) -> None:
    await review(ada, desk)
    await review(grace, desk, "changes-requested")
    clock.advance(minutes=1)
    await review(grace, desk)
    items = (await ada.get(f"{desk.path}/reviews"))["items"]
    assert sorted((each["reviewer"]["displayName"], each["status"], each["outdated"]) for each in items) == [
        ("Ada Lovelace", "approved", False),
        ("Grace Hopper", "approved", False),
        ("Grace Hopper", "changes-requested", True),
    ]
    assert items[0]["outdated"] is False


async def test_people_are_asked_until_they_answer(desk: Desk, ada: Speaker, grace: Speaker, grace_id: str) -> None:
    await review(grace, desk)
    asked = await ada.send("POST", f"{desk.path}/requested-reviewers", {"users": [grace_id], "subject": "Please look"})
    (entry,) = asked["users"]
    assert (entry["kind"], entry["user"]["id"], entry["requestedBy"]["displayName"]) == (
        "user",
        grace_id,
        "Ada Lovelace",
    )
    assert (await ada.get(f"{desk.path}/requested-reviewers"))["items"] == [entry]
    assert (await desk.get())["subject"] == "Please look"
    assert [each["outdated"] for each in (await ada.get(f"{desk.path}/reviews"))["items"]] == [True]
    made = await review(grace, desk)
    assert made["requestedBy"]["displayName"] == "Ada Lovelace"
    assert (await ada.get(f"{desk.path}/requested-reviewers"))["items"] == []


async def test_people_are_asked_no_longer(desk: Desk, ada: Speaker, grace_id: str) -> None:
    await ada.send("POST", f"{desk.path}/requested-reviewers", {"users": [grace_id]})
    for _ in range(2):
        await ada.send("DELETE", f"{desk.path}/requested-reviewers/{grace_id}", status=204)
    assert (await ada.get(f"{desk.path}/requested-reviewers"))["count"] == 0


async def test_only_those_who_see_the_space_are_asked(desk: Desk, ada: Speaker, platform: Platform) -> None:
    users = [platform.owner, stranger(platform)]
    message = await ada.refused("POST", f"{desk.path}/requested-reviewers", 400, {"users": users})
    assert message.startswith("users[1]:")
    await ada.refused("POST", f"{desk.path}/requested-reviewers", 400, {"users": []})
    assert (await ada.get(f"{desk.path}/requested-reviewers"))["items"] == []


async def test_reviewing_takes_the_role_review(desk: Desk, platform: Platform, organization: str) -> None:
    editor = Speaker(platform, join(platform, organization, "Ed Editor", "edit"))
    await editor.refused("POST", f"{desk.path}/reviews", 403, {"status": "approved"})
    await editor.refused("POST", f"{desk.path}/merge", 403)


@pytest.mark.parametrize(
    ("comment", "field"),
    [
        ({"markdown": " "}, "comment.markdown"),
        ({"document": {"object": "document", "nodes": []}}, "comment.document"),
        ({}, "comment"),
        ({"markdown": None}, "comment.markdown"),
        ({"markdown": "Yes", "document": {"nodes": []}}, "comment"),
    ],
)
async def test_a_comment_that_comes_with_a_review_says_something(
    desk: Desk, ada: Speaker, comment: Any, field: str
) -> None:
    body = {"status": "approved", "comment": comment}
    assert (await ada.refused("POST", f"{desk.path}/reviews", 400, body)).startswith(f"{field}:")
    assert (await ada.get(f"{desk.path}/reviews"))["count"] == 0


async def test_what_is_merged_is_not_reviewed(desk: Desk, grace: Speaker) -> None:
    await desk.merge()
    assert "merged" in await grace.refused("POST", f"{desk.path}/reviews", 409, {"status": "approved"})


async def test_contributors_are_those_who_wrote_and_those_who_commented(
    desk: Desk, ada: Speaker, grace: Speaker
) -> None:
    await desk.edit("one", "# One\n\nA.\n")
    await desk.edit("one", "# One\n\nB.\n")
    made = await grace.send("POST", f"{desk.path}/comments", {"body": {"markdown": "Hm."}})
    await grace.send("POST", f"{desk.path}/comments/{made['id']}/replies", {"body": {"markdown": "Hm."}})
    items = (await ada.get(f"{desk.path}/contributors"))["items"]
    assert sorted((each["user"]["displayName"], each["actionType"], each["count"]) for each in items) == [
        ("Ada Lovelace", "edit", 2),
        ("Grace Hopper", "comment", 2),
    ]


async def set_rules(ada: Speaker, desk: Desk, *rules: dict[str, Any]) -> None:
    await ada.send("PATCH", f"/spaces/{desk.space}", {"mergeRules": {"type": "rules", "rules": list(rules)}})


async def refusal(desk: Desk) -> str:
    return await desk.speaker.refused("POST", f"{desk.path}/merge", 409)


@pytest.mark.parametrize(
    "rule",
    [
        "require_specific_reviewers",
        "require_one_of_specific_reviewers",
        "require_at_least_one_review",
        "require_at_least_one_approved_review",
    ],
)
async def test_a_merge_waits_for_the_reviews_that_the_rules_ask_for(
    desk: Desk, ada: Speaker, grace: Speaker, grace_id: str, rule: str
) -> None:
    await set_rules(ada, desk, {"rule": rule, **({"users": [grace_id]} if "specific" in rule else {})})
    assert rule in await refusal(desk)
    await review(grace, desk)
    await desk.merge()


async def test_a_review_of_another_person_does_not_do(desk: Desk, ada: Speaker, grace_id: str) -> None:
    await set_rules(ada, desk, {"rule": "require_specific_reviewers", "users": [grace_id], "message": "Ask Grace."})
    await review(ada, desk)
    message = await refusal(desk)
    assert "Grace Hopper" in message
    assert "Ask Grace." in message


async def test_all_reviews_that_stand_must_approve(desk: Desk, ada: Speaker, grace: Speaker) -> None:
    await set_rules(ada, desk, {"rule": "require_all_reviews_approved"})
    await review(ada, desk)
    await review(grace, desk, "changes-requested")
    assert "Grace Hopper" in await refusal(desk)
    await review(grace, desk)
    await desk.merge()


async def test_the_change_request_must_be_up_to_date_where_a_rule_says_so(desk: Desk, ada: Speaker) -> None:
    other = await Desk.open(ada, desk.space)
    await other.edit("one", "# Uno\n\nText.\n")
    await other.merge()
    await set_rules(ada, desk, {"rule": "require_up_to_date_change_request"})
    assert "require_up_to_date_change_request" in await refusal(desk)
    assert (await desk.update())["result"] == "update"
    await desk.merge()


async def test_a_subject_and_a_description_may_be_needed(desk: Desk, ada: Speaker) -> None:
    await set_rules(
        ada, desk, {"rule": "require_change_request_subject"}, {"rule": "require_change_request_description"}
    )
    await ada.send("PATCH", desk.path, {"subject": " "})
    assert "require_change_request_subject" in await refusal(desk)
    await ada.send("PATCH", desk.path, {"subject": "Something"})
    assert "require_change_request_description" in await refusal(desk)
    document = (await ada.get(f"{desk.path}/content/page/one", format="document"))["document"]
    described = await ada.send("PATCH", desk.path, {"description": document})
    assert described["description"] == document
    await desk.merge()


async def test_only_the_author_may_merge_where_a_rule_says_so(desk: Desk, ada: Speaker, grace: Speaker) -> None:
    await set_rules(ada, desk, {"rule": "require_author_to_merge"})
    assert "require_author_to_merge" in await grace.refused("POST", f"{desk.path}/merge", 409)
    await desk.merge()


async def test_a_review_by_an_agent_is_never_there(desk: Desk, ada: Speaker, grace: Speaker) -> None:
    await set_rules(ada, desk, {"rule": "require_agent_review"})
    await review(grace, desk)
    assert await refusal(desk) == (
        "The merge rule require_agent_review is not met."
        " A review by an agent is asked for, and there is none to ask from here."
    )


@pytest.mark.parametrize(
    "expression",
    [
        "reviews.length === 1 && reviews[0].status === 'approved'",
        "reviews[0].reviewer.displayName.includes('Grace')",
        "changeRequest.subject === 'Ready' && changeRequest.status === 'open' && !changeRequest.outdated",
        "space.title && space.permissions.merge && changeRequest.space === space.id",
        "changeRequest.subject === 'Ready' ? actor.id === changeRequest.createdBy.id : nothing",
    ],
)
async def test_an_expression_decides(desk: Desk, ada: Speaker, grace: Speaker, expression: str) -> None:
    await set_rules(ada, desk, {"rule": "custom", "expression": f"({expression}) && reviews.length > 0"})
    message = await refusal(desk)
    assert message.startswith("The merge rule custom is not met. This is not true: ")
    assert expression in message
    await ada.send("PATCH", desk.path, {"subject": "Ready", "status": "open"})
    await review(grace, desk, "changes-requested")
    await review(grace, desk)
    await desk.merge()


async def test_the_first_rule_that_is_not_met_is_named_with_its_message(
    desk: Desk, ada: Speaker, grace: Speaker
) -> None:
    await set_rules(
        ada,
        desk,
        {"rule": "custom", "expression": "true"},
        {"rule": "custom", "expression": "nobody.knows", "message": "Wait for the release."},
        {"rule": "require_at_least_one_review"},
    )
    assert await refusal(desk) == (
        "The merge rule custom is not met. This is not true: nobody.knows (Wait for the release.)."
    )


async def test_an_expression_that_cannot_be_read_is_refused_when_the_rule_is_written(desk: Desk, ada: Speaker) -> None:
    rules = {"type": "rules", "rules": [{"rule": "custom", "expression": "reviews.length >"}]}
    message = await ada.refused("PATCH", f"/spaces/{desk.space}", 400, {"mergeRules": rules})
    assert message == ("mergeRules.rules[0].expression: cannot be read: It ends too early (character 17)")


async def test_a_rule_that_cannot_be_read_any_more_is_not_met(desk: Desk, platform: Platform) -> None:
    rules = json.dumps({"type": "rules", "rules": [{"rule": "custom", "expression": "a b"}, {"rule": "be_nice"}]})
    platform.database.write_now(lambda connection: connection.update("spaces", desk.space, merge_rules=rules))
    assert "The expression a b cannot be read" in await refusal(desk)


async def test_who_may_pass_over_the_rules_does(desk: Desk, ada: Speaker, grace: Speaker, grace_id: str) -> None:
    await set_rules(ada, desk, {"rule": "require_agent_review"}, {"rule": "allow_bypass", "users": [grace_id]})
    await refusal(desk)
    await grace.send("POST", f"{desk.path}/merge")


async def test_a_space_inherits_the_rules_of_its_organization(
    desk: Desk, platform: Platform, organization: str, ada: Speaker
) -> None:
    rules = json.dumps({"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]})
    platform.database.write_now(lambda connection: connection.update("organizations", organization, merge_rules=rules))
    assert "require_at_least_one_review" in await refusal(desk)
    await ada.send("PATCH", f"/spaces/{desk.space}", {"mergeRules": {"type": "none"}})
    await desk.merge()


async def test_several_people_are_asked_at_once_and_each_answers_for_themselves(
    desk: Desk, ada: Speaker, grace: Speaker, grace_id: str, platform: Platform, organization: str, clock: FrozenClock
) -> None:
    alan_id = join(platform, organization, "Alan Turing", "review")
    path = f"{desk.path}/requested-reviewers"
    asked = await ada.send("POST", path, {"users": [grace_id, alan_id, grace_id]})
    assert {each["user"]["id"] for each in asked["users"]} == {grace_id, alan_id}
    assert len(asked["users"]) == 2
    first = await ada.get(path, limit=1)
    rest = await ada.get(path, limit=1, page=first["next"]["page"])
    assert {each["user"]["id"] for each in (*first["items"], *rest["items"])} == {grace_id, alan_id}
    await review(grace, desk)
    assert [each["user"]["id"] for each in (await ada.get(path))["items"]] == [alan_id]
    clock.advance(minutes=1)
    again = await ada.send("POST", path, {"users": [grace_id]})
    assert [each["user"]["id"] for each in again["users"]] == [alan_id, grace_id]
    assert [each["outdated"] for each in (await ada.get(f"{desk.path}/reviews"))["items"]] == [True]


@pytest.mark.parametrize(("subject", "status"), [("x" * 100, 200), ("x" * 101, 400), (None, 400)])
async def test_a_subject_that_comes_with_a_request_has_its_limit(
    desk: Desk, ada: Speaker, grace_id: str, subject: Any, status: int
) -> None:
    body = {"users": [grace_id], "subject": subject}
    answer = await ada.request("POST", f"{desk.path}/requested-reviewers", json=body)
    assert answer.status_code == status
    assert (await desk.get())["subject"] == (subject if status == 200 else "A change")


@pytest.mark.parametrize(("role", "status"), [("read", 403), ("comment", 403), ("edit", 200)])
async def test_asking_takes_the_role_edit(
    desk: Desk, ada: Speaker, platform: Platform, organization: str, role: Role, status: int
) -> None:
    member = join(platform, organization, "Mem Member", role)
    speaker = Speaker(platform, member)
    body = {"users": [platform.owner]}
    assert (await speaker.request("POST", f"{desk.path}/requested-reviewers", json=body)).status_code == status
    await ada.send("POST", f"{desk.path}/requested-reviewers", {"users": [member]})
    gone = await speaker.request("DELETE", f"{desk.path}/requested-reviewers/{member}")
    assert gone.status_code == (204 if status == 200 else 403)


async def test_a_verdict_is_one_of_two(desk: Desk, ada: Speaker) -> None:
    for wrong in ("commented", "", None):
        assert (await ada.refused("POST", f"{desk.path}/reviews", 400, {"status": wrong})).startswith("status:")
    assert "status" in await ada.refused("POST", f"{desk.path}/reviews", 400, {})


async def test_each_contributor_is_listed_once_while_they_go_on(
    desk: Desk, ada: Speaker, grace: Speaker, clock: FrozenClock
) -> None:
    for speaker in (grace, ada):
        clock.advance(minutes=1)
        await speaker.send("POST", f"{desk.path}/comments", {"body": {"markdown": "Hm."}})
    await desk.edit("one", "# One\n\nA.\n")
    seen: list[tuple[str, str]] = []
    page: dict[str, Any] = {}
    while True:
        answer = await ada.get(f"{desk.path}/contributors", limit=1, **page)
        seen += [(each["user"]["displayName"], each["actionType"]) for each in answer["items"]]
        clock.advance(minutes=1)
        for speaker in (grace, ada):
            await speaker.send("POST", f"{desk.path}/comments", {"body": {"markdown": "Hm again."}})
        if "next" not in answer:
            break
        page = {"page": answer["next"]["page"]}
    assert sorted(seen) == [("Ada Lovelace", "comment"), ("Ada Lovelace", "edit"), ("Grace Hopper", "comment")]
    assert seen[0] == ("Grace Hopper", "comment")


async def test_a_change_request_tells_when_its_comments_and_reviews_changed(
    ada: Speaker, desk: Desk, grace_id: str, clock: FrozenClock
) -> None:
    path = desk.path
    fields = ("updatedAt", "commentsUpdatedAt", "reviewsUpdatedAt")
    before = await ada.get(path)
    assert [before[name] for name in fields] == [before["createdAt"]] * 3

    async def moved_by(method: str, end: str, body: Any, status: int = 200) -> tuple[set[str], Any]:
        nonlocal before
        clock.advance(seconds=1)
        answer = await ada.send(method, f"{path}{end}", body, status)
        after = await ada.get(path)
        moved = {name for name in fields if after[name] != before[name]}
        before = after
        return moved, answer

    reviews, comments = {"updatedAt", "reviewsUpdatedAt"}, {"updatedAt", "commentsUpdatedAt"}
    assert (await moved_by("POST", "/requested-reviewers", {"users": [grace_id]}))[0] == reviews
    assert (await moved_by("DELETE", f"/requested-reviewers/{grace_id}", None, 204))[0] == reviews
    assert (await moved_by("POST", "/reviews", {"status": "approved"}, 201))[0] == reviews
    moved, comment = await moved_by("POST", "/comments", {"body": {"markdown": "Hm."}})
    assert moved == comments
    thread = f"/comments/{comment['id']}"
    assert (await moved_by("PUT", thread, {"body": {"markdown": "Hmm."}}))[0] == comments
    assert (await moved_by("PUT", thread, {"addedReactions": ["1f600"]}))[0] == comments
    assert (await moved_by("PUT", thread, {"body": {"markdown": "Hmm."}}))[0] == set()
    moved, reply = await moved_by("POST", f"{thread}/replies", {"body": {"markdown": "Yes."}})
    assert moved == comments
    assert (await moved_by("PUT", f"{thread}/replies/{reply['id']}", {"addedReactions": ["1f600"]}))[0] == comments
    assert (await moved_by("DELETE", f"{thread}/replies/{reply['id']}", None, 204))[0] == comments
    assert (await moved_by("PUT", thread, {"resolved": True}))[0] == comments
    assert (await moved_by("PATCH", "", {"subject": "Other"}))[0] == {"updatedAt"}
    both = {"status": "approved", "comment": {"markdown": "Good."}}
    assert (await moved_by("POST", "/reviews", both, 201))[0] == reviews | comments


async def test_a_space_tells_when_the_comments_on_its_main_content_changed(
    ada: Speaker, desk: Desk, clock: FrozenClock
) -> None:
    space = desk.space
    before = await ada.get(f"/spaces/{space}")
    clock.advance(seconds=1)
    comment = await ada.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    posted = await ada.get(f"/spaces/{space}")
    assert (posted["commentsUpdatedAt"], posted["updatedAt"]) == (comment["postedAt"], before["updatedAt"])
    assert before["commentsUpdatedAt"] < posted["commentsUpdatedAt"]
