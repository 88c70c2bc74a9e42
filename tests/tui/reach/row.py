"""A row of the table that says how each operation is reached from the keys, and the program that drives a row.

A row names the operation, the place, the action there, and a control for each query parameter and body field::

    REDIRECTS = Place("Redirects of a site", lambda world: SiteLocation(world.organization, world.site), ("4",))

    async def add_redirect(ada: Driver) -> None:
        await ada.press("a")
        await ada.type("/old")
        ...
        await ada.press("ctrl+s")
        made = await ada.call(Redirects.list_redirects, ada.world.organization, ada.world.site)
        assert [one.source for one in made.items] == ["/old"]

    Row(Redirects.list_redirects, REDIRECTS)
    Row(
        Redirects.create_redirect,
        REDIRECTS,
        "item.new",
        {"source": "field", "destination": "field", "permanent": "switch"},
        act=add_redirect,
        needs="needs the admin role",
    )

``needs`` is part of the reason that a reader is given in place of the action; ``seen`` brings the reader before what
the action is for, where that is not there when the place opens. What all may do says so: ``needs=EVERYONE``.

A row without an action is asked when its place opens. ``act`` begins at the place, presses what it takes, the key of
the action included, and reads the effect back by another operation. What a row gives a control to has to go out while
it is driven, by this row or another one of the operation; ``page`` and ``limit`` are given by every list.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recto.cli.own_workspace import OwnWorkspace
from recto.client.sender import Sender, embed
from recto.contract.api import routes
from recto.contract.common import Role
from recto.contract.describe import full_path
from recto.contract.model import json_name
from recto.contract.operation import Operation, Route
from recto.contract.operation import Place as In
from recto.server.content.revisions import main_revision
from recto.server.platform import Platform
from recto.store.drafts import Drafts
from recto.store.locations import Location, Locations
from recto.store.store import Store
from recto.tui.app import RectoApp
from support.guide_workspace import Person, guided_store, open_guided
from support.platform import BASE_URL, join
from support.screens import press_at_once, settled, steps_of

P = ParamSpec("P")
R = TypeVar("R")

CONSOLE = "console"
"""The control of what only the console gives."""

EVERYONE = "everyone may"
"""What an action needs that each member of an organization may do."""

LISTED = frozenset({"page", "limit"})
"""The parameters that every list is walked by."""


@dataclass(frozen=True)
class World:
    """The ids of the guided workspace in which rows are driven."""

    own: str
    """The organization of the person, which is empty."""
    organization: str
    """The organization of the guide."""
    space: str
    """A space with pages, comments, files and change requests."""
    revision: str
    """The newest revision of that space."""
    request: str
    """A change request of that space that can be merged."""
    outdated: str
    """One that has fallen behind main."""
    site: str
    """A site of that organization."""
    collection: str
    """Its collection."""
    library: str
    """A space with files, of which one is on a page."""
    library_revision: str
    """The newest revision of that space."""

    @classmethod
    def of(cls, platform: Platform) -> World:
        """Return the ids of a guided workspace."""

        def read(connection: Any) -> World:
            organizations = {
                row["title"]: row["id"] for row in connection.all("SELECT id, title FROM organizations ORDER BY id")
            }
            guide = organizations.pop("Recto guide")
            space = connection.value(
                "SELECT id FROM spaces WHERE title = 'Guide' AND organization = ? AND deleted_at IS NULL", guide
            )
            requests = connection.all(
                "SELECT id, revision_initial FROM change_requests WHERE space = ? AND status = 'open'", space
            )
            main = main_revision(connection, space).id
            request = next(row["id"] for row in requests if row["revision_initial"] == main)
            outdated = next(row["id"] for row in requests if row["revision_initial"] != main)
            site = connection.value("SELECT id FROM sites WHERE organization = ?", guide)
            own = next(iter(organizations.values()))
            library = connection.value("SELECT id FROM spaces WHERE title = 'Blocks' AND organization = ?", guide)
            then = main_revision(connection, library).id
            collection = connection.value("SELECT id FROM collections WHERE organization = ?", guide)
            return cls(own, guide, space, main, request, outdated, site, collection, library, then)

        return platform.database.read_now(read)


@dataclass(frozen=True)
class Place:
    """A place of the program: the location of its screen, and the keys that lead on from there."""

    name: str
    opening: Callable[[World], Location]
    keys: tuple[str, ...] = ()
    server: Callable[[ASGIApp], ASGIApp] | None = None
    """Stands before the platform, where the program has other ways for such a server."""


@dataclass(frozen=True)
class Asked:
    """A request that was made, by the names of the contract."""

    route: Route
    fields: frozenset[str]
    """The query parameters and the fields of the body that were given."""


@dataclass
class Driver(Person):
    """A person who drives rows."""

    world: World
    asked: list[Asked]
    """All requests of the program so far."""
    beside: Store
    """What the owner of the workspace does elsewhere."""

    async def call(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask the platform beside the program, as the owner of the workspace."""
        return await self.beside.call(operation, *args, **kwargs)


Act = Callable[[Driver], Awaitable[None]]


@dataclass(frozen=True)
class Row:
    """How one operation is called from the keys."""

    calls: Operation[Any, Any] | Route
    """The operation; one with several addresses at its first, or ``operation.at(address)``."""
    at: Place
    action: str = ""
    """The name of the action that calls it; empty where opening the place does."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The control of each query parameter and each field of the body, or :data:`CONSOLE`."""
    act: Act | None = None
    needs: str = ""
    """Part of the reason that a reader is given in place of the action, or :data:`EVERYONE`; empty where it reads."""
    seen: Act | None = None
    """Brings the reader before what the action is for; ``None`` where opening the place does."""

    @property
    def route(self) -> Route:
        """The path of the operation."""
        return self.calls.routes[0] if isinstance(self.calls, Operation) else self.calls

    def __str__(self) -> str:
        return f"{name_of(self.route)} {self.at.name}"


def name_of(route: Route) -> str:
    """Return the name of a path of an operation: ``Spaces.get_space``."""
    return f"{route.resource.__name__}.{route.name}"


def fields_of(route: Route) -> set[str]:
    """Return the names of the query parameters and body fields that need a control."""
    found: set[str] = set()
    for parameter in route.parameters:
        if parameter.place is In.QUERY and parameter.name not in LISTED:
            found.add(parameter.name)
        elif parameter.place is In.BODY:
            found |= parameter.annotation.model_fields.keys()
    return found


class Recording:
    """An application that notes what it is asked."""

    def __init__(self, application: ASGIApp) -> None:
        self.asked: list[Asked] = []
        self._application = application
        self._routes = [(_pattern(route), route) for route in sorted(routes(), key=lambda each: each.path.count("{"))]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note a request, and pass it on."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        content = b""

        async def listen() -> Message:
            nonlocal content
            message = await receive()
            content += message.get("body", b"")
            return message

        try:
            await self._application(scope, listen, send)
        finally:
            self._note(scope, content)

    def _note(self, scope: Scope, content: bytes) -> None:
        for pattern, route in self._routes:
            if route.method == scope["method"] and pattern.fullmatch(scope["path"]):
                given = {name for name, _ in parse_qsl(scope["query_string"].decode(), keep_blank_values=True)}
                body = json.loads(content) if content else {}
                self.asked.append(Asked(route, frozenset(_names(route, given, body))))
                return


def _pattern(route: Route) -> re.Pattern[str]:
    path = re.escape(full_path(route))
    open_end = ":path}" in route.path
    pattern = re.sub(r"\\\{[^}]*\\\}", "[^/]+", path)
    return re.compile(pattern.removesuffix("[^/]+") + ".+" if open_end else pattern)


def _names(route: Route, query: set[str], body: Mapping[str, Any]) -> set[str]:
    found = {each.name for each in route.parameters if each.place is In.QUERY and each.json_name in query}
    for parameter in route.parameters:
        if parameter.place is In.BODY:
            known = parameter.annotation.model_fields
            found |= {name for name in known if json_name(name) in body}
    return found


@asynccontextmanager
async def driving(folder: Path, place: Place, role: Role | None = None) -> AsyncIterator[Driver]:
    """Start the program at a place of a guided workspace, as its owner or as a member with a role."""
    platform = open_guided(folder)
    try:
        world = World.of(platform)
        recording = Recording(platform.application if place.server is None else place.server(platform.application))
        token = platform.token
        if role is not None:
            token = "token-of-rita"
            platform.admit(token, join(platform, world.organization, "Rita Reader", role))
        store = Store(
            Sender(BASE_URL, token, application=recording) if place.server is not None else embed(recording, token),
            Drafts(folder / "drafts", platform.clock),
            clock=platform.clock,
            address="workspace",
            locations=Locations(folder / "places.json"),
            workspace=OwnWorkspace(platform) if role is None else None,
        )

        async def open_store() -> Store:
            return store

        app = RectoApp(open_store, opening=place.opening(world))
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await settled(pilot)
            driver = Driver(pilot, platform, store, world, recording.asked, guided_store(platform, folder / "beside"))
            for step in steps_of(place.keys):
                press_at_once(app, *step)
                await settled(pilot)
            yield driver
    finally:
        platform.close()
