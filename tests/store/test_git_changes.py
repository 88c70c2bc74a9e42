"""Imports from Git and exports to it whose answer is lost: they are looked for, and made once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from dulwich.repo import Repo

from recto.client.errors import TimedOut
from recto.contract.git import ExportGit, ImportGit
from recto.contract.spaces import Space, Spaces
from recto.server.platform import Platform
from recto.store.git_changes import export_branch, import_branch
from recto.store.mutation import Mutation, Undecided
from recto.store.store import Store, again
from support.content import Desk, make_space
from support.guide import open_store
from support.platform import FrozenClock, Speaker
from support.repositories import MAIN, make_repository
from support.sites import Refusing

BOOK = {"SUMMARY.md": "* [Home](README.md)\n", "README.md": "# Home\n\nWelcome.\n"}


@dataclass
class Seat:
    """A person with a space and a repository."""

    platform: Platform
    clock: FrozenClock
    store: Store
    transport: Refusing
    space: Space
    bare: Path
    ada: Speaker

    def importing(self) -> Mutation[bool]:
        return import_branch(self.store, self.space, ImportGit(**self._place()))

    def exporting(self) -> Mutation[bool]:
        return export_branch(self.store, self.space, ExportGit(**self._place(), commit_message="From Recto"))

    def _place(self) -> dict[str, Any]:
        return {"url": str(self.bare), "ref": MAIN.decode()}

    def commits(self) -> int:
        with Repo(str(self.bare)) as repo:
            return sum(1 for _ in repo.get_walker(include=[repo.refs[MAIN]]))

    async def edit(self) -> None:
        pages = await self.ada.get(f"/spaces/{self.space.id}/content/pages")
        desk = await Desk.open(self.ada, self.space.id, "A change")
        await desk.edit(pages["pages"][0]["id"], "# Home\n\nWelcome back.\n")
        await desk.merge()

    def lose_answer(self, operation: str, *, and_the_network: bool = False) -> None:
        """Lose the answer of an operation once its job has ended."""

        async def lose() -> None:
            await jobs_ended()
            lost = TimedOut("It failed.", "No answer came.", may_have_arrived=True)
            self.transport.down = lost if and_the_network else None
            raise lost

        self.clock.advance(minutes=1)
        self.transport.changes.clear()
        self.transport.then[operation] = lose


async def jobs_ended() -> None:
    for thread in threading.enumerate():
        if thread.name == "recto-job":
            await asyncio.to_thread(thread.join)


@pytest.fixture
async def seat(platform: Platform, clock: FrozenClock, tmp_path: Path) -> AsyncIterator[Seat]:
    store, transport = open_store(platform, tmp_path)
    space = await store.call(Spaces.get_space, make_space(platform, ()))
    bare = make_repository(tmp_path / "docs.git", BOOK)
    yield Seat(platform, clock, store, transport, space, bare, Speaker(platform))
    await jobs_ended()
    await store.aclose()


async def test_an_import_whose_answer_is_lost_is_looked_for(seat: Seat) -> None:
    seat.lose_answer("import_branch")
    assert (await seat.store.run(seat.importing())).ok
    assert seat.transport.changes == ["import_branch"]
    (page,) = (await seat.ada.get(f"/spaces/{seat.space.id}/content/pages"))["pages"]
    assert page["title"] == "Home"


async def test_an_export_whose_answer_is_lost_is_looked_for(seat: Seat) -> None:
    await seat.store.run(seat.importing())
    await jobs_ended()
    await seat.edit()
    seat.lose_answer("export_branch")
    assert (await seat.store.run(seat.exporting())).ok
    assert (seat.transport.changes, seat.commits()) == (["export_branch"], 2)


async def test_an_export_that_could_not_be_looked_for_is_looked_for_before_it_is_made_again(seat: Seat) -> None:
    await seat.store.run(seat.importing())
    await jobs_ended()
    await seat.edit()
    seat.lose_answer("export_branch", and_the_network=True)
    outcome = await seat.store.run(seat.exporting())
    assert isinstance(outcome.error, Undecided) and outcome.error.may_have_arrived
    seat.transport.down = None
    assert (await seat.store.run(again(seat.exporting(), outcome))).ok
    assert (seat.transport.changes, seat.commits()) == (["export_branch"], 2)


async def test_an_export_that_has_not_ended_is_undecided_and_made_once(seat: Seat) -> None:
    await seat.store.run(seat.importing())
    await jobs_ended()
    await seat.edit()
    seat.clock.advance(minutes=1)
    seat.transport.errors["export_branch"] = [TimedOut("It failed.", "No answer came.", may_have_arrived=True)]
    outcome = await seat.store.run(seat.exporting())
    assert isinstance(outcome.error, Undecided)
    assert "the job has not begun, or still runs" in str(outcome.error)
    assert (await seat.store.run(again(seat.exporting(), outcome))).ok
    await jobs_ended()
    assert seat.commits() == 2
