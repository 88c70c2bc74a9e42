"""Who the owner of a new workspace is: Git's configuration says, else the system's user."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys

from recto.server.platform import Owner

if sys.platform != "win32":
    import pwd

_PATIENCE = 2.0


def owner() -> Owner:
    """Return the person at this machine, as far as it is known, without asking."""
    return Owner(_from_git("user.name") or _system_name(), _from_git("user.email") or "")


def _from_git(key: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    try:
        answer = subprocess.run(
            [git, "config", "--get", key],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.decode("utf-8", "replace").strip()


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
