"""``recto open``: brings in a folder of documentation and opens it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from recto.cli import program
from recto.cli.failures import USAGE, CommandError
from recto.settings import Settings

if TYPE_CHECKING:
    from recto.store.progress import Progress
    from recto.store.store import Store
    from recto.tui.navigation import Beginning


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Bring the folder into the workspace and open what it became."""
    if settings.base_url is not None:
        raise CommandError(
            "open brings a folder into the workspace on this machine; leave the platform's address out.", USAGE
        )
    if settings.read_only:
        raise CommandError("open brings a folder in, which changes the workspace, and Recto is read-only now.", USAGE)
    folder: Path = arguments.folder
    if not folder.is_dir():
        raise CommandError(f"{folder} is not a folder." if folder.exists() else f"There is no folder {folder}.")
    organization: str | None = arguments.organization

    async def lead(store: Store, tell: Callable[[str], None]) -> Beginning:
        from recto.tui.brought_in import beginning

        assert store.workspace is not None
        return beginning(
            await store.workspace.bring_in(folder, lambda progress: tell(_counted(progress)), organization)
        )

    return program.show(settings, token, lead)


def _counted(progress: Progress) -> str:
    return f"{progress.doing}: {progress.done} of {progress.total}"
