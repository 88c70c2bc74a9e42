"""Opening the workspace: the platform that runs inside the program."""

from __future__ import annotations

from recto import disk
from recto.cli import identity
from recto.cli.failures import CommandError
from recto.server.platform import Platform
from recto.server.storage.schema import WorkspaceError
from recto.server.translations.engine import Engine
from recto.settings import Settings

ELSEWHERE = "Name another place with --workspace FILE, or another folder for everything with RECTO_HOME."
"""What can be done where the place of the workspace is not to be used."""


def open_platform(settings: Settings) -> Platform:
    """Open the workspace; create it, with the guide, where it does not exist.

    Raises ``CommandError`` that names the file where it cannot be used.
    """
    path = settings.workspace_file
    try:
        disk.make_folder(path.parent)
        platform = Platform.open(path, owner=identity.owner, furnish=_furnish)
    except WorkspaceError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"The workspace {path} cannot be opened: {error.strerror or error}. {ELSEWHERE}") from error
    platform.fonts = settings.fonts
    if settings.translation_command:
        platform.engine = Engine(settings.translation_command, settings.glossary)
    return platform


def _furnish(platform: Platform) -> None:
    from recto.server.guide.install import install_guide

    install_guide(platform)
