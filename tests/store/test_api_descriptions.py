"""Descriptions of APIs in the store: brought once, kept within bounds, asked for again where they did not come."""

from __future__ import annotations

import pytest

from recto.client.errors import Unreachable
from recto.document.openapi.description import Description
from recto.store import api_descriptions as module
from recto.store.api_descriptions import AGAIN_AFTER, Descriptions
from recto.store.query import Query, QueryState
from recto.store.tasks import Tasks
from support.platform import FrozenClock

SOURCE = b"openapi: 3.0.0\npaths: {/a: {get: {summary: Hello, responses: {}}}}\n"


class Files:
    """What is at addresses, and which were asked for."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}
        self.asked: list[str] = []

    async def download(self, url: str, most: int) -> bytes:
        self.asked.append(url)
        if url not in self.content:
            raise Unreachable("Could not load it.", "No answer came.")
        assert len(self.content[url]) <= most
        return self.content[url]


@pytest.fixture
def files() -> Files:
    return Files()


@pytest.fixture
def descriptions(files: Files, clock: FrozenClock) -> Descriptions:
    return Descriptions(files.download, Tasks(), clock)


async def value_of(query: Query[Description]) -> Description | None:
    return (await query.wait()).value


async def test_a_description_is_loaded_when_it_is_looked_at_and_only_once(
    descriptions: Descriptions, files: Files
) -> None:
    files.content = {"a": SOURCE, "a?again": SOURCE}
    query = descriptions.at("a", "the file")
    assert files.asked == []
    described = await value_of(query)
    assert described is not None
    assert described.operation("/a", "get").summary == "Hello"
    assert await value_of(descriptions.at("a?again", "the file")) is described
    assert files.asked == ["a"]


async def test_one_that_did_not_come_is_asked_for_again_after_a_while(
    descriptions: Descriptions, files: Files, clock: FrozenClock
) -> None:
    assert await value_of(descriptions.at("a")) is None
    files.content["a"] = SOURCE
    assert descriptions.at("a").state is QueryState.FAILED
    clock.advance(seconds=AGAIN_AFTER.total_seconds())
    assert await value_of(descriptions.at("a")) is not None


async def test_one_that_cannot_be_read_says_why_and_is_asked_for_again_only_by_a_person(
    descriptions: Descriptions, files: Files, clock: FrozenClock
) -> None:
    files.content["a"] = b"a: [\n"
    await value_of(descriptions.at("a"))
    clock.advance(hours=1)
    failed = descriptions.at("a")
    assert "not valid YAML" in str(failed.error)
    await failed.wait()
    assert files.asked == ["a"]
    told: list[str] = []
    descriptions.asked.subscribe(told.append)
    files.content["a"] = SOURCE
    descriptions.ask("a")
    assert await value_of(descriptions.at("a")) is not None
    assert told == ["a"]


async def test_what_a_person_has_to_ask_for_is_brought_when_they_do_and_never_again_by_itself(
    descriptions: Descriptions, files: Files, clock: FrozenClock
) -> None:
    assert descriptions.find("a") is None
    descriptions.ask("a")
    found = descriptions.find("a")
    assert found is not None
    assert await value_of(found) is None
    clock.advance(hours=1)
    assert descriptions.find("a") is found
    assert files.asked == ["a"]


async def test_those_not_looked_at_go_where_there_are_too_many(
    descriptions: Descriptions, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_KEPT", 2 * len(SOURCE))
    files.content = dict.fromkeys("abcd", SOURCE)
    watched = descriptions.at("a").watch(lambda _: None)
    for url in "abcd":
        await value_of(descriptions.at(url))
    for url in "abcd":
        await value_of(descriptions.at(url))
    watched.close()
    # "a" was looked at all the time; "b" went for "d", and came again in its place.
    assert files.asked[:4] == ["a", "b", "c", "d"]
    assert "a" not in files.asked[4:]
    assert "b" in files.asked[4:]
