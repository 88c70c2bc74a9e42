from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest

from recto.client import errors
from recto.client.http import MOST_REDIRECTS
from recto.client.outgoing import Limits
from recto.client.sender import Sender

TOKEN = "token-nobody-may-see"
PLATFORM = "https://docs.example.com/api"
LEAST = 1_000


class Elsewhere:
    """A web server on this machine that is not the platform; it notes the head of each request."""

    def __init__(self, answer: Callable[[str], bytes | None]) -> None:
        self.heads: list[str] = []
        self.address = ""
        self._answer = answer
        self._served: set[asyncio.Task[Any] | None] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._served.add(asyncio.current_task())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        answer = self._answer(head.split()[1])
        if answer is None:
            await reader.read()  # to the end of the connection, which is for the caller to bring about
        else:
            writer.write(answer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def ended(self) -> None:
        await asyncio.gather(*(task for task in self._served if task is not None))


@asynccontextmanager
async def elsewhere(answer: Callable[[str], bytes | None]) -> AsyncIterator[Elsewhere]:
    served = Elsewhere(answer)
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield served
    finally:
        await served.ended()
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def platform(answer: Callable[[httpx.Request], httpx.Response]) -> AsyncIterator[Sender]:
    sender = Sender(PLATFORM, TOKEN, transport=lambda: httpx.MockTransport(answer), limits=Limits(read=60, total=60))
    yield sender
    await sender.aclose()


def nothing(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"the platform was asked for {request.url}")


def whole(content: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(content)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + content


def sent_on(to: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


async def test_a_file_of_the_platform_is_asked_for_with_the_token() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, content=b"picture")

    async with platform(answer) as sender:
        assert await sender.download(f"{PLATFORM}/v1/spaces/s/blobs/b", LEAST) == b"picture"
    assert asked[0].headers["Authorization"] == f"Bearer {TOKEN}"


async def test_a_file_elsewhere_is_asked_for_without_the_token() -> None:
    async with elsewhere(lambda _: whole(b"picture", "Set-Cookie: seen=1")) as web, platform(nothing) as sender:
        for _ in range(2):
            assert await sender.download(f"{web.address}/x.png?key=1", LEAST) == b"picture"
    assert [head.split()[1] for head in web.heads] == ["/x.png?key=1"] * 2
    assert not any(word in head.lower() for head in web.heads for word in ("authorization", TOKEN, "cookie"))


@pytest.mark.parametrize(
    "address",
    [
        "https://docs.example.com.evil.test/api/v1/x",
        "http://docs.example.com/api/v1/x",
        "https://docs.example.com:8443/api/v1/x",
        "https://docs.example.com/other/v1/x",
        "https://docs.example.com/api/v1/../../other",
        "https://docs.example.com/api/v1/%2e%2e/%2e%2e/other",
    ],
)
async def test_what_only_looks_like_the_platform_does_not_get_the_token(address: str) -> None:
    async with platform(nothing) as sender:
        with pytest.raises(errors.ClientError):
            await sender.download(address, LEAST)


async def test_the_platform_may_send_the_caller_on_to_where_the_file_is_kept_but_the_token_stays() -> None:
    async with (
        elsewhere(lambda _: whole(b"picture")) as web,
        platform(lambda _: httpx.Response(302, headers={"Location": f"{web.address}/kept"})) as sender,
    ):
        assert await sender.download(f"{PLATFORM}/v1/files/f", LEAST) == b"picture"
    assert TOKEN not in web.heads[0]


async def test_who_is_sent_back_to_the_platform_comes_without_the_token() -> None:
    async with elsewhere(lambda _: sent_on(f"{PLATFORM}/v1/user")) as web, platform(nothing) as sender:
        with pytest.raises(errors.ClientError):
            await sender.download(f"{web.address}/x.png", LEAST)
    assert len(web.heads) == 1


async def test_a_circle_of_redirects_ends() -> None:
    async with elsewhere(lambda path: sent_on(path)) as web, platform(nothing) as sender:
        with pytest.raises(errors.BadResponse) as caught:
            await sender.download(f"{web.address}/x.png", LEAST)
    assert len(web.heads) == MOST_REDIRECTS + 1
    assert caught.value.what == "Could not load x.png."


@pytest.mark.parametrize("length", ["Content-Length: 4", "X-Nothing: 1"])
async def test_no_more_is_read_than_may_be_whatever_the_server_says(length: str) -> None:
    head = f"HTTP/1.1 200 OK\r\n{length}\r\nConnection: close\r\n\r\n".encode()
    async with elsewhere(lambda _: head + b"x" * 64) as web, platform(nothing) as sender:
        if "4" in length:
            assert await sender.download(f"{web.address}/x", 32) == b"xxxx"
        else:
            with pytest.raises(errors.BadResponse, match="It has more than 32 bytes"):
                await sender.download(f"{web.address}/x", 32)
            assert await sender.download(f"{web.address}/x", 64) == b"x" * 64


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "ftp://example.com/x.png",
        "data:image/png;base64,aGVsbG8=",
        "javascript:alert(1)",
        ".gitbook/assets/x.png",
        "/v1/spaces/s/blobs/b",
        "//example.com/x.png",
        "http://",
        "http://user:secret@127.0.0.1/x.png",
        "http://[::1/x.png",
        "http://127.0.0.1:99999/x.png",
        "",
        "\x1b[31m",
    ],
)
async def test_what_is_not_on_the_web_is_refused(address: str) -> None:
    async with platform(nothing) as sender:
        with pytest.raises(errors.ClientError) as caught:
            await sender.download(address, LEAST)
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("to", ["file:///etc/passwd", "http://", "/\x7f", "gopher://127.0.0.1/"])
async def test_redirects_lead_only_to_the_web(to: str) -> None:
    async with elsewhere(lambda path: sent_on(to)) as web, platform(nothing) as sender:
        with pytest.raises(errors.ClientError):
            await sender.download(f"{web.address}/x.png", LEAST)


@pytest.mark.parametrize(
    ("answer", "kind", "why"),
    [
        (b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", errors.Refused, "127.0.0.1 does not have it."),
        (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", errors.Refused, "127.0.0.1 answered with the status 500."),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", errors.Unreachable, "The connection to 127.0.0.1 broke."),
        (b"", errors.Unreachable, "The connection to 127.0.0.1 broke."),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\nnot zipped..",
            errors.BadResponse,
            "The server's response is broken.",
        ),
    ],
)
async def test_a_failure_says_which_file_and_why(answer: bytes, kind: type[errors.ClientError], why: str) -> None:
    async with elsewhere(lambda _: answer) as web, platform(nothing) as sender:
        with pytest.raises(kind) as caught:
            await sender.download(f"{web.address}/a/b%20c.png?key=secret", LEAST)
    assert (caught.value.what, caught.value.why) == ("Could not load b c.png.", why)


async def test_a_server_that_does_not_answer_is_not_waited_for_without_end() -> None:
    sender = Sender(PLATFORM, TOKEN, limits=Limits(read=0.05, total=5))
    async with elsewhere(lambda _: None) as web:
        with pytest.raises(errors.TimedOut):
            await sender.download(f"{web.address}/x.png", LEAST)
    await sender.aclose()


async def test_few_files_are_asked_for_at_once() -> None:
    asked = 0
    busy, let_go = asyncio.Event(), asyncio.Event()

    async def answer(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        if asked == 3:
            busy.set()
        await let_go.wait()
        return httpx.Response(200, content=b"x")

    transport: Any = httpx.MockTransport(answer)
    sender = Sender(PLATFORM, TOKEN, transport=lambda: transport)
    downloads = [asyncio.create_task(sender.download(f"{PLATFORM}/v1/files/{number}", LEAST)) for number in range(9)]
    await busy.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    assert asked == 3
    let_go.set()
    assert await asyncio.gather(*downloads) == [b"x"] * 9
    await sender.aclose()
