"""What the program finds when it opens its platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from recto import paths
from recto.cli.program import Joined
from recto.settings import Settings
from recto.store.drafts import DraftKind, DraftPlace, Drafts, DraftState


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
