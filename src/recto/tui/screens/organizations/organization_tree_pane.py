"""The pane with the tree of organizations and their content, and the moves of collections and spaces."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from textual.message import Message

from recto.contract.collections import Collection, Collections
from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space
from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement
from recto.store.collection_moves import CollectionsOf, arrange_collections
from recto.store.locations import OrganizationsLocation, item_id
from recto.store.rearranging import StepControl
from recto.store.roles import needs
from recto.tui.lists.lift_tree import LiftTree
from recto.tui.lists.tree_list import TreeItem, TreeList
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.applied_moves import AppliedMoves
from recto.tui.screens.organizations.organization_contents import Contents, OrganizationContents
from recto.tui.screens.organizations.organization_rows import COLLECTION, ORGANIZATION, SITE, SPACE, Branch, rows_of
from recto.tui.screens.organizations.panes import COMBINED_INBOX, EVERYWHERE, INBOX, SUBJECTS
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.worker import Worker

    from recto.contract.sites import Site
    from recto.store.arrangement import Item
    from recto.store.moves import Move
    from recto.store.mutation import Run
    from recto.store.query import Listing, Query
    from recto.store.store import Store
    from recto.tui.screens.interactive import Interactive


class CollectionMoves:
    """Staged moves of collections and spaces in each organization, on behalf of a view.

    ``changed`` is called with the item to go to, or ``None``, whenever the display changes.
    """

    def __init__(self, view: Interactive, changed: Callable[[str | None], None]) -> None:
        self._view = view
        self._changed = changed
        self._moves: dict[str, AppliedMoves] = {}
        self._arranged: dict[str, tuple[Organization, OrganizationContents, Arrangement]] = {}
        """The arrangement of an organization, by its id, with what it was made of."""

    @property
    def staged(self) -> int:
        """How many moves are staged and not being made, in all organizations."""
        return sum(moves.staged for moves in self._moves.values())

    def count_staged(self, organization: str) -> int:
        """Return how many moves are staged in an organization and not being made."""
        moves = self._moves.get(organization)
        return moves.staged if moves is not None else 0

    @property
    def is_running(self) -> bool:
        """Whether moves are being made or undone."""
        return any(moves.run is not None for moves in self._moves.values())

    def on_platform(self, organization: Organization, contents: OrganizationContents) -> Arrangement:
        """Return an organization's content on the platform as an arrangement."""
        known = self._arranged.get(organization.id)
        if known is None or known[0] is not organization or known[1] is not contents:
            known = self._arranged[organization.id] = (organization, contents, _arrange(organization, contents))
        return known[2]

    async def prepare(self, organization: Organization, contents: OrganizationContents) -> None:
        """Compute an arrangement in the background, so that the first lift finds it ready."""
        known = self._arranged.get(organization.id)
        if known is None or known[0] is not organization or known[1] is not contents:
            arrangement = await asyncio.to_thread(_arrange, organization, contents)
            self._arranged[organization.id] = (organization, contents, arrangement)

    def arrangement(self, organization: Organization, contents: OrganizationContents) -> Arrangement:
        """Return the arrangement of an organization with its staged moves."""
        return self._staged_arrangement(organization.id) or self.on_platform(organization, contents)

    def children(self, contents: OrganizationContents) -> Mapping[str | None, Sequence[str]]:
        """Return the items in each item of an organization, with its staged moves."""
        staged = self._staged_arrangement(contents.organization)
        return staged.children if staged is not None else contents.children

    def origins(self, organization: str) -> Mapping[str, str]:
        """Return where each item with a staged move comes from."""
        moves = self._moves.get(organization)
        return moves.staging.origins if moves is not None and moves.staging is not None else {}

    def _staged_arrangement(self, organization: str) -> Arrangement | None:
        moves = self._moves.get(organization)
        return moves.staging.arrangement if moves is not None and moves.staging is not None else None

    def take_in(self, organization: Organization, contents: OrganizationContents) -> None:
        """Take the platform's arrangement; staged moves that still fit stay on top of it."""
        moves = self._moves.get(organization.id)
        if moves is None or moves.staging is None or moves.run is not None or not contents.complete:
            return
        if not moves.staged:
            moves.forget()
        elif (base := self.on_platform(organization, contents)) is not moves.staging.base:
            moves.take_in(base)

    def add(self, organization: Organization, contents: OrganizationContents, move: Move) -> None:
        """Stage a move, or show why it is not possible."""
        moves = self._moves.get(organization.id)
        if moves is None:
            arranged = CollectionsOf(organization.id, organization.title)
            moves = self._moves[organization.id] = AppliedMoves(self._view, arranged, self._changed)
        if not moves.staged and moves.run is None:
            moves.begin(self.arrangement(organization, contents))
        moves.add(move)

    async def apply(self, organization: str) -> None:
        """Show what will be done in an organization, and do it."""
        if (moves := self._moves.get(organization)) is not None:
            await moves.apply()

    def undo(self, organization: str) -> bool:
        """Undo the last staged move; false without a move."""
        moves = self._moves.get(organization)
        if moves is None or not moves.staged:
            return False
        moves.drop_last()
        return True

    @property
    def undoable(self) -> AppliedMoves | None:
        """The last moves, if nothing else was changed after them."""
        return next((moves for moves in self._moves.values() if moves.undoable is not None), None)

    def follow(self, run: Run[Any]) -> None:
        """Follow a run that makes, undoes or redoes moves."""
        if isinstance(run.mutation.progress, StepControl):
            for moves in self._moves.values():
                moves.follow(run)

    def stop_steps(self) -> bool:
        """Stop after the current move; false if none is being made."""
        return any(moves.stop_steps() for moves in self._moves.values())


def _arrange(organization: Organization, contents: OrganizationContents) -> Arrangement:
    arrangement = arrange_collections(organization, contents.collections, contents.spaces)
    assert arrangement.parents is not None  # found out here, and kept
    return arrangement


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
    contents: OrganizationContents | None = None
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
        """The address in the platform's web app; the lists of an organization have none."""
        thing = self.thing
        if thing is None or (isinstance(thing, Organization) and self.kind != ORGANIZATION):
            return None
        return thing.urls.app or thing.urls.location


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
        self.moves = CollectionMoves(self, self._show_moves)
        """The moves of collections and spaces that are staged."""
        self._contents = Contents(store, self._follow_contents)
        self._cursor: str | None = location.item
        """The item to put the cursor on when it is there."""
        self._opened = set(location.opened)
        self._has_begun = False
        self._guide: str | None = None

    def on_mount(self) -> None:
        """Follow the organizations."""
        self._organizations: Query[Listing[Organization]] = self.store.query_list(Organizations.list_organizations)
        self.follow(self._organizations, lambda _: self._show())
        self.listen(self.store.runs, self.moves.follow)
        self.work(self._find_guide(), "guide")
        if self._cursor is not None:
            self._find_organization(self._cursor, self._opened)

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
        query = self._contents.query_of(at.kind, at.organization.id) if at.organization is not None else None
        return (query,) if query is not None else ()

    def is_open(self, organization: str) -> bool:
        """Whether an organization was opened."""
        return self._contents.of(organization) is not None

    def reveal(self, item: str, opened: Sequence[str] = ()) -> None:
        """Put the cursor on an item, as soon as it is there; ``opened`` are the items to open for that."""
        self._open(opened)
        if not self._tree.reveal(item):
            self._cursor = item
            self._show()
            self._find_organization(item, opened)

    def _open(self, items: Iterable[str]) -> None:
        for kind, id in map(split_id, items):
            if kind == ORGANIZATION:
                self._contents.look_into(id)
        self._tree.open_items(*items)

    def _find_organization(self, item: str, opened: Iterable[str]) -> None:
        """Open the organization of a collection where that is not known, as its address does not name it."""
        kind, id = split_id(item)
        if kind == COLLECTION and not opened:
            self.work(self._open_organization_of(id), "collection")

    async def _open_organization_of(self, collection: str) -> None:
        found = await self.store.fetch(Collections.get_collection, collection)
        self._open([item_id(ORGANIZATION, found.organization)])

    def reload(self) -> None:
        """Request everything again."""
        self._organizations.refresh()
        self._contents.refresh()
        self.work(self._find_guide(), "guide")

    # Drawing

    def _follow_contents(self, query: Query[Any]) -> None:
        self.follow(query, lambda _: self.call_once(self._show))

    def _known_organizations(self) -> Sequence[Organization]:
        listing = self._organizations.value
        return listing.items if listing is not None else ()

    def _show(self) -> None:
        joins = "plus", "joins one by your e-mail domain"
        none = "No organizations yet."
        if not self.show_state(self._organizations, "your organizations", empty=none, key=joins[0], makes=joins[1]):
            return
        organizations = self._known_organizations()
        self._begin(organizations)
        for organization in organizations:
            if (contents := self._contents.of(organization.id)) is not None:
                self.moves.take_in(organization, contents)
        self._draw_tree()
        self._report_selected()
        self._preparing: Worker[None] = self.run_worker(
            self._prepare_lifts, group="prepare lifts", exclusive=True, exit_on_error=False
        )

    async def _prepare_lifts(self) -> None:
        for organization in self._known_organizations():
            contents = self._contents.of(organization.id)
            if contents is not None and contents.complete:
                await self.moves.prepare(organization, contents)

    def _draw_tree(self) -> None:
        unread = self._organizations.value.unread if self._organizations.value is not None else ()
        organizations = self._known_organizations()
        below = [TreeItem(item_id(EVERYWHERE, ""), COMBINED_INBOX, sign="○")]
        flat = rows_of(map(self._branch, organizations), unread, below if len(organizations) > 1 else ())
        cursor, self._cursor = (self._cursor, None) if self._cursor in flat.places else (None, self._cursor)
        self._tree.show_arranged(self._arrange_here, {}, _row_of_item, cursor, at_rest=flat)
        staged = self.moves.staged
        self.entitle("Organizations", "", f"{count(staged, 'move')} staged" if staged else "")

    def _branch(self, organization: Organization) -> Branch:
        contents = self._contents.of(organization.id)
        children = self.moves.children(contents) if contents is not None else {}
        return Branch(organization, contents, children, self.moves.origins(organization.id))

    def _begin(self, organizations: Sequence[Organization]) -> None:
        """Request the content of the organizations that were open, or of all if there are few."""
        if self._has_begun:
            return
        self._has_begun = True
        ids = {item_id(ORGANIZATION, one.id) for one in organizations}
        opened = self._opened or (ids if len(ids) <= _FEW else set())
        for item in opened & ids:
            self._contents.look_into(split_id(item)[1])
        self._tree.open_items(*opened)

    def _requests_below(self, key: Hashable) -> frozenset[str]:
        """Return the ids of the change requests in an inbox."""
        kind, organization = split_id(str(key))
        contents = self._contents.of(organization) if kind == INBOX else None
        return contents.requests if contents is not None else frozenset()

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
        contents = self._contents.of(organization.id) if organization is not None else None
        if organization is not None and contents is not None:
            self.moves.add(organization, contents, move)

    def _show_moves(self, item: str | None) -> None:
        self._draw_tree()
        if item is not None:
            self._tree.reveal(item)
        self._report_selected()

    def _arrange_here(self) -> Arrangement:
        """Return the arrangement of the organization of the lifted items, or of the item under the cursor."""
        lift = self._tree.lift
        organization = self._organization_of(lift.ids[0] if lift is not None else str(self._tree.cursor_key))
        contents = self._contents.of(organization.id) if organization is not None else None
        if organization is None or contents is None:
            return Arrangement({}, {})
        return self.moves.arrangement(organization, contents)

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
        contents = self._contents.of(of)
        return Selection(
            kind,
            id,
            current.label,
            organization,
            (contents.things.get(current.id) if contents is not None else None) or organization,
            contents,
            self._contents.failure(of),
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
        """Request the content of an organization that is opened."""
        event.stop()
        self._contents.look_into(split_id(event.item.id)[1])

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
