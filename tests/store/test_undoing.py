"""Undoing the change that was asked about."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recto.client.errors import TimedOut, Unreachable
from recto.store.batch import Part, batch
from recto.store.drafts import DraftPlace, Drafts
from recto.store.mutation import Mutation, Outcome
from recto.store.store import Store
from recto.store.undoing import undo
from support.notes import Note, Notes, WriteNote
from support.notes_platform import NotesPlatform


def now() -> datetime:
    return datetime(2026, 3, 2, tzinfo=UTC)


def rename(key: str, new: str, old: str) -> Mutation[Note]:
    """Rename a note that no screen shows."""
    return Mutation(
        doing=f"Renaming to {new}",
        done=f"Renamed to {new}",
        call=lambda call: call(Notes.update_note, key, WriteNote(title=new)),
        inverse=lambda _: replace(rename(key, old, new), place=DraftPlace(space="elsewhere")),
    )


class Asked:
    """A person who agrees to every undo; ``meanwhile`` is changed while they are asked."""

    def __init__(self, store: Store, *meanwhile: Mutation[Any]) -> None:
        self.store = store
        self.meanwhile = list(meanwhile)
        self.questions: list[str] = []
        self.messages: list[str] = []

    async def confirm_undo(self, done: str) -> bool:
        self.questions.append(done)
        if self.meanwhile:
            await self.store.run(self.meanwhile.pop())
        return True

    async def confirm_archive(self, name: str) -> bool:
        return False

    def shows_place(self, place: DraftPlace) -> bool:
        return False

    async def wants_again(self, error: Exception | None) -> bool:
        return isinstance(error, TimedOut)

    async def send(self, mutation: Mutation[Any]) -> Outcome[Any]:
        return await self.store.run(mutation)

    def say(self, text: str) -> None:
        self.messages.append(text)

    def say_failed(self, error: Exception) -> None:
        self.messages.append(str(error))


@pytest.fixture
def platform() -> NotesPlatform:
    return NotesPlatform("First", "Second")


@pytest.fixture
def store(platform: NotesPlatform, tmp_path: Path) -> Store:
    return Store(platform.transport, Drafts(tmp_path / "drafts", now), clock=now)


async def test_a_change_under_way_is_the_one_that_is_asked_about(store: Store, platform: NotesPlatform) -> None:
    person = Asked(store)
    await store.run(rename("n1", "A", "First"))
    platform.gate.clear()
    store.run(rename("n2", "B", "Second"))
    undoing = asyncio.ensure_future(undo(store, person))
    await asyncio.sleep(0)
    platform.gate.set()
    await undoing
    assert person.questions == ["Renamed to B"]
    assert platform.notes == {"n1": "A", "n2": "Second"}


async def test_a_change_made_during_the_question_is_asked_about_in_its_turn(
    store: Store, platform: NotesPlatform
) -> None:
    person = Asked(store, rename("n2", "B", "Second"))
    await store.run(rename("n1", "A", "First"))
    await undo(store, person)
    assert person.questions == ["Renamed to A", "Renamed to B"]
    assert platform.notes == {"n1": "A", "n2": "Second"}
    assert person.messages == ["Renamed to Second (undo)."]


async def test_an_undo_that_is_sent_again_is_asked_about_once(store: Store, platform: NotesPlatform) -> None:
    person = Asked(store)
    await store.run(rename("n1", "A", "First"))
    platform.errors.append(TimedOut("Could not rename the note.", "No answer came.", may_have_arrived=True))
    await undo(store, person)
    assert person.questions == ["Renamed to A"]
    assert platform.notes["n1"] == "First"


async def test_what_of_several_cannot_be_undone_is_named(store: Store, platform: NotesPlatform) -> None:
    person = Asked(store)
    parts = [Part(id, title, rename(id, title.upper(), title)) for id, title in platform.notes.items()]
    await store.run(batch(parts, doing="Renaming", done="Renamed both"))
    platform.errors.append(Unreachable("Could not rename it.", "The network is down."))
    await undo(store, person)
    assert platform.notes == {"n1": "First", "n2": "SECOND"}
    (message,) = person.messages
    assert message.startswith("Undone: Renamed both (undo), but Second: Could not rename it.")
