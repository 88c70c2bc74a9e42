from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recto.server.exchange.folder import DiskFile


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Refuse reading of files and folders by their names, as the system refuses all but root."""
    names: set[str] = set()

    def deny(path: Any) -> None:
        if Path(path).name in names:
            raise PermissionError(13, "Permission denied", str(path))

    open_file, scan, access = DiskFile.open, os.scandir, os.access

    def open_denied(file: DiskFile, mode: Any) -> Any:
        deny(file.path)
        return open_file(file, mode)

    def scan_denied(path: str) -> Any:
        deny(path)
        return scan(path)

    monkeypatch.setattr(DiskFile, "open", open_denied)
    monkeypatch.setattr(os, "scandir", scan_denied)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name not in names and access(path, mode))
    return names.add
