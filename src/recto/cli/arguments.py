"""What the command line takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from recto import __version__
from recto.settings import THEMES

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8977


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line; ``command`` is ``None`` where the program itself is meant."""
    top = argparse.ArgumentParser(
        prog="recto",
        description="Read, write, review and publish documentation from the terminal.",
        epilog="Without a command the program opens. RECTO_TOKEN holds the token for --base-url and for serve.",
    )
    top.add_argument("--version", action="version", version=f"recto {__version__}")
    _add_common(top, top_level=True)
    commands = top.add_subparsers(dest="command", metavar="command")

    opening = commands.add_parser("open", help="bring in a folder of documentation and open it")
    opening.add_argument(
        "folder", type=Path, help="a folder of Markdown pages, or of several books with a structure.json"
    )
    opening.add_argument("--organization", metavar="ID", help="where to put it (default: your own organization)")

    serving = commands.add_parser("serve", help="answer the platform's API over HTTP from the workspace")
    serving.add_argument("--host", default=DEFAULT_HOST, help="address to bind to (default: %(default)s)")
    serving.add_argument("--port", type=_port, default=DEFAULT_PORT, help="port to bind to (default: %(default)s)")

    doctor = commands.add_parser("doctor", help="tell versions, paths, what the terminal can do and what is reachable")
    for command in (opening, serving, doctor):
        _add_common(command, top_level=False)
    return top


def _add_common(parser: argparse.ArgumentParser, *, top_level: bool) -> None:
    # Below a command the option is left unset where it is not given, so that one given before the command stands.
    unset = None if top_level else argparse.SUPPRESS
    parser.add_argument("--workspace", type=Path, metavar="FILE", default=unset, help="the workspace file to use")
    parser.add_argument("--base-url", metavar="URL", default=unset, help="use the platform at this address instead")
    parser.add_argument("--theme", choices=THEMES, default=unset, help="colours of the program")


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: it must be a number from 0 to 65535")
    return int(text)
