"""Rows of change requests and reviews."""

from __future__ import annotations

from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.changes import ContentChanges
from recto.contract.reviews import Reviews
from recto.store.locations import ChangeRequestLocation, SpaceLocation
from tui.reach.organizations import NARROWED, narrowing
from tui.reach.row import CONSOLE, Driver, Place, Row

REQUESTS = Place("change requests of a space", lambda world: SpaceLocation(world.space), ("2",))
OVERVIEW = Place("overview of a change request", lambda world: ChangeRequestLocation(world.space, world.request))
OUTDATED = Place("an outdated change request", lambda world: ChangeRequestLocation(world.space, world.outdated))
EDIT = "needs the edit role"
PAGE = Place("page", lambda world: SpaceLocation(world.space), ("enter",))


async def found_request(ada: Driver) -> ChangeRequest:
    return await ada.call(ChangeRequests.get_change_request, ada.world.space, ada.world.request)


async def choose_action(ada: Driver, words: str) -> None:
    """Do an action by its words in the palette."""
    await ada.press("colon")
    await ada.type(words)
    await ada.press("enter")


async def rename(ada: Driver) -> None:
    await ada.press("f2")
    await ada.type(" now")
    await ada.press("enter")
    assert (await found_request(ada)).subject.endswith(" now")


async def describe(ada: Driver) -> None:
    await ada.press("e")
    await ada.type("More. ")
    await ada.press("ctrl+s")
    assert "More." in (await found_request(ada)).to_json().decode()


async def change_status(ada: Driver) -> None:
    await choose_action(ada, "change the status")
    await ada.type("draft")
    await ada.press("enter")
    assert (await found_request(ada)).status == "draft"


async def merge(ada: Driver) -> None:
    await ada.press("M", "y")
    assert (await found_request(ada)).status == "merged"


async def update(ada: Driver) -> None:
    await ada.press("P", "y")
    found = await ada.call(ChangeRequests.get_change_request, ada.world.space, ada.world.outdated)
    assert not found.outdated


async def edit(ada: Driver) -> None:
    await ada.press("E")
    await ada.type("Tell all")
    await ada.press("enter")
    await ada.type("Hello. ")
    await ada.press("ctrl+s")
    listed = await ada.call(ChangeRequests.list_change_requests, ada.world.space, status="draft")
    made = next(one for one in listed.items if one.subject == "Tell all")
    changes = await ada.call(ContentChanges.list_changes, _in(ada, made.id))
    assert len(changes.changes) == 1


def _in(ada: Driver, change_request: str) -> InChangeRequest:
    return InChangeRequest(ada.world.space, change_request)


async def review(ada: Driver) -> None:
    await ada.press("S", "tab")
    await ada.type("Fine")
    await ada.press("shift+tab", "enter")
    made = await ada.call(Reviews.list_reviews, ada.world.space, ada.world.request, format="markdown")
    assert [str(one.status) for one in made.items][-1:] == ["approved"]


async def request_review(ada: Driver) -> None:
    await choose_action(ada, "request a review")
    await ada.type("Ines")
    await ada.press("enter")
    assert await list_reviewers(ada) == ["Ines Park"]


async def withdraw_review(ada: Driver) -> None:
    await request_review(ada)
    await choose_action(ada, "withdraw")
    await ada.press("enter")
    assert await list_reviewers(ada) == []
    await ada.press("u")
    assert await list_reviewers(ada) == ["Ines Park"]
    await ada.press("u")
    assert await list_reviewers(ada) == [], "a request for a review is taken back, too"


async def list_reviewers(ada: Driver) -> list[str]:
    listed = await ada.call(Reviews.list_requested_reviewers, ada.world.space, ada.world.outdated)
    return [one.user.display_name for one in listed.items if one.user is not None]


ROWS: tuple[Row, ...] = (
    Row(
        ChangeRequests.list_change_requests,
        REQUESTS,
        fields={"status": "shown"},
    ),
    Row(ChangeRequests.list_change_requests, REQUESTS, "list.filter", NARROWED, act=narrowing("F")),
    Row(ChangeRequests.get_change_request, OVERVIEW),
    Row(
        ChangeRequests.create_change_request,
        PAGE,
        "page.edit_here",
        {"subject": "line", "agent_task_id": CONSOLE},
        act=edit,
        needs=EDIT,
    ),
    Row(
        ContentChanges.write_content,
        PAGE,
        "page.edit_here",
        {"changes": "editor", "compat": CONSOLE},
        act=edit,
        needs=EDIT,
    ),
    Row(ChangeRequests.update_change_request, OVERVIEW, "item.rename", {"subject": "line"}, act=rename, needs=EDIT),
    Row(
        ChangeRequests.update_change_request,
        OVERVIEW,
        "request.describe",
        {"description": "text pad"},
        act=describe,
        needs=EDIT,
    ),
    Row(
        ChangeRequests.update_change_request,
        OVERVIEW,
        "request.status",
        {"status": "choice"},
        act=change_status,
        needs=EDIT,
    ),
    Row(ChangeRequests.merge, OVERVIEW, "request.merge", act=merge, needs="needs the review role"),
    Row(ChangeRequests.pull, OUTDATED, "request.update", act=update, needs=EDIT),
    Row(ChangeRequests.list_contributors, OVERVIEW),
    Row(ContentChanges.list_changes, OVERVIEW),
    Row(Reviews.list_reviews, OVERVIEW, fields={"format": CONSOLE, "outdated": CONSOLE}),
    Row(Reviews.list_requested_reviewers, OVERVIEW),
    Row(
        Reviews.submit_review,
        OVERVIEW,
        "review.submit",
        {"status": "choice", "comment": "text pad"},
        act=review,
        needs="needs the comment role",
    ),
    Row(
        Reviews.request_reviewers,
        OUTDATED,
        "request.reviewers",
        {"users": "choice", "subject": CONSOLE, "description": CONSOLE},
        act=request_review,
        needs=EDIT,
    ),
    Row(Reviews.withdraw_reviewer, OUTDATED, "request.withdraw", act=withdraw_review, needs=EDIT),
)
