"""Opening the workspace: the platform that runs inside the program, and who the owner of a new workspace is."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys

from recto import disk
from recto.cli.failures import CommandError
from recto.server.platform import Owner, Platform
from recto.server.storage.schema import WorkspaceError
from recto.server.translations.engine import Engine
from recto.settings import Settings

if sys.platform != "win32":
    import pwd

_GIT_PATIENCE_S = 2.0

ELSEWHERE = "Name another place with --workspace FILE, or another folder for everything with RECTO_HOME."
"""The advice where the place of the workspace cannot be used."""


def open_platform(settings: Settings) -> Platform:
    """Open the workspace; create it, with the guide, where it does not exist.

    Raises ``CommandError`` that names the file where it cannot be used.
    """
    path = settings.workspace_file
    try:
        disk.make_folder(path.parent)
        platform = Platform.open(path, owner=owner, fill=_fill)
    except WorkspaceError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"The workspace {path} cannot be opened: {error.strerror or error}. {ELSEWHERE}") from error
    platform.fonts = settings.fonts
    if settings.translation_command:
        platform.engine = Engine(settings.translation_command, settings.glossary)
    return platform


def _fill(platform: Platform) -> None:
    from recto.server.guide.installation import install_guide

    install_guide(platform)


def owner() -> Owner:
    """Return the person at this machine, as Git's configuration names them, else the system."""
    return Owner(_from_git("user.name") or _system_name(), _from_git("user.email") or "")


def _from_git(key: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    try:
        result = subprocess.run(
            [git, "config", "--get", key],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_GIT_PATIENCE_S,
            check=False,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout.decode("utf-8", "replace").strip()


def _system_name() -> str:
    try:
        login = getpass.getuser()
    except (KeyError, OSError):
        return "Me"
    return _full_name(login) or login


def _full_name(login: str) -> str:
    if sys.platform == "win32":
        return ""
    try:
        return pwd.getpwnam(login).pw_gecos.partition(",")[0].strip()
    except KeyError:
        return ""
