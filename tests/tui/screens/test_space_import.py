"""The import of content into a space, as a person asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.guided import Person, person


async def open_form(ada: Person) -> None:
    """Open the guide in English, and in it the form."""
    await ada.find("Guide (F")
    await ada.press("k", "enter", "B")
    assert "The pages are added after those of main" in ada.screen


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://ada:s3cret@docs.example.org/wiki", "https://docs.example.org/wiki"),
        ("https://s3cret@docs.example.org/a@b", "https://docs.example.org/a@b"),
        ("https://ada:s3cret", "https://"),
        ("https://docs.example.org:8443", "https://docs.example.org:8443"),
    ],
)
async def test_the_draft_of_the_form_keeps_no_credentials(tmp_path: Path, typed: str, kept: str) -> None:
    async with person(tmp_path) as ada:
        await open_form(ada)
        await ada.type(typed)
        [draft] = ada.store.drafts.find()
        assert "s3cret" not in ada.store.drafts.text(draft)
        await ada.press("escape", "k", "B")
        assert f" {kept} " in ada.screen
