"""The arrangement of a site, of pages, or of collections and spaces; a move returns another arrangement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recto.contract.unread import unread_of
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.contract.structure import SiteStructure
    from recto.contract.unread import Unread


class Kind(Enum):
    """The kind of an item of a site, a page tree or an organization; the value is its name in the API."""

    GROUP = "site-section-group"
    SECTION = "site-section"
    SITE_SPACE = "site-space"
    LINK = "site-external-link"
    PAGE = "document"
    PAGE_GROUP = "group"
    PAGE_LINK = "link"
    PAGE_COMPUTED = "computed"
    ORGANIZATION = "organization"
    COLLECTION = "collection"
    SPACE = "space"
    OTHER = "other"
    """Something that this version does not know; it stays where it is."""

    @property
    def word(self) -> str:
        """Its name in sentences."""
        return _WORDS[self]

    @property
    def is_fixed(self) -> bool:
        """Whether the API does not move items of this kind."""
        return self in _FIXED

    @property
    def holds(self) -> bool:
        """Whether there can be something in an item of this kind."""
        return self in _HOLDING


_WORDS = {
    Kind.GROUP: "group",
    Kind.SECTION: "section",
    Kind.SITE_SPACE: "site space",
    Kind.LINK: "external link",
    Kind.PAGE: "page",
    Kind.PAGE_GROUP: "group",
    Kind.PAGE_LINK: "link",
    Kind.PAGE_COMPUTED: "generated page",
    Kind.ORGANIZATION: "organization",
    Kind.COLLECTION: "collection",
    Kind.SPACE: "space",
    Kind.OTHER: "item",
}
_FIXED = frozenset({Kind.PAGE_GROUP, Kind.PAGE_LINK, Kind.PAGE_COMPUTED, Kind.ORGANIZATION, Kind.OTHER})
_HOLDING = frozenset(
    {Kind.GROUP, Kind.SECTION, Kind.PAGE, Kind.PAGE_GROUP, Kind.PAGE_COMPUTED, Kind.ORGANIZATION, Kind.COLLECTION}
)

IN_COLLECTIONS = (Kind.COLLECTION, Kind.SPACE)
"""The kinds that are listed apart in an organization."""

LISTED = (Kind.GROUP, Kind.SECTION)
"""The kinds that are listed apart in a site structure that was put together from lists."""


@frozen
class Item:
    """An item of a site, of a page tree or of an organization, without its place."""

    id: str
    kind: Kind
    title: str = ""
    path: str = ""
    default: bool = False
    condition: str | None = None
    hidden: bool = False
    draft: bool = False
    space: str | None = None
    """The id of the space that a site space shows."""
    published: str | None = None
    """The address at which it can be read."""
    description: str | None = None
    icon: str | None = None
    url: str | None = None
    """Where an external link leads."""
    titles: tuple[tuple[str, str], ...] = ()
    """Its title in other languages, by their codes."""
    why_fixed: str | None = None
    """The reason why this person may not move it, in a few words."""
    why_closed: str | None = None
    """The reason why this person may not put anything into it, in a few words."""

    @property
    def name(self) -> str:
        """What to call it: its title, else its path, else its id."""
        return self.title or self.path or self.id


@frozen
class Arrangement:
    """All items of a site, of a page tree or of an organization, and their order.

    ``children`` gives the ids under each item, in order, without entries for items that have none; ``None`` is the
    top level. ``sectioned`` says whether the top level holds sections and groups, or site spaces.
    """

    items: Mapping[str, Item]
    children: Mapping[str | None, tuple[str, ...]]
    sectioned: bool = True
    unread: Mapping[str | None, tuple[Unread, ...]] = field(default_factory=dict)
    """What could not be read below an item; until it can be, no order is written."""
    kinds_apart: tuple[Kind, ...] = ()
    """Kinds that stand one after the other, because the platform returns only the order within each of them."""

    @classmethod
    def of(cls, structure: SiteStructure) -> Arrangement:
        """Read the arrangement from the platform's response."""
        items: dict[str, Item] = {}
        children: dict[str | None, tuple[str, ...]] = {}
        unread: dict[str | None, tuple[Unread, ...]] = {}

        def take(found: Iterable[Any], parent: str | None) -> None:
            found = tuple(one for one in found if one.id not in items)
            for one in found:
                items[one.id] = item_of(one)
            if found:
                children[parent] = tuple(one.id for one in found)
            for one in found:
                note(one, one.id)
                take(_under(one), one.id)

        def note(holder: Any, id: str | None) -> None:
            notes = unread_of(holder, "structure", "children", "siteSpaces")
            # A group names its own sections twice.
            if found := notes or unread_of(holder, "sections"):
                unread[id] = found

        note(structure, None)
        take(structure.structure, None)
        roots = [items[id].kind for id in children.get(None, ())]
        sectioned = structure.type != "siteSpaces" and Kind.SITE_SPACE not in roots
        return cls(items, children, sectioned, unread, LISTED if structure.from_lists else ())

    @classmethod
    def of_pages(cls, pages: Sequence[Page], unread: Sequence[Unread] = ()) -> Arrangement:
        """Read the arrangement of a page tree; ``unread`` are those of its first level that could not be read."""
        known = {kind.value: kind for kind in (Kind.PAGE, Kind.PAGE_GROUP, Kind.PAGE_LINK, Kind.PAGE_COMPUTED)}
        items: dict[str, Item] = {}
        children: dict[str | None, tuple[str, ...]] = {}
        not_read: dict[str | None, tuple[Unread, ...]] = {None: tuple(unread)} if unread else {}
        ahead: list[tuple[str | None, Sequence[Page]]] = [(None, pages)]
        while ahead:
            parent, siblings = ahead.pop()
            siblings = [page for page in siblings if page.id not in items]
            for page in siblings:
                title = (page.link_title or page.title).strip() or "Untitled"
                items[page.id] = Item(page.id, known.get(page.type, Kind.OTHER), title, hidden=bool(page.hidden))
                if found := unread_of(page, "pages"):
                    not_read[page.id] = tuple(found)
            if siblings:
                children[parent] = tuple(page.id for page in siblings)
            ahead += [(page.id, page.pages) for page in siblings if page.pages]
        return cls(items, children, unread=not_read)

    @property
    def why_fixed(self) -> str | None:
        """Why nothing can be moved, as a sentence; ``None`` if something can."""
        if not self.unread:
            return None
        return "Something here could not be read, and an order is written only where all items are known."

    @cached_property
    def parents(self) -> Mapping[str, str | None]:
        """The parent of each item; ``None`` is the top level."""
        return {id: parent for parent, ids in self.children.items() for id in ids}

    def under(self, parent: str | None) -> tuple[str, ...]:
        """Return the ids directly under an item, or at the top level, in order."""
        return self.children.get(parent, ())

    def default_candidates(self, id: str) -> list[Item]:
        """Return an item with those it shares a default with: all sections, or the site spaces beside it."""
        item = self.items[id]
        if item.kind is Kind.SECTION:
            return [each for each in self.items.values() if each.kind is Kind.SECTION]
        return [self.items[each] for each in self.beside(id)]

    def beside(self, id: str) -> tuple[str, ...]:
        """Return the ids of an item and its siblings, in order."""
        return self.under(self.parents[id])

    def above(self, id: str) -> Iterator[str]:
        """Return the ids of an item's ancestors, the nearest first."""
        parent = self.parents.get(id)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def walk(self, parent: str | None = None, depth: int = 0) -> Iterator[tuple[int, Item]]:
        """Return all items, or those under an item, from top to bottom, each with its depth."""
        for id in self.under(parent):
            yield depth, self.items[id]
            yield from self.walk(id, depth + 1)

    def with_order(self, changed: Mapping[str | None, tuple[str, ...]]) -> Arrangement:
        """Return the arrangement with other ids under some items."""
        children = {parent: ids for parent, ids in {**self.children, **changed}.items() if ids}
        if self.kinds_apart:
            children |= {parent: self._apart(children[parent]) for parent in changed if parent in children}
        return replace(self, children=children)

    def _apart(self, ids: Iterable[str]) -> tuple[str, ...]:
        place = {kind: index for index, kind in enumerate(self.kinds_apart)}
        return tuple(sorted(ids, key=lambda id: place.get(self.items[id].kind, len(place))))

    def peers(self, parent: str | None, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the direct children of an item that are ordered with these items: of their kind, or all."""
        if not self.kinds_apart or len(kinds := {self.items[id].kind for id in ids}) != 1:
            return self.under(parent)
        kind = next(iter(kinds))
        return tuple(id for id in self.under(parent) if self.items[id].kind is kind)

    def same_items(self, other: Arrangement) -> bool:
        """Whether both arrange the same items, so that moves alone lead from either to the other.

        A site space belongs to its section: in another section it counts as another item.
        """
        return self._identities == other._identities

    @cached_property
    def _identities(self) -> Mapping[str, tuple[Kind, str | None]]:
        return {
            id: (item.kind, self.parents[id] if item.kind is Kind.SITE_SPACE else None)
            for id, item in self.items.items()
        }

    def same_order(self, other: Arrangement) -> bool:
        """Whether everything stands in the same place."""
        return self.same_items(other) and self.children == other.children


def addresses(arrangement: Arrangement) -> dict[str, str]:
    """Return the path below the site's own address at which each site space is read, by the site space's id.

    It is the section's path and the site space's own; the default site space of a section is read at the section's
    path, and that of the default section at the site's. Groups have no path.
    """
    return {id: address_of(arrangement, item) for id, item in arrangement.items.items() if item.kind is Kind.SITE_SPACE}


def address_of(arrangement: Arrangement, item: Item) -> str:
    """Return the path below the site's own address at which a site space is read, as :func:`addresses` gives it."""
    parent = arrangement.parents[item.id]
    section = arrangement.items[parent] if parent is not None else None
    if item.default and (section is None or section.default):
        return "/"
    paths = [section.path] if section else []
    if not item.default:
        paths.append(item.path)
    return f"/{'/'.join(paths)}/"


def find_moved_defaults(before: Arrangement, after: Arrangement) -> frozenset[str]:
    """Return the items that became the default because the former default left."""
    found = []
    for id, item in after.items.items():
        if item.default and id in before.items and not before.items[id].default:
            here = {rival.id for rival in after.default_candidates(id)}
            if all(rival.id not in here for rival in before.default_candidates(id) if rival.default):
                found.append(id)
    return frozenset(found)


@frozen
class ChangedAddress:
    """A site space that is read somewhere else afterwards."""

    item: Item
    before: str
    after: str


def find_changed_addresses(before: Arrangement, after: Arrangement) -> tuple[ChangedAddress, ...]:
    """Return the site spaces of both arrangements whose address differs, in the order of the later arrangement."""
    old, new = addresses(before), addresses(after)
    return tuple(
        ChangedAddress(item, old[item.id], new[item.id])
        for _, item in after.walk()
        if item.id in old and item.id in new and old[item.id] != new[item.id]
    )


def item_of(one: Any) -> Item:
    """Return a section, group, site space or link of the API as an item."""
    known = {kind.value: kind for kind in (Kind.GROUP, Kind.SECTION, Kind.SITE_SPACE, Kind.LINK)}
    space = getattr(one, "space", None)
    urls = getattr(one, "urls", None)
    return Item(
        id=one.id,
        kind=known.get(one.object, Kind.OTHER),
        title=one.title or getattr(space, "title", ""),
        path=getattr(one, "path", "") or "",
        default=bool(getattr(one, "default", False)),
        condition=getattr(one, "condition", None),
        hidden=bool(getattr(one, "hidden", False)),
        draft=bool(getattr(one, "draft", False)),
        space=getattr(space, "id", None),
        published=getattr(urls, "published", None),
        description=getattr(one, "description", None),
        icon=getattr(one, "icon", None),
        url=getattr(one, "url", None),
        titles=tuple(sorted(getattr(one, "localized_title", {}).items())),
    )


def _under(one: Any) -> tuple[Any, ...]:
    # Some services give a group's own sections only as `sections`.
    if one.object == Kind.GROUP.value:
        return tuple(one.children or one.sections)
    return tuple(one.site_spaces) if one.object == Kind.SECTION.value else ()
