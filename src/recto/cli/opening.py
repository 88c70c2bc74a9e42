"""``recto open``: imports a folder of documentation and opens it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from recto.cli import program
from recto.cli.failures import USAGE, CommandError
from recto.settings import Settings
from recto.store.jobs import progress_of
from recto.tui.look.progress_text import progress_line

if TYPE_CHECKING:
    from recto.store.store import Store
    from recto.tui.navigation.messages import Beginning


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Import the folder into the workspace and open the result."""
    if settings.base_url is not None:
        raise CommandError(
            "open imports a folder into the workspace on this machine; leave the platform's address out.", USAGE
        )
    if settings.read_only:
        raise CommandError("open imports a folder, which changes the workspace, and Recto is read-only now.", USAGE)
    folder: Path = arguments.folder
    if not folder.is_dir() and folder.suffix.lower() != ".zip":
        what = (
            f"{folder} is neither a folder nor a .zip archive." if folder.exists() else f"There is no folder {folder}."
        )
        raise CommandError(what)
    if not folder.exists():
        raise CommandError(f"There is no archive {folder}.")
    organization: str | None = arguments.organization

    async def lead(store: Store, tell: Callable[[str], None]) -> Beginning:
        from recto.tui.dialogs.import_report import beginning_of

        assert store.workspace is not None
        watching = store.jobs.changed.subscribe(lambda job: tell(progress_line(progress_of(job))))
        try:
            return beginning_of(await store.workspace.import_folder(folder, organization))
        finally:
            watching.close()

    return program.show(settings, token, lead)
