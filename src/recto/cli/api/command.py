"""``recto api``: lists, describes and calls operations."""

from __future__ import annotations

import asyncio
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from recto.cli.api.body import body_arguments, query_arguments, split_pair
from recto.cli.api.operation_help import explain
from recto.cli.api.operation_list import find_operations, list_lines
from recto.cli.connection import open_sender
from recto.cli.failures import FAILED, UNSURE, USAGE, CommandError, tell
from recto.cli.output import is_coloured, show
from recto.client.call import LIMIT
from recto.client.errors import BadResponse, ClientError, ReadOnly, Refused, Unsendable, Unsupported
from recto.client.json_calls import NOTHING, how_to_look, is_list, next_page_of, read_json
from recto.client.outgoing import platform_address
from recto.client.sender import failure_of
from recto.client.waiting import Wait
from recto.contract.api import routes
from recto.contract.describe import path_of
from recto.contract.operation import Route
from recto.frozen import frozen
from recto.settings import Settings
from recto.urls import EMBEDDED_ADDRESS

if TYPE_CHECKING:
    from recto.client.sender import Sender


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Run the command; return 0, 1 on an error, 2 on wrong usage, 3 if a change may have arrived."""
    if arguments.path is None:
        if arguments.help:
            arguments.show_usage()
            return 0
        if _asks_for_something(arguments):
            raise CommandError("api needs a method and a path: recto api GET /orgs", USAGE)
        return _list(arguments.method)
    found = find(arguments.method, arguments.path, settings.base_url)
    if arguments.help:
        _print(explain(found.route, _width() or 80))
        return 0
    if found.open:
        names = " and ".join(f"{{{name}}}" for name in found.open)
        raise CommandError(f"{arguments.path} is a pattern: replace {names}.", USAGE)
    pairs = [*found.query, *(split_pair(each, "-q") for each in arguments.query)]
    given = {
        **found.values,
        **query_arguments(found.route, pairs),
        **body_arguments(found.route, arguments.fields, arguments.input),
    }
    if arguments.all_pages and not is_list(found.route):
        raise CommandError("--all-pages is for operations that return a list; this one does not.", USAGE)
    return _call(found.route, given, settings, token, all_pages=arguments.all_pages)


def _call(route: Route, given: Mapping[str, Any], settings: Settings, token: str | None, *, all_pages: bool) -> int:
    try:
        with open_sender(settings, token) as sender:
            response = call(sender, route, given, all_pages=all_pages)
            if response is not NOTHING:
                show(response, dark=settings.theme != "light")
    except Refused as error:
        message = f"{error.status}: {error.why if isinstance(error, Unsupported) else error.message or error.why}"
        if error.may_have_arrived:
            tell(f"{message}\n{how_to_look(route, given)}")
            return UNSURE
        tell(message)
        return FAILED
    except ClientError as error:
        if error.may_have_arrived:
            tell(f"{error.what} {error.why} {how_to_look(route, given)}")
            return UNSURE
        tell(str(error))
        return USAGE if isinstance(error, (ReadOnly, Unsendable)) else FAILED
    return 0


def _asks_for_something(arguments: Namespace) -> bool:
    return bool(arguments.query or arguments.fields or arguments.input is not None or arguments.all_pages)


def _list(word: str | None) -> int:
    wanted = list(routes()) if word is None else find_operations(routes(), word)
    if not wanted:
        raise CommandError(f"No operation contains “{word}”. `recto api` lists all operations.", USAGE)
    _print(list_lines(wanted, _width()), headed=is_coloured(sys.stdout))
    return 0


def _print(lines: Iterable[str], *, headed: bool = False) -> None:
    """Print lines; ``headed`` draws those that are not indented as headings."""
    for line in lines:
        print(f"\x1b[1m{line}\x1b[0m" if headed and line and not line.startswith(" ") else line)


def _width() -> int | None:
    """Return how many columns the terminal has; ``None`` where another program reads."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def call(sender: Sender, route: Route, arguments: Mapping[str, Any], *, all_pages: bool = False) -> Any:
    """Return the response as JSON, :data:`NOTHING` if it is empty; ``all_pages`` reads a list to its end.

    Raises a :class:`ClientError` if the response is an error or cannot be read. When interrupted, it says whether
    something may have changed.
    """
    sender.waits.listener = _print_waits
    asking = _Call(sender, route)
    try:
        return asyncio.run(asking.ask(arguments, all_pages))
    except KeyboardInterrupt:
        if asking.left_behind:
            tell(f"Interrupted. {how_to_look(route, arguments)}")
        raise


class _Call:
    def __init__(self, sender: Sender, route: Route) -> None:
        self._sender = sender
        self._route = route
        self._what = failure_of(route)
        self.left_behind = False
        """Whether it was interrupted while it may have changed something."""

    async def ask(self, arguments: Mapping[str, Any], all_pages: bool) -> Any:
        try:
            return await (self._read_list(dict(arguments)) if all_pages else self._send(arguments))
        except asyncio.CancelledError:
            self.left_behind = self._sender.writing
            raise
        finally:
            if not self.left_behind:
                await self._sender.aclose()

    async def _send(self, arguments: Mapping[str, Any]) -> Any:
        return read_json(self._route, await self._sender.ask(self._route, arguments))

    async def _read_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return all items of a list, page by page."""
        names = {each.name for each in self._route.parameters}
        if "limit" in names and arguments.get("limit") is None:
            arguments["limit"] = LIMIT
        items: list[Any] = []
        seen: set[str] = set()
        while True:
            page = await self._send(arguments)
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise BadResponse(self._what, "The server's response is not a list.")
            items += page["items"]
            where = next_page_of(self._route, page)
            if where is None:
                return {"count": len(items), "items": items}
            if where in seen:
                raise BadResponse(self._what, "The server gave the same page of the list twice.")
            seen.add(where)
            arguments["page"] = where


def _print_waits(waits: tuple[Wait, ...]) -> None:
    for wait in waits:
        tell(f"The platform asks to wait {wait.seconds:.0f} s; Ctrl+C gives up.")


_NEAR = 0.6
_SHOWN = 3
_VERSION = "/v1"


@frozen
class Found:
    """A path of an operation, what it is filled with by parameter name, and the query that stood behind the path.

    ``open`` are the names that are still to be filled in, where the path is a pattern.
    """

    route: Route
    values: dict[str, str]
    query: tuple[tuple[str, str], ...] = ()
    open: tuple[str, ...] = ()


def find(method: str, address: str, base_url: str | None = None) -> Found:
    """Find the operation at a path; ``/v1``, the platform's own address and the first slash may be left out.

    Raises ``CommandError``, with similar operations, if there is none.
    """
    method = method.upper()
    path, query = _split(address, base_url)
    segments = path.split("/")[1:]
    every = list(routes())
    matching = sorted((each for each in every if _matches(each, segments)), key=_precedence)
    for route in matching:
        if route.method == method:
            values, unfilled = _values(route, segments)
            return Found(route, values, tuple(parse_qsl(query, keep_blank_values=True)), unfilled)
    if matching:
        taken = " and ".join(sorted({each.method for each in matching}))
        raise CommandError(f"{path} does not take {method}; it takes {taken}.", USAGE)
    near = "".join(f"\n  {each.method} {path_of(each)}" for each in _nearest_operations(method, segments, every))
    hint = f" Similar:{near}" if near else " `recto api` lists the operations."
    raise CommandError(f"There is no operation {method} {path}.{hint}", USAGE)


def _split(address: str, base_url: str | None) -> tuple[str, str]:
    """Return the path after ``/v1`` and the query; the address of another platform is none."""
    address, _, query = address.partition("#")[0].partition("?")
    if "://" in address:
        here = platform_address(base_url) if base_url else EMBEDDED_ADDRESS
        if not address.startswith(f"{here}/"):
            raise CommandError(f"{address} is not on the platform that is used, {here}.", USAGE)
        address = address.removeprefix(here)
    path = "/" + address.strip("/")
    return ("/" + path.removeprefix(_VERSION).strip("/") if f"{path}/".startswith(f"{_VERSION}/") else path), query


def _matches(route: Route, segments: Sequence[str]) -> bool:
    wanted = route.path.split("/")[1:]
    if wanted[-1].endswith(":path}"):
        if len(segments) < len(wanted):
            return False
    elif len(segments) != len(wanted):
        return False
    return all(_is_parameter(one) or one == given for one, given in zip(wanted, segments, strict=False))


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{")


def _precedence(route: Route) -> tuple[int, ...]:
    """Sort a fixed segment before a parameter in the same place, and a parameter that takes the rest last."""
    return tuple(2 if one.endswith(":path}") else int(_is_parameter(one)) for one in route.path.split("/"))


def _values(route: Route, segments: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what fills the path by parameter name, and the names in it that stand for something to be filled in."""
    values: dict[str, str] = {}
    unfilled: list[str] = []
    for at, wanted in enumerate(route.path.split("/")[1:]):
        if not _is_parameter(wanted):
            continue
        given = "/".join(segments[at:]) if wanted.endswith(":path}") else segments[at]
        values[wanted.strip("{}").removesuffix(":path")] = unquote(given)
        if _is_parameter(given) and given.endswith("}"):
            unfilled.append(path_of(route).split("/")[at + 1].strip("{}"))
    return values, tuple(unfilled)


def _nearest_operations(method: str, segments: Sequence[str], every: Iterable[Route]) -> list[Route]:
    """Return the operations with the most similar paths; values of parameters count as equal."""

    def similarity(route: Route) -> float:
        wanted = route.path.split("/")[1:]
        filled = [segments[at] if _is_parameter(one) and at < len(segments) else one for at, one in enumerate(wanted)]
        return SequenceMatcher(None, "/".join(filled), "/".join(segments), autojunk=False).ratio()

    ranked = [(similarity(each), each.method == method, each) for each in every]
    close = sorted((one for one in ranked if one[0] >= _NEAR), key=lambda one: one[:2], reverse=True)
    return [each for _, _, each in close[:_SHOWN]]
