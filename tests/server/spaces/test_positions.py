from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.server.context import Context
from recto.server.people import directory
from recto.server.platform import Platform
from recto.server.spaces.positions import GAP, PlacedItem, insert, items_in, next_position, read_placed
from recto.server.spaces.spaces import add_space
from recto.server.storage import schema
from recto.server.storage.database import Connection, Database


@pytest.fixture
def shelf(platform: Platform, organization: str) -> list[PlacedItem]:
    """A space, a collection and a space, at the top."""

    def work(context: Context) -> list[PlacedItem]:
        add_space(context, organization, "one")
        directory.create_collection(context, organization, "Two")
        add_space(context, organization, "three")
        return [read_placed(row) for row in items_in(context.database, organization, None)]

    return platform.database.write_now(lambda connection: work(platform.context(connection)))


def positions(connection: Connection, organization: str) -> dict[PlacedItem, int]:
    return {read_placed(row): row["position"] for row in items_in(connection, organization, None)}


def test_spaces_and_collections_stand_in_one_sequence(
    platform: Platform, organization: str, shelf: list[PlacedItem]
) -> None:
    assert [item.type for item in shelf] == ["space", "collection", "space"]

    def work(connection: Connection) -> None:
        assert list(positions(connection, organization).values()) == [0, GAP, 2 * GAP]
        assert next_position(connection, organization, None) == 3 * GAP
        assert next_position(connection, organization, shelf[1].id) == 0

    platform.database.read_now(work)


@pytest.mark.parametrize("times", [3, 40])
def test_what_is_put_in_stands_there_and_moves_others_only_where_there_is_no_room(
    platform: Platform, organization: str, shelf: list[PlacedItem], times: int
) -> None:
    """Put the second and the third item in turn right after the first, which halves the room each time."""

    def work(connection: Connection) -> None:
        first, *moved = shelf
        for turn in range(times):
            item = moved[turn % 2]
            before = positions(connection, organization)
            beside = [row for row in items_in(connection, organization, None) if read_placed(row) != item]
            insert(connection, beside, 1, [item])
            after = positions(connection, organization)
            assert list(after) == [first, item, moved[1 - turn % 2]]
            others = {each: at for each, at in after.items() if each != item}
            assert times > 3 or others == {each: before[each] for each in others}

    platform.database.write_now(work)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.tuples(st.sets(st.integers(0, 5), min_size=1), st.integers(0, 6)), max_size=25))
def test_any_items_come_to_stand_where_they_are_put(
    platform: Platform, organization: str, moves: list[tuple[set[int], int]]
) -> None:
    class Undo(Exception):
        pass

    def work(connection: Any) -> None:
        context = platform.context(connection)
        for _ in range(6):
            add_space(context, organization, "x", begin=False)
        order = [read_placed(row) for row in items_in(connection, organization, None)]
        for chosen, at in moves:
            items = [order[index] for index in sorted(chosen, reverse=True)]
            beside = [row for row in items_in(connection, organization, None) if read_placed(row) not in items]
            order = [read_placed(row) for row in beside]
            order[at:at] = items
            insert(connection, beside, min(at, len(beside)), items)
            assert [read_placed(row) for row in items_in(connection, organization, None)] == order
        raise Undo

    with pytest.raises(Undo):
        platform.database.write_now(work)


def test_a_workspace_made_before_there_was_room_keeps_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        older = Database.open(tmp_path / "workspace.recto")

    def fill(connection: Connection) -> None:
        connection.insert(
            "organizations", id="o", title="O", created_at="", type="", use_case="", plan="", merge_rules=""
        )
        for at in range(3):
            connection.insert(
                "spaces", id=str(at), organization="o", title="", visibility="private", edit_mode="live",
                merge_rules="", position=at, created_at="", updated_at="",
            )  # fmt: skip
        connection.insert("collections", id="3", organization="o", title="", position=3, created_at="")

    older.write_now(fill)
    older.close()
    newer = Database.open(tmp_path / "workspace.recto")
    found = newer.read_now(lambda connection: positions(connection, "o"))
    assert {item.id: at for item, at in found.items()} == {"0": 0, "1": GAP, "2": 2 * GAP, "3": 3 * GAP}
    newer.close()
