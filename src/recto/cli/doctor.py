"""``recto doctor``: versions, paths, the terminal, which addresses answer, and the log's place."""

from __future__ import annotations

import asyncio
import locale
import os
import platform
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import aclosing
from importlib import metadata
from pathlib import Path

from recto import __version__, paths
from recto.cli import embedded_platform
from recto.cli.failures import FAILED, CommandError
from recto.client.call import Call, pages
from recto.client.errors import ClientError, Unsupported
from recto.client.outgoing import Limits
from recto.client.sender import connect
from recto.contract.organizations import Organizations
from recto.contract.users import Users
from recto.document.text import printable
from recto.server.storage.database import SQLITE_VERSION
from recto.settings import Settings
from recto.tui.pictures.means import speaks_kitty
from recto.tui.terminal.clipboard import commands, takes_none

Fact = tuple[str, str]

_LIBRARIES = ("textual", "httpx", "pydantic", "uvicorn", "markdown-it-py", "pillow", "rapidfuzz")
_MANY = "16 million"


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Print all of it; return 1 where the platform that would be used cannot be reached."""
    _print("Versions", _versions())
    _print("Paths", _paths(settings))
    _print("Terminal", _terminal(settings))
    well, found = _reach(settings, token)
    _print("Platform", found)
    return 0 if well else FAILED


def _print(title: str, facts: Iterator[Fact] | list[Fact]) -> None:
    print(title)
    for name, value in facts:
        print(f"  {name:<14} {printable(value)}")


def _versions() -> Iterator[Fact]:
    yield "recto", __version__
    yield "python", f"{platform.python_version()} ({sys.executable})"
    yield "system", platform.platform()
    yield "sqlite", SQLITE_VERSION
    for library in _LIBRARIES:
        yield library, metadata.version(library)


def _paths(settings: Settings) -> Iterator[Fact]:
    yield "workspace", _describe(settings.workspace_file)
    yield "settings", _describe(paths.settings_file())
    yield "drafts", _describe(paths.drafts_dir())
    yield "cache", _describe(paths.cache_dir())
    yield "log", _describe(paths.log_file())


def _describe(path: Path) -> str:
    try:
        if path.is_dir():
            return str(path)
        return f"{path} ({path.stat().st_size:,} bytes)"
    except FileNotFoundError:
        return f"{path} (does not exist yet)"
    except OSError as error:
        return f"{path} ({error.strerror or error})"


def _terminal(settings: Settings) -> Iterator[Fact]:
    size = shutil.get_terminal_size()
    yield "kind", os.environ.get("TERM", "unknown") + ("" if sys.stdout.isatty() else ", output is not a terminal")
    yield "size", f"{size.columns} columns, {size.lines} rows"
    yield "colours", _colours()
    yield "pictures", _pictures()
    yield "encoding", f"{sys.stdout.encoding}, locale {locale.setlocale(locale.LC_CTYPE)}"
    yield "editor", _editor(settings)
    yield "clipboard", _clipboard()


def _colours() -> str:
    if os.environ.get("NO_COLOR"):
        return "none (NO_COLOR is set)"
    if os.environ.get("COLORTERM") in {"truecolor", "24bit"}:
        return _MANY
    return "256" if "256" in os.environ.get("TERM", "") else "16"


def _pictures() -> str:
    colours = _colours()
    if colours == _MANY and speaks_kitty(os.environ):
        return "drawn by the terminal"
    return "coloured blocks" if colours in (_MANY, "256") else "none: there are too few colours"


def _editor(settings: Settings) -> str:
    if settings.editor is not None:
        return f"{settings.editor} (from the settings)"
    for name in ("EDITOR", "VISUAL"):
        if command := os.environ.get(name, "").strip():
            return f"{command} (from {name})"
    return "neither EDITOR nor VISUAL is set; a common editor is used where there is one, else the built-in one"


def _clipboard() -> str:
    names = [command[0] for command in commands()]
    terminal = [] if takes_none() else ["the terminal (OSC 52)"]
    return " and ".join([*terminal, *names]) or "none: this terminal has no clipboard"


def _reach(settings: Settings, token: str | None) -> tuple[bool, list[Fact]]:
    if settings.base_url is None:
        return _reach_workspace(settings)

    async def ask(url: str) -> str:
        async with aclosing(connect(url, token, limits=Limits(longest_wait=0))) as sender:
            call = Call(sender)
            try:
                return (await call(Users.get_user)).display_name
            except Unsupported:
                await anext(aiter(pages(call, Organizations.list_organizations)))
                return "not given by this server"

    try:
        name = asyncio.run(ask(settings.base_url))
    except ClientError as error:
        return False, [("address", _without_secrets(settings.base_url)), ("error", str(error))]
    return True, [("address", _without_secrets(settings.base_url)), ("you are", name)]


def _without_secrets(address: str) -> str:
    """Leave out a password or a key that stands in an address: what doctor tells is shown to others."""
    scheme, _, rest = address.partition("://")
    place, slash, path = rest.partition("?")[0].partition("#")[0].partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path}"


def _reach_workspace(settings: Settings) -> tuple[bool, list[Fact]]:
    path = settings.workspace_file
    if not path.exists():
        above = next(folder for folder in path.parents if folder.exists())
        if not os.access(above, os.W_OK | os.X_OK):
            return False, [
                ("workspace", f"cannot be made: {above} cannot be written to. {embedded_platform.ELSEWHERE}")
            ]
        return True, [("workspace", "is made at the first start")]
    try:
        embedded_platform.open_platform(settings).close()
    except CommandError as error:
        return False, [("workspace", str(error))]
    return True, [("workspace", "can be opened")]
