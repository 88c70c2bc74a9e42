"""What the program finds when it opens its platform."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from recto import paths
from recto.cli.program import Joined
from recto.client.errors import ReadOnly
from recto.contract.organizations import Organizations
from recto.contract.spaces import CreateSpace, Spaces
from recto.settings import Settings
from recto.store.drafts import DraftKind, DraftPlace, Drafts, DraftState
from recto.store.places import Places, Spot
from recto.store.sights import Sight


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECTO_HOME", str(tmp_path))


async def test_what_was_being_sent_when_the_program_ended_is_unsure_at_the_next_start() -> None:
    drafts = Drafts(paths.drafts_dir() / "workspace")
    draft = drafts.sending(drafts.start(DraftKind.COMMENT, DraftPlace(space="s"), "Typed"))
    trash = drafts.folder / ".trash-of-yesterday"
    trash.mkdir()

    joined = Joined(Settings(), None)
    store = await joined.open_store()
    try:
        found = store.drafts.get(draft.id)
        assert found is not None
        assert found.state is DraftState.UNSURE
        assert not trash.exists()
    finally:
        await store.aclose()
        joined.close()


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
    async with asyncio.timeout(20):
        store = await Joined(Settings(base_url=address), "token").open_store()
    assert store.waiting == ()
    await store.aclose()
    await ended.wait()
    server.close()
    await server.wait_closed()


async def test_a_store_that_is_read_only_changes_nothing() -> None:
    joined = Joined(Settings(read_only=True), None)
    store = await joined.open_store()
    try:
        organization = (await store.call(Organizations.list_organizations)).items[0].id
        with pytest.raises(ReadOnly):
            await store.call(Spaces.create_space, organization, CreateSpace(title="x"))
        assert store.workspace is not None
        with pytest.raises(ReadOnly):
            await store.workspace.rename_owner("Someone", "")
    finally:
        await store.aclose()
        joined.close()


def test_what_was_seen_with_one_token_is_not_shown_to_another(tmp_path: Path) -> None:
    hosted = Settings(base_url="https://docs.example.com")
    spot = Spot("space", {"space": "s1"})
    paths.state_dir().mkdir(exist_ok=True)
    Places(paths.places_file()).remember("https://docs.example.com", spot)
    sight = Sight(spot, "dark", ("bold",), ((("Salaries", 0),),))
    Joined(hosted, "one token").sights.keep(sight)

    assert Joined(hosted, "one token").sights.last() == sight
    assert Joined(hosted, "another token").sights.last() is None
    assert Joined(hosted, None).sights.last() is None
    assert "one token" not in paths.sight_file().read_text(encoding="utf-8")
