"""How long others wait, and how large the server grows, while the heaviest bodies that it takes come in.

    uv run python tests/benchmarks/large_bodies.py [WORD ...]

Four clients send each body at the same time, one after another's end, to ``recto serve``; another client asks for
its user and makes change requests meanwhile. Aim: no request waits for more than a second, and the server stays below
300 MB.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.shell import serving

MB = 1024 * 1024
SENDERS = 4
ROUNDS = 2


def _page(text: bytes) -> bytes:
    inner = b'{"changes": [{"operation": "insert_page", "title": "Page", "document": {"markdown": "%s"}}]}'
    return inner % text[: 16 * MB - len(inner)]


def _nodes(nodes: list[Any]) -> bytes:
    document = {"object": "document", "nodes": nodes}
    return json.dumps({"changes": [{"operation": "insert_page", "document": {"document": document}}]}).encode()


_PARAGRAPH: dict[str, Any] = {
    "object": "block",
    "type": "paragraph",
    "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "Words and words.", "marks": []}]}],
}

WRITE = "/spaces/{space}/change-requests/{request}/content"
BODIES: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "wrong users": ("PUT", "/orgs/{organization}/teams", lambda: b'{"members": [' + b"1," * 500_000 + b"1]}"),
    "wrong users up to the limit": (
        "PUT", "/orgs/{organization}/teams", lambda: b'{"title": "x", "members": [' + b"1," * 49_000 + b"1]}",
    ),
    "unknown fields": (
        "PUT", "/orgs/{organization}/teams", lambda: b"{" + b",".join(b'"a%d":1' % at for at in range(16_000)) + b"}",
    ),
    "wrong nodes": ("POST", WRITE, lambda: _nodes([1] * 280_000)),
    "paragraphs as rich text": ("POST", WRITE, lambda: _nodes([_PARAGRAPH] * 9_000)),
    "one long paragraph": ("POST", WRITE, lambda: _page(b"word " * (4 * MB))),
    "letters that take four bytes": ("POST", WRITE, lambda: _page("😀".encode() * (4 * MB - 1000))),
    "quotation marks": ("POST", WRITE, lambda: b'"' * 16 * MB),
    "commas": ("POST", WRITE, lambda: b"," * 16 * MB),
}  # fmt: skip


async def measure(address: str, token: str, pid: int, words: list[str]) -> None:
    """Send each body and print what it cost the others."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=600) as client:
        organization = (await client.get("/orgs")).json()["items"][0]["id"]
        space = (await client.post(f"/orgs/{organization}/spaces", json={})).json()["id"]
        print(f"at first {_peak(pid):.0f} MB")
        for name, (method, path, make) in BODIES.items():
            if words and not any(word in name for word in words):
                continue
            body = make()
            waits: list[float] = []
            asking = asyncio.create_task(_ask(client, space, waits))
            begun = time.perf_counter()
            there = path.format(organization=organization, space=space, request="{request}")
            sent = await asyncio.gather(*(_send(client, space, method, there, body) for _ in range(SENDERS)))
            took = time.perf_counter() - begun
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            statuses = Counter(status for each in sent for status in each)
            told = ", ".join(f"{count} × {status}" for status, count in statuses.items())
            print(
                f"{name:30} {len(body) / MB:5.1f} MB: {took:6.1f} s, others at most {max(waits):5.2f} s, "
                f"peak {_peak(pid):4.0f} MB, then {_rss(pid):4.0f} MB ({told})",
                flush=True,
            )


async def _send(client: httpx.AsyncClient, space: str, method: str, path: str, body: bytes) -> list[int]:
    statuses = []
    for _ in range(ROUNDS):
        request = (await client.post(f"/spaces/{space}/change-requests", json={})).json()["id"]
        statuses.append((await client.request(method, path.format(request=request), content=body)).status_code)
    return statuses


async def _ask(client: httpx.AsyncClient, space: str, waits: list[float]) -> None:
    async with httpx.AsyncClient(base_url=client.base_url, headers=client.headers, timeout=600) as other:
        while True:
            for method, path in (("GET", "/user"), ("POST", f"/spaces/{space}/change-requests")):
                begun = time.perf_counter()
                (await other.request(method, path, json={})).raise_for_status()
                waits.append(time.perf_counter() - begun)
            await asyncio.sleep(0.01)


def _rss(pid: int) -> float:
    line = next(each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _peak(pid: int) -> float:
    line = next(each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmHWM"))
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins again
    return int(line.split()[1]) / 1024


def main() -> None:
    """Serve a workspace and measure."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        asyncio.run(measure(server.address, server.token, server.pid, sys.argv[1:]))


if __name__ == "__main__":
    main()
