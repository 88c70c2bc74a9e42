"""Sites in the workspaces of tests, and stores that speak to such a workspace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from recto.client.missing_operations import MissingOperations
from recto.client.responses import Streaming
from recto.client.sender import DetectsMissing, Downloading, embed
from recto.contract.operation import Operation, Transport
from recto.contract.structure import Structure
from recto.server.platform import Platform
from recto.server.sites import sections, site_spaces, sites
from recto.server.spaces.spaces import add_space
from recto.store.arrangement import Arrangement
from recto.store.drafts import Drafts
from recto.store.store import Store
from support.arrangements import outline
from support.platform import own_organization

R = TypeVar("R")


@dataclass
class Docs:
    """A site of the owner's organization, with the ids of what is on it by title."""

    organization: str
    site: str
    ids: dict[str, str] = field(default_factory=dict)

    async def order(self, store: Store) -> str:
        """Ask how the site is arranged now, as one line."""
        return outline(Arrangement.of(await store.call(Structure.get_structure, self.organization, self.site)))


def make_docs(platform: Platform) -> Docs:
    """Make a site: Home, Products (Payments, Identity), Developers, Guides (Tutorials), Changelog.

    Home has two site spaces, Developers three, the others one each.
    """
    organization = own_organization(platform)

    def work(connection: Any) -> Docs:
        context = platform.context(connection)
        docs = Docs(organization, sites.add_site(context, organization, "Payments docs", published=True))

        def group(title: str, parent: str | None = None) -> str:
            docs.ids[title] = sections.create_group(context, docs.site, title, parent=parent)
            return docs.ids[title]

        def section(title: str, *variants: str, parent: str | None = None) -> None:
            docs.ids[title] = sections.create_section(context, docs.site, title, parent=parent)
            for variant in variants:
                space = add_space(context, organization, variant)
                docs.ids[variant] = site_spaces.add_site_space(context, docs.site, space, section=docs.ids[title])

        section("Home", "English", "Français")
        products = group("Products")
        section("Payments", "Payments guide", parent=products)
        section("Identity", "Identity guide", parent=products)
        section("Developers", "Version 3", "Version 2", "Version 1")
        guides = group("Guides")
        section("Tutorials", "First steps", parent=guides)
        section("Changelog", "Changes")
        return docs

    return platform.database.write_now(work)


class Refusing:
    """A transport that notes what changes are asked and can be made to fail or to interfere, by operation name."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.changes: list[str] = []
        self.asked: list[Mapping[str, Any]] = []
        """The arguments of all calls."""
        self.downloads: list[str] = []
        """The addresses of the files that were asked for."""
        self.errors: dict[str, list[Exception | None]] = {}
        """What the next calls of an operation, or of it at one address, fail with; ``None`` lets one through."""
        self.always: dict[str, Exception] = {}
        """What all calls of an operation fail with."""
        self.down: Exception | None = None
        """What all reading fails with."""
        self.then: dict[str, Callable[[], Awaitable[object]]] = {}
        """What is done after the next call of an operation, before its answer comes back."""
        self.listing: dict[str, Any] = {}
        """Arguments that take the place of those of each list, such as a limit that the platform holds to."""

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Pass the call on, unless it is to fail."""
        if "limit" in arguments:
            arguments = {**arguments, **{name: self.listing[name] for name in self.listing if name in arguments}}
        return await self._passed_on(operation, arguments, self.inner.send(operation, arguments))

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None]
    ) -> R:
        """Pass the call on, unless it is to fail, and what its answer begins with."""
        assert isinstance(self.inner, Streaming)
        return await self._passed_on(
            operation, arguments, self.inner.send_streaming(operation, arguments, on_beginning)
        )

    async def _passed_on(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], call: Coroutine[Any, Any, R]
    ) -> R:
        route = operation.route(arguments)
        self.asked.append(route.flat(arguments))
        if not operation.reads:
            self.changes.append(operation.name)
        names = dict.fromkeys((route.name, operation.name))
        waiting = next((self.errors[name] for name in names if self.errors.get(name)), [])
        always = next((self.always[name] for name in names if name in self.always), None)
        error = always or (waiting.pop(0) if waiting else None) or (self.down if operation.reads else None)
        if error is not None:
            call.close()
            raise error
        answer = await call
        if (then := next((self.then.pop(name) for name in names if name in self.then), None)) is not None:
            await then()
        return answer

    @property
    def missing_operations(self) -> MissingOperations:
        """What the server behind it has turned out not to have."""
        assert isinstance(self.inner, DetectsMissing)
        return self.inner.missing_operations

    async def download(self, url: str, most: int, *, patience: float | None = None) -> bytes:
        """Bring a file, and note its address."""
        self.downloads.append(url)
        assert isinstance(self.inner, Downloading)
        return await self.inner.download(url, most)


def make_store(platform: Platform, folder: Path) -> tuple[Store, Refusing]:
    """Open a store on the embedded platform, with the transport that tests make refuse."""
    transport = Refusing(embed(platform.application, platform.token))
    return Store(transport, Drafts(folder / "drafts", platform.clock), clock=platform.clock), transport
