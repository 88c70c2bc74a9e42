"""What bodies may weigh, and that they are read late, parsed off the writer, and never too many at once."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from recto.contract.api import routes
from recto.contract.operation import Place, Route
from recto.server.content import change_handlers, merges, write_plan
from recto.server.content.imported_tree import ImportedPage
from recto.server.http import application, bodies, requests
from recto.server.http.bodies import MAX_DEPTH, MB, STANDARD, Remains, Room, Turns, weigh
from recto.server.http.problems import BadRequest, Busy
from recto.server.http.registry import entry
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import Speaker, join, stranger


class Sent:
    """One request, whose body comes in pieces that are counted as they are taken."""

    def __init__(self, pieces: list[bytes], length: int | None = None) -> None:
        self._pieces = pieces
        self._length = length
        self.taken = 0
        self.status = 0
        self.answer = b""

    async def to(self, platform: Platform, method: str, path: str, token: str) -> int:
        """Send it and return the status of the answer."""
        headers = [(b"host", b"recto.test"), (b"authorization", f"Bearer {token}".encode())]
        if self._length is not None:
            headers.append((b"content-length", str(self._length).encode()))
        scope = {
            "type": "http", "method": method, "path": f"/v1{path}", "raw_path": path.encode(), "root_path": "",
            "query_string": b"", "headers": headers, "scheme": "http", "server": ("recto.test", 80),
            "http_version": "1.1",
        }  # fmt: skip
        await platform.application(scope, self._receive, self._send)
        return self.status

    async def _receive(self) -> dict[str, Any]:
        piece = self._pieces[self.taken]
        self.taken += 1
        return {"type": "http.request", "body": piece, "more_body": self.taken < len(self._pieces)}

    async def _send(self, message: Any) -> None:
        self.status = message.get("status", self.status)
        self.answer += message.get("body", b"")


def take_bodies() -> list[Route]:
    return [each for each in routes() if any(one.place is Place.BODY for one in each.parameters)]


def path_of(operation: Route, known: dict[str, str]) -> str:
    path = operation.path
    for parameter in operation.parameters:
        path = path.replace(f"{{{parameter.name}}}", known.get(parameter.name, "none"))
    return path


class TestBeforeTheyAreRead:
    @pytest.fixture
    async def known(self, ada: Speaker, organization: str) -> dict[str, str]:
        """Give the ids of things that are there, by the names of parameters."""
        space = (await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201))["id"]
        site = await ada.send("POST", f"/orgs/{organization}/sites", {"title": "Site", "spaces": [space]}, 201)
        team = await ada.send("PUT", f"/orgs/{organization}/teams", {"title": "Team", "members": []}, 201)
        request = await ada.send("POST", f"/spaces/{space}/change-requests", {}, 201)
        collection = await ada.send("POST", f"/orgs/{organization}/collections", {}, 201)
        return {
            "organization_id": organization, "space_id": space, "site_id": site["id"], "team_id": team["id"],
            "change_request_id": request["id"], "collection_id": collection["id"],
        }  # fmt: skip

    @pytest.mark.parametrize("operation", take_bodies(), ids=lambda each: f"{each.resource.__name__}.{each.name}")
    async def test_a_stranger_is_refused_whatever_the_operation(
        self, platform: Platform, known: dict[str, str], operation: Route
    ) -> None:
        platform.admit("strange", stranger(platform))
        sent = Sent([b"{}"])
        assert await sent.to(platform, operation.method, path_of(operation, known), "strange") == 404, sent.answer
        assert sent.taken == 0

    @pytest.mark.parametrize("role", [None, "read"])
    async def test_a_guest_and_a_reader_are_refused_what_takes_more(
        self, platform: Platform, known: dict[str, str], organization: str, role: Any
    ) -> None:
        platform.admit("theirs", join(platform, organization, "Grace Hopper", role))
        early: set[str] = set()
        late: set[str] = set()
        for operation in take_bodies():
            sent = Sent([b"{}"])
            if await sent.to(platform, operation.method, path_of(operation, known), "theirs") in (403, 404):
                (late if sent.taken else early).add(operation.name)
        assert {"create_team", "create_site", "write_content", "update_space", "request_reviewers"} <= early
        assert late <= {"create_collection", "create_space"}, "only where the body says into what collection"

    async def test_a_small_one_is_refused_by_a_read_and_written_by_one_step(
        self, platform: Platform, ada: Speaker, known: dict[str, str], organization: str, monkeypatch: Any
    ) -> None:
        steps: list[str] = []

        def count(name: str) -> None:
            work = getattr(platform.database, name)

            def count_and_work(*given: Any) -> Any:
                steps.append(name)
                return work(*given)

            monkeypatch.setattr(platform.database, name, count_and_work)

        guest = Speaker(platform, join(platform, organization, "Grace Hopper", None))
        path = f"/spaces/{known['space_id']}"
        await ada.send("PATCH", path, {"title": "Before"})
        for name in ("read", "write", "write_prepared", "_queue"):
            count(name)
        await guest.refused("PATCH", path, 404, {"title": "Theirs"})
        await guest.refused("PATCH", path, 404, {"titel": "Theirs"})
        assert steps == ["write_prepared"] * 2
        await ada.refused("PATCH", path, 400, {"titel": "Mine"})
        await ada.send("PATCH", path, {"title": "Mine"})
        assert steps == [*["write_prepared"] * 4, "_queue"]

    async def test_nothing_is_read_without_a_token(self, platform: Platform, known: dict[str, str]) -> None:
        sent = Sent([b"{}"])
        assert await sent.to(platform, "PATCH", f"/spaces/{known['space_id']}", "wrong") == 401
        assert sent.taken == 0

    @pytest.mark.parametrize(("path", "most"), [("/spaces/{space_id}", MB), ("{write}", 16 * MB)])
    async def test_one_that_is_too_large_is_refused_without_being_read(
        self, platform: Platform, known: dict[str, str], path: str, most: int
    ) -> None:
        request = "/spaces/{space_id}/change-requests/{change_request_id}/content"
        method = "POST" if path == "{write}" else "PATCH"
        path = path.replace("{write}", request).format(**known)
        sent = Sent([b"{"], length=most + 1)
        assert await sent.to(platform, method, path, platform.token) == 413
        assert f"at most {most // MB} MB" in sent.answer.decode()
        assert sent.taken == 0

    async def test_one_that_does_not_say_its_size_is_read_up_to_the_limit(
        self, platform: Platform, known: dict[str, str]
    ) -> None:
        sent = Sent([b"x" * 100_000] * 100)
        assert await sent.to(platform, "PATCH", f"/spaces/{known['space_id']}", platform.token) == 413
        assert sent.taken == MB // 100_000 + 1

    async def test_nothing_is_made_or_used_up_by_letting_in(
        self, platform: Platform, ada: Speaker, organization: str, known: dict[str, str]
    ) -> None:
        spaces = await ada.get(f"/orgs/{organization}/spaces")
        for operation in take_bodies():
            await Sent([b"not JSON"]).to(platform, operation.method, path_of(operation, known), platform.token)
        assert await ada.get(f"/orgs/{organization}/spaces") == spaces


def nest(depth: int) -> bytes:
    return b'{"a": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


class TestWeight:
    @pytest.mark.parametrize(
        "body",
        [
            b"[" + b",".join([b'"[[[[{{{{,,,,::::"'] * 20_000) + b"]",
            rb'"\"[[[[\\\\\"' + rb"\\[,{" * 100_000 + b'"',
            b'{"text": "' + b"\\n" * 400_000 + b'"}',
            nest(MAX_DEPTH),
            b"[" * 200,
            b"",
        ],
    )
    def test_what_stands_in_a_string_weighs_nothing(self, body: bytes) -> None:
        weigh(body, STANDARD)

    @pytest.mark.parametrize(
        "body",
        [
            b"[" + b",".join([b"1"] * 50_001) + b"]",
            b"[" + b",".join([b"[]"] * 30_000) + b"]",
            b"{" + b",".join([b'"a":1'] * 20_000) + b"}",
            b'"' * 110_000,
            b'"a\\""' * 60_000,
        ],
    )
    def test_too_many_tokens_are_refused(self, body: bytes) -> None:
        with pytest.raises(BadRequest, match="at most 50000 names, values, objects and lists"):
            weigh(body, STANDARD)

    @pytest.mark.parametrize("body", [nest(MAX_DEPTH + 1), nest(20_000), b'{"a":' * 500 + b"1" + b"}" * 500])
    def test_too_deep_ones_are_refused(self, body: bytes) -> None:
        with pytest.raises(BadRequest, match=f"at most {MAX_DEPTH} levels of nested objects and lists"):
            weigh(body, STANDARD)

    @pytest.mark.parametrize("wrong", ["1", "{}", '""', '"nobody"'])
    async def test_wrong_users_cost_one_problem_or_so(
        self, ada: Speaker, organization: str, wrong: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Four megabytes of them gave a problem each: two gigabytes and 19 s, in which no one could write."""
        found = 0

        def count(error: Any, *others: Any) -> str:
            nonlocal found
            found += error.error_count()
            return "wrong"

        monkeypatch.setattr(requests, "misfit", count)
        for fields in ('"members": [{}]', '"members": [], "add": [{}]'):
            body = "{" + fields.replace("{}", ",".join([wrong] * 20_000)) + "}"
            answer = await ada.request("PUT", f"/orgs/{organization}/teams", content=body)
            assert answer.status_code == 400
        assert found <= 10

    async def test_wrong_nodes_of_rich_text_cost_a_few_problems(
        self, ada: Speaker, organization: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        counted: list[int] = []

        def count(error: Any, *others: Any) -> str:
            counted.append(error.error_count())
            return "wrong"

        monkeypatch.setattr(requests, "misfit", count)
        wrong = ",".join(["1"] * 20_000)
        for nodes in (wrong, f'{{"object": "block", "type": "x", "nodes": [{wrong}]}}, 1'):
            body = f'{{"instructions": {{"object": "document", "nodes": [{nodes}]}}}}'
            await ada.request("PUT", f"/orgs/{organization}/agent-instructions", content=body)
        assert len(counted) == 2
        assert max(counted) <= 20


class TestRoom:
    async def test_who_finds_none_waits_for_those_before(self) -> None:
        room = Room(size=MB, share=MB)
        order: list[str] = []

        async def stay(name: str, size: int, go_on: asyncio.Event) -> None:
            async with room.reserve(name, size):
                assert room.taken <= MB
                order.append(name)
                await go_on.wait()

        first, others = asyncio.Event(), asyncio.Event()
        others.set()
        staying = [asyncio.create_task(stay("first", MB, first))]
        await asyncio.sleep(0)
        staying += [asyncio.create_task(stay(name, MB // 2, others)) for name in ("second", "third", "fourth")]
        await asyncio.sleep(0)
        assert order == ["first"]
        first.set()
        await asyncio.gather(*staying)
        assert order == ["first", "second", "third", "fourth"]
        assert room.taken == 0

    async def test_one_caller_leaves_room_for_another(self) -> None:
        room = Room(size=4 * MB, share=2 * MB, patience_s=0)
        async with room.reserve("greedy", 2 * MB):
            with pytest.raises(Busy):
                async with room.reserve("greedy", MB):
                    pass
            async with room.reserve("modest", 2 * MB):
                assert room.taken == 4 * MB
        assert room.taken == 0

    async def test_who_gives_up_waiting_takes_no_room(self) -> None:
        room = Room(size=MB, share=MB)

        async def stay() -> None:
            async with room.reserve("late", MB):
                pass

        async with room.reserve("first", MB):
            waiting = asyncio.create_task(stay())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        assert room.taken == 0
        async with room.reserve("next", MB):
            assert room.taken == MB

    async def test_a_small_body_needs_none(self) -> None:
        room = Room(size=MB, share=MB, patience_s=0)
        async with room.reserve("first", MB), room.reserve("second", 1000):
            assert room.taken == MB

    async def test_a_server_without_room_says_when_to_come_again(
        self, platform: Platform, organization: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(application, "Room", lambda: Room(size=0, share=0, patience_s=0))
        speaker = Speaker(platform)
        body = json.dumps({"title": "x" * 100_000})
        answer = await speaker.request("POST", f"/orgs/{organization}/spaces", content=body)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


async def test_a_large_body_is_parsed_while_others_write(
    platform: Platform, ada: Speaker, organization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, on = threading.Event(), threading.Event(), []
    parse: Callable[..., Any] = requests.parse_body

    def dawdle(model: Any, body: bytes) -> Any:
        if len(body) > 100_000:
            on.append(threading.current_thread().name)
            begun.set()
            assert go_on.wait(60)
        return parse(model, body)

    monkeypatch.setattr(application, "parse_body", dawdle)
    path = f"/orgs/{organization}/spaces"
    sending = asyncio.create_task(ada.request("POST", path, content=json.dumps({"title": "x" * 200_000})))
    await asyncio.to_thread(begun.wait, 60)
    made = await ada.send("POST", path, {"title": "Meanwhile"}, 201)
    go_on.set()
    answer: httpx.Response = await sending
    assert (answer.status_code, made["title"]) == (400, "Meanwhile")
    assert on[0].startswith("recto-parser")


@pytest.mark.slow
async def test_bodies_of_many_tokens_are_worked_on_one_after_another(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = make_space(platform, [ImportedPage("a", "A", "a", text="Old.\n")])
    desks = [await Desk.open(ada, space) for _ in range(3)]
    at_work: list[int] = []
    plan, under_way = write_plan.plan_write, threading.Semaphore(3)

    def planning(*given: Any) -> Any:
        with under_way:
            at_work.append(2 - under_way._value)
            return plan(*given)

    monkeypatch.setattr(change_handlers, "plan_write", planning)
    paragraph = {"object": "block", "type": "paragraph", "nodes": []}
    document = {"document": {"object": "document", "nodes": [paragraph] * 15_000}}
    change = {"operation": "update_page", "page": "a", "document": document}
    clears = threading.Semaphore(0)
    monkeypatch.setattr(platform, "after_large_bodies", clears.release)
    await asyncio.gather(*(desk.write(change) for desk in desks))
    assert at_work == [0, 0, 0]
    for _ in desks:
        assert await asyncio.to_thread(clears.acquire, timeout=60)


def test_what_large_bodies_left_is_cleared_away_when_none_is_worked_on() -> None:
    cleared: list[None] = []
    remains = Remains(lambda: cleared.append(None))
    for size, tokens, times in ((MB, 0, 0), (0, 40_000, 1), (16 * MB, 0, 2)):
        with remains.of(size, tokens):
            pass
        assert len(cleared) == times
    with remains.of(16 * MB, 0):
        with remains.of(16 * MB, 0):
            pass
        assert len(cleared) == 2
    assert len(cleared) == 3


def test_only_content_and_specifications_take_more_than_a_megabyte() -> None:
    limits = {each.name: found.limit for each in routes() if (found := entry(each.operation)) is not None}
    large = {name: limit for name, limit in limits.items() if limit != STANDARD}
    assert large.keys() == {"write_content", "create_specification", "replace_specification"}
    assert {limit.bytes for limit in large.values()} == {16 * MB}


async def test_calls_about_one_thing_follow_each_other_and_those_about_others_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "LONGEST_TURN_S", 60.0)
    turns = Turns()
    passed: list[str] = []
    free = asyncio.Event()

    async def call(key: str, name: str, until: asyncio.Event | None = None) -> None:
        async with turns.take(key):
            passed.append(f"{name} in")
            if until is not None:
                await until.wait()
            passed.append(f"{name} out")

    calls = [asyncio.create_task(call("one", "a", free)), asyncio.create_task(call("one", "b"))]
    calls.append(asyncio.create_task(call("one", "c")))
    calls.append(asyncio.create_task(call("two", "d")))
    await calls[-1]
    assert passed == ["a in", "d in", "d out"]
    free.set()
    await asyncio.gather(*calls)
    assert passed == ["a in", "d in", "d out", "a out", "b in", "b out", "c in", "c out"]
    assert not turns._lines


async def test_a_call_that_takes_long_and_one_that_gave_up_hold_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LONGEST_TURN_S", 0.0)
    turns = Turns()
    async with turns.take("one"), turns.take("one"):
        waiting = asyncio.create_task(turns.take("one").__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        async with turns.take("one"):
            pass
    assert not turns._lines


async def test_merges_at_once_are_each_worked_out_once(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = make_space(platform, [ImportedPage(name, name, name, text="Old.\n") for name in "abcdefgh"])
    desks = [await Desk.open(ada, space) for _ in "abcdefgh"]
    for desk, name in zip(desks, "abcdefgh", strict=True):
        await desk.edit(name, f"New {name}.\n")
    planned: list[str] = []
    plan = merges.plan_merge

    def count_all(context: Any, row: Any, doing: str) -> Any:
        planned.append(row["id"])
        return plan(context, row, doing)

    monkeypatch.setattr(merges, "plan_merge", count_all)
    monkeypatch.setattr(bodies, "LONGEST_TURN_S", 60.0)
    monkeypatch.setattr(bodies, "TURN_PATIENCE_S", 60.0)
    await asyncio.gather(*(desk.merge() for desk in desks))
    assert len(planned) == len(set(planned)) == 8
