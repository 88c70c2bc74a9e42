"""Operations that not every platform offers: whether the server lacks them is found out once and remembered.

A server without an operation answers 405 or 501, or 404 as for a missing item. What a 404 means is found out by a
request that must succeed: for the item itself, or for the same of an item that is known to exist."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError, NotFound, Refused, Unsupported
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.content import Content
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.operation import Route

_OPTIONAL = {
    "Users": ("get_user",),
    "Invites": ("list_invites", "create_invite", "update_invite"),
    "Teams": ("list_team_members", "update_team_members", "set_team_member", "remove_team_member"),
    "Spaces": ("create_space", "transfer_space"),
    "Collections": ("transfer_collection",),
    "Imports": ("import_content", "import_content_in_change_request"),
    "Git": ("remove_legacy_installation",),
    "Content": (
        *("get_page_by_path", "get_page_by_path_in_change_request", "get_page_by_path_at_revision"),
        *("get_revision_at_revision", "list_pages_at_revision", "get_page_at_revision"),
        *("list_files_at_revision", "get_file_at_revision"),
    ),
    "ChangeRequests": ("list_contributors",),
    "ContentChanges": ("write_content", "list_changes", "list_changes_at_revision"),
    "Links": (
        *("list_links", "list_page_links", "list_page_backlinks", "list_file_backlinks"),
        *("list_links_in_change_request", "list_page_links_in_change_request"),
        *("list_page_backlinks_in_change_request", "list_file_backlinks_in_change_request"),
    ),
    "Reviews": (
        *("list_reviews", "submit_review", "list_requested_reviewers", "request_reviewers", "withdraw_reviewer"),
    ),
    "Comments": ("list_replies", "list_commenters"),
    "Search": ("search_organization",),
    "Pdfs": ("get_pdf",),
    "Publishing": ("publish_site", "unpublish_site"),
    "Redirects": ("list_redirects", "create_redirect", "update_redirect", "delete_redirect"),
    "Structure": ("get_structure", "sort_structure"),
    "SectionGroups": ("add_section", "remove_section"),
}
"""The operations that newer or older services lack, at an address, by their resource; all others are there."""

_STANDS_ON = {"remove_legacy_installation": "/spaces/{space_id}/git/info"}
"""The reads of what operations stand on, where their paths do not tell."""

_NAMED = {"parent": "/collections/{collection_id}", "organization": "/orgs/{organization_id}"}
"""The reads of what fields of bodies name."""

Ask = Callable[["Route", Mapping[str, Any]], Awaitable[bytes]]
"""Calls an operation once more, of which nothing is known to be lacking; raises a :class:`ClientError`."""


def is_optional(route: Route) -> bool:
    """Whether not every platform has the operation at this address."""
    return route.name in _OPTIONAL.get(route.resource.__name__, ())


class MissingOperations:
    """The operations that the server turned out to lack; ``ask`` reads from it.

    With ``has_all``, a 404 always means a missing item.
    """

    def __init__(self, ask: Ask, *, has_all: bool = False) -> None:
        self._ask = ask
        self._has_all = has_all
        self._known: set[Route] = set()
        self._there: set[Route] = set()
        self._deciding: dict[Route, asyncio.Lock] = {}

    def __contains__(self, route: object) -> bool:
        if isinstance(route, str):
            return any(f"{each.resource.__name__}.{each.name}" == route for each in self._known)
        return route in self._known

    def offers(self, route: Route) -> bool | None:
        """Whether the server has an operation; ``None`` where that is not known yet."""
        if route in self._known:
            return False
        return True if self._has_all or route in self._there or not is_optional(route) else None

    def note_there(self, route: Route) -> None:
        """Remember that the server has an operation: from then on, a 404 means a missing item."""
        self._there.add(route)

    async def judge(self, route: Route, arguments: Mapping[str, Any], error: Refused) -> Refused:
        """Return what a refusal means: that the server lacks the operation, or that it refuses this call of it."""
        if error.status in (405, 501):
            self._known.add(route)
        elif error.status in (400, 409, 422):
            self.note_there(route)
        elif error.status == 404 and is_optional(route) and not self._has_all:
            is_decided = await self._decide(route, arguments)
            if route not in self._known and not is_decided:
                why = "It is not there, or this server does not offer it."
                return NotFound(error.what, why, "Refresh to try again.", status=404, message=error.message)
        if route in self._known:
            return unsupported_error(route, error.what, error.status, error.message)
        return error

    async def _decide(self, route: Route, arguments: Mapping[str, Any]) -> bool:
        """Find out whether the server has an operation that it answered 404; return whether that could be found out."""
        async with self._deciding.setdefault(route, asyncio.Lock()):
            if route in self._known or route in self._there:
                return True
            try:
                is_lacking = await self._is_lacking(route, arguments)
            except (NotFound, LookupError):
                # The parent is gone, or there is no item of which the same could be requested.
                return True
            except (ClientError, ValueError, TypeError):
                return False
            if is_lacking:
                self._known.add(route)
            return True

    async def _is_lacking(self, route: Route, arguments: Mapping[str, Any]) -> bool:
        # The first time all of the contract is imported for it.
        place = await asyncio.to_thread(_place_of, route)
        if place.list is not None:
            # If the list itself is missing, its items may still exist.
            return await self._lacks_list(place.list, arguments)
        if place.holder is None:
            return True
        thing = await self._read(place.holder, arguments)
        for name in place.further:
            known = await self._find_existing(name, thing, arguments)
            if known == arguments[name]:
                continue
            # Only the same request for an existing item shows it.
            if not route.reads:
                return False
            try:
                await self._ask(route, {**arguments, name: known})
            except (NotFound, Unsupported):
                arguments = {**arguments, name: known}
                continue
            self._there.add(route)
            return False
        return await self._all_named_exist(arguments)

    async def _lacks_list(self, route: Route, arguments: Mapping[str, Any]) -> bool:
        if route in self._known:
            return True
        try:
            await self._read(route, arguments)
        except (NotFound, Unsupported):
            is_lacking = await self._is_lacking(route, arguments)
            if is_lacking:
                self._known.add(route)
            return is_lacking
        return False

    async def _read(self, route: Route, arguments: Mapping[str, Any]) -> Any:
        """Return the JSON of a response; the call is made with what it shares with another call."""
        given = {each.name: arguments.get(each.name) if each.required else None for each in route.parameters}
        return json.loads(await self._ask(route, given))

    async def _find_existing(self, name: str, thing: Any, arguments: Mapping[str, Any]) -> str:
        """Return the id or path of an existing item; raises :class:`LookupError` if there is none."""
        if name == "revision_id":
            return str(thing["revision"])
        pages = list(_pages((await self._read(_content_of(arguments), arguments))["pages"]))
        if name == "page_id":
            return next((str(page["id"]) for page in pages if page["id"] == arguments[name]), str(pages[0]["id"]))
        if name == "page_path":
            return next(str(page["path"]) for page in pages if page.get("path"))
        raise LookupError(name)

    async def _all_named_exist(self, arguments: Mapping[str, Any]) -> bool:
        """Whether everything that a body names exists, so that a 404 cannot be about any of it."""
        body = arguments.get("body")
        if body is None:
            return True
        sent = json.loads(body.to_json())
        for field, path in _NAMED.items():
            if id := sent.get(field):
                route = _reads()[path]
                await self._read(route, {each.name: id for each in route.parameters if each.required})
        named = {change[key] for change in sent.get("changes", ()) for key in ("page", "into") if change.get(key)}
        if not named:
            return not {"users", "item", "section_id", "sectionId"} & sent.keys()
        pages = _pages((await self._read(_content_of(arguments), arguments))["pages"])
        return named <= {page["id"] for page in pages}


@frozen
class _Place:
    """The read of the nearest thing above an operation that each platform has, and the parameters beyond it."""

    holder: Route | None
    further: tuple[str, ...]
    list: Route | None
    """The list in which the last thing named is, where not every platform has that."""


@cache
def _reads() -> Mapping[str, Route]:
    """Return the operations that read, by their paths."""
    from recto.contract.api import routes

    return {each.path: each for each in routes() if each.reads}


@cache
def _place_of(route: Route) -> _Place:
    reads = {path: each for path, each in _reads().items() if each is not route}
    if route.name in _STANDS_ON:
        return _Place(reads[_STANDS_ON[route.name]], (), None)
    steps = route.path.split("/")
    holder = listed = None
    further: list[str] = []
    for length in range(len(steps), 1, -1):
        found = reads.get("/".join(steps[:length]))
        if found is not None and not is_optional(found):
            holder = found
            break
        if found is not None and listed is None and (length < len(steps) or not route.reads):
            listed = found if not found.path.endswith("}") else None
        if steps[length - 1].startswith("{"):
            further.insert(0, steps[length - 1].strip("{}").removesuffix(":path"))
    return _Place(holder, tuple(further), listed)


def _content_of(arguments: Mapping[str, Any]) -> Route:
    return Content.list_pages.at(InChangeRequest if "change_request_id" in arguments else Main)


def _pages(pages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for page in pages:
        yield page
        yield from _pages(page.get("pages") or [])


def unsupported_error(route: Route, what: str, status: int = 404, message: str = "") -> Unsupported:
    """Return the error that says that this server does not offer an operation."""
    next_step = "" if route.reads else Unsupported.default_next_step
    return Unsupported(what, Unsupported.default_why, next_step, status=status, message=message)
