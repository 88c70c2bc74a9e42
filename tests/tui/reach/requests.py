"""Rows of change requests and reviews."""

from __future__ import annotations

from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import ContentChanges
from recto.contract.reviews import Reviews
from recto.store.locations import ChangeRequestLocation, SpaceLocation
from tui.reach.row import Driver, Place, Row

REQUESTS = Place("change requests of a space", lambda world: SpaceLocation(world.space), ("2",))
OVERVIEW = Place("overview of a change request", lambda world: ChangeRequestLocation(world.space, world.request))
OUTDATED = Place("an outdated change request", lambda world: ChangeRequestLocation(world.space, world.outdated))


async def rename(ada: Driver) -> None:
    await ada.press("f2")
    await ada.type(" now")
    await ada.press("enter")
    found = await ada.call(ChangeRequests.get_change_request, ada.world.space, ada.world.request)
    assert found.subject.endswith(" now")


async def merge(ada: Driver) -> None:
    await ada.press("M", "y")
    found = await ada.call(ChangeRequests.get_change_request, ada.world.space, ada.world.request)
    assert found.status == "merged"


async def update(ada: Driver) -> None:
    await ada.press("P", "y")
    found = await ada.call(ChangeRequests.get_change_request, ada.world.space, ada.world.outdated)
    assert not found.outdated


ROWS: tuple[Row, ...] = (
    Row(ChangeRequests.list_change_requests, REQUESTS, fields={"status": "shown"}),
    Row(ChangeRequests.get_change_request, OVERVIEW),
    Row(ChangeRequests.update_change_request, OVERVIEW, "item.rename", {"subject": "line"}, act=rename),
    Row(ChangeRequests.merge, OVERVIEW, "request.merge", act=merge),
    Row(ChangeRequests.pull, OUTDATED, "request.update", act=update),
    Row(ChangeRequests.list_contributors, OVERVIEW),
    Row(ContentChanges.list_changes, OVERVIEW),
    Row(Reviews.list_reviews, OVERVIEW),
    Row(Reviews.list_requested_reviewers, OVERVIEW),
)
