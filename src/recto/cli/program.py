"""``recto`` without a command: the program itself."""

from __future__ import annotations

import asyncio
import codecs
import gc
import os
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

from recto import paths
from recto.cli.failures import CommandError, tell
from recto.settings import Settings
from recto.store.locations import Locations

if TYPE_CHECKING:
    from recto.cli.connection import Connection
    from recto.store.store import Store
    from recto.tui.starting import Lead


def show(settings: Settings, token: str | None, lead: Lead | None = None) -> int:
    """Run the program on the platform that the settings name until the person leaves it.

    It begins where it was left; ``lead`` finds out where else.
    """
    _check_terminal()
    # Collecting while everything is being made costs a tenth of the start and finds nothing.
    gc.disable()
    # At twice Textual's rate, a change waits half as long until it is painted.
    os.environ.setdefault("TEXTUAL_FPS", "120")
    from recto.tui.app import RectoApp, run_app

    session = Session(settings, token)
    try:
        app = RectoApp(session.open_store, settings, lead)
        exit_code = run_app(app)
    finally:
        session.close()
        gc.enable()
    if app.last_words:
        tell(app.last_words)
    return exit_code


def _check_terminal() -> None:
    """Raise ``CommandError`` without a terminal that can show the program."""
    drawn_on = sys.__stderr__  # what Textual draws on, so that standard output may go elsewhere
    if drawn_on is None or not (sys.stdin.isatty() and sys.stdout.isatty() and drawn_on.isatty()):
        raise CommandError("This needs a terminal; `recto doctor` and `recto serve` work without one.")
    if (kind := os.environ.get("TERM", "")) in ("dumb", "unknown"):
        raise CommandError(
            f"This terminal cannot be drawn in (TERM is {kind}). Use another, or set TERM to what it is."
        )
    if codecs.lookup(drawn_on.encoding).name != "utf-8":
        raise CommandError(
            f"This terminal takes {drawn_on.encoding}, which lacks the characters that Recto draws with. "
            "Set LC_ALL to a UTF-8 locale, such as C.UTF-8."
        )


class Session:
    """The state kept between runs on a platform, and the connection once it is open."""

    def __init__(self, settings: Settings, token: str | None) -> None:
        self._settings = settings
        self._token = token
        self._address = settings.base_url or str(settings.workspace_file.absolute())
        self._locations = Locations(paths.locations_file())
        self._connection: Connection | None = None

    @property
    def account(self) -> str:
        """A name for who uses a hosted platform, from which the token cannot be had; empty for a workspace."""
        if self._settings.base_url is None or self._token is None:
            return ""
        return sha256(f"{self._address} {self._token}".encode()).hexdigest()[:16]

    async def open_store(self) -> Store:
        """Open the platform and the store on it; raises ``CommandError`` where that fails."""
        if self._connection is None:
            self._connection = await asyncio.to_thread(self._connect)
        return await self._connection.open_store()

    def _connect(self) -> Connection:
        from recto.cli.connection import Connection

        self._locations.load()
        return Connection(self._settings, self._token, self._locations, self.account)

    def close(self) -> None:
        """Close the connection, and wait until the last location is written."""
        if self._connection is not None:
            self._connection.close()
        self._locations.flush()
