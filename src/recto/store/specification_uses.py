"""Where a specification is used: the pages of an organization that name it, and those that are computed from it.

The main content of all spaces is looked at, and then the pages that change requests have added or edited: so many of
them, the open ones before drafts and the newest first, and so many of their pages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from recto.client.call import Call, pages
from recto.client.errors import NotFound, Unsupported
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests, ChangeRequestStatus
from recto.contract.changes import MAX_LISTED, ContentChanges, PageCreatedOrDeleted, PageEdited
from recto.contract.common import MAX_LIMIT
from recto.contract.links import Links
from recto.contract.spaces import Spaces
from recto.document.text import count
from recto.frozen import frozen
from recto.store.growing_list import GrowingList, Grown
from recto.store.query_keys import QueryKey

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.links import ContentLink, ReferencedContent
    from recto.contract.spaces import Space
    from recto.contract.specifications import Specification
    from recto.store.store import Store

_PORTION = 50
"""The number of uses that are looked for at a time."""

MOST_REQUESTS: Final = 20
"""The most change requests that are looked at."""

MOST_PAGES: Final = 100
"""The most pages of change requests that are looked at; each is a request to the platform."""

_STATUSES: Final[tuple[ChangeRequestStatus, ...]] = ("open", "draft")


@frozen
class SpecificationUse:
    """A page or reusable content that uses a specification, in the main content of a space or in a change request.

    ``source`` is the id of either, ``page`` is ``None`` for a reusable content. ``blocks`` is the number of blocks that
    name the specification; 0 where the pages are computed from it. A change request uses it only where the main content
    does not.
    """

    space: Space
    source: str
    page: str | None
    title: str
    blocks: int
    change_request: ChangeRequest | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """The ids of the space, of the change request and of the page or reusable content."""
        return self.space.id, self.change_request.id if self.change_request is not None else "", self.source

    @property
    def where(self) -> str:
        """The title of the space, with the number of the change request."""
        title = self.space.title or "Untitled space"
        return f"{title} #{self.change_request.number}" if self.change_request is not None else title

    @property
    def how(self) -> str:
        """How it is used, in words."""
        return count(self.blocks, "block") if self.blocks else "computed pages"


@frozen
class _Rest:
    """The change requests still to be searched.

    Of the first of ``spaces`` the links are read, from ``page`` on; ``requests`` follow, with their spaces, and at most
    so many ``pages`` of them. ``unseen`` counts the change requests that are left out, wholly or in part.
    """

    spaces: tuple[Space, ...]
    page: str | None = None
    requests: tuple[tuple[Space, ChangeRequest], ...] = ()
    pages: int = MOST_PAGES
    unseen: int = 0


def uses_of(store: Store, organization: str, specification: Specification) -> GrowingList[SpecificationUse]:
    """Return the uses of a specification, space by space."""

    async def load(known: Grown[SpecificationUse] | None) -> Grown[SpecificationUse]:
        return await load_uses(store.call, organization, specification, known)

    arguments = {"organization_id": organization, "spec_slug": specification.slug}
    return store.growing_list(QueryKey.of(Links.list_links, arguments, walks=True), load)


async def load_uses(
    call: Call, organization: str, specification: Specification, known: Grown[SpecificationUse] | None
) -> Grown[SpecificationUse]:
    """Return the known uses of a specification with the next; raises :class:`ClientError`.

    The links of the spaces are read until some are found or none are left, lest a list look empty that is not; then
    those of change requests.
    """
    if known is None:
        found, rest = [], await _begin(call, organization)
    else:
        found, rest = list(known.items), known.rest
    wanted = len(found) + _PORTION
    while rest.spaces and len(found) < wanted:
        space = rest.spaces[0]
        try:
            links = await call(Links.list_links, Main(space.id), rest.page, MAX_LIMIT)
        except NotFound:  # a space that is gone by now, or has no content
            rest = replace(rest, spaces=rest.spaces[1:], page=None)
            continue
        for link in links.items:
            if _leads_to(link.target_reference, specification):
                _add(found, _use(space, link))
        ahead = rest.spaces if links.next is not None else rest.spaces[1:]
        rest = replace(rest, spaces=ahead, page=links.next.page if links.next is not None else None)
    while rest.requests and not rest.spaces and len(found) < wanted:
        rest = await _look_into_request(call, specification, found, rest)
    complete = not rest.spaces and not rest.requests
    remark = f"{count(rest.unseen, 'change request')} not looked at, or not wholly" if complete and rest.unseen else ""
    return Grown(tuple(found), complete, len(found) if complete else None, remark=remark, rest=rest)


async def _begin(call: Call, organization: str) -> _Rest:
    spaces = [space async for page in pages(call, Spaces.list_spaces, organization) for space in page.items]
    try:
        listing = ChangeRequests.list_organization_change_requests
        listed = [
            request
            for status in _STATUSES
            for request in (await call(listing, organization, limit=MAX_LIMIT, status=status)).items
        ]
    except Unsupported:
        return _Rest(tuple(spaces))
    by_id = {space.id: space for space in spaces}
    requests = [(by_id[each.space], each) for each in listed if each.space in by_id]
    return _Rest(tuple(spaces), None, tuple(requests[:MOST_REQUESTS]), unseen=len(requests[MOST_REQUESTS:]))


async def _look_into_request(
    call: Call, specification: Specification, found: list[SpecificationUse], rest: _Rest
) -> _Rest:
    """Add uses on pages that the next change request added or edited; return the rest."""
    (space, request), *others = rest.requests
    at = InChangeRequest(space.id, request.id)
    known = {use.key for use in found}
    looked, is_whole = 0, True
    try:
        changes = await call(ContentChanges.list_changes, at, MAX_LISTED)
        edited = [
            change.page.id
            for change in changes.changes
            if (isinstance(change, PageCreatedOrDeleted) and change.type == "page_created")
            or isinstance(change, PageEdited)
        ]
        is_whole = len(edited) <= rest.pages and not changes.more
        for page in edited[: rest.pages]:
            looked += 1
            links = await call(Links.list_page_links, at, page, limit=MAX_LIMIT)
            for link in links.items:
                use = replace(_use(space, link), change_request=request)
                if _leads_to(link.target_reference, specification) and (space.id, "", use.source) not in known:
                    _add(found, use)
    except (NotFound, Unsupported):  # merged or archived by now, or not to be had of this service
        is_whole = False
    return replace(rest, requests=tuple(others), pages=rest.pages - looked, unseen=rest.unseen + (not is_whole))


def _leads_to(target: ReferencedContent, specification: Specification) -> bool:
    if target.open_api_spec is not None:
        return target.open_api_spec.id == specification.id
    return target.kind == "openapi" and target.spec in (specification.id, specification.slug)


def _add(found: list[SpecificationUse], use: SpecificationUse) -> None:
    """Add a use; several links of a page to the same target follow each other."""
    if found and found[-1].key == use.key:
        use = replace(use, blocks=found.pop().blocks + use.blocks)
    found.append(use)


def _use(space: Space, link: ContentLink) -> SpecificationUse:
    places = link.location_references
    page, content = (places[0].page, places[0].reusable_content) if places else (None, None)
    if page is not None:
        return SpecificationUse(space, page.id, page.id, page.title, 0 if page.type == "computed" else len(places))
    return SpecificationUse(space, content.id if content else "", None, content.title if content else "", len(places))
