"""Where a specification is used: the pages of an organization that name it, and those that are computed from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recto.client.call import Call, pages
from recto.client.errors import NotFound
from recto.contract.addresses import Main
from recto.contract.common import MAX_LIMIT
from recto.contract.links import Links
from recto.contract.spaces import Spaces
from recto.document.text import count
from recto.frozen import frozen
from recto.store.growing import Growing, Grown
from recto.store.query_keys import QueryKey

if TYPE_CHECKING:
    from recto.contract.links import ContentLink, ReferencedContent
    from recto.contract.spaces import Space
    from recto.contract.specifications import Specification
    from recto.store.store import Store

_PORTION = 50
"""How many uses are looked for at once."""


@frozen
class SpecificationUse:
    """A page or reusable content of the main content of a space that uses a specification.

    ``source`` is the id of either, ``page`` is ``None`` for a reusable content. ``blocks`` is the number of blocks that
    name the specification; 0 where the pages are computed from it.
    """

    space: Space
    source: str
    page: str | None
    title: str
    blocks: int

    @property
    def key(self) -> tuple[str, str]:
        """The ids of the space, and of the page or reusable content."""
        return self.space.id, self.source

    @property
    def how(self) -> str:
        """How it is used, in words."""
        return count(self.blocks, "block") if self.blocks else "computed pages"


@frozen
class _Rest:
    """The spaces whose links are still to be read; ``page`` is where the list of the first goes on."""

    spaces: tuple[Space, ...]
    page: str | None = None


def uses_of(store: Store, organization: str, specification: Specification) -> Growing[SpecificationUse]:
    """Return the uses of a specification, space by space."""

    async def load(known: Grown[SpecificationUse] | None) -> Grown[SpecificationUse]:
        return await load_uses(store.call, organization, specification, known)

    arguments = {"organization_id": organization, "spec_slug": specification.slug}
    return store.growing(QueryKey.of(Links.list_links, arguments, walks=True), load)


async def load_uses(
    call: Call, organization: str, specification: Specification, known: Grown[SpecificationUse] | None
) -> Grown[SpecificationUse]:
    """Return the known uses of a specification with the next; raises :class:`ClientError`.

    The links of the spaces are read until some are found or none are left, lest a list look empty that is not.
    """
    if known is None:
        spaces = [space async for page in pages(call, Spaces.list_spaces, organization) for space in page.items]
        found, rest = [], _Rest(tuple(spaces))
    else:
        found, rest = list(known.items), known.rest
    wanted = len(found) + _PORTION
    while rest.spaces and len(found) < wanted:
        space = rest.spaces[0]
        try:
            links = await call(Links.list_links, Main(space.id), rest.page, MAX_LIMIT)
        except NotFound:  # a space that is gone by now, or has no content
            rest = _Rest(rest.spaces[1:])
            continue
        for link in links.items:
            if _leads_to(link.target_reference, specification):
                _add(found, _use(space, link))
        rest = _Rest(rest.spaces, links.next.page) if links.next is not None else _Rest(rest.spaces[1:])
    return Grown(tuple(found), not rest.spaces, None if rest.spaces else len(found), rest=rest)


def _leads_to(target: ReferencedContent, specification: Specification) -> bool:
    if target.open_api_spec is not None:
        return target.open_api_spec.id == specification.id
    return target.kind == "openapi" and target.spec in (specification.id, specification.slug)


def _add(found: list[SpecificationUse], use: SpecificationUse) -> None:
    """Add a use; a page may have several links to one target, which follow each other."""
    if found and found[-1].key == use.key:
        use = replace(use, blocks=found.pop().blocks + use.blocks)
    found.append(use)


def _use(space: Space, link: ContentLink) -> SpecificationUse:
    places = link.location_references
    page, content = (places[0].page, places[0].reusable_content) if places else (None, None)
    if page is not None:
        return SpecificationUse(space, page.id, page.id, page.title, 0 if page.type == "computed" else len(places))
    return SpecificationUse(space, content.id if content else "", None, content.title if content else "", len(places))
