from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recto.contract.common import ListPage, Order, User
from recto.server.http.paging import _mark, _seal, list_items, list_rows
from recto.server.http.problems import BadRequest
from recto.server.storage.database import Connection, Database

SELECT = "SELECT key AS id, value FROM workspace WHERE value <> :without"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "workspace.recto")
    yield opened
    opened.close()


def fill(database: Database, *names: str) -> None:
    def work(connection: Connection) -> None:
        for name in names:
            connection.insert("workspace", key=name, value=name[0])

    database.write_now(work)


def page_of(database: Database, page: str | None = None, limit: int | None = 2, order: Order = "asc") -> ListPage[User]:
    return database.read_now(
        lambda connection: list_rows(
            connection,
            SELECT,
            {"without": "x"},
            keys=("value", "id"),
            build=lambda row: User(id=row["id"]),
            page=page,
            limit=limit,
            order=order,
        )
    )


def ids(page: ListPage[User]) -> list[str]:
    return [item.id for item in page.items]


def test_pages_follow_one_another_and_the_last_has_no_next(database: Database) -> None:
    fill(database, "b1", "a1", "a2", "x9")
    first = page_of(database)
    assert (ids(first), first.count) == (["a1", "a2"], 3)
    assert first.next is not None
    last = page_of(database, first.next.page)
    assert (ids(last), last.count) == (["b1"], 3)
    assert b"next" not in last.to_json()


def test_a_page_that_is_just_full_has_no_next(database: Database) -> None:
    fill(database, "a", "b")
    assert page_of(database).next is None


def test_descending(database: Database) -> None:
    fill(database, "a", "b", "c")
    first = page_of(database, order="desc")
    assert first.next is not None
    assert ids(first) + ids(page_of(database, first.next.page, order="desc")) == ["c", "b", "a"]


def test_what_comes_and_goes_meanwhile_neither_repeats_nor_hides_an_item(database: Database) -> None:
    fill(database, "b", "d", "f", "h")
    first = page_of(database)
    assert first.next is not None
    fill(database, "a", "c")
    database.write_now(lambda connection: connection.execute("DELETE FROM workspace WHERE key IN ('b', 'd')"))
    assert ids(page_of(database, first.next.page)) == ["f", "h"]


@pytest.mark.parametrize("page", ["", "2", "!!!!", "e30", "WzEsMl0", "é", "a" * 5000, "W1tbW1tb"])
def test_a_page_id_that_the_list_did_not_give_is_refused(database: Database, page: str) -> None:
    with pytest.raises(BadRequest, match="page"):
        page_of(database, page)


def test_the_page_id_of_another_order_is_refused(database: Database) -> None:
    fill(database, "a", "b", "c")
    first = page_of(database)
    assert first.next is not None
    with pytest.raises(BadRequest, match="page"):
        page_of(database, first.next.page, order="desc")


@pytest.mark.parametrize("key", [("\ud800", "a"), ("a", 2**63), ("a", -(2**70))])
def test_a_forged_key_that_no_file_can_hold_is_refused(database: Database, key: tuple[Any, ...]) -> None:
    with pytest.raises(BadRequest, match="page"):
        page_of(database, _seal(key, _mark(SELECT, ("value", "id"), "asc")))


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_limits_are_held(database: Database, limit: int) -> None:
    with pytest.raises(BadRequest, match="limit: at least 1 and at most 1000"):
        page_of(database, limit=limit)


def test_the_largest_limit_is_taken(database: Database) -> None:
    fill(database, *(f"k{at:04}" for at in range(1001)))
    page = page_of(database, limit=1000)
    assert (len(page.items), page.count) == (1000, 1001)
    assert page.next is not None


class TestItemsAtHand:
    def page(self, items: list[str], page: str | None = None, name: str = "letters") -> ListPage[User]:
        def build(item: str) -> User:
            return User(id=item)

        def key(item: str) -> tuple[str]:
            return (item,)

        return list_items(items, name=name, key=key, build=build, page=page, limit=2)

    def test_pages_go_on_after_the_last_item_seen(self) -> None:
        first = self.page(["d", "a", "b", "c"])
        assert (ids(first), first.count) == (["a", "b"], 4)
        assert first.next is not None
        assert ids(self.page(["aa", "c", "d"], first.next.page)) == ["c", "d"]

    def test_a_page_id_of_another_list_is_refused(self) -> None:
        first = self.page(["a", "b", "c"])
        assert first.next is not None
        with pytest.raises(BadRequest):
            self.page(["a", "b", "c"], first.next.page, name="numbers")

    @pytest.mark.parametrize("key", [(1,), ("a", 2)])
    def test_a_forged_key_is_refused_or_harmless(self, key: tuple[Any, ...]) -> None:
        try:
            self.page(["a", "b", "c"], _seal(key, _mark("letters")))
        except BadRequest as refusal:
            assert "page" in refusal.message


def test_a_page_goes_on_with_what_was_asked_at_first(database: Database) -> None:
    fill(database, "b1", "a1", "a2", "x9")

    def ask(asked: str, page: str | None = None) -> ListPage[User]:
        return database.read_now(
            lambda connection: list_rows(
                connection,
                SELECT,
                {"without": "x"},
                keys=("value", "id"),
                build=lambda row: User(id=row["id"]),
                page=page,
                limit=2,
                asked=(asked,),
            )
        )

    first = ask("this")
    assert first.next is not None
    assert ids(ask("this", first.next.page)) == ["b1"]
    with pytest.raises(BadRequest, match="not a page of this list"):
        ask("that", first.next.page)
