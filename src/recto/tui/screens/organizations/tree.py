"""The pane with the tree of organizations: what each holds, as items with ids that name their kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from textual.message import Message

from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space
from recto.frozen import frozen
from recto.store.locations import OrganizationsLocation, item_id
from recto.tui.lists.tree_list import TreeItem, TreeList
from recto.tui.lists.tree_rows import unread_items
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import signs
from recto.tui.look.lines import Line, Span
from recto.tui.screens.organizations.panes import INBOX, SUBJECTS
from recto.tui.screens.organizations.shelves import Shelf, Shelves
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from recto.contract.collections import Collection
    from recto.contract.sites import Site
    from recto.store.query import Listing, Query
    from recto.store.store import Store

ORGANIZATION, COLLECTION, SPACE, SITE = "organization", "collection", "space", "site"

_ENTERED = frozenset({*SUBJECTS, SPACE, SITE})
"""The kinds of items that are a screen or a list of their own."""

_FEW = 3
"""Up to this many organizations are all open at the first start."""


def parted(item: str) -> tuple[str, str]:
    """Return the kind of an item and the id in it."""
    kind, _, id = item.partition(":")
    return kind, id


@frozen
class Selection:
    """The item under the cursor and what is known of it."""

    kind: str = ""
    id: str = ""
    label: str = ""
    organization: Organization | None = None
    thing: Organization | Collection | Space | Site | None = None
    shelf: Shelf | None = None
    """The contents of the organization."""
    failure: Exception | None = None
    """The reason why those contents could not be listed."""
    guide: str | None = None
    """The id of the guide's organization."""

    @property
    def space(self) -> Space | None:
        """The selected space, if any."""
        return self.thing if isinstance(self.thing, Space) else None

    @property
    def collection(self) -> str | None:
        """The id of the selected collection, or of the one that holds the selected space."""
        if self.kind == COLLECTION:
            return self.id
        return self.space.parent if self.space is not None else None

    @property
    def is_guide(self) -> bool:
        """Whether the guide's organization is selected."""
        return self.kind == ORGANIZATION and self.guide is not None and self.id == self.guide

    @property
    def address(self) -> str | None:
        """The address in the platform's web app."""
        thing = self.thing or self.organization
        return (thing.urls.app or thing.urls.location) if thing is not None else None


def organization_item(organization: Organization, shelf: Shelf | None) -> TreeItem:
    """Return an organization with its collections, spaces, sites and lists; without a shelf it opens lazily."""
    return TreeItem(
        item_id(ORGANIZATION, organization.id),
        organization.title or "Untitled organization",
        role="strong",
        children=_aligned(_children(organization, shelf)) if shelf is not None else (),
        lazy=shelf is None,
    )


def _aligned(items: Sequence[TreeItem]) -> list[TreeItem]:
    """Return the items with signs of the same width, so that names stand below each other; an emoji takes two cells."""
    width = max(cell_len(sign) for sign in _signs(items))
    return [_widened(item, width) for item in items]


def _signs(items: Iterable[TreeItem]) -> Iterator[str]:
    for item in items:
        yield item.sign
        yield from _signs(item.children)


def _widened(item: TreeItem, width: int) -> TreeItem:
    return replace(
        item,
        sign=set_cell_size(item.sign, width),
        children=tuple(_widened(child, width) for child in item.children),
    )


def _children(organization: Organization, shelf: Shelf) -> list[TreeItem]:
    return [
        *_shelved(shelf),
        *(_site(site) for site in shelf.sites),
        *unread_items(shelf.unread),
        *(
            TreeItem(item_id(kind, organization.id), subject.label, sign=subject.sign, detail=_waiting(kind, shelf))
            for kind, subject in SUBJECTS.items()
        ),
    ]


def _waiting(kind: str, shelf: Shelf) -> Line:
    return _muted(str(shelf.open_requests)) if kind == INBOX and shelf.open_requests else ()


def _shelved(shelf: Shelf) -> list[TreeItem]:
    """Return collections and the spaces outside any, nested as on the platform."""
    known = {collection.id for collection in shelf.collections}
    collections: dict[str | None, list[Collection]] = defaultdict(list)
    spaces: dict[str | None, list[Space]] = defaultdict(list)
    for collection in shelf.collections:
        collections[collection.parent if collection.parent in known else None].append(collection)
    for space in shelf.spaces:
        spaces[space.parent if space.parent in known else None].append(space)

    def below(parent: str | None) -> list[TreeItem]:
        return [
            *(
                TreeItem(item_id(COLLECTION, collection.id), collection.title, sign="▪", children=below(collection.id))
                for collection in collections[parent]
            ),
            *(_space(space) for space in spaces[parent]),
        ]

    return below(None)


def _space(space: Space) -> TreeItem:
    detail: list[Span] = []
    if space.edit_mode == "locked":
        detail.append((f"{signs.LOCKED.sign} ", signs.LOCKED.role))
    if space.change_requests_open:
        detail.append((f"{signs.CHANGE_REQUEST['open'].sign} {space.change_requests_open}", "muted"))
    return TreeItem(
        item_id(SPACE, space.id), space.title or "Untitled space", sign=signs.emoji(space.emoji) or "▤", detail=detail
    )


def _site(site: Site) -> TreeItem:
    return TreeItem(item_id(SITE, site.id), site.title or "Untitled site", sign="◇", detail=_muted("site"))


def _muted(text: str) -> Line:
    return [(text, "muted")]


class TreePane(Pane):
    """The tree of organizations, with what each holds."""

    @frozen
    class Selected(Message):
        """The cursor is on another item, or more is known of the item."""

        selection: Selection

    @frozen
    class Entered(Message):
        """The person goes into an item that is a screen or a list."""

        selection: Selection

    def __init__(self, store: Store, location: OrganizationsLocation) -> None:
        self._tree = TreeList(id="tree")
        super().__init__(store, "Organizations", self._tree, id="organizations")
        self._shelves = Shelves(store, self._follow_shelf)
        self._cursor: str | None = location.item
        """The item to put the cursor on when it is there."""
        self._opened = set(location.opened)
        self._has_begun = False
        self._guide: str | None = None

    def on_mount(self) -> None:
        """Follow the organizations."""
        self._organizations: Query[Listing[Organization]] = self.store.query_list(Organizations.list_organizations)
        self.follow(self._organizations, self._show)
        self.work(self._find_guide(), "guide")

    async def _find_guide(self) -> None:
        if self.store.workspace is not None:
            self._guide = await self.store.workspace.guide()
            self._report_selected()

    @property
    def location(self) -> OrganizationsLocation | None:
        """The item under the cursor and the open ones; ``None`` where there are no items yet."""
        current = self._tree.current if self._tree.is_attached else None
        if current is None:
            return None
        return OrganizationsLocation(current.id, tuple(sorted(self._tree.expanded)), current.label)

    def reveal(self, item: str) -> None:
        """Put the cursor on an item, as soon as it is there."""
        if not self._tree.reveal(item):
            self._cursor = item
            self._show(self._organizations)

    def reload(self) -> None:
        """Request everything again."""
        self._organizations.refresh()
        self._shelves.refresh()
        self.work(self._find_guide(), "guide")

    # What is shown

    def _follow_shelf(self, query: Query[Any]) -> None:
        self.follow(query, self._show)

    def _known_organizations(self) -> Sequence[Organization]:
        listing = self._organizations.value
        return listing.items if listing is not None else ()

    def _show(self, _: Query[Any]) -> None:
        if not self.show_state(self._organizations, "your organizations", empty="No organizations."):
            return
        organizations = self._known_organizations()
        self._begin(organizations)
        items = [organization_item(one, self._shelves.shelf(one.id)) for one in organizations]
        if self._organizations.value is not None:
            items += unread_items(self._organizations.value.unread)
        self._tree.show_items(items, self._wanted_cursor(items))
        self._report_selected()

    def _begin(self, organizations: Sequence[Organization]) -> None:
        """Look into the organizations that were open, or into all where there are few."""
        if self._has_begun:
            return
        self._has_begun = True
        ids = {item_id(ORGANIZATION, one.id) for one in organizations}
        opened = self._opened or (ids if len(ids) <= _FEW else set())
        for item in opened & ids:
            self._shelves.look_into(parted(item)[1])
        self._tree.open_items(*opened)

    def _wanted_cursor(self, items: Sequence[TreeItem]) -> str | None:
        """Return the item to put the cursor on if it is there by now; it is wanted once."""
        wanted = self._cursor
        if wanted is None or not _holds(items, wanted):
            return None
        self._cursor = None
        return wanted

    # The selection

    @property
    def selection(self) -> Selection:
        """The item under the cursor."""
        current = self._tree.current
        if current is None:
            return Selection(guide=self._guide)
        kind, id = parted(current.id)
        organization = self._organization_of_cursor()
        of = organization.id if organization is not None else ""
        return Selection(
            kind,
            id,
            current.label,
            organization,
            self._thing(kind, id) or organization,
            self._shelves.shelf(of),
            self._shelves.failure(of),
            self._guide,
        )

    def _organization_of_cursor(self) -> Organization | None:
        rows = self._tree.tree_rows.rows
        for index in range(min(self._tree.cursor, len(rows) - 1), -1, -1):
            kind, id = parted(rows[index].item.id)
            if kind == ORGANIZATION:
                return next((one for one in self._known_organizations() if one.id == id), None)
        return None

    def _thing(self, kind: str, id: str) -> Collection | Space | Site | None:
        match kind:
            case "space":
                return self._shelves.space(id)
            case "collection":
                return self._shelves.collection(id)
            case "site":
                return self._shelves.site(id)
        return None

    def _report_selected(self) -> None:
        self.post_message(self.Selected(self.selection))

    def on_tree_list_wanted(self, event: TreeList.Wanted) -> None:
        """Look into an organization that is opened."""
        event.stop()
        self._shelves.look_into(parted(event.item.id)[1])

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Report the item under the cursor."""
        event.stop()
        self._report_selected()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go into the item, or open and close it."""
        event.stop()
        selection = self.selection
        if selection.kind in _ENTERED:
            self.post_message(self.Entered(selection))
        elif (current := self._tree.current) is not None:
            self._tree.toggle(current)


def _holds(items: Sequence[TreeItem], id: str) -> bool:
    return any(item.id == id or _holds(item.children, id) for item in items)
