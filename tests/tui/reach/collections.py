"""Rows of collections and of what is done with spaces as a whole. Stream ``shelves`` fills it."""

from __future__ import annotations

from recto.contract.collections import Collections
from recto.contract.spaces import Spaces
from tui.reach.organizations import ORGANIZATIONS, OWN
from tui.reach.row import Driver, Row


async def make_space(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("Field notes")
    await ada.press("ctrl+s")
    made = await ada.call(Spaces.list_spaces, ada.world.own)
    assert [space.title for space in made.items] == ["Field notes"]


ROWS: tuple[Row, ...] = (
    Row(Collections.list_collections, ORGANIZATIONS),
    Row(Spaces.list_spaces, ORGANIZATIONS),
    Row(Spaces.create_space, OWN, "item.new", {"title": "line"}, act=make_space),
)
