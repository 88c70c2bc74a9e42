"""What addresses in answers begin with, and what a browser gets at them."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Callable
from html import unescape
from typing import Any

import httpx
import pytest

from recto.server.platform import Platform
from recto.urls import EMBEDDED_ADDRESS, read_url
from support.platform import Speaker


@pytest.fixture
async def ask(platform: Platform) -> AsyncIterator[Callable[..., Any]]:
    """Asks for something at an address at which the connection comes in, and by the name of a host."""
    clients: list[httpx.AsyncClient] = []

    async def send(at: str, path: str, host: str | None = None, **headers: str) -> httpx.Response:
        client = httpx.AsyncClient(transport=httpx.ASGITransport(platform.application), base_url=at)
        clients.append(client)
        named = {"Host": host} if host is not None else {}
        return await client.get(path, headers={"Authorization": f"Bearer {platform.token}"} | named | headers)

    yield send
    for client in clients:
        await client.aclose()


@pytest.mark.parametrize(
    ("at", "host", "known"),
    [
        ("http://127.0.0.1:8977", "127.0.0.1:8977", "http://127.0.0.1:8977"),
        ("http://127.0.0.1:8977", "localhost:8977", "http://localhost:8977"),
        ("http://127.0.0.1:8977", "localhost:80", "http://127.0.0.1:8977"),
        ("http://127.0.0.1:8977", "evil.example", "http://127.0.0.1:8977"),
        ("http://[::1]:8977", "evil.example:8977", "http://[::1]:8977"),
        ("http://192.0.2.7:8977", "localhost:8977", "http://192.0.2.7:8977"),
        ("http://192.0.2.7:8977", "docs.local:8977", "http://docs.local:8977"),
        ("http://192.0.2.7:8977", "]:[", "http://192.0.2.7:8977"),
    ],
)
async def test_an_answer_names_this_server_and_never_a_foreign_host(
    platform: Platform, ask: Callable[..., Any], at: str, host: str, known: str
) -> None:
    platform.host = "docs.local"
    answer = await ask(at, "/v1/user", host, **{"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"})
    assert answer.json()["urls"]["location"].startswith(f"{known}/v1/")


async def test_behind_a_proxy_it_is_the_public_address(
    platform: Platform, ask: Callable[..., Any], organization: str, ada: Speaker
) -> None:
    platform.public_url = "https://docs.example.org/behind"
    answer = await ask("http://127.0.0.1:8977", f"/v1/orgs/{organization}", "evil.example")
    assert answer.json()["urls"] == {
        "app": f"https://docs.example.org/behind/o/{organization}",
        "location": f"https://docs.example.org/behind/v1/orgs/{organization}",
    }
    made = await ada.request("POST", f"/orgs/{organization}/spaces", json={"title": "New"}, headers={"Host": "evil"})
    assert made.headers["location"].startswith("https://docs.example.org/behind/v1/spaces/")


async def test_in_this_program_it_is_that_of_the_workspace(
    platform: Platform, ask: Callable[..., Any], organization: str
) -> None:
    urls = (await ask(EMBEDDED_ADDRESS, f"/v1/orgs/{organization}")).json()["urls"]
    address = read_url(urls["app"])
    assert address is not None
    assert (address.workspace, address.thing.organization) == (platform.owner, organization)


@pytest.mark.parametrize(
    ("path", "kind", "id"),
    [
        ("/o/o1", "Organization", "o1"),
        ("/c/c1", "Collection", "c1"),
        ("/o/o1/sites/site_1", "Site", "site_1"),
        ("/s/s1", "Space", "s1"),
        ("/s/s1/~/changes/r1", "Change request", "r1"),
        ("/s/s1/~/revisions/v1/p1", "Page", "p1"),
    ],
)
async def test_a_browser_is_shown_the_command_and_nothing_of_the_thing(
    ask: Callable[..., Any], path: str, kind: str, id: str
) -> None:
    answer = await ask("http://127.0.0.1:8977", f"{path}?token=hidden", Authorization="")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'none';")
    assert f"<h1>{kind} <code>{id}</code></h1>" in answer.text
    command = answer.text.partition("<pre><code>")[2].partition("</code>")[0]
    assert shlex.split(unescape(command)) == ["recto", f"http://127.0.0.1:8977{path}"]
    assert "hidden" not in answer.text


async def test_the_page_of_what_is_there_is_that_of_what_is_not(ask: Callable[..., Any], organization: str) -> None:
    there, not_there = [await ask("http://127.0.0.1", f"/o/{each}") for each in (organization, "x" * len(organization))]
    assert there.text.replace(organization, "x" * len(organization)) == not_there.text


async def test_nothing_in_an_address_acts_on_its_page_or_in_a_shell(ask: Callable[..., Any]) -> None:
    answer = await ask("http://127.0.0.1", "/s/%3Cscript%3Ealert(1)%3C%2Fscript%3E/%24(reboot)%3B%27%22%26")
    assert answer.status_code == 200
    assert "<script" not in answer.text
    command = answer.text.partition("<pre><code>")[2].partition("</code>")[0]
    assert command == "recto http://127.0.0.1/s/%3Cscript%3Ealert%281%29%3C/script%3E/%24%28reboot%29%3B%27%22%26"
    named = await ask("http://127.0.0.1", "/s/%3Cscript%3Ealert(1)")
    assert "<h1>Space <code>&lt;script&gt;alert(1)</code></h1>" in named.text
    assert "<script" not in named.text
    assert (await ask("http://127.0.0.1", "/o/")).status_code == 404
    assert (await ask("http://127.0.0.1", "/s/")).json()["error"]["message"] == "There is nothing at /s/."
