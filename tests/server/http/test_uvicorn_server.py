from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from recto.server.http.uvicorn_server import ListenError, listen

SCRIPT = """
import gc
import sys
from pathlib import Path
from recto.server.http import requests
from recto.server.http import idle_connections
from recto.server.platform import Owner, Platform
from recto.server.http.uvicorn_server import serve

if "hasty" in sys.argv:
    requests.PATIENCE_S = idle_connections.HEAD_PATIENCE_S = 2.0  # enough for a whole request on a slow machine
platform = Platform.open(Path(sys.argv[1]), owner=Owner("Ada Lovelace"))
platform.admit("open sesame", platform.owner)
serve(platform, "127.0.0.1", 0, ready=lambda address: print(address, flush=True))
platform.close()
print("closed", flush=True)
print(gc.isenabled(), *gc.get_threshold(), flush=True)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    with start(tmp_path) as process:
        yield process


@contextmanager
def start(folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder / "workspace.recto"), *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONDEVMODE": "1"},
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_responds_over_http_until_it_is_stopped(server: subprocess.Popen[str], number: signal.Signals) -> None:
    """Meanwhile it looks for what to free in small parts, and seldom through all."""
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    with httpx.Client(base_url=address) as client:
        assert client.get("/v1/user").status_code == 401
        headers = {"Authorization": "Bearer open sesame"}
        assert client.get("/v1/user", headers=headers).json()["displayName"] == "Ada Lovelace"
        organization = client.get("/v1/orgs", headers=headers).json()["items"][0]
        made = client.post(f"/v1/orgs/{organization['id']}/spaces", headers=headers, json={"title": "Book"})
        assert made.headers["location"] == f"{address}/v1/spaces/{made.json()['id']}"
        assert client.head("/v1/user", headers=headers).content == b""
    server.send_signal(number)
    out, errors = server.communicate(timeout=60)
    assert (errors, server.returncode) == ("", 0)
    closed, on, young, middle, old = out.split()
    assert (closed, on) == ("closed", "True")
    assert int(young) * int(middle) <= 125_000
    assert int(young) * int(middle) * int(old) >= 10_000_000


def said_to(address: str, sent: bytes) -> bytes:
    """Send bytes on a connection of their own, and return all that comes until the server closes it."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(sent)
        said = b""
        while piece := connection.recv(65_536):
            said += piece
    return said


def own_organization(address: str) -> str:
    """Return the path of the only organization."""
    found = httpx.get(f"{address}/v1/orgs", headers={"Authorization": "Bearer open sesame"})
    return f"/v1/orgs/{found.json()['items'][0]['id']}"


def head(method: str, path: str, **headers: object) -> bytes:
    told = {"Host": "x", "Authorization": "Bearer open sesame"} | {k.replace("_", "-"): v for k, v in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items()), "", ""]
    return "\r\n".join(lines).encode()


def test_who_sends_too_slowly_does_not_hold_the_server(tmp_path: Path) -> None:
    with start(tmp_path, "hasty") as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        slow_body = head("POST", f"{own_organization(address)}/spaces", Content_Length=100) + b'{"title": '
        slow_second = head("GET", "/v1/user") + b"GET /v1"
        with ThreadPoolExecutor() as together:
            late, nothing, half, second = together.map(
                partial(said_to, address), (slow_body, b"", b"GET /v1/user HTTP/1.1\r\nHost", slow_second)
            )
        assert late.startswith(b"HTTP/1.1 408 ")
        assert b"The body was sent too slowly: 10 bytes arrived." in late
        assert (nothing, half) == (b"", b"")
        # A head that follows a whole request has no more time than the first.
        assert second.startswith(b"HTTP/1.1 200 ")
        assert second.count(b"HTTP/1.1") == 1
        assert httpx.get(f"{address}/v1/user").status_code == 401


def test_what_is_too_large_or_not_http_is_refused_at_once(server: subprocess.Popen[str]) -> None:
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    spaces = f"{own_organization(address)}/spaces"
    for length in (1024 * 1024 + 1, 10**12):
        assert said_to(address, head("POST", spaces, Content_Length=length) + b"{").startswith(b"HTTP/1.1 413 ")
    assert said_to(address, head("GET", "/v1/user", X="x" * 100_000).rstrip()).startswith(b"HTTP/1.1 400 ")
    assert said_to(address, b"\x16\x03\x01 not HTTP at all\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert said_to(address, head("POST", "/v1/orgs/x/spaces", Content_Length="many")).startswith(b"HTTP/1.1 400 ")
    assert httpx.get(f"{address}/v1/user").status_code == 401


def test_an_address_in_use_is_named() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=rf"^Cannot listen on 127\.0\.0\.1:{port}: "):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("no such host", 80), ("a" * 64, 80), ("a..b", 80), ("127.0.0.1", 70_000)])
def test_an_address_that_is_none_is_named(host: str, port: int) -> None:
    with pytest.raises(ListenError, match=f"Cannot listen on {host}:{port}"):
        listen(host, port)


def test_the_socket_says_that_it_speaks_tcp() -> None:
    """Else asyncio leaves the delay of small packets on."""
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
