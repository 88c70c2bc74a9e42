"""``recto ADDRESS``: where it leads, and where no token goes."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from cli.test_main import ended
from recto.cli import program
from recto.cli.arguments import parse
from recto.cli.failures import CommandError
from recto.settings import Settings
from recto.store.locations import Location, SpaceLocation
from recto.tui.navigation import targets

ADDRESS = "https://docs.example.org/s/s1"


@pytest.fixture
def leads() -> list[Any]:
    """What finds out where to begin, in each program that was opened."""
    return []


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, leads: list[Any]) -> list[tuple[Settings, str | None]]:
    """On what the program was opened, and with which token."""
    shown: list[tuple[Settings, str | None]] = []

    def show(settings: Settings, token: str | None, lead: Any = None) -> int:
        leads.append(lead)
        shown.append((settings, token))
        return 0

    monkeypatch.setattr(program, "show", show)
    monkeypatch.setenv("RECTO_TOKEN", "of-another-platform")
    return shown


@pytest.mark.parametrize(
    ("given", "command", "address"),
    [
        ([ADDRESS], "address", ADDRESS),
        (["--read-only", "recto:x/s/y"], "address", "recto:x/s/y"),
        (["recto:x/s/y", "--read-only"], "address", "recto:x/s/y"),
        (["--base-url", ADDRESS, ADDRESS], "address", ADDRESS),
        (["--base-url", ADDRESS], None, None),
        (["--base-url=" + ADDRESS, "open", "x"], "open", None),
        (["api", "GET", ADDRESS], "api", None),
        ([], None, None),
    ],
)
def test_an_address_stands_in_the_place_of_a_command(
    given: list[str], command: str | None, address: str | None
) -> None:
    parsed = parse(given)
    assert (parsed.command, getattr(parsed, "address", None)) == (command, address)


def test_an_unknown_command_is_distinguished_from_known_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["address", ADDRESS])
    assert "(choose from 'open', " in capsys.readouterr().err


def test_help_lists_only_the_options_that_a_command_heeds(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["serve", "--help"])
    said = capsys.readouterr().out
    assert "--workspace" in said
    assert "--base-url" not in said
    assert parse(["serve", "--base-url", ADDRESS]).base_url == ADDRESS, "it is refused by name, not as unknown"


@pytest.mark.parametrize("more", [[], ["--base-url", "https://other.example.org"]])
def test_no_token_goes_to_a_platform_that_is_not_set(
    more: list[str], opened: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended([*more, ADDRESS]) == 2
    assert opened == []
    said = capsys.readouterr().err
    assert "Set RECTO_TOKEN to a token of that platform" in said
    assert f"recto --base-url https://docs.example.org {ADDRESS}" in said


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("https://docs.example.org/v1", ADDRESS),
        ("http://localhost:8977", "http://127.0.0.1:8977/v1/spaces/s1"),
        ("https://api.gitbook.com", "https://app.gitbook.com/o/o1/s/s1/guide"),
    ],
)
def test_on_the_platform_that_is_set_it_opens(base_url: str, address: str, opened: list[Any]) -> None:
    assert ended(["--base-url", base_url, address]) == 0
    assert [(settings.base_url, token) for settings, token in opened] == [(base_url, "of-another-platform")]


@pytest.mark.parametrize("address", ["recto:Ada1/s/s1", "http://recto.invalid/v1/spaces/s1"])
def test_what_is_in_a_workspace_opens_there_whatever_platform_is_set(
    address: str, opened: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECTO_BASE_URL", "https://docs.example.org")
    assert ended([address]) == 0
    assert [settings.base_url for settings, _ in opened] == [None]


@pytest.mark.parametrize("address", ["recto:/etc/passwd", "recto:\x1b[2J", "https://docs.example.org/guide"])
def test_an_address_that_names_nothing_is_reported(
    address: str, opened: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended([address]) == 2
    said = capsys.readouterr().err
    assert "Recto cannot open " in said
    assert "\x1b" not in said
    assert opened == []


async def test_the_address_of_a_page_on_a_site_opens_on_the_platform_that_is_set(
    opened: list[Any], leads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find(_store: Any, address: str) -> Location | None:
        return SpaceLocation("s1", page="p1") if address.startswith("https://guide.acme.example/") else None

    monkeypatch.setattr(targets, "find_published", find)
    store = SimpleNamespace(address="https://docs.example.org/v1")
    for address in ("https://guide.acme.example/start", "https://elsewhere.example/start"):
        assert await asyncio.to_thread(ended, ["--base-url", "https://docs.example.org", address]) == 0
    assert [settings.base_url for settings, _ in opened] == ["https://docs.example.org"] * 2
    found, lost = leads
    assert await found(store, lambda _: None) == SpaceLocation("s1", page="p1")
    with pytest.raises(CommandError, match=r"No site of https://docs\.example\.org/v1 shows it"):
        await lost(store, lambda _: None)


@pytest.mark.parametrize(
    "url", ["docs.example.org", "https://me:secret@docs.example.org", "https://docs.example.org?x"]
)
def test_a_public_address_is_a_whole_one(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["serve", "--public-url", url]) == 2
    assert "is not an address" in capsys.readouterr().err
