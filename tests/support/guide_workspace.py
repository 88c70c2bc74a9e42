"""The program on a new workspace with the guide in it: the same each time, to the letter."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from starlette.types import ASGIApp
from textual.pilot import Pilot

from recto.cli.own_workspace import OwnWorkspace
from recto.client.sender import embed
from recto.server.guide.installation import install_guide
from recto.server.ids import Ids
from recto.server.platform import Owner, Platform
from recto.settings import Settings
from recto.store.drafts import Drafts
from recto.store.locations import Location, Locations
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.terminal.editor import Editor
from support.platform import FrozenClock
from support.screens import paste, screen_text, settled, type_text
from support.states import state_of

OWNER = Owner("Ada Lovelace", "ada@example.org")


def last_row(text: str) -> tuple[str, ...]:
    """Return the keys that put the cursor of a list on its last row with a text."""
    return ("g", "slash", *text, "enter", "N", "escape")


@dataclass
class Person:
    """A person before the program: the keys, the screen, and the workspace behind it."""

    pilot: Pilot[None]
    platform: Platform
    store: Store

    @property
    def screen(self) -> str:
        """What is on the screen."""
        return "\n".join(screen_text(self.pilot.app))

    async def press(self, *keys: str) -> None:
        """Press keys and wait until all is still."""
        await self.pilot.press(*keys)
        await settled(self.pilot)

    async def type(self, text: str) -> None:
        """Type a text and wait until all is still."""
        await type_text(self.pilot, text)

    async def paste(self, text: str) -> None:
        """Paste a text, such as a long path, and wait until all is still."""
        await paste(self.pilot, text)
        await settled(self.pilot)

    async def find(self, text: str) -> None:
        """Go to what a text names, in the list that has the focus."""
        await self.pilot.press("slash")
        await self.type(text)
        await self.press("enter", "escape")


@cache
def _new_workspace() -> bytes:
    """Make a workspace with the guide once; a copy of its file stands for each new one."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "workspace.db"
        Platform.open(file, clock=FrozenClock(), ids=Ids(Random(0)), owner=OWNER, fill=install_guide).close()
        return file.read_bytes()


def open_guided(folder: Path) -> Platform:
    """Open the workspace in a folder, new with the guide in it where there is none yet."""
    file, openings = folder / "workspace.db", folder / "openings"
    if not file.exists():
        file.write_bytes(_new_workspace())
    # Each opening continues with ids of its own, the same ones in each run.
    opened = len(openings.read_bytes()) if openings.exists() else 0
    openings.write_bytes(b"." * (opened + 1))
    return Platform.open(file, clock=FrozenClock(), ids=Ids(Random(opened + 1)), owner=OWNER)


def guided_store(
    platform: Platform, folder: Path, application: ASGIApp | None = None, *, read_only: bool = False
) -> Store:
    """Return a store on a workspace as the command line makes it, or on what stands before its application."""
    return Store(
        embed(application or platform.application, platform.token, read_only=read_only),
        Drafts(folder / "drafts", platform.clock),
        clock=platform.clock,
        address="workspace",
        locations=Locations(folder / "places.json"),
        workspace=OwnWorkspace(platform, read_only=read_only),
    )


def guided_app(
    platform: Platform,
    folder: Path,
    opening: Location | None = None,
    editor: Editor | None = None,
    settings: Settings | None = None,
) -> RectoApp:
    """Return the program on a workspace."""

    async def open_store() -> Store:
        return guided_store(platform, folder)

    return RectoApp(open_store, settings, opening=opening, editor=editor)


@asynccontextmanager
async def person(
    folder: Path,
    *,
    size: tuple[int, int] = (100, 32),
    opening: Location | None = None,
    editor: Editor | None = None,
) -> AsyncIterator[Person]:
    """Start the program on the workspace of a folder and wait until it stands; end it afterwards."""
    platform = open_guided(folder)
    try:
        app = guided_app(platform, folder, opening, editor)
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            store = app._store
            assert store is not None
            yield Person(pilot, platform, store)
    finally:
        platform.close()


@asynccontextmanager
async def read_only_person(folder: Path, *, size: tuple[int, int] = (100, 32)) -> AsyncIterator[Person]:
    """Start the program read-only on a workspace with the guide, which is afterwards as it was."""
    platform = open_guided(folder)
    before = state_of(platform.database.path)
    store = guided_store(platform, folder, read_only=True)

    async def open_store() -> Store:
        return store

    try:
        async with RectoApp(open_store, Settings(read_only=True)).run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            yield Person(pilot, platform, store)
        assert state_of(platform.database.path) == before
    finally:
        platform.close()
