"""Changes of a change request whose answer is lost, against a real platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from recto.client.errors import Unreachable
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.content_writes import create_request, insert_file, look_for_write, write
from recto.store.mutation import Undecided
from recto.store.request_changes import RequestChanges
from support.content import Desk, make_space
from support.documents import PNG
from support.platform import FrozenClock, Speaker, join, own_organization
from support.sites import make_store


@pytest.fixture
async def desk(platform: Platform) -> Desk:
    space = make_space(platform, [ImportedPage("page", "Page", slug="page", text="Words.\n")])
    return await Desk.open(Speaker(platform), space)


@pytest.fixture
def grace(platform: Platform) -> str:
    return join(platform, own_organization(platform), "Grace Hopper", "admin")


def lose_after(done: Callable[[], Awaitable[object]] | None = None) -> Callable[[], Awaitable[None]]:
    """Return what loses an answer, after something else was done."""

    async def lose() -> None:
        if done is not None:
            await done()
        raise Unreachable("It was not sent.", "The connection broke.", may_have_arrived=True)

    return lose


async def test_a_review_is_looked_for_behind_those_of_others(
    platform: Platform, clock: FrozenClock, tmp_path: Path, desk: Desk, grace: str
) -> None:
    store, transport = make_store(platform, tmp_path)
    transport.listing = {"limit": 1}

    async def review() -> None:
        clock.advance(minutes=1)
        await Speaker(platform, grace).send("POST", f"{desk.path}/reviews", {"status": "approved"}, 201)

    transport.then["submit_review"] = lose_after(review)
    changes = RequestChanges(desk.space, (await desk.get())["id"])
    assert (await store.run(changes.submit_review("changes-requested", ""))).ok
    assert transport.changes == ["submit_review"]
    await store.aclose()


async def test_a_requested_reviewer_is_looked_for_behind_others(
    platform: Platform, clock: FrozenClock, tmp_path: Path, desk: Desk, grace: str
) -> None:
    store, transport = make_store(platform, tmp_path)
    transport.listing = {"limit": 1}
    changes = RequestChanges(desk.space, (await desk.get())["id"])
    assert (await store.run(changes.request_reviewers((grace,), "Grace"))).ok
    clock.advance(minutes=1)
    alan = join(platform, own_organization(platform), "Alan Turing", "admin")
    transport.then["request_reviewers"] = lose_after()
    assert (await store.run(changes.request_reviewers((alan,), "Alan"))).ok
    await store.aclose()


async def test_a_new_change_request_is_looked_for_behind_others(
    platform: Platform, clock: FrozenClock, tmp_path: Path, desk: Desk
) -> None:
    store, transport = make_store(platform, tmp_path)
    transport.listing = {"limit": 1}

    async def make_another() -> None:
        clock.advance(minutes=1)
        await Desk.open(desk.speaker, desk.space, "Another")

    transport.then["create_change_request"] = lose_after(make_another)
    assert (await store.run(create_request(desk.space, "Mine"))).ok
    await store.aclose()


async def test_a_file_has_arrived_where_it_is_listed_and_not_where_another_wrote(
    platform: Platform, tmp_path: Path, desk: Desk
) -> None:
    store, _ = make_store(platform, tmp_path)
    file = tmp_path / "dot.png"
    file.write_bytes(PNG)
    change = insert_file(file)
    request = (await desk.get())["id"]
    lookup = look_for_write(desk.space, lambda: request, [change])
    known = await lookup.before(store.call)
    assert await lookup.after(store.call, known) is None
    await desk.edit("page", "Other words.\n")
    with pytest.raises(Undecided):
        await lookup.after(store.call, known)
    await write(store.call, desk.space, request, [change])
    assert (await lookup.after(store.call, known)) is not None
    await store.aclose()
