"""The pane with the tree of organizations: what each holds, as items with ids that name their kind."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from textual.message import Message

from recto.contract.collections import Collection
from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space
from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement
from recto.store.locations import OrganizationsLocation, item_id
from recto.store.roles import needs
from recto.tui.lists.lift_tree import LiftTree
from recto.tui.lists.tree_list import TreeItem, TreeList
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.organizations.organization_rows import COLLECTION, ORGANIZATION, SITE, SPACE, Branch, rows_of
from recto.tui.screens.organizations.panes import EVERYWHERE, INBOX, SUBJECTS
from recto.tui.screens.organizations.shelf_moves import ShelfMoves
from recto.tui.screens.organizations.shelves import Shelf, Shelves
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from textual.worker import Worker

    from recto.contract.sites import Site
    from recto.store.arrangement import Item
    from recto.store.moves import Move
    from recto.store.query import Listing, Query
    from recto.store.store import Store

_ENTERED = frozenset({*SUBJECTS, EVERYWHERE, SPACE, SITE})
"""The kinds of items that are a screen or a list of their own."""

_FEW = 3
"""Up to this many organizations are all open at the first start."""


def split_id(item: str) -> tuple[str, str]:
    """Return the kind of an item and the id in it."""
    kind, _, id = item.partition(":")
    return kind, id


@frozen
class Selection:
    """The item under the cursor and its known data."""

    kind: str = ""
    id: str = ""
    label: str = ""
    organization: Organization | None = None
    thing: Organization | Collection | Space | Site | None = None
    shelf: Shelf | None = None
    """The contents of the organization."""
    failure: Exception | None = None
    """The reason why those contents could not be listed."""
    organizations: Sequence[Organization] = ()
    """All organizations, where all are selected."""
    guide: str | None = None
    """The id of the guide's organization."""

    @property
    def space(self) -> Space | None:
        """The selected space, if any."""
        return self.thing if isinstance(self.thing, Space) else None

    @property
    def collection(self) -> str | None:
        """The id of the selected collection, or of the collection of the selected space."""
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


class OrganizationTreePane(Pane):
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
        self._tree = LiftTree(id="tree", why_not_moved=self._why_not_moved)
        self._tree.mark_news(store.news, lambda key: split_id(str(key))[1], self._requests_below)
        super().__init__(store, "Organizations", self._tree, id="organizations")
        self.moves = ShelfMoves(self, self._show_moves)
        """The moves of collections and spaces that are staged."""
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
        self.listen(self.store.runs, self.moves.follow)
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

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The list that the item under the cursor is in."""
        at = self.selection
        query = self._shelves.query_of(at.kind, at.organization.id) if at.organization is not None else None
        return (query,) if query is not None else ()

    def is_open(self, organization: str) -> bool:
        """Whether an organization was opened."""
        return self._shelves.shelf(organization) is not None

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

    # Drawing

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
        for organization in organizations:
            if (shelf := self._shelves.shelf(organization.id)) is not None:
                self.moves.take_in(organization, shelf)
        self._draw_tree()
        self._report_selected()
        self._preparing: Worker[None] = self.run_worker(
            self._prepare_lifts, group="prepare lifts", exclusive=True, exit_on_error=False
        )

    async def _prepare_lifts(self) -> None:
        for organization in self._known_organizations():
            shelf = self._shelves.shelf(organization.id)
            if shelf is not None and shelf.complete:
                await self.moves.prepare(organization, shelf)

    def _draw_tree(self) -> None:
        unread = self._organizations.value.unread if self._organizations.value is not None else ()
        organizations = self._known_organizations()
        below = [TreeItem(item_id(EVERYWHERE, ""), "Combined inbox", sign="○")]
        flat = rows_of(map(self._branch, organizations), unread, below if len(organizations) > 1 else ())
        cursor, self._cursor = (self._cursor, None) if self._cursor in flat.places else (None, self._cursor)
        self._tree.show_arranged(self._arrange_here, {}, _row_of_item, cursor, at_rest=flat)
        staged = self.moves.staged
        self.entitle("Organizations", "", f"{count(staged, 'move')} staged" if staged else "")

    def _branch(self, organization: Organization) -> Branch:
        shelf = self._shelves.shelf(organization.id)
        children = self.moves.children(shelf) if shelf is not None else {}
        return Branch(organization, shelf, children, self.moves.origins(organization.id))

    def _begin(self, organizations: Sequence[Organization]) -> None:
        """Look into the organizations that were open, or into all where there are few."""
        if self._has_begun:
            return
        self._has_begun = True
        ids = {item_id(ORGANIZATION, one.id) for one in organizations}
        opened = self._opened or (ids if len(ids) <= _FEW else set())
        for item in opened & ids:
            self._shelves.look_into(split_id(item)[1])
        self._tree.open_items(*opened)

    def _requests_below(self, key: Hashable) -> frozenset[str]:
        """Return the ids of the change requests that the row of an inbox stands for."""
        kind, organization = split_id(str(key))
        shelf = self._shelves.shelf(organization) if kind == INBOX else None
        return shelf.requests if shelf is not None else frozenset()

    # Moving

    @property
    def is_lifting(self) -> bool:
        """Whether collections or spaces are lifted."""
        return self._tree.lift is not None

    def put_back(self) -> None:
        """Put lifted items back."""
        self._tree.put_back()

    def stage(self, move: Move) -> None:
        """Stage a move in the organization of the moved items."""
        organization = self._organization_of(move.items[0])
        shelf = self._shelves.shelf(organization.id) if organization is not None else None
        if organization is not None and shelf is not None:
            self.moves.add(organization, shelf, move)

    def _show_moves(self, item: str | None) -> None:
        self._draw_tree()
        if item is not None:
            self._tree.reveal(item)
        self._report_selected()

    def _arrange_here(self) -> Arrangement:
        """Return the arrangement of the organization of the lifted items, or of the item under the cursor."""
        lift = self._tree.lift
        organization = self._organization_of(lift.ids[0] if lift is not None else str(self._tree.cursor_key))
        shelf = self._shelves.shelf(organization.id) if organization is not None else None
        if organization is None or shelf is None:
            return Arrangement({}, {})
        return self.moves.arrangement(organization, shelf)

    def _why_not_moved(self) -> str | None:
        if not self.is_attached or self._tree.lift is not None:
            return None
        if self.moves.is_running:
            return "moves are running"
        at = self.selection
        if at.kind not in (COLLECTION, SPACE):
            return "only collections and spaces are moved here"
        if not isinstance(at.thing, Collection | Space):
            return "not loaded yet"
        return needs(at.thing.permissions, "admin") if not self._tree.selected else None

    # The selection

    @property
    def selection(self) -> Selection:
        """The item under the cursor."""
        lift = self._tree.lift
        current = self._tree.current if lift is None else self._tree.item(lift.ids[0])
        if current is None:
            return Selection(guide=self._guide)
        kind, id = split_id(current.id)
        if kind == EVERYWHERE:
            return Selection(kind, id, current.label, organizations=self._known_organizations(), guide=self._guide)
        organization = self._organization_of(current.id)
        of = organization.id if organization is not None else ""
        shelf = self._shelves.shelf(of)
        return Selection(
            kind,
            id,
            current.label,
            organization,
            (shelf.things.get(current.id) if shelf is not None else None) or organization,
            shelf,
            self._shelves.failure(of),
            guide=self._guide,
        )

    def _organization_of(self, item: str) -> Organization | None:
        """Return the organization that an item is in."""
        path = self._tree.ids_above(item)
        top = split_id(path[0])[1] if path else None
        return next((one for one in self._known_organizations() if one.id == top), None)

    def _report_selected(self) -> None:
        self.post_message(self.Selected(self.selection))

    def on_tree_list_wanted(self, event: TreeList.Wanted) -> None:
        """Look into an organization that is opened."""
        event.stop()
        self._shelves.look_into(split_id(event.item.id)[1])

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


def _row_of_item(item: Item) -> TreeItem:
    return TreeItem(item.id, item.name)
