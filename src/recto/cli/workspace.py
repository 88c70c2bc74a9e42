"""Opening the workspace: the platform that runs inside the program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recto import paths, private
from recto.cli.failures import CommandError
from recto.settings import Settings

if TYPE_CHECKING:
    from recto.server.platform import Platform

ELSEWHERE = "Name another place with --workspace FILE, or another folder for everything with RECTO_HOME."
"""What can be done where the place of the workspace is not to be used."""


def file(settings: Settings) -> Path:
    """Return the workspace file that the settings name, or the one of this person."""
    return settings.workspace or paths.workspace_file()


def open_platform(settings: Settings) -> Platform:
    """Open the workspace, made and furnished with the guide where it is new.

    Raises ``CommandError`` with a sentence that names the file where it cannot be used.
    """
    from recto.cli import identity
    from recto.server.platform import Platform
    from recto.server.storage.schema import WorkspaceError

    path = file(settings)
    try:
        private.make_folder(path.parent)
        return Platform.open(path, owner=identity.owner, furnish=_furnish)
    except WorkspaceError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        said = f"The workspace {path} cannot be opened: {error.strerror or error}."
        raise CommandError(f"{said} {ELSEWHERE}") from error


def _furnish(platform: Platform) -> None:
    # Only the first start of a workspace needs what puts the guide into it.
    from recto.server.guide.install import install_guide

    install_guide(platform)
