"""Rows of comments and replies."""

from __future__ import annotations

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import Comments
from recto.store.locations import ChangeRequestLocation, SpaceLocation
from tui.reach.row import Driver, Place, Row

COMMENTS = Place("comments of a space", lambda world: SpaceLocation(world.space), ("3",))
CONVERSATION = Place(
    "conversation of a change request", lambda world: ChangeRequestLocation(world.space, world.request), ("3",)
)
PAGE = Place("page", lambda world: SpaceLocation(world.space), ("enter",))


async def comment(ada: Driver) -> None:
    await ada.press("c")
    await ada.type("Why?")
    await ada.press("ctrl+s")
    made = await ada.call(Comments.list_comments, Main(ada.world.space), format="markdown")
    assert any(one.body is not None and one.body.markdown == "Why?" for one in made.items)


ROWS: tuple[Row, ...] = (
    Row(Comments.list_comments, COMMENTS, fields={"status": "shown", "format": "shown"}),
    Row(Comments.list_comments.at(InChangeRequest), CONVERSATION, fields={"status": "shown", "format": "shown"}),
    Row(Comments.post_comment, PAGE, "space.comment", {"body": "text pad", "page": "the page"}, act=comment),
)
