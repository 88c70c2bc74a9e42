from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recto.server.serve import ListenError, listen

SCRIPT = """
import sys
from pathlib import Path
from recto.server.platform import Owner, Platform
from recto.server.serve import serve

platform = Platform.open(Path(sys.argv[1]), owner=Owner("Ada Lovelace"))
platform.admit("open sesame", platform.owner)
serve(platform, "127.0.0.1", 0, ready=lambda address: print(address, flush=True))
platform.close()
print("closed", flush=True)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "workspace.recto")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONDEVMODE": "1"},
    )  # fmt: skip
    with process:
        yield process
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_over_http_until_it_is_told_to_end(server: subprocess.Popen[str], number: signal.Signals) -> None:
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
    out, errors = server.communicate(timeout=30)
    assert (out, errors, server.returncode) == ("closed\n", "", 0)


def test_an_address_in_use_is_named() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=rf"^Cannot listen on 127\.0\.0\.1:{port}: "):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("no such host", 80), ("127.0.0.1", 70_000)])
def test_an_address_that_is_none_is_named(host: str, port: int) -> None:
    with pytest.raises(ListenError, match=f"Cannot listen on {host}:{port}"):
        listen(host, port)


def test_the_socket_says_that_it_speaks_tcp() -> None:
    """Else asyncio leaves the delay of small packets on."""
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
