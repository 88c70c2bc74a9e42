"""What holds for the tests of the store."""

from __future__ import annotations

import pytest

from support.reference_requests import hold_to_reference


@pytest.fixture(autouse=True)
def asked_as_the_reference_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store ask for nothing that the reference does not have."""
    hold_to_reference(monkeypatch)
