"""What the command line takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from recto import __version__
from recto.client.errors import Unsendable
from recto.client.outgoing import platform_address
from recto.document.text import printable
from recto.settings import THEMES
from recto.urls import is_url

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8977

ROLES = ("admin", "create", "review", "edit", "comment", "read")

_API = """\
Without a method and a path it lists the operations; with one word, those that it stands in. METHOD PATH calls one,
and METHOD PATH --help shows its parameters and response. The answer is printed as JSON. Exit codes: 0; 1 where the
answer was an error, whose message goes to standard error; 2 after wrong usage; 3 where something was
sent that changes something, but no whole answer came: it may have arrived, so look before you send it again.
"""
_TOKENS = """\
A token lets a person work on the workspace while `recto serve` answers from it: they set RECTO_TOKEN to it and start
Recto with --base-url. It is shown once, when it is made; the workspace keeps only a hash of it.
"""


ADDRESS = "address"
"""The command that an address stands for; its name is never typed."""

_WITH_VALUE = ("--workspace", "--base-url", "--theme")


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the command put in where the first of them that is no option is an address."""
    given = list(arguments)
    at = 0
    while at < len(given) and given[at].startswith("-"):
        at += 2 if given[at] in _WITH_VALUE else 1
    return [*given[:at], ADDRESS, *given[at:]] if at < len(given) and is_url(given[at]) else given


class _Parser(argparse.ArgumentParser):
    """A parser that repeats nothing on which a terminal would act."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and a message, and exit with 2."""
        super().error(printable(message))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line; ``command`` is ``None`` where the program itself is meant."""
    top: argparse.ArgumentParser = _Parser(
        prog="recto",
        description="Read, write, review and publish documentation from the terminal.",
        epilog="Without a command the program opens; with an ADDRESS in place of one (recto:… or https://…) it opens "
        "at what that names. RECTO_TOKEN holds the token for --base-url and for serve.",
    )
    top.add_argument("--version", action="version", version=f"recto {__version__}")
    _add_common(top, top_level=True)
    commands = top.add_subparsers(dest="command", metavar="command")

    opening = commands.add_parser("open", help="import a folder of documentation and open it")
    opening.add_argument(
        "folder", type=Path, help="a folder of Markdown pages, or of several books with a structure.json"
    )
    opening.add_argument("--organization", metavar="ID", help="where to put it (default: your own organization)")

    serving = commands.add_parser("serve", help="answer the platform's API over HTTP from the workspace")
    serving.add_argument("--host", default=DEFAULT_HOST, help="address to bind to (default: %(default)s)")
    serving.add_argument("--port", type=_port, default=DEFAULT_PORT, help="port to bind to (default: %(default)s)")

    serving.add_argument(
        "--public-url", type=_public_url, metavar="URL", help="the address that others reach it by, such as a proxy's"
    )

    address = commands.add_parser(ADDRESS, prog="recto", description="Open the program at what an address names.")
    address.add_argument("address", metavar="ADDRESS", help="recto:…, or an address of the platform or its web app")

    cache = commands.add_parser("cache", help="clear the stored answers of hosted platforms")
    cache.add_subparsers(dest="step", metavar="clear", required=True).add_parser(
        "clear", help="delete the stored responses of all platforms and accounts"
    )
    doctor = commands.add_parser("doctor", help="show versions, paths, terminal features and reachable addresses")
    for command in (
        opening,
        serving,
        address,
        _add_api(commands.add_parser),
        *_add_token(commands.add_parser),
        cache,
        doctor,
    ):
        _add_common(command, top_level=False)
    return top


def _add_api(add_command: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    api = add_command(
        "api", help="list the operations of the API, and call any of them", description=_API, add_help=False
    )
    api.add_argument("method", nargs="?", metavar="METHOD", help="GET, POST, PUT, PATCH or DELETE")
    api.add_argument("path", nargs="?", metavar="PATH", help="such as /orgs, with or without /v1 and the first slash")
    api.add_argument("-q", dest="query", action="append", default=[], metavar="NAME=VALUE", help="a query parameter")
    api.add_argument(
        "-f",
        dest="fields",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a field of the body: a=1, a.b=text or a[b]=text within an object, a[]=text for one more item of a list",
    )
    api.add_argument("--input", metavar="FILE", help="the body as JSON, from a file or with - from standard input")
    api.add_argument("--all-pages", action="store_true", help="walk a list to its end and print it as one object")
    api.add_argument("-h", "--help", action="store_true", help="show the parameters of an operation, or this")
    api.set_defaults(show_usage=api.print_help)
    return api


def _add_token(add_command: Callable[..., argparse.ArgumentParser]) -> list[argparse.ArgumentParser]:
    token = add_command("token", help="make, list and revoke tokens for the members", description=_TOKENS)
    actions = token.add_subparsers(dest="step", metavar="create|list|revoke", required=True)
    create = actions.add_parser("create", help="make a token for a member and show it once", description=_TOKENS)
    create.add_argument("member", metavar="MEMBER", help="who it is for: an e-mail address, a user id or a name")
    create.add_argument("--label", default="", metavar="TEXT", help="what it is for, such as “laptop”")
    create.add_argument(
        "--name", metavar="NAME", help="make MEMBER, then an e-mail address, a new member of this name first"
    )
    create.add_argument("--role", choices=ROLES, help="what the new member may do (default: edit)")
    create.add_argument(
        "--organization", metavar="ID", help="where the new member belongs (default: your own organization)"
    )
    shown = actions.add_parser("list", help="list the tokens: whose they are, what for, and since when")
    revoke = actions.add_parser("revoke", help="revoke a token at once")
    revoke.add_argument("id", metavar="ID", help="the token's id, as list shows it")
    return [token, create, shown, revoke]


def _add_common(parser: argparse.ArgumentParser, *, top_level: bool) -> None:
    # Below a command the option is left unset where it is not given, so that an option before the command stands.
    unset = None if top_level else argparse.SUPPRESS
    parser.add_argument("--workspace", type=Path, metavar="FILE", default=unset, help="the workspace file to use")
    parser.add_argument("--base-url", metavar="URL", default=unset, help="use the platform at this address instead")
    parser.add_argument(
        "--read-only", action=argparse.BooleanOptionalAction, default=unset, help="send nothing that changes something"
    )
    parser.add_argument("--theme", choices=THEMES, default=unset, help="colours of the program")


def _public_url(text: str) -> str:
    try:
        return platform_address(text)
    except Unsendable as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address. {error.why}") from error


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: it must be a number from 0 to 65535")
    return int(text)
