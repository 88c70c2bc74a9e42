"""The options and commands of the command line."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NoReturn, get_args

from recto import __version__
from recto.client.errors import Unsendable
from recto.client.outgoing import platform_address
from recto.contract.common import Role
from recto.contract.imports import SOURCES
from recto.document.text import printable
from recto.settings import THEMES
from recto.urls import is_url

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8977

_API = """\
Without arguments, list the operations; with one word, list those that contain it. METHOD PATH calls an operation and
prints the response as JSON; METHOD PATH --help shows its parameters and response. Exit codes: 0 on success; 1 if the
response is an error, whose message goes to standard error; 2 for wrong usage; 3 if a change was sent but no complete
response came back: it may have arrived, so check before you send it again. A job that a call begins in your own
workspace, such as a translation or an import, is waited for: 1 if it fails, 130 if Ctrl+C cancels it.
"""
_TOKENS = """\
With a token, a member works on the workspace while `recto serve` runs: set RECTO_TOKEN to the token and start Recto
with --base-url. The token is shown once; the workspace stores only a hash of it.
"""


_GIT = (
    "Import a branch into a space, or push each merge since the last push as a commit. If the space was opened from a "
    "Git working tree, its repository and branch are known, and the working tree is never changed. "
    "RECTO_GIT_CREDENTIALS=user:token is sent to http(s):// addresses and never stored."
)

_SPEC = (
    "Keep OpenAPI specifications (3.0, 3.1 and Swagger 2.0) with their versions. SOURCE is a web address or a file; a "
    "file is sent with the files beside it that it refers to."
)

_ORGANIZATION = "title or id of the organization (default: your own, or the only one)"

_TRANSLATE = (
    "Keep translations of spaces, each in a space of its own that follows its source. What people edit there "
    "stays. Your own workspace translates with the program that translation_command in the settings names."
)

_WITH_VALUE = ("--workspace", "--base-url", "--theme")
_COMMON = ("--workspace", "--base-url", "--read-only", "--theme")


def parse(arguments: Sequence[str]) -> Namespace:
    """Parse the command line; ``command`` is ``None`` to open the program, ``"address"`` to open it at an address."""
    return (_address_parser() if _is_address_first(arguments) else _command_parser()).parse_args(arguments)


def _is_address_first(arguments: Sequence[str]) -> bool:
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in _WITH_VALUE else 1
    return at < len(arguments) and is_url(arguments[at])


class _Parser(ArgumentParser):
    """A parser whose messages contain no terminal control characters."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and a message, and exit with 2."""
        super().error(printable(message))


def _address_parser() -> ArgumentParser:
    address = _Parser(prog="recto", description="Open the program at an address.")
    address.add_argument("address", metavar="ADDRESS", help="recto:…, or an address of the platform or its web app")
    address.set_defaults(command="address")
    _add_common(address, _COMMON, is_top=True)
    return address


def _command_parser() -> ArgumentParser:
    top = _Parser(
        prog="recto",
        description="Read, write, review and publish documentation from the terminal.",
        epilog="`recto` opens the program, `recto ADDRESS` (recto:… or https://…) opens it at an address. Set "
        "RECTO_TOKEN to the token for --base-url and for serve.",
    )
    top.add_argument("--version", action="version", version=f"recto {__version__}")
    _add_common(top, _COMMON, is_top=True)
    commands = top.add_subparsers(dest="command", metavar="command")

    opening = commands.add_parser(
        "open",
        help="import a folder of documentation and open it",
        description="Import a folder of documentation into your own workspace and open it. The folder is only read. "
        "Opening it again imports what has changed.",
    )
    opening.add_argument(
        "folder",
        type=Path,
        help="a folder of Markdown pages, or of several books with a structure.json; or a .zip archive of it",
    )
    opening.add_argument("--organization", metavar="ID", help="organization to import to (default: your own)")

    importing = commands.add_parser(
        "import",
        help="import content of other tools into a space",
        description="Import a file, an archive, a folder or a website after the pages of a space or a change request. "
        "Ctrl+C cancels the import and keeps nothing of it. For a hosted platform, files are converted here and sent "
        "to a change request.",
    )
    importing.add_argument("source", metavar="SOURCE", help="a path on this machine, or a web address")
    importing.add_argument(
        "--into", metavar="SPACE", required=True, help="title, id or address of the space or change request"
    )
    importing.add_argument("--kind", choices=SOURCES, help="kind of the source (default: guessed from its name)")
    exporting = commands.add_parser(
        "export",
        help="write a space into a folder",
        description="Write the pages and files of a space into a folder of Markdown files, as `recto open` reads it. "
        "What was imported and not edited is written byte for byte. The folder is new or empty, or an earlier export "
        "wrote it: then only what differs is written.",
    )
    exporting.add_argument(
        "space",
        metavar="SPACE",
        help="id or title of the space, or the address of the space, of a change request or of a revision",
    )
    exporting.add_argument("folder", type=Path, metavar="DIR", help="the folder to write to")
    exporting.add_argument(
        "--force", action="store_true", help="write to a folder with other files, and replace those in the way"
    )

    pdf = commands.add_parser(
        "pdf",
        help="save a space, a change request or a page as a PDF",
        description="Save the pages of a space or a change request as a PDF, with a title page and contents. Pictures "
        "and characters that it cannot show are named.",
    )
    pdf.add_argument(
        "space",
        metavar="SPACE",
        help="id or title of the space, or the address of the space, of a change request or of a page",
    )
    pdf.add_argument("file", type=Path, metavar="FILE", help="the file to write")
    pdf.add_argument("--page", metavar="PAGE", help="id or path of a page: the PDF holds it and the pages below it")
    pdf.add_argument("--only", action="store_true", help="leave out the pages below the page")
    pdf.add_argument("--force", action="store_true", help="replace the file if it is there")

    serving = commands.add_parser(
        "serve",
        help="serve the workspace to others over HTTP",
        description="Serve the API from the workspace over HTTP, until ctrl+c. The token is RECTO_TOKEN, or else a new "
        "one that is printed once.",
    )
    serving.add_argument("--host", default=DEFAULT_HOST, help="address to bind to (default: %(default)s)")
    serving.add_argument("--port", type=_port, default=DEFAULT_PORT, help="port to bind to (default: %(default)s)")
    serving.add_argument(
        "--public-url", type=_public_url, metavar="URL", help="address by which others reach it, such as a proxy's"
    )

    cache = commands.add_parser("cache", help="clear the stored responses of hosted platforms")
    cache.add_subparsers(dest="step", metavar="clear", required=True).add_parser(
        "clear", help="delete the stored responses of all platforms and accounts"
    )
    doctor = commands.add_parser(
        "doctor",
        help="check versions, paths, the terminal and the platform",
        description="Show versions, paths and terminal features, and check whether the platform can be reached. "
        "Changes nothing and hides your token.",
    )
    platform = ("--workspace", "--base-url")
    _add_common(opening, ("--workspace", "--theme"))
    _add_common(importing, platform)
    _add_common(exporting, platform)
    _add_common(pdf, platform)
    _add_common(serving, ("--workspace",))
    _add_common(_add_api(commands.add_parser), (*platform, "--read-only"))
    for git in _add_git(commands.add_parser):
        _add_common(git, (*platform, "--read-only"))
    for spec in _add_spec(commands.add_parser):
        _add_common(spec, (*platform, "--read-only"))
    for translate in _add_translate(commands.add_parser):
        _add_common(translate, (*platform, "--read-only"))
    for token in _add_token(commands.add_parser):
        _add_common(token, ("--workspace",))
    _add_common(cache, ())
    _add_common(doctor, platform)
    return top


def _add_api(add_command: Callable[..., ArgumentParser]) -> ArgumentParser:
    api = add_command("api", help="list and call the operations of the API", description=_API, add_help=False)
    api.add_argument("method", nargs="?", metavar="METHOD", help="GET, POST, PUT, PATCH or DELETE")
    api.add_argument(
        "path", nargs="?", metavar="PATH", help="for example /orgs; /v1 and the first slash may be left out"
    )
    api.add_argument("-q", dest="query", action="append", default=[], metavar="NAME=VALUE", help="a query parameter")
    api.add_argument(
        "-f",
        dest="fields",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a field of the body: a=1; a.b=text or a[b]=text in an object; a[]=text adds an item to a list",
    )
    api.add_argument("--input", metavar="FILE", help="the body as JSON, from a file, or - for standard input")
    api.add_argument("--all-pages", action="store_true", help="get all pages of a list and print them as one object")
    api.add_argument("-h", "--help", action="store_true", help="show the parameters of an operation, or this help")
    api.set_defaults(show_usage=api.print_help)
    return api


def _add_git(add_command: Callable[..., ArgumentParser]) -> list[ArgumentParser]:
    git = add_command("git", help="import a space from its Git branch, or push it there", description=_GIT)
    steps = git.add_subparsers(dest="step", metavar="pull|push", required=True)
    pull = steps.add_parser("pull", help="import the branch", description=_GIT)
    push = steps.add_parser("push", help="push the space", description=_GIT)
    for step in (pull, push):
        step.add_argument("space", metavar="SPACE", help="id, title or address of the space")
        step.add_argument("--url", metavar="URL", help="address or path of the repository (default: as before)")
        step.add_argument("--branch", metavar="NAME", help="the branch (default: as before, else main)")
        step.add_argument("--folder", metavar="PATH", help="the folder of the documentation in the repository")
    pull.add_argument("--force", action="store_true", help="replace main with the branch")
    push.add_argument("--force", action="store_true", help="write main over what others pushed; files they added stay")
    push.add_argument(
        "-m", "--message", default="Update from Recto", metavar="TEXT", help="message (default: “%(default)s”)"
    )
    return [git, pull, push]


def _add_spec(add_command: Callable[..., ArgumentParser]) -> list[ArgumentParser]:
    spec = add_command("spec", help="keep OpenAPI specifications and compare their versions", description=_SPEC)
    steps = spec.add_subparsers(dest="step", metavar="list|add|update|show|versions|diff|publish|delete", required=True)
    shown = steps.add_parser("list", help="list the specifications and their states")
    add = steps.add_parser("add", help="add a specification", description=_SPEC)
    update = steps.add_parser(
        "update",
        help="fetch the source again, or replace it; adds a specification that is not there",
        description=_SPEC,
    )
    show = steps.add_parser("show", help="show the state of a specification and the operations of a version")
    versions = steps.add_parser("versions", help="list the versions, the newest first")
    diff = steps.add_parser("diff", help="say what changed between two versions, breaking changes first")
    publish = steps.add_parser("publish", help="let anyone with the link read a specification")
    remove = steps.add_parser("delete", help="delete a specification with its versions")
    for step in (add, update, show, versions, diff, publish, remove):
        step.add_argument("slug", metavar="SLUG", help="name of the specification, such as pet-store")
    for step in (shown, add, update, show, versions, diff, publish, remove):
        step.add_argument("--organization", metavar="NAME", help=_ORGANIZATION)
    source = "web address or file"
    add.add_argument("source", metavar="SOURCE", help=source)
    update.add_argument("source", nargs="?", metavar="SOURCE", help=f"{source} (default: the address as before)")
    show.add_argument(
        "version", nargs="?", default="latest", metavar="VERSION", help="id of a version (default: newest)"
    )
    show.add_argument("--json", action="store_true", help="print the specification as JSON instead")
    diff.add_argument(
        "versions",
        nargs="*",
        metavar="VERSION",
        help="ids of two versions, or of one to compare with the one before (default: the newest)",
    )
    publish.add_argument("--private", action="store_true", help="make it private again")
    return [spec, shown, add, update, show, versions, diff, publish, remove]


def _add_translate(add_command: Callable[..., ArgumentParser]) -> list[ArgumentParser]:
    translate = add_command("translate", help="keep translations of spaces and run them", description=_TRANSLATE)
    steps = translate.add_subparsers(dest="step", metavar="list|add|show|run|instructions|delete", required=True)
    shown = steps.add_parser("list", help="list the translations and their states")
    add = steps.add_parser("add", help="add a translation; run translates", description=_TRANSLATE)
    show = steps.add_parser("show", help="show what runs have done, and which pages are not current")
    run = steps.add_parser(
        "run",
        help="translate what changed since the last run",
        description="Translate what changed since the last run, or all pages after a change of the instructions. "
        "Ctrl+C cancels a run in your own workspace, and nothing of it is kept; a run on a hosted platform goes on. "
        "Exit codes: 0 if the run ended, also where pages came back broken, which are named, or if it was started "
        "without --wait; 1 if it failed, left pages untranslated, or could not be started; 2 for wrong usage; 130 "
        "after Ctrl+C.",
    )
    instructions = steps.add_parser("instructions", help="print the instructions, or replace them")
    remove = steps.add_parser("delete", help="delete a translation; its space stays")
    for step in (add, show, run, instructions, remove):
        step.add_argument("space", metavar="SPACE", help="title, id or address of the space that is translated")
        step.add_argument("language", metavar="LANGUAGE", help="code of the language to translate into, such as de")
    for step in (shown, add, show, run, instructions, remove):
        step.add_argument("--organization", metavar="NAME", help=_ORGANIZATION)
    file = "a file with the instructions in Markdown, or - for standard input"
    add.add_argument(
        "--from", dest="source_language", metavar="LANGUAGE", help="language of the space (default: its own)"
    )
    add.add_argument("--instructions", metavar="FILE", help=file)
    show.add_argument("--json", action="store_true", help="print the translation and the states of its pages as JSON")
    run.add_argument("--wait", action="store_true", help="on a hosted platform, wait until the run has ended")
    instructions.add_argument("file", nargs="?", metavar="FILE", help=f"{file} (default: print them)")
    return [translate, shown, add, show, run, instructions, remove]


def _add_token(add_command: Callable[..., ArgumentParser]) -> list[ArgumentParser]:
    token = add_command("token", help="create, list and revoke tokens of members", description=_TOKENS)
    actions = token.add_subparsers(dest="step", metavar="create|list|revoke", required=True)
    create = actions.add_parser("create", help="create a token for a member and show it once", description=_TOKENS)
    create.add_argument("member", metavar="MEMBER", help="e-mail address, user id or name of the member")
    create.add_argument("--label", default="", metavar="TEXT", help="a note on its use, such as “laptop”")
    create.add_argument(
        "--name", metavar="NAME", help="add a new member of this name first; MEMBER is the e-mail address"
    )
    create.add_argument("--role", choices=get_args(Role), help="role of the new member (default: edit)")
    create.add_argument("--organization", metavar="ID", help="organization of the new member (default: your own)")
    shown = actions.add_parser("list", help="list the tokens with their members, labels and dates")
    revoke = actions.add_parser("revoke", help="revoke a token at once")
    revoke.add_argument("id", metavar="ID", help="id of the token, as shown by `recto token list`")
    return [token, create, shown, revoke]


def _add_common(parser: ArgumentParser, listed: Collection[str], *, is_top: bool = False) -> None:
    """Add the options that may stand anywhere; those that mean nothing to a command are not listed in its help."""
    # After a command the option stays unset if it is not given, so that one before the command stays in force.
    unset = None if is_top else SUPPRESS

    def describe(name: str, text: str) -> str:
        return text if name in listed else SUPPRESS

    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="FILE",
        default=unset,
        help=describe("--workspace", "the workspace file to use"),
    )
    parser.add_argument(
        "--base-url",
        metavar="URL",
        default=unset,
        help=describe("--base-url", "use the hosted platform at this address"),
    )
    parser.add_argument(
        "--read-only",
        action=BooleanOptionalAction,
        default=unset,
        help=describe("--read-only", "refuse every change"),
    )
    parser.add_argument("--theme", choices=THEMES, default=unset, help=describe("--theme", "colours of the program"))


def _public_url(text: str) -> str:
    try:
        return platform_address(text)
    except Unsendable as error:
        raise ArgumentTypeError(f"{text!r} is not an address. {error.why}") from error


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise ArgumentTypeError(f"{text!r} is not a port: it must be a number from 0 to 65535")
    return int(text)
