"""A space to read and edit in tests, and a person before it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from recto.client.sender import embed
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.settings import Settings
from recto.store.drafts import Drafts
from recto.store.locations import Location, Locations, SpaceLocation
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.terminal.editor import Editor
from support.content import make_space
from support.platform import FrozenClock, Speaker, make_platform
from support.screens import all_messages, screen_text, settled, type_text
from support.sites import Refusing

WELCOME = """\
Read the [guide](/pages/guide), its [second step](/pages/guide#second-step), or [the web](https://example.org/more).

This paragraph is here to be commented on.

* one
* two
"""

GUIDE = """\
It takes three steps. Back to [the welcome](../welcome.md).

## First step

Open the box.

## Second step

Read what is in it, then turn the crank.

## Third step

Put it away.
"""


def handbook() -> list[ImportedPage]:
    """Give the pages of a small space: documents, a group, a link page and a hidden one."""
    return [
        ImportedPage("welcome", "Welcome", slug="welcome", text=WELCOME, attributes={"emoji": "1f44b"}),
        ImportedPage(
            "using",
            "Using it",
            slug="using",
            type="group",
            children=[
                ImportedPage(
                    "guide", "The guide", slug="guide", text=GUIDE, attributes={"description": "How it goes."}
                ),
                ImportedPage("secret", "Not yet", slug="secret", text="Hidden words.\n", attributes={"hidden": True}),
            ],
        ),
        ImportedPage(
            "elsewhere",
            "Elsewhere",
            slug="elsewhere",
            type="link",
            attributes={"target": {"kind": "url", "url": "https://example.org/elsewhere"}},
        ),
    ]


@dataclass
class Reader:
    """A person before a space: the keys, the screen, and the workspace behind it."""

    pilot: Pilot[None]
    store: Store
    transport: Refusing
    api: Speaker
    space: str
    opened: list[str]
    """The addresses that were opened in the browser."""

    async def press(self, *keys: str) -> None:
        """Press keys, one after another, each when all is still."""
        for key in keys:
            await self.pilot.press(key)
            await settled(self.pilot)

    async def type(self, text: str) -> None:
        """Type a text."""
        await type_text(self.pilot, text)

    async def read(self, title: str) -> None:
        """Go to a page by the keys that find it in the tree."""
        await self.press("slash")
        await self.type(title)
        await self.press("enter", "escape", "enter")

    @property
    def screen(self) -> str:
        """What is on the screen."""
        return "\n".join(screen_text(self.pilot.app))

    def line(self, text: str) -> str:
        """The first line of the screen that holds a text."""
        found = next((line for line in screen_text(self.pilot.app) if text in line), None)
        assert found is not None, f"{text!r} is not on the screen:\n{self.screen}"
        return found

    def shows(self, *texts: str) -> None:
        """Hold that texts stand on the screen, each within a line."""
        lines = screen_text(self.pilot.app)
        missing = [text for text in texts if not any(text in line for line in lines)]
        assert missing == [], "\n".join(lines)

    def shows_not(self, text: str) -> None:
        """Hold that a text is not on the screen."""
        assert text not in self.screen, self.screen

    def says(self, text: str) -> bool:
        """Whether the program said something in passing, over however many lines, or in the bottom line."""
        return any(text in each for each in all_messages(self.pilot.app))

    async def text_in(self, number: int, page: str) -> str:
        """Ask for a page's text in a change request."""
        found = await self.api.get(
            f"/spaces/{self.space}/change-requests/{number}/content/page/{page}", format="markdown"
        )
        return str(found["markdown"])

    async def requests(self, status: str = "draft") -> list[Any]:
        """Ask for the change requests of a status."""
        answer = await self.api.request("GET", f"/spaces/{self.space}/change-requests?status={status}")
        return list(answer.json()["items"])

    async def comments(self) -> list[Any]:
        """Ask for the comments on the space."""
        return list((await self.api.get(f"/spaces/{self.space}/comments", format="markdown"))["items"])


class Workspace:
    """A workspace file with the handbook in it, which outlives the programs that are opened on it."""

    def __init__(self, folder: Path, clock: FrozenClock | None = None) -> None:
        self.folder = folder
        self.platform: Platform = make_platform(folder, clock=clock)
        self.space = make_space(self.platform, handbook())
        self.api = Speaker(self.platform)

    def close(self) -> None:
        """Let go of the file."""
        self.platform.close()

    @asynccontextmanager
    async def reader(
        self,
        *,
        size: tuple[int, int] = (100, 30),
        location: Location | None = None,
        editor: Editor | None = None,
        token: str | None = None,
        prepare: Callable[[Refusing], None] = lambda transport: None,
        settings: Settings | None = None,
    ) -> AsyncIterator[Reader]:
        """Open the program at the space, or at a location of it; as its owner, or as whose ``token`` it is."""
        transport = Refusing(embed(self.platform.application, token or self.platform.token))
        prepare(transport)
        store = Store(
            transport,
            Drafts(self.folder / "drafts", self.platform.clock),
            clock=self.platform.clock,
            address="workspace",
            locations=Locations(self.folder / "places.json"),
        )

        async def open_store() -> Store:
            return store

        app = RectoApp(open_store, settings, opening=location or SpaceLocation(self.space), editor=editor)
        opened: list[str] = []
        app.open_url = lambda url, *, new_tab=True: opened.append(url)  # type: ignore[method-assign]
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            yield Reader(pilot, store, transport, self.api, self.space, opened)
        await store.aclose()
        if store.locations is not None:
            store.locations.flush()
