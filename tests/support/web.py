"""The web as imports find it in tests: each address is one Markdown page."""

from __future__ import annotations

import pytest

from recto.server import fetching
from recto.server.fetching import Fetched

ADDRESS = "https://docs.example.org/only-once.md"
TITLE = "Only once"


@pytest.fixture(autouse=True)
def web(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each address lead to a page of one title."""

    def get(self: fetching.Fetcher, address: str, *, typed: str = "", most: int = 0) -> Fetched:
        return Fetched(address, "text/markdown", "utf-8", f"# {TITLE}\n\nWords of the web.\n".encode())

    monkeypatch.setattr(fetching.Fetcher, "get", get)
