"""Fallbacks to other operations, for servers that lack an operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from recto.client.call import Call, pages
from recto.client.errors import NotFound, Unsupported
from recto.client.responses import Streaming
from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.contract.spaces import Spaces
from recto.contract.unread import note_unread, unread_of

if TYPE_CHECKING:
    from recto.contract.common import ListPage
    from recto.contract.content import Page
    from recto.contract.operation import Operation, Transport
    from recto.contract.structure import SiteSection, SiteSectionGroup, SiteStructure
    from recto.contract.unread import Unread

R = TypeVar("R")
T = TypeVar("T")


class FallbackTransport:
    """A transport that falls back to other operations if a server lacks an operation."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self._call = Call(self)

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Send the operation, or others in its place."""
        try:
            return await self._inner.send(operation, arguments)
        except Unsupported as error:
            return cast("R", await self._otherwise(operation, arguments, error))

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None]
    ) -> R:
        """Send the operation, or others in its place, and pass the beginning of a large response on."""
        if not isinstance(self._inner, Streaming):
            return await self.send(operation, arguments)
        try:
            return await self._inner.send_streaming(operation, arguments, on_beginning)
        except Unsupported as error:
            return cast("R", await self._otherwise(operation, arguments, error))

    async def _otherwise(self, operation: Operation[Any, Any], arguments: Mapping[str, Any], error: Unsupported) -> Any:
        way = _FALLBACKS.get((operation.resource.__name__, operation.route(arguments).name))
        if way is None:
            raise error
        return await way(self._call, arguments, error)


async def _structure(call: Call, arguments: Mapping[str, Any], _: Unsupported) -> SiteStructure:
    """Put a site's structure together from the lists of its sections, groups and site spaces."""
    from recto.contract.structure import ListedStructure, SectionGroups, Sections, SiteSpaces

    where = (arguments["organization_id"], arguments["site_id"])
    unread: list[Unread] = []

    async def every(operation: Operation[..., ListPage[T]], *, at_least: bool = False) -> list[T]:
        found: list[T] = []
        try:
            async for page in pages(call, operation, *where):
                found += page.items
                unread.extend(replace(note, list="structure") for note in unread_of(page))
        except (Unsupported, NotFound):
            # The site is there, or its site spaces were not: a server without sections or groups has none.
            if at_least:
                raise
        return found

    site_spaces = await every(SiteSpaces.list_site_spaces, at_least=True)
    sections = await every(Sections.list_sections)
    if not sections:
        structure = ListedStructure(type="siteSpaces", structure=tuple(site_spaces))
        note_unread(structure, unread)
        return structure
    groups = await every(SectionGroups.list_groups)
    filled = [
        one
        if one.site_spaces
        else one.model_copy(update={"site_spaces": tuple(each for each in site_spaces if each.section == one.id)})
        for one in sections
    ]
    structure = ListedStructure(type="sections", structure=_nest(filled, groups))
    note_unread(structure, unread)
    return structure


def _nest(
    sections: Sequence[SiteSection], groups: Sequence[SiteSectionGroup], parent: SiteSectionGroup | None = None
) -> tuple[SiteSectionGroup | SiteSection, ...]:
    """Return the groups and then the sections in a group, or at the top, in the group's own order where it gives it."""
    listed = (parent.children or parent.sections) if parent is not None else ()
    order = {one.id: place for place, one in enumerate(listed)}

    def place(one: SiteSectionGroup | SiteSection) -> int:
        return order.get(one.id, len(order))

    id = parent.id if parent is not None else None
    inner = [one for one in groups if one.section_group == id and one.id != id]
    filled = [group.model_copy(update={"children": _nest(sections, groups, group)}) for group in inner]
    own = [one for one in sections if one.section_group == id]
    return (*sorted(filled, key=place), *sorted(own, key=place))


def _page_at(pages: Iterable[Page], path: str, error: Unsupported) -> str:
    waiting = list(pages)
    for page in waiting:
        if page.path == path:
            return page.id
        waiting.extend(page.pages)
    raise error


async def _page_by_path(call: Call, arguments: Mapping[str, Any], error: Unsupported) -> Page:
    given = dict(arguments)
    at, path = given.pop("at"), given.pop("page_path")
    page = _page_at((await call(Content.list_pages, at)).pages, path, error)
    return await call(Content.get_page, at, page, **given)


def _if_current(operation: Operation[..., Any]) -> Fallback:
    """Return the way by the main content, where the revision that is asked for is that of now."""

    async def way(call: Call, arguments: Mapping[str, Any], error: Unsupported) -> Any:
        given = dict(arguments)
        at = given.pop("at")
        if (await call(Spaces.get_space, at.space)).revision != at.revision:
            raise error
        response = await call(operation, Main(at.space), **given)
        if (await call(Spaces.get_space, at.space)).revision != at.revision:
            raise error
        return response

    return way


Fallback = Callable[["Call", Mapping[str, Any], Unsupported], Awaitable[Any]]
"""Gets the response by other operations; raises the error if that is not possible."""

_FALLBACKS: dict[tuple[str, str], Fallback] = {
    ("Structure", "get_structure"): _structure,
    ("Content", "get_page_by_path"): _page_by_path,
    ("Content", "get_page_by_path_in_change_request"): _page_by_path,
    ("Content", "get_revision_at_revision"): _if_current(Content.get_revision),
    ("Content", "list_pages_at_revision"): _if_current(Content.list_pages),
    ("Content", "get_page_at_revision"): _if_current(Content.get_page),
    ("Content", "list_files_at_revision"): _if_current(Content.list_files),
    ("Content", "get_file_at_revision"): _if_current(Content.get_file),
}
"""By the resource and the name of the missing operation, and its address."""
