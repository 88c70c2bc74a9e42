"""``recto api``: lists, describes and calls operations."""

from __future__ import annotations

import asyncio
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from recto.cli.api.body import body_arguments, query_arguments, split_pair
from recto.cli.api.finding import find
from recto.cli.api.json_output import is_coloured, show
from recto.cli.api.operation_help import explain
from recto.cli.api.operation_list import find_operations, list_lines
from recto.cli.connection import open_sender
from recto.cli.failures import FAILED, UNSURE, USAGE, CommandError, tell
from recto.client.call import LIMIT
from recto.client.errors import BadResponse, ClientError, ReadOnly, Refused, Unsendable, Unsupported
from recto.client.json_calls import NOTHING, how_to_look, is_list, next_page_of, read_json
from recto.client.sender import failure_of
from recto.client.waiting import Wait
from recto.contract.api import routes
from recto.contract.operation import Route
from recto.settings import Settings

if TYPE_CHECKING:
    from recto.client.sender import Sender


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Do what the arguments ask for: 0, 1 after an error, 2 after wrong usage, 3 where a change may have arrived."""
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
        raise CommandError(f"{arguments.path} is a pattern: put what you mean in place of {names}.", USAGE)
    pairs = [*found.query, *(split_pair(each, "-q") for each in arguments.query)]
    given = {
        **found.values,
        **query_arguments(found.route, pairs),
        **body_arguments(found.route, arguments.fields, arguments.input),
    }
    if arguments.all_pages and not is_list(found.route):
        raise CommandError("--all-pages walks lists, and this operation does not answer with one.", USAGE)
    return _call(found.route, given, settings, token, all_pages=arguments.all_pages)


def _call(route: Route, given: Mapping[str, Any], settings: Settings, token: str | None, *, all_pages: bool) -> int:
    try:
        with open_sender(settings, token) as sender:
            answer = call(sender, route, given, all_pages=all_pages)
            if answer is not NOTHING:
                show(answer, dark=settings.theme != "light")
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
    """Return what JSON says of the answer, :data:`NOTHING` where it is empty; ``all_pages`` walks a list to its end.

    Raises a :class:`ClientError` where the answer is an error or none that can be read. Interrupted while it may have
    changed something, it says so.
    """
    sender.waits.listener = _tell_waits
    asking = _Call(sender, route)
    try:
        return asyncio.run(asking.answer(arguments, all_pages))
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

    async def answer(self, arguments: Mapping[str, Any], all_pages: bool) -> Any:
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
                raise BadResponse(self._what, "The server's answer is not a list.")
            items += page["items"]
            where = next_page_of(self._route, page)
            if where is None:
                return {"count": len(items), "items": items}
            if where in seen:
                raise BadResponse(self._what, "The server gave the same page of the list twice.")
            seen.add(where)
            arguments["page"] = where


def _tell_waits(waits: tuple[Wait, ...]) -> None:
    for wait in waits:
        tell(f"The platform asks to wait {wait.seconds:.0f} s; Ctrl+C gives up.")
