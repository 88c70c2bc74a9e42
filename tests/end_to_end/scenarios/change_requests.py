"""Scenarios of change requests: from the first write to the merge, their reviews and what they change."""

from __future__ import annotations

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, attach, edit, is_gone, said
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests, CreateChangeRequest, UpdateChangeRequest
from recto.contract.changes import (
    ContentChanges,
    DeletePage,
    InsertPage,
    PageEdited,
    PageText,
    RevertPage,
    WrittenContent,
)
from recto.contract.comments import Comments, PostComment
from recto.contract.content import Content
from recto.contract.reviews import RequestReviewers, Reviews, SubmitReview
from recto.contract.rich_text import Document
from recto.contract.spaces import Spaces


def as_listed(found: ChangeRequest) -> ChangeRequest:
    """Return a change request without what it says about its space where it is read alone."""
    assert found.space_revision is not None
    assert found.space_change_requests is not None
    beside = {"space_revision", "space_change_requests"}
    return ChangeRequest.model_validate_json(found.model_dump_json(exclude_unset=True, exclude=beside))


@proves(ChangeRequests.list_organization_change_requests)
async def an_organization_lists_the_change_requests_of_all_its_spaces(world: World) -> None:

    mine = await world.propose()
    other = await world.call(
        ChangeRequests.create_change_request, world.places.blog, CreateChangeRequest(subject="News")
    )
    assert (await world.call(ChangeRequests.list_organization_change_requests, world.places.organization)).items == (
        mine,
    )
    drafts = await world.call(
        ChangeRequests.list_organization_change_requests, world.places.organization, status="draft"
    )
    assert drafts.items == (other,)
    assert other == as_listed(await world.call(ChangeRequests.get_change_request, world.places.blog, other.id))


@proves(ChangeRequests.list_change_requests)
async def a_space_lists_its_change_requests_by_status_and_by_who_is_in_them(world: World) -> None:
    ada, grace = world.places.ada, world.places.grace
    first, second = await world.propose(), await world.propose()
    closed = await world.call(
        ChangeRequests.update_change_request, world.manual, second.id, UpdateChangeRequest(status="archived")
    )
    assert (await world.call(ChangeRequests.list_change_requests, world.manual)).items == (first,)
    assert (
        await world.call(ChangeRequests.list_change_requests, world.manual, status="archived", creator=ada)
    ).items == (closed,)
    assert (await world.call(ChangeRequests.list_change_requests, world.manual, contributor=grace)).items == ()


@proves(ChangeRequests.create_change_request)
async def a_change_request_begins_at_the_main_content(world: World) -> None:

    made = await world.call(ChangeRequests.create_change_request, world.manual, CreateChangeRequest(subject="Cables"))
    assert (made.subject, made.status, made.number, made.outdated) == ("Cables", "draft", 1, False)
    assert made.revision_initial == (await world.call(Spaces.get_space, world.manual)).revision
    assert as_listed(await world.call(ChangeRequests.get_change_request, world.manual, made.id)) == made


@proves(ChangeRequests.get_change_request)
async def a_change_request_is_found_by_its_id_and_its_number(world: World) -> None:
    request = await world.propose(edit("start", "# Start\n\nNew.\n"))
    found = await world.call(ChangeRequests.get_change_request, world.manual, str(request.number))
    assert found == await world.call(ChangeRequests.get_change_request, world.manual, request.id)
    assert as_listed(found) == request
    assert (await world.call(Content.get_revision, InChangeRequest(world.manual, found.id))).id == found.revision


@proves(ChangeRequests.update_change_request)
async def a_change_request_says_what_it_is_now_told(world: World) -> None:

    request = await world.propose(subject="First words")
    page = await world.call(Content.get_page, Main(world.manual), "start", "document")
    assert isinstance(page.document, Document)
    await world.call(
        ChangeRequests.update_change_request, world.manual, request.id, UpdateChangeRequest(description=page.document)
    )
    await world.call(
        ChangeRequests.update_change_request, world.manual, request.id, UpdateChangeRequest(subject="Last words")
    )
    found = await world.call(ChangeRequests.get_change_request, world.manual, request.id)
    assert (found.subject, found.description, found.status) == ("Last words", page.document, "open")


@proves(ChangeRequests.merge)
async def a_merge_makes_what_was_proposed_the_main_content(world: World) -> None:
    request = await world.propose(edit("start", "# Start\n\nNew.\n"))
    outcome = await world.call(ChangeRequests.merge, world.manual, request.id)
    assert outcome.result == "merge"
    assert await world.text("start") == "# Start\n\nNew.\n"
    assert (await world.call(Spaces.get_space, world.manual)).revision == outcome.revision
    merged = await world.call(ChangeRequests.get_change_request, world.manual, request.id)
    assert (merged.status, merged.revision_merged) == ("merged", outcome.revision)


@proves(ChangeRequests.pull)
async def an_update_brings_the_main_content_in_and_marks_what_conflicts(world: World) -> None:

    other = await world.propose(edit("start", "# Start\n\nTheirs.\n\nRead on.\n"))
    mine = await world.propose(edit("start", "# Start\n\nMine.\n\nRead on.\n"), edit("cables", "# Cables\n\nFour.\n"))
    assert (await world.call(ChangeRequests.pull, world.manual, mine.id)).revision == mine.revision
    await world.call(ChangeRequests.merge, world.manual, other.id)
    assert (await world.call(ChangeRequests.get_change_request, world.manual, mine.id)).outdated
    outcome = await world.call(ChangeRequests.pull, world.manual, mine.id)
    assert outcome.result == "conflicts"
    text = (
        await world.call(Content.get_page, InChangeRequest(world.manual, mine.id), "start", "markdown")
    ).markdown or ""
    assert [
        mark for mark in ("<<<<<<<", "Mine.", "=======", "Theirs.", ">>>>>>>", "Read on.") if mark not in text
    ] == []
    found = await world.call(ChangeRequests.get_change_request, world.manual, mine.id)
    assert (found.outdated, found.revision) == (False, outcome.revision)


@proves(ChangeRequests.list_contributors)
async def contributors_are_those_who_wrote_and_those_who_commented(world: World) -> None:
    request = await world.propose(edit("start", "# Start\n\nNew.\n"))
    await world.write(request.id, edit("cables", "# Cables\n\nFour.\n"))
    await world.call(Comments.post_comment, InChangeRequest(world.manual, request.id), PostComment(body=said("Why?")))
    listed = (await world.call(ChangeRequests.list_contributors, world.manual, request.id)).items
    assert {each.action_type: each.count for each in listed} == {"edit": 2, "comment": 1}
    assert {each.user.id for each in listed} == {world.places.ada}


@proves(ContentChanges.write_content)
async def a_write_does_all_its_changes_in_one_revision(world: World) -> None:
    request = await world.propose()
    written = await world.write(
        request.id,
        InsertPage(document=PageText(markdown="# Tools\n\nA hammer.\n"), into="setup", at=0, ref="tools"),
        edit("start", "# Start\n\nSee [tools](./tools).\n"),
        DeletePage(page="cables"),
        attach("notes.txt", b"Mind the gap."),
    )
    assert isinstance(written, WrittenContent)

    revision = await world.call(Content.get_revision, InChangeRequest(world.manual, request.id))
    assert revision.parents == (request.revision,)
    assert [(page.title, [child.title for child in page.pages]) for page in revision.pages] == [
        ("Start", []),
        ("Set-up", ["Tools"]),
    ]
    assert {file.name for file in revision.files} == {"logo.png", "notes.txt"}
    tools = revision.pages[1].pages[0].id
    start = await world.call(Content.get_page, InChangeRequest(world.manual, request.id), "start", "markdown")
    assert start.markdown is not None
    assert f"/pages/{tools}" in start.markdown
    await world.write(request.id, RevertPage(page="start"))
    start = await world.call(Content.get_page, InChangeRequest(world.manual, request.id), "start", "markdown")
    assert start.markdown == await world.text("start")


@proves(ContentChanges.list_changes)
async def a_change_request_tells_what_it_changes(world: World) -> None:
    request = await world.propose(edit("start", "# Start\n\nNew.\n"), edit("cables", "# Cables\n\nFour.\n"))
    told = await world.call(ContentChanges.list_changes, InChangeRequest(world.manual, request.id), limit=1)
    (change,) = told.changes
    assert isinstance(change, PageEdited)
    assert (change.page.id, list(change.attributes), told.more) == ("start", ["document"], 1)
    before = await world.call(Content.get_page, AtRevision(world.manual, request.base), "start", "markdown")
    after = await world.call(Content.get_page, AtRevision(world.manual, request.revision), "start", "markdown")
    assert before.markdown != after.markdown == "# Start\n\nNew.\n"


@proves(ContentChanges.list_changes, AtRevision)
async def a_merge_tells_what_it_changed(world: World) -> None:
    request = await world.propose(edit("cables", "# Cables\n\nFour.\n"))
    proposed = await world.call(ContentChanges.list_changes, InChangeRequest(world.manual, request.id))
    outcome = await world.call(ChangeRequests.merge, world.manual, request.id)
    assert await world.call(ContentChanges.list_changes, AtRevision(world.manual, outcome.revision)) == proposed


@proves(Reviews.list_reviews)
async def the_reviews_listed_say_which_one_counts(world: World) -> None:
    request = await world.propose()
    first = await world.call(Reviews.submit_review, world.manual, request.id, SubmitReview(status="changes-requested"))
    second = await world.call(Reviews.submit_review, world.manual, request.id, SubmitReview(status="approved"))
    listed = (await world.call(Reviews.list_reviews, world.manual, request.id)).items
    assert {(each.id, each.status, each.outdated) for each in listed} == {
        (first.id, "changes-requested", True),
        (second.id, "approved", False),
    }


@proves(Reviews.submit_review)
async def a_review_says_its_verdict_and_its_comment(world: World) -> None:
    request = await world.propose()
    body = SubmitReview(status="approved", comment=said("Well done."))
    review = await world.call(Reviews.submit_review, world.manual, request.id, body)
    assert (review.status, review.revision) == ("approved", request.revision)
    assert (await world.call(Reviews.list_reviews, world.manual, request.id)).items == (review,)
    (comment,) = (await world.call(Comments.list_comments, InChangeRequest(world.manual, request.id))).items
    assert (comment.body.markdown, comment.target.review) == ("Well done.", review.id)


@proves(Reviews.list_requested_reviewers)
async def who_is_asked_is_listed_until_they_answer(world: World) -> None:
    request = await world.propose()
    people = (world.places.ada, world.places.grace)
    await world.call(Reviews.request_reviewers, world.manual, request.id, RequestReviewers(users=people))
    await world.call(Reviews.submit_review, world.manual, request.id, SubmitReview(status="approved"))
    (waiting,) = (await world.call(Reviews.list_requested_reviewers, world.manual, request.id)).items
    assert waiting.user is not None
    assert waiting.user.id == world.places.grace


@proves(Reviews.request_reviewers)
async def people_are_asked_and_the_change_request_is_renamed_with_it(world: World) -> None:
    request = await world.propose()
    body = RequestReviewers(users=(world.places.grace,), subject="For Grace")
    asked = await world.call(Reviews.request_reviewers, world.manual, request.id, body)
    assert asked.users == (await world.call(Reviews.list_requested_reviewers, world.manual, request.id)).items
    assert [each.user.id for each in asked.users if each.user] == [world.places.grace]
    assert (await world.call(ChangeRequests.get_change_request, world.manual, request.id)).subject == "For Grace"


@proves(Reviews.withdraw_reviewer)
async def a_person_is_asked_no_longer(world: World) -> None:
    request = await world.propose()
    people = (world.places.ada, world.places.grace)
    await world.call(Reviews.request_reviewers, world.manual, request.id, RequestReviewers(users=people))
    await world.call(Reviews.withdraw_reviewer, world.manual, request.id, world.places.grace)
    await world.call(Reviews.withdraw_reviewer, world.manual, request.id, world.places.grace)
    (waiting,) = (await world.call(Reviews.list_requested_reviewers, world.manual, request.id)).items
    assert waiting.user is not None
    assert waiting.user.id == world.places.ada
    assert await is_gone(world.call(Reviews.list_requested_reviewers, world.manual, "nowhere"))
