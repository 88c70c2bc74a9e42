"""Changes of a change request whose answer is lost, against a real platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from recto.client.errors import Unreachable
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.content_writes import create_request
from recto.store.request_changes import RequestChanges
from support.content import Desk, make_space
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
