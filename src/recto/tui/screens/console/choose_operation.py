"""The operations of the API to choose from, after the calls made before."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual import events

from recto import paths
from recto.contract.api import routes
from recto.contract.describe import path_of, summary_of
from recto.contract.model import json_name
from recto.contract.spaces import Spaces
from recto.frozen import frozen
from recto.store.api_calls import ApiCall, CallHistory, names_of
from recto.store.locations import OrganizationsLocation, SiteLocation, SpaceLocation
from recto.tui.dialogs.choose import FinderDialog, Scored
from recto.tui.dialogs.fuzzy import SCATTERED, Fuzzy
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span
from recto.tui.screens.console.call_form import CallForm
from recto.tui.screens.interactive import Interactive

if TYPE_CHECKING:
    from recto.contract.operation import Route
    from recto.store.locations import Location
    from recto.store.store import Store

_BY_WORDS = 100.0
"""The least score of a match of all words; fuzzy matches have less."""

_METHOD = 7
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


@frozen
class OperationEntry:
    """An operation at a path, or a call made before; ``reason`` says why it cannot be called."""

    call: ApiCall
    text: str
    """The words by which it is found."""
    path: str
    about: str
    is_past: bool = False
    reason: str = ""


def entry_of(route: Route, reason: str = "") -> OperationEntry:
    """Return the entry of an operation at a path."""
    path, about = path_of(route), summary_of(route) + (" (deprecated)" if route.deprecated else "")
    words = [path, about, _WORD.sub(" ", route.resource.__name__), *map(json_name, names_of(route))]
    return OperationEntry(ApiCall(route, {}), " ".join([*_verbs_of(route), *words]), path, about, reason=reason)


def past_entry_of(call: ApiCall, reason: str = "") -> OperationEntry:
    """Return the entry of a call made before."""
    path = path_of(call.route)
    for parameter in call.route.parameters:
        value = call.values.get(parameter.name)
        path = path.replace(f"{{{parameter.json_name}}}", str(value) if value is not None else parameter.json_name)
    given = "&".join(f"{name}={value}" for name, value in call.queries())
    path += f"?{given}" if given else ""
    about = summary_of(call.route)
    return OperationEntry(
        call, " ".join([*_verbs_of(call.route), path, about]), path, about, is_past=True, reason=reason
    )


def _verbs_of(route: Route) -> list[str]:
    """Return the method and the words of the name, so that ``create space`` finds it whatever the title says."""
    return [route.method, *route.name.split("_")]


class Operations(FinderDialog[OperationEntry, None], Interactive):
    """Finds an operation by its path, its title or words, and opens it; closing that leads back here.

    ``known`` are ids of where the person is, by the names of parameters.
    """

    def __init__(self, store: Store, known: Mapping[str, Any]) -> None:
        super().__init__("Console: the whole API", placeholder="path, title or words of an operation")
        self.store = store
        self._history = CallHistory(paths.calls_file(), store.address)
        self._known = known

    def on_mount(self) -> None:
        """List the operations; the calls made before come above them."""
        self._items = [entry_of(route, self._reason(route)) for route in routes()]

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Show the calls made since."""
        self.work(self._load_history(), "history", instead_of="history")

    async def _load_history(self) -> None:
        calls = await asyncio.to_thread(self._history.load)
        past = [past_entry_of(call, self._reason(call.route)) for call in calls]
        self._items = [*past, *(each for each in self._items if not each.is_past)]
        self.match(again=True)

    def _reason(self, route: Route) -> str:
        if self.store.lacks(route.operation, route.address):
            return "this server does not offer it"
        return "" if route.reads else getattr(self.app, "why_no_writes", None) or ""

    def text_of(self, item: OperationEntry) -> str:
        """Return the words by which an item is found."""
        return item.text

    def score(self, query: Fuzzy, item: OperationEntry) -> float:
        """Rate matches of all words above scattered letters, those in the path and in the name highest."""
        text = item.text.casefold()
        if query.words and all(word in text for word in query.words):
            path = item.path.casefold()
            in_path = sum(word in path for word in query.words)
            is_named = all(word in item.call.route.name for word in query.words)
            return _BY_WORDS + 10 * in_path / len(query.words) + 5 * is_named - len(path) / 100
        fuzzy = query.score(item.text)
        return min(fuzzy, _BY_WORDS - 1) if fuzzy >= SCATTERED or not query.letters else 0.0

    def order(self, found: Sequence[Scored[OperationEntry]]) -> list[OperationEntry]:
        """Put the calls made before first, each in their order where nothing is typed."""
        return [item for _score, item in sorted(found, key=lambda each: not each[1].is_past)]

    def draw(self, item: OperationEntry, width: int) -> Line:
        """Draw method and path, and the summary beside them."""
        role = "faint" if item.reason else ""
        method = "faint" if item.reason else "accent" if item.call.route.reads else "warning"
        left: list[Span] = [("↺ " if item.is_past else "  ", "muted"), (f"{item.call.route.method:<{_METHOD}}", method)]
        path, about = lines.plain(item.path), lines.plain(item.reason or item.about)
        room = width - lines.width_of(left)
        wanted = min(cell_len(about), room // 3) + 2
        if cell_len(path) > room - wanted:
            path = f"{lines.ELLIPSIS}{path[cell_len(path) - (room - wanted) + 1 :]}"
        left.append((path, role))
        return lines.beside(left, lines.fit([(about, "muted")], width - lines.width_of(left) - 2), width)

    def choose(self, item: OperationEntry) -> None:
        """Open the call, or show why this server cannot take it."""
        call = item.call if item.is_past else ApiCall(item.call.route, known_parameters(item.call.route, self._known))
        self.app.push_screen(CallForm(self.store, call, self._history))


def ids_at(store: Store, location: Location) -> dict[str, str]:
    """Return the ids that are known at a location, by the names of parameters."""
    match location:
        case OrganizationsLocation():
            kind, _, id = (location.item or "").partition(":")
            return {f"{kind if kind in ('space', 'collection', 'site') else 'organization'}_id": id} if id else {}
        case SiteLocation():
            return {"organization_id": location.organization, "site_id": location.site}
        case SpaceLocation():
            found = {
                "change_request_id": location.change_request,
                "revision_id": location.revision,
                "page_id": location.page,
            }
        case _:
            found = {"change_request_id": location.change_request, "page_id": location.page}
    space = store.known_response(Spaces.get_space, location.space)
    found |= {"space_id": location.space, "organization_id": space.organization if space is not None else None}
    return {name: id for name, id in found.items() if id}


def known_parameters(route: Route, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known parameters of an operation's path."""
    return {each.name: known[each.name] for each in _path_parameters(route) if known.get(each.name)}


def _path_parameters(route: Route) -> Iterable[Any]:
    return (each for each in route.parameters if each.place.value == "path")
