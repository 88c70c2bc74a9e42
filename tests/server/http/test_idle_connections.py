"""Connections over loopback that ask and do not read, or only hold a place."""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from recto.server.http import idle_connections
from recto.server.platform import Platform
from support.connections import ASK, respond_with, serve_app, until

MB = 1024 * 1024

Connect = Callable[[int], Awaitable[socket.socket]]


@pytest.fixture
def connected() -> Iterator[Connect]:
    """Open connections that hold little of what comes in before it is read."""
    opened: list[socket.socket] = []

    async def connect(port: int) -> socket.socket:
        opened.append(plain := socket.socket())
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
        plain.setblocking(False)
        await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
        return plain

    yield connect
    for each in opened:
        each.close()


async def end(plain: socket.socket) -> int:
    """Read until the other side ends the connection, and return how many bytes came."""
    count = 0
    with suppress(ConnectionError):
        while piece := await asyncio.get_running_loop().sock_recv(plain, MB):
            count += len(piece)
    return count


async def test_an_unread_answer_ends(connected: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_connections, "READING_PATIENCE_S", 0.05)
    async with serve_app(respond_with(16 * MB)) as (port, open_ones):
        plain = await connected(port)
        await asyncio.get_running_loop().sock_sendall(plain, ASK)
        await until(lambda: any(each.unread_bytes for each in open_ones))
        await until(lambda: not open_ones)
        assert await end(plain) < 16 * MB


async def test_an_answer_that_is_read_slowly_comes_whole(connected: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    now = loop.time()
    async with serve_app(respond_with(40 * MB)) as (port, open_ones):
        plain = await connected(port)
        await loop.sock_sendall(plain, ASK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        count = 0
        with monkeypatch.context() as clock:
            clock.setattr(loop, "time", lambda: now)
            while piece := await loop.sock_recv(plain, 64 * 1024):
                count += len(piece)
                # The system holds a few megabytes on the way; more than that is read before each look.
                if count // (8 * MB) > (count - len(piece)) // (8 * MB):
                    now += idle_connections.READING_PATIENCE_S
        assert count > 40 * MB
        await until(lambda: not open_ones)


async def test_a_connection_goes_on_after_an_answer_that_had_to_wait(connected: Connect) -> None:
    loop = asyncio.get_running_loop()
    async with serve_app(respond_with(8 * MB)) as (port, open_ones), asyncio.timeout(60):
        plain = await connected(port)
        for _ in range(2):
            await loop.sock_sendall(plain, ASK)
            await until(lambda: any(each.flow.write_paused for each in open_ones))
            count = 0
            while count < 8 * MB:
                count += len(await loop.sock_recv(plain, MB))


async def test_many_requests_at_once_are_answered_only_as_they_are_read(connected: Connect) -> None:
    answered = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal answered
        answered += 1
        await respond_with(MB)(scope, receive, send)

    async with serve_app(app) as (port, open_ones):
        plain = await connected(port)
        asking = asyncio.create_task(asyncio.get_running_loop().sock_sendall(plain, ASK * 10_000))
        await until(lambda: any(each.flow.write_paused for each in open_ones))
        for _ in range(1000):
            await asyncio.sleep(0)
        (one,) = open_ones
        assert one.unread_bytes <= 2 * MB
        assert answered <= 10
        asking.cancel()


async def test_what_waits_over_all_connections_is_bounded(connected: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_connections, "MAX_UNREAD_BYTES", 20 * MB)
    async with serve_app(respond_with(8 * MB)) as (port, open_ones):
        most = 0
        for _ in range(10):
            before = set(open_ones)
            plain = await connected(port)
            await asyncio.get_running_loop().sock_sendall(plain, ASK)
            await until(lambda before=before: any(each.unread_bytes for each in open_ones - before))  # type: ignore[misc]
            most = max(most, sum(each.unread_bytes for each in open_ones))
        assert 8 * MB < most <= 20 * MB


HOLDING = """
import asyncio, re, socket, sys
from pathlib import Path
from recto.collector import give_large_blocks_back
from support.connections import ASK, respond_with, serve_app, until

async def ask():
    loop = asyncio.get_running_loop()
    async with serve_app(respond_with(4 * 1024 * 1024)) as (port, open_ones):
        plain = [socket.socket() for _ in range(60)]
        for each in plain:
            before = set(open_ones)
            each.setblocking(False)
            await loop.sock_connect(each, ("127.0.0.1", port))
            await loop.sock_sendall(each, ASK)
            await until(lambda: any(one.unread_bytes for one in open_ones - before))
        print(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

give_large_blocks_back()
asyncio.run(ask())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there the system tells how much a process holds")
def test_the_memory_of_answers_that_were_ended_goes_back_to_the_system() -> None:
    tests = Path(__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", HOLDING],
        env=os.environ | {"PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert int(ran.stdout) < 150 * 1024, "kilobytes, of which 64 MB are answers that wait"


async def test_strangers_make_room_for_those_who_come(
    connected: Connect, monkeypatch: pytest.MonkeyPatch, platform: Platform
) -> None:
    monkeypatch.setattr(idle_connections, "MAX_STRANGERS", 5)
    async with serve_app(platform.application) as (port, open_ones):
        headers = {"Authorization": f"Bearer {platform.token}"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers) as client:
            assert (await client.get("/v1/user")).status_code == 200
            (known,) = open_ones
            assert known.welcome
            strangers = []
            for at in range(20):
                strangers.append(await connected(port))
                await until(lambda at=at: len(open_ones) == min(at + 2, 6))  # type: ignore[misc]
            assert known in open_ones, "who showed a good token keeps the place"
            loop = asyncio.get_running_loop()
            assert [await loop.sock_recv(each, 1) for each in strangers[:15]] == [b""] * 15, "the oldest first"
            assert (await client.get("/v1/user")).status_code == 200


async def test_strangers_who_come_all_at_once_make_room_for_each_other(
    connected: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_connections, "MAX_STRANGERS", 5)
    async with serve_app(respond_with(1)) as (port, open_ones):
        strangers = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        known = await connected(port)
        await until(lambda: open_ones)
        await until(lambda: not any(each.transport.is_closing() for each in open_ones))
        assert len(open_ones) <= 6
        await asyncio.get_running_loop().sock_sendall(known, ASK)
        assert await asyncio.get_running_loop().sock_recv(known, 12) == b"HTTP/1.1 200"
        for each in strangers:
            each.close()


async def test_what_waits_with_a_token_that_was_good_before_is_no_stranger(
    connected: Connect, platform: Platform
) -> None:
    loop, go_on, begun = asyncio.get_running_loop(), Event(), Event()
    ask = ASK.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {platform.token}\r\n\r\n".encode())

    def hold(_: object) -> None:
        begun.set()
        assert go_on.wait(60)

    async with serve_app(platform.application) as (port, open_ones), httpx.AsyncClient() as client:
        headers = {"Authorization": f"Bearer {platform.token}"}
        assert (await client.get(f"http://127.0.0.1:{port}/v1/user", headers=headers)).status_code == 200
        await client.aclose()
        await until(lambda: not open_ones)
        holding = [asyncio.create_task(platform.database.read(hold, kind)) for kind in range(3)]
        await loop.run_in_executor(None, begun.wait, 60)
        plain = await connected(port)
        await loop.sock_sendall(plain, ask)
        await until(lambda: any(each.welcome for each in open_ones))
        go_on.set()
        assert await loop.sock_recv(plain, 12) == b"HTTP/1.1 200"
        await asyncio.gather(*holding)


async def test_a_token_that_is_no_longer_valid_is_a_stranger(
    connected: Connect, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    ask = ASK.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {platform.token}\r\n\r\n".encode())
    async with serve_app(platform.application) as (port, open_ones):
        for status in (b"200", b"401", b"401"):
            plain = await connected(port)
            await loop.sock_sendall(plain, ask)
            assert await loop.sock_recv(plain, 12) == b"HTTP/1.1 " + status
            last = [each.welcome for each in open_ones]
            plain.close()
            await until(lambda: not open_ones)
            monkeypatch.setattr(platform, "recognize", lambda _connection, _token: None)
        assert last == [False]


async def test_what_waits_for_a_caller_who_has_gone_is_not_done(
    connected: Connect, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, go_on, begun = asyncio.get_running_loop(), Event(), Event()
    ask = ASK.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {platform.token}\r\n\r\n".encode())
    recognized: list[str] = []
    recognize = platform.recognize

    def count(connection: Any, token: str) -> str | None:
        recognized.append(token)
        return recognize(connection, token)

    def hold(_: object) -> None:
        begun.set()
        assert go_on.wait(60)

    monkeypatch.setattr(platform, "recognize", count)
    monkeypatch.setattr(platform.database._reading, "_most", 1)
    async with serve_app(platform.application) as (port, open_ones):
        holding = asyncio.create_task(platform.database.read(hold, "held"))
        await loop.run_in_executor(None, begun.wait, 60)
        for _ in range(20):
            plain = await connected(port)
            await loop.sock_sendall(plain, ask)
            plain.close()
        await until(lambda: sum(map(len, platform.database._reading._waiting.values())) == 20)
        await until(lambda: not open_ones)
        stays = await connected(port)
        await loop.sock_sendall(stays, ask)
        go_on.set()
        assert await loop.sock_recv(stays, 12) == b"HTTP/1.1 200"
        await holding
    assert len(recognized) == 1


async def test_a_wrong_token_welcomes_no_caller(platform: Platform) -> None:
    async with serve_app(platform.application) as (port, open_ones), httpx.AsyncClient() as client:
        answer = await client.get(f"http://127.0.0.1:{port}/v1/user", headers={"Authorization": "Bearer wrong"})
        assert answer.status_code == 401
        (stranger,) = open_ones
        assert not stranger.welcome


class TestDescription:
    @pytest.fixture
    async def client(self, platform: Platform) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(platform.application)
        async with httpx.AsyncClient(transport=transport, base_url="http://recto.test") as client:
            yield client

    async def test_it_is_sent_compressed_to_who_takes_that(self, client: httpx.AsyncClient) -> None:
        plain = await client.get("/openapi.json", headers={"Accept-Encoding": "identity"})
        async with client.stream("GET", "/openapi.json", headers={"Accept-Encoding": "br, gzip;q=0.5"}) as answer:
            raw = b"".join([piece async for piece in answer.aiter_raw()])
        assert (answer.headers["content-encoding"], answer.headers["vary"]) == ("gzip", "Accept-Encoding")
        assert gzip.decompress(raw) == plain.content
        assert len(raw) < len(plain.content) / 5
        refused = await client.get("/openapi.json", headers={"Accept-Encoding": "gzip;q=0, identity"})
        assert "content-encoding" not in refused.headers

    async def test_who_has_it_is_not_sent_it_again(self, client: httpx.AsyncClient) -> None:
        first = await client.get("/openapi.json")
        assert "max-age" in first.headers["cache-control"]
        again = await client.get("/openapi.json", headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
