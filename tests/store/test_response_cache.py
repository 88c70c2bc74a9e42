from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recto.client.errors import NotAllowed, NotFound, ServerFailed, Unauthorized, Unreachable
from recto.contract.addresses import Main
from recto.contract.api import routes
from recto.contract.change_requests import ChangeRequests
from recto.contract.content import Content
from recto.contract.members import Members
from recto.contract.spaces import Spaces
from recto.contract.users import Users
from recto.server.platform import Platform
from recto.store.query import QueryState
from recto.store.response_cache import OLDEST, ResponseCache, clear_all, is_allowed, without_secrets
from support.content import imported_page, make_space
from support.hosted import Hosted
from support.platform import FrozenClock, own_organization

PAGES = [imported_page("one", "One", "First words.\n"), imported_page("two", "Two", "Second words.\n")]


@pytest.fixture
async def hosted(platform: Platform, tmp_path: Path) -> AsyncIterator[Hosted]:
    yield Hosted(platform, tmp_path)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


async def read(hosted: Hosted, space: str) -> None:
    """Read a space and one of its pages, in a program that is then left."""
    store = hosted.store()
    await store.query(Spaces.get_space, space).wait()
    await store.query(Content.list_pages, Main(space)).wait()
    await store.query(Content.get_page, Main(space), "one", format="markdown").wait()
    await store.query_list(Spaces.list_spaces, own_organization(hosted.platform)).wait()
    await store.aclose()
    hosted.line.asked.clear()


async def test_a_second_start_shows_what_was_read_before_the_platform_answers(
    hosted: Hosted, space: str, clock: FrozenClock
) -> None:
    await read(hosted, space)
    stored_at = clock()
    clock.advance(hours=2)
    hosted.line.gate.clear()
    store = hosted.store()
    page = store.query(Content.get_page, Main(space), "one", format="markdown")
    spaces = store.query_list(Spaces.list_spaces, own_organization(hosted.platform))
    begun = [asyncio.Event(), asyncio.Event()]
    spaces.watch(lambda query: begun[0].set() if query.cached_at else None)
    watching = page.watch(lambda query: begun[1].set() if query.cached_at else None)
    await asyncio.gather(*(event.wait() for event in begun))
    assert [each.state for each in (page, spaces)] == [QueryState.REFRESHING] * 2
    assert page.value is not None and page.value.markdown == "# One\n\nFirst words.\n"
    assert spaces.value is not None and spaces.value.complete
    assert [one.id for one in spaces.value.items] == [space]
    assert (page.cached_at, page.loaded_at) == (stored_at, stored_at)
    assert (store.cached_at, store.is_refreshing) == (stored_at, True)

    hosted.line.gate.set()
    await store.idle()
    assert (page.state, page.cached_at, page.loaded_at) == (QueryState.READY, None, clock())
    assert (store.cached_at, store.is_refreshing) == (None, False)
    watching.close()
    await store.aclose()


async def test_where_the_platform_cannot_be_reached_reading_goes_on(hosted: Hosted, space: str) -> None:
    await read(hosted, space)
    hosted.line.is_cut = True
    store = hosted.store()
    tree = store.query(Content.list_pages, Main(space))
    with tree.watch(lambda _: None):
        await store.idle()
        assert tree.state is QueryState.FAILED
        assert isinstance(tree.error, Unreachable)
        assert tree.value is not None and [page.title for page in tree.value.pages] == ["One", "Two"]
        assert (store.cached_at, store.is_refreshing) == (hosted.platform.clock(), False)
        hosted.line.is_cut = False
        tree.refresh()
        await store.idle()
        assert (store.cached_at, store.is_refreshing) == (None, False)
    await store.aclose()


@pytest.mark.parametrize("status", [502, 503, 504, None])
async def test_reading_goes_on_where_something_else_answers_for_the_platform(
    hosted: Hosted, space: str, status: int | None
) -> None:
    await read(hosted, space)
    hosted.line.has_portal = status is None
    hosted.line.refusals = {"": status} if status is not None else {}
    store = hosted.store()
    tree = store.query(Content.list_pages, Main(space))
    with tree.watch(lambda _: None):
        await store.idle()
        assert tree.is_cut_off
        assert tree.value is not None and [page.title for page in tree.value.pages] == ["One", "Two"]
        assert store.offline is not None
        assert store.offline.reason == (f"error {status}" if status is not None else "a web page answered")
        assert not hosted.cache().is_empty()
    page = await store.fetch_or_kept(Content.get_page, Main(space), "one", format="markdown")
    assert page.markdown == "# One\n\nFirst words.\n"
    await store.aclose()


async def test_what_is_stored_stays_where_one_operation_fails(hosted: Hosted, space: str) -> None:
    await read(hosted, space)
    hosted.line.refusals["/content/pages"] = 500
    store = hosted.store()
    await store.query(Spaces.get_space, space).wait()
    tree = store.query(Content.list_pages, Main(space))
    with tree.watch(lambda _: None):
        await store.idle()
        assert isinstance(tree.error, ServerFailed)
        assert tree.value is not None and [page.title for page in tree.value.pages] == ["One", "Two"]
        assert (store.cached_at, store.is_refreshing) == (hosted.platform.clock(), False)
        assert store.offline is None
    await store.aclose()


async def test_what_was_never_read_fails_as_ever(hosted: Hosted, space: str) -> None:
    await read(hosted, space)
    hosted.line.is_cut = True
    store = hosted.store()
    page = await store.query(Content.get_page, Main(space), "two", format="markdown").wait()
    assert page.value is None
    assert isinstance(page.error, Unreachable)
    await store.aclose()


@pytest.mark.parametrize(("status", "error"), [(401, Unauthorized), (403, NotAllowed)])
async def test_a_refusal_drops_what_is_stored_and_what_is_shown(
    hosted: Hosted, space: str, status: int, error: type[Exception]
) -> None:
    await read(hosted, space)
    assert not hosted.cache().is_empty()
    hosted.cache("grace").write("/v1/orgs", b"{}")
    hosted.line.refusals[""] = status
    store = hosted.store()
    locked_out: list[object] = []
    store.locked_out.subscribe(locked_out.append)
    page = await store.query(Content.get_page, Main(space), "one", format="markdown").wait()
    await store.idle()
    assert (page.value, page.cached_at) == (None, None)
    assert isinstance(page.error, error)
    assert hosted.cache().is_empty()
    assert not hosted.cache("grace").is_empty()
    assert len(locked_out) == (status == 401)
    await store.aclose()


async def test_a_response_that_was_on_its_way_when_the_account_was_refused_is_not_stored(hosted: Hosted) -> None:
    cache = hosted.cache()
    before = cache.clearings
    cache.clear()
    cache.write("/v1/orgs", b"{}", before)
    assert cache.is_empty()


async def test_who_was_let_in_and_then_refused_is_not_thrown_out(hosted: Hosted, space: str) -> None:
    store = hosted.store()
    locked_out: list[object] = []
    store.locked_out.subscribe(locked_out.append)
    await store.query(Spaces.get_space, space).wait()
    hosted.line.refusals[""] = 401
    await store.query(Content.list_pages, Main(space)).wait()
    assert not locked_out
    await store.aclose()


async def test_what_is_deleted_leaves_the_cache(hosted: Hosted, space: str) -> None:
    await read(hosted, space)
    hosted.line.refusals["/page/one"] = 404
    store = hosted.store()
    page = await store.query(Content.get_page, Main(space), "one", format="markdown").wait()
    assert page.value is None
    assert isinstance(page.error, NotFound)
    await store.aclose()
    hosted.line.is_cut = True
    store = hosted.store()
    assert (await store.query(Content.get_page, Main(space), "one", format="markdown").wait()).value is None
    assert (await store.query(Spaces.get_space, space).wait()).value is not None
    await store.aclose()


async def test_another_account_sees_nothing_of_it(hosted: Hosted, space: str) -> None:
    await read(hosted, space)
    hosted.line.is_cut = True
    store = hosted.store("grace")
    assert (await store.query(Spaces.get_space, space).wait()).value is None
    await store.aclose()


async def test_permissions_are_not_stored_so_that_none_is_given(hosted: Hosted, space: str) -> None:
    await read(hosted, space)
    assert b"permissions" not in hosted.stored()
    hosted.line.is_cut = True
    store = hosted.store()
    found = (await store.query(Spaces.get_space, space).wait()).value
    assert found is not None
    assert not any(found.permissions.model_dump().values())
    await store.aclose()


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
async def test_only_the_owner_can_read_what_is_stored(hosted: Hosted, space: str) -> None:
    mask = os.umask(0)
    try:
        await read(hosted, space)
    finally:
        os.umask(mask)
    files = [file for file in hosted.responses.rglob("*") if file.is_file()]
    assert len(files) >= 4
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert {stat.S_IMODE(one.stat().st_mode) for one in (hosted.responses, hosted.responses / "ada")} == {0o700}
    assert hosted.platform.token.encode() not in hosted.stored()


async def test_lists_of_change_requests_are_stored(hosted: Hosted, space: str) -> None:
    store = hosted.store()
    await store.query_list(ChangeRequests.list_change_requests, space).wait()
    await store.aclose()
    hosted.line.is_cut = True
    store = hosted.store()
    listed = (await store.query_list(ChangeRequests.list_change_requests, space).wait()).value
    assert listed is not None and listed.complete
    await store.aclose()


async def test_what_is_not_of_the_allow_list_is_not_stored(hosted: Hosted, space: str) -> None:
    await read(hosted, space)
    before = hosted.stored()
    store = hosted.store()
    assert (await store.query_list(Members.list_members, own_organization(hosted.platform)).wait()).value is not None
    assert (await store.query(Users.get_user).wait()).value is not None
    await store.aclose()
    assert hosted.stored() == before


def test_only_reads_of_the_allow_list_are_stored() -> None:
    stored = {
        operation.path
        for operation in routes()
        if operation.reads and is_allowed("/v1" + operation.path.replace("{", "").replace("}", "").replace(":path", ""))
    }
    space, proposal = "/spaces/{space_id}", "/spaces/{space_id}/change-requests/{change_request_id}"
    content = ("content", "content/pages", "content/page/{page_id}", "content/path/{page_path:path}")
    past = ("", "/pages", "/page/{page_id}", "/path/{page_path:path}")
    threads = tuple(
        f"comments{rest}"
        for rest in ("", "/{comment_id}", "/{comment_id}/replies", "/{comment_id}/replies/{comment_reply_id}")
    )
    organization = "/orgs/{organization_id}"
    assert stored == {
        "/orgs",
        organization,
        *(f"{organization}/{each}" for each in ("spaces", "collections", "change-requests")),
        space,
        f"{space}/change-requests",
        proposal,
        *(f"{root}/{each}" for root in (space, proposal) for each in (*content, *threads)),
        *(f"{space}/revisions/{{revision_id}}{each}" for each in past),
    }
    assert not is_allowed("/v1/spaces/s?shareKey=abc")
    assert not is_allowed("/v1/spaces/../orgs/o/members")


SIGNED = "https://files.example.com/a.png?alt=media&token=0f3c"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"id": "f", "downloadURL": "https://files.example.com/f/KEY", "size": 1}, {"id": "f", "size": 1}),
        (
            {"title": f"![]({SIGNED}) and [x](https://x.org/?q=1)"},
            {"title": "![](https://files.example.com/a.png) and [x](https://x.org/?q=1)"},
        ),
        ({"src": SIGNED.replace("token=0f3c", "q=" + "a" * 40)}, {"src": "https://files.example.com/a.png"}),
        ({"src": "https://b.s3.example.com/k?X-Amz-Date=1&X-Amz-Signature=ab"}, {"src": "https://b.s3.example.com/k"}),
        ({"url": "https://ada:word@git.example.com/r.git"}, {"url": "https://git.example.com/r.git"}),
        (
            {"urls": {"app": "https://a.org/s", "published": "https://p.org/s/KEY"}},
            {"urls": {"app": "https://a.org/s"}},
        ),
        (
            {"inviteLink": "x", "apiToken": "y", "items": [{"secretValue": 1, "title": "t"}]},
            {"items": [{"title": "t"}]},
        ),
    ],
)
def test_what_grants_access_is_not_stored(before: object, after: object) -> None:
    stored = without_secrets(json.dumps(before).encode())
    assert stored is not None
    assert json.loads(stored) == after


@pytest.mark.parametrize(
    "response",
    [
        {
            "id": "p",
            "markdown": f"# Way\n\n[the map](https://maps.example.com/view?key=abc&sig={'7' * 25}) ![]({SIGNED})\n",
        },
        {"id": "c", "body": {"markdown": SIGNED}},
        {"id": "p", "document": {"nodes": [{"data": {"href": SIGNED, "secret": "a word"}, "text": f"at {SIGNED}"}]}},
    ],
)
def test_what_people_wrote_is_stored_as_it_is(response: object) -> None:
    stored = without_secrets(json.dumps(response).encode())
    assert stored is not None and json.loads(stored) == response


@pytest.mark.parametrize("content", [b"", b"<html>", b"[" * 100_000, b"\xff"])
def test_what_is_no_json_is_not_stored(tmp_path: Path, content: bytes, clock: FrozenClock) -> None:
    cache = ResponseCache(tmp_path / "responses", "ada", clock)
    cache.write("/v1/orgs", content)
    assert cache.is_empty()


def test_the_oldest_go_where_there_is_too_much(tmp_path: Path, clock: FrozenClock) -> None:
    cache = ResponseCache(tmp_path, "ada", clock, most_bytes=10_000, most_bytes_of_one=2_000)
    cache.tidy()
    for number in range(20):
        clock.advance(seconds=1)
        cache.write(f"/v1/{number}", json.dumps("x" * 1_000).encode())
    cache.write("/v1/large", json.dumps("x" * 2_000).encode())
    there = [number for number in range(20) if cache.read(f"/v1/{number}") is not None]
    assert there == list(range(20 - len(there), 20))
    assert 5 <= len(there) <= 9
    assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) <= 10_000
    assert cache.read("/v1/large") is None


def test_what_is_old_is_not_read_and_goes(tmp_path: Path, clock: FrozenClock) -> None:
    cache = ResponseCache(tmp_path, "ada", clock)
    cache.write("/v1/old", b"1")
    clock.advance(days=29)
    cache.write("/v1/new", b"2")
    old = cache.read("/v1/old")
    assert old is not None
    assert (old.content, old.stored_at) == (b"1", clock() - timedelta(days=29))
    clock.advance(days=1)
    assert cache.read("/v1/old") is None
    before = len(list((tmp_path / "ada").iterdir()))
    cache.tidy()
    assert len(list((tmp_path / "ada").iterdir())) == before  # one has gone, and the mark of use has come
    assert cache.read("/v1/new") is not None


def test_accounts_that_were_not_used_go(tmp_path: Path, clock: FrozenClock) -> None:
    ada, grace = ResponseCache(tmp_path, "ada", clock), ResponseCache(tmp_path, "grace", clock)
    for cache in (ada, grace):
        cache.tidy()
        cache.write("/v1/orgs", b"{}")
    clock.moment += OLDEST - timedelta(minutes=1)
    grace.tidy()
    grace.write("/v1/orgs", b"{}")
    assert (tmp_path / "ada").exists()
    clock.advance(minutes=2)
    grace.tidy()
    assert not (tmp_path / "ada").exists()
    assert not grace.is_empty()


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-3], lambda data: b"", lambda data: data.replace(b"title", b"tilte")]
)
def test_a_file_that_an_outage_cut_short_is_not_read(tmp_path: Path, clock: FrozenClock, damage: object) -> None:
    cache = ResponseCache(tmp_path, "ada", clock)
    cache.write("/v1/orgs", b'{"title": "Salaries"}')
    (file,) = (tmp_path / "ada").iterdir()
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    os.utime(file, (clock().timestamp(),) * 2)
    assert cache.read("/v1/orgs") is None


def test_what_a_kill_left_half_written_is_tidied_away(tmp_path: Path, clock: FrozenClock) -> None:
    cache = ResponseCache(tmp_path, "ada", clock)
    cache.write("/v1/orgs", b"{}")
    (tmp_path / "ada" / ".recto-abc").write_bytes(b"{")
    cache.tidy()
    assert not (tmp_path / "ada" / ".recto-abc").exists()
    assert cache.read("/v1/orgs") is not None


def test_a_disk_that_takes_nothing_changes_nothing(tmp_path: Path, clock: FrozenClock) -> None:
    (tmp_path / "responses").write_bytes(b"a file where the folder should be")
    cache = ResponseCache(tmp_path / "responses", "ada", clock)
    cache.write("/v1/orgs", b"{}")
    cache.tidy()
    cache.clear()
    assert cache.is_empty()
    assert cache.read("/v1/orgs") is None


def test_clearing_removes_the_responses_of_all_accounts(tmp_path: Path, clock: FrozenClock) -> None:
    assert clear_all(tmp_path / "responses") == 0
    for account in ("ada", "grace"):
        ResponseCache(tmp_path / "responses", account, clock).write("/v1/orgs", b"{}")
    assert clear_all(tmp_path / "responses") > 0
    assert not (tmp_path / "responses").exists()


def test_a_moment_is_read_as_it_was_written(tmp_path: Path) -> None:
    moment = datetime(2026, 3, 2, 9, 30, 1, 123456, tzinfo=UTC)
    cache = ResponseCache(tmp_path, "ada", lambda: moment)
    cache.write("/v1/orgs", b"{}")
    stored = cache.read("/v1/orgs")
    assert stored is not None
    assert abs(stored.stored_at - moment) < timedelta(milliseconds=1)
