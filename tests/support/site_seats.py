"""People before a site in tests: the keys, the screen, and the workspace behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from recto.client.sender import embed
from recto.server.people.tokens import make_token
from recto.server.platform import Platform
from recto.store.locations import Location, SiteLocation
from recto.store.store import Store
from recto.tui.app import RectoApp
from support.platform import join, own_organization
from support.screens import screen_text, settled, type_text
from support.sites import Docs, Refusing, make_docs, make_store


@dataclass
class Seat:
    """A person before a site: the keys, the screen, and the workspace behind it."""

    pilot: Pilot[None]
    store: Store
    transport: Refusing
    docs: Docs

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await settled(self.pilot)

    async def type(self, text: str) -> None:
        await type_text(self.pilot, text)

    async def to(self, title: str) -> None:
        """Go to an item with the keys that find it."""
        await self.pilot.press("slash")
        await self.type(title)
        await self.press("enter", "escape")

    async def order(self) -> str:
        return await self.docs.order(self.store)

    def line(self, text: str) -> str:
        """The part of the screen's first line with a text, up to the next border."""
        found = next((line for line in self.lines if text in line), None)
        assert found is not None, "\n".join(self.lines)
        return found

    @property
    def lines(self) -> list[str]:
        return screen_text(self.pilot.app)

    def shows(self, text: str) -> bool:
        """Whether a text stands in one line of the screen, or in what the program said in passing."""
        return not _list_missing([text], self.lines)

    def assert_shows(self, *texts: str) -> None:
        lines = self.lines
        assert _list_missing(texts, lines) == [], "\n".join(lines)


def _list_missing(texts: Sequence[str], lines: Sequence[str]) -> list[str]:
    messages = " ".join(line.rpartition("▌")[2].strip(" ─╮╯│") for line in lines if "▌" in line)
    return [text for text in texts if text not in messages and not any(text in line for line in lines)]


Sit = Callable[..., AbstractAsyncContextManager[Seat]]


def seats(platform: Platform, folder: Path) -> Sit:
    """Return what opens the program at the site of :func:`make_docs`."""
    docs = make_docs(platform)

    @asynccontextmanager
    async def open_program(
        size: tuple[int, int] = (140, 40),
        prepare: Callable[[Refusing], None] = lambda transport: None,
        site: str = "",
        location: Location | None = None,
        tab: int = 0,
    ) -> AsyncIterator[Seat]:
        store, transport = make_store(platform, folder)
        prepare(transport)

        async def open_store() -> Store:
            return store

        at = SiteLocation(docs.organization, site or docs.site, tab=tab)
        app = RectoApp(open_store, opening=location or at)
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            yield Seat(pilot, store, transport, docs)
        await store.aclose()

    return open_program


def as_reader(platform: Platform) -> Callable[[Refusing], None]:
    """Have the program be used by a member who may only read."""
    user = join(platform, own_organization(platform), "Rea Reader", "read")
    token = platform.database.write_now(lambda connection: make_token(platform.context(connection), user)[1])

    def prepare(transport: Refusing) -> None:
        transport.inner = embed(platform.application, token)

    return prepare
