"""``recto`` without a command: the program itself."""

from __future__ import annotations

import asyncio
import codecs
import logging
import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from recto import paths
from recto.cli import workspace
from recto.cli.failures import CommandError, tell
from recto.settings import Settings
from recto.store.locations import Locations
from recto.tui.snapshot.files import Snapshots

if TYPE_CHECKING:
    from recto.server.platform import Platform
    from recto.store.drafts import Drafts
    from recto.store.store import Store
    from recto.tui.starting import Lead

log = logging.getLogger(__name__)


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Open the program where it was left; returns when the person leaves it."""
    return show(settings, token)


def show(settings: Settings, token: str | None, lead: Lead | None = None) -> int:
    """Run the program on the platform that the settings name; ``lead`` finds out where to begin."""
    _check_terminal()
    from recto.tui.app import RectoApp
    from recto.tui.app import run as run_app

    if not settings.mouse:
        os.environ["TEXTUAL_DISABLE_MOUSE"] = "1"
    joined = Joined(settings, token)
    try:
        app = RectoApp(joined.open_store, settings, lead, snapshots=joined.snapshots)
        exit_code = run_app(app)
    finally:
        joined.close()
    if app.last_words:
        tell(app.last_words)
    return exit_code


def _check_terminal() -> None:
    """Raise ``CommandError`` where there is no terminal to draw in, or none that can show what is drawn."""
    drawn_on = sys.__stderr__  # what Textual draws on, so that standard output may go elsewhere
    if drawn_on is None or not (sys.stdin.isatty() and sys.stdout.isatty() and drawn_on.isatty()):
        raise CommandError("this needs a terminal; `recto doctor` and `recto serve` work without one.")
    if (kind := os.environ.get("TERM", "")) in ("dumb", "unknown"):
        raise CommandError(
            f"this terminal cannot be drawn in (TERM is {kind}). Use another, or set TERM to what it is."
        )
    if codecs.lookup(drawn_on.encoding).name != "utf-8":
        raise CommandError(
            f"this terminal is said to take {drawn_on.encoding}, which lacks the characters that Recto draws with. "
            "Set LC_ALL to a UTF-8 locale, such as C.UTF-8."
        )


class Joined:
    """A store on the platform that the settings name: one of this machine, or one at an address."""

    def __init__(self, settings: Settings, token: str | None) -> None:
        self._settings = settings
        self._token = token
        self._platform: Platform | None = None
        self._address = settings.base_url or str(workspace.file(settings).absolute())
        self._locations = Locations(paths.locations_file())
        self.account = _digest(f"{self._address} {token}")[:16] if settings.base_url and token else ""
        """Tells apart who speaks to a hosted platform; the token cannot be had from it."""

    @property
    def snapshots(self) -> Snapshots:
        """What was last seen of the platform, by whoever has the token."""
        return Snapshots(paths.snapshot_file(), self._locations, self._address, self.account)

    async def open_store(self) -> Store:
        """Open the platform and the store on it; raises ``CommandError`` where that cannot be."""
        if self._settings.base_url is None:
            return await asyncio.to_thread(self._embed)
        store, has_cached = await asyncio.to_thread(self._connect, self._settings.base_url)
        if not has_cached:
            await _greet(store)
        return store

    def close(self) -> None:
        """Finish what is being written to the workspace and let go of it."""
        if self._platform is not None:
            self._platform.close()

    def _connect(self, base_url: str) -> tuple[Store, bool]:
        """Return the store, and whether there is something in the cache to begin with."""
        from recto.cli.reaching import connected
        from recto.store.response_cache import ResponseCache
        from recto.store.store import Store

        sender = connected(self._settings, base_url, self._token)
        drafts = _drafts_in(paths.drafts_dir() / _folder_name(base_url))
        cache = ResponseCache(paths.responses_dir(), self.account)
        store = Store(sender, drafts, address=base_url, locations=self._locations, cache=cache)
        return store, not cache.is_empty()

    def _embed(self) -> Store:
        from recto.cli.own_workspace import OwnWorkspace
        from recto.client.sender import embed
        from recto.store.store import Store

        self._platform = platform = workspace.open_platform(self._settings)
        return Store(
            embed(platform.application, platform.token, read_only=self._settings.read_only),
            _drafts_in(_drafts_of(Path(self._address))),
            address=self._address,
            locations=self._locations,
            workspace=OwnWorkspace(platform, read_only=self._settings.read_only),
        )


async def _greet(store: Store) -> None:
    """Ask who the caller is, so that a wrong token or address is known before anything is shown."""
    from recto.client.errors import TooManyRequests, Unauthorized, Unsupported
    from recto.contract.users import Users

    def refuse(_: object) -> None:
        # A view can tell of a wait and be left meanwhile; nothing is seen yet from which that could be done.
        store.give_up_waiting()

    impatient = store.waits.subscribe(refuse)
    try:
        await store.fetch(Users.get_user)
    except Unauthorized as error:
        await store.aclose()
        raise CommandError(str(error)) from error
    except (Unsupported, TooManyRequests):
        # Not every platform says who one is, nor at once; what one may see shows soon enough.
        return
    finally:
        impatient.close()


def _drafts_in(folder: Path) -> Drafts:
    """Return the drafts of a folder; of what was on its way when the program ended, it is unsure whether it arrived."""
    from recto.store.drafts import Drafts

    drafts = Drafts(folder)
    try:
        drafts.recover()
    except OSError as error:
        # Each screen looks itself for what it can go on with; a disk that takes nothing must not keep one from reading.
        log.warning("The drafts in %s could not be looked through: %s", folder, error)
    return drafts


def _drafts_of(workspace: Path) -> Path:
    if workspace == paths.workspace_file().absolute():
        return paths.drafts_dir() / "workspace"
    return paths.drafts_dir() / _folder_name(str(workspace))


def _folder_name(address: str) -> str:
    """Return a name for a folder that differs for each address and can be recognised by a person."""
    readable = "".join(character if character.isalnum() else "-" for character in address).strip("-")[-40:]
    return f"{readable}-{_digest(address)[:8]}"


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()
