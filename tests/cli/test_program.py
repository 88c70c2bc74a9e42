"""What the program finds when it opens its platform."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from recto import paths
from recto.cli.main import run
from recto.cli.program import Session
from recto.client.errors import ReadOnly
from recto.contract.organizations import Organizations
from recto.contract.spaces import CreateSpace, Spaces
from recto.settings import Settings
from recto.store.drafts import DraftKind, DraftPlace, Drafts, DraftState
from recto.store.response_cache import ResponseCache


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECTO_HOME", str(tmp_path))


async def test_what_was_being_sent_when_the_program_ended_is_unsure_at_the_next_start() -> None:
    drafts = Drafts(paths.drafts_dir() / "workspace")
    draft = drafts.mark_sending(drafts.start(DraftKind.COMMENT, DraftPlace(space="s"), "Typed"))
    trash = drafts.folder / ".trash-of-yesterday"
    trash.mkdir()

    session = Session(Settings(), None)
    store = await session.open_store()
    try:
        found = store.drafts.get(draft.id)
        assert found is not None
        assert found.state is DraftState.UNSURE
        assert not trash.exists()
    finally:
        await store.aclose()
        session.close()


async def test_opening_does_not_wait_for_a_platform_that_asks_to() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 50\r\nContent-Length: 0\r\n\r\n")
        await reader.read()
        writer.close()
        await writer.wait_closed()
        ended.set()

    ended = asyncio.Event()
    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with asyncio.timeout(60):
        store = await Session(Settings(base_url=address), "token").open_store()
    assert store.waiting == ()
    await store.aclose()
    await ended.wait()
    server.close()
    await server.wait_closed()


async def test_a_store_that_is_read_only_changes_nothing() -> None:
    session = Session(Settings(read_only=True), None)
    store = await session.open_store()
    try:
        organization = (await store.call(Organizations.list_organizations)).items[0].id
        with pytest.raises(ReadOnly):
            await store.call(Spaces.create_space, organization, CreateSpace(title="x"))
        assert store.workspace is not None
        with pytest.raises(ReadOnly):
            await store.workspace.rename_owner("Someone", "")
    finally:
        await store.aclose()
        session.close()


async def test_a_start_with_something_in_the_cache_does_not_wait_for_the_platform() -> None:
    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read())
        writer.close()

    asked: list[bytes] = []
    server = await asyncio.start_server(keep_silent, "127.0.0.1", 0)
    hosted = Settings(base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    session = Session(hosted, "one-token")
    ResponseCache(paths.responses_dir(), session.account).write("/v1/orgs", b"{}")
    async with asyncio.timeout(60):
        store = await session.open_store()
    await store.aclose()
    assert not asked
    server.close()
    await server.wait_closed()


def test_clearing_the_cache_removes_the_responses(capsys: pytest.CaptureFixture[str]) -> None:
    hosted = "https://docs.example.com"
    one, other = (Session(Settings(base_url=hosted), token).account for token in ("one token", "another token"))
    assert one != other
    assert "token" not in one
    for account in (one, other):
        ResponseCache(paths.responses_dir(), account).write("/v1/orgs", b'["' + b"x" * 300_000 + b'"]')
    assert run(["cache", "clear"]) == 0
    assert capsys.readouterr().out == "Cleared the cache: 0.6 MB.\n"
    assert not paths.responses_dir().exists()
    assert run(["cache", "clear"]) == 0
    assert capsys.readouterr().out == "The cache is empty.\n"


def test_a_cache_that_cannot_be_cleared_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    paths.responses_dir().parent.mkdir(parents=True, exist_ok=True)
    paths.responses_dir().write_bytes(b"")
    assert run(["cache", "clear"]) == 1
    expected = f"recto: The cache could not be cleared: Not a directory. Delete {paths.responses_dir()} yourself.\n"
    assert capsys.readouterr().err == expected
