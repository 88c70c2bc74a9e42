from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from recto.cli.own_workspace import OwnWorkspace
from recto.server.exchange import folder_import
from recto.server.platform import Platform
from support.folders import write_folder


async def test_a_cancelled_import_ends_also_where_it_reports_no_more_progress(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released = threading.Event(), threading.Event()

    def wait(name: str) -> None:
        if name == "import.before-commit":
            begun.set()
            released.wait(60)

    monkeypatch.setattr(folder_import, "checkpoint", wait)
    folder = write_folder(tmp_path / "docs", {"README.md": "# Home\n"})
    importing = asyncio.create_task(OwnWorkspace(platform).import_folder(folder))
    await asyncio.to_thread(begun.wait)
    importing.cancel()
    await asyncio.wait([importing], timeout=0)
    released.set()
    with pytest.raises(asyncio.CancelledError):
        await importing
    assert platform.database.read_now(lambda connection: connection.value("SELECT count(*) FROM spaces")) == 0
