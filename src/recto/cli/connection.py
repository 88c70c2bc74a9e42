"""Connection to the platform that the settings name: at an address, or the workspace on this machine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from recto import paths
from recto.cli.failures import CommandError, tell
from recto.cli.job_progress import BegunJobs, check_finished, on_interrupt
from recto.client.errors import TooManyRequests, Unauthorized, Unsupported
from recto.client.sender import Sender, connect, embed
from recto.contract.users import Users
from recto.settings import Settings
from recto.store.drafts import Drafts
from recto.store.locations import Locations
from recto.store.store import Store

if TYPE_CHECKING:
    from recto.contract.imports import ImportContent
    from recto.contract.own_content import OwnContent
    from recto.server.platform import Platform

log = logging.getLogger(__name__)


@contextmanager
def open_sender(settings: Settings, token: str | None) -> Iterator[Sender]:
    """Open a sender to the platform; at the end a workspace is closed, while closing the sender is up to its user.

    Jobs that were begun in the workspace are waited for, as they end with the program. Raises ``CommandError`` where
    the platform cannot be used, and where such a job did not finish.
    """
    if settings.base_url is not None:
        yield connect_to(settings, settings.base_url, token)
        return
    from recto.cli.embedded_platform import open_platform

    platform = open_platform(settings)
    begun = BegunJobs(platform.jobs)
    try:
        yield embed(platform.application, platform.token, read_only=settings.read_only)
        with on_interrupt(begun.cancel):
            if running := begun.running:
                tell(f"Waiting for the {running[0].kind} to end; Ctrl+C cancels it.")
            for job in asyncio.run(begun.wait()):
                check_finished(job)
    finally:
        platform.close()


def connect_to(settings: Settings, base_url: str, token: str | None) -> Sender:
    """Return a sender to the platform at an address; raises ``CommandError`` where there is no token for it."""
    if token is None:
        raise CommandError(f"{base_url} needs a token. Set RECTO_TOKEN to one that is valid there.")
    return connect(base_url, token, read_only=settings.read_only)


class Connection:
    """A store on the platform, and the resources to close with it.

    ``account`` names who uses a hosted platform in the cache.
    """

    def __init__(self, settings: Settings, token: str | None, locations: Locations, account: str) -> None:
        self._settings = settings
        self._token = token
        self._locations = locations
        self._account = account
        self._platform: Platform | None = None

    async def open_store(self) -> Store:
        """Open the platform and the store on it; raises ``CommandError`` where that fails."""
        if self._settings.base_url is None:
            return await asyncio.to_thread(self._embed)
        store, has_cached = await asyncio.to_thread(self._connect, self._settings.base_url)
        if not has_cached:
            await _check_caller(store)
        return store

    def close(self) -> None:
        """Finish the writes to the workspace that are under way, and close it."""
        if self._platform is not None:
            self._platform.close()

    def _connect(self, base_url: str) -> tuple[Store, bool]:
        """Return the store, and whether there is something in the cache to begin with."""
        from recto.cli.folder_writing import check_folder, write_fetched
        from recto.store.hosted_export import HostedExports
        from recto.store.response_cache import ResponseCache

        sender = connect_to(self._settings, base_url, self._token)
        drafts = _drafts_in(paths.drafts_dir() / _folder_name(base_url))
        cache = ResponseCache(paths.responses_dir(), self._account)
        store = Store(
            sender,
            drafts,
            address=base_url,
            locations=self._locations,
            exports=HostedExports(sender, check_folder, write_fetched),
            convert=_convert,
            cache=cache,
        )
        return store, not cache.is_empty()

    def _embed(self) -> Store:
        from recto.cli.embedded_platform import open_platform
        from recto.cli.own_workspace import OwnWorkspace

        file = self._settings.workspace_file.absolute()
        self._platform = platform = open_platform(self._settings)
        return Store(
            embed(platform.application, platform.token, read_only=self._settings.read_only),
            _drafts_in(_drafts_of(file)),
            address=str(file),
            locations=self._locations,
            workspace=OwnWorkspace(platform, read_only=self._settings.read_only),
        )


async def _convert(body: ImportContent, show: Callable[[str, int, int | None], None]) -> OwnContent:
    from recto.cli.own_content import convert_aside

    return await convert_aside(body, show)


async def _check_caller(store: Store) -> None:
    """Ask who the caller is, so that a wrong token or address is known before anything is shown."""

    def refuse(_: object) -> None:
        # A view would show the wait and let the person leave; there is no view yet.
        store.give_up_waiting()

    impatient = store.waits.subscribe(refuse)
    try:
        await store.fetch(Users.get_user)
    except Unauthorized as error:
        await store.aclose()
        raise CommandError(str(error)) from error
    except (Unsupported, TooManyRequests):
        # Not every platform says who the caller is, or at once; permissions show soon enough.
        return
    finally:
        impatient.close()


def _drafts_in(folder: Path) -> Drafts:
    """Return the drafts of a folder; those that were being sent when the program ended may have arrived."""
    drafts = Drafts(folder)
    try:
        drafts.recover()
    except OSError as error:
        # Each screen looks for its drafts itself; a full disk must not prevent reading.
        log.warning("The drafts in %s could not be looked through: %s", folder, error)
    return drafts


def _drafts_of(workspace: Path) -> Path:
    if workspace == paths.workspace_file().absolute():
        return paths.drafts_dir() / "workspace"
    return paths.drafts_dir() / _folder_name(str(workspace))


def _folder_name(address: str) -> str:
    """Return a name for a folder that differs for each address and can be recognised by a person."""
    readable = "".join(character if character.isalnum() else "-" for character in address).strip("-")[-40:]
    return f"{readable}-{sha256(address.encode()).hexdigest()[:8]}"
