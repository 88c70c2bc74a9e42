"""A tree whose items can be lifted, moved and dropped, and its rows: a site, pages, or collections and spaces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, overload

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item
from recto.store.landing import Landing, Landings
from recto.store.moves import Move, Refusal, Where, find_lifted, inward, outward, step_move, why_not, why_stays
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.lists.rows import unread_key
from recto.tui.lists.tree_list import TreeItem, TreeList
from recto.tui.lists.tree_rows import Flat, Order, TreeRow, TreeRows, unread_items
from recto.tui.look.lines import plain

if TYPE_CHECKING:
    from recto.contract.unread import Unread

MOVED = "→"
"""Stands before the former place of an item with a staged move."""

LANDING = "landing"
"""The id of the row that shows where lifted items would land."""


@frozen
class Lift:
    """Lifted items, the places where they could land, and the place they are at."""

    places: Landings
    place: Landing

    @property
    def ids(self) -> tuple[str, ...]:
        """The items, from top to bottom."""
        return self.places.ids


def flat_of(arrangement: Arrangement, origins: Mapping[str, str], describe: Callable[[Item], TreeItem]) -> Flat:
    """Return the rows of an arrangement; ``describe`` returns that of an item by itself.

    ``origins`` gives the former places of items with staged moves.
    """
    items, unread = arrangement.items, arrangement.unread

    def under(node: str | Unread) -> Sequence[str | Unread]:
        if not isinstance(node, str):
            return ()
        return (*arrangement.under(node), *unread[node]) if node in unread else arrangement.under(node)

    order: Order[str | Unread] = Order((*arrangement.under(None), *unread.get(None, ())), under)
    nodes = order.nodes

    def make(place: int) -> TreeItem:
        node = nodes[place]
        if not isinstance(node, str):
            return unread_items([node])[0]
        row = replace(describe(items[node]), holds=order.ends[place] > place + 1)
        origin = origins.get(node)
        return replace(row, role="changed", note=f"{MOVED} {origin}", note_role="changed") if origin else row

    return Flat(
        order,
        [node if isinstance(node, str) else unread_key(node) for node in nodes],
        lambda: [items[node].name if isinstance(node, str) else node.words for node in nodes],
        make,
    )


class CarriedRows(TreeRows):
    """The visible rows of a tree, and the row where lifted items would land. Nothing is made for the others."""

    def __init__(self, rest: TreeRows, arrangement: Arrangement, lift: Lift, opened: Collection[str]) -> None:
        super().__init__(rest.flat, rest.places, rest.opened, rest.draw_row)
        self._lift = lift
        self._lifted = frozenset(lift.ids)
        self._at = self._landing_index(arrangement, opened)
        self._landing = TreeRow(_landing_item(arrangement, lift), lift.place.depth, None, expanded=False)

    def _landing_index(self, arrangement: Arrangement, opened: Collection[str]) -> int:
        """Return the row of the landing: above its target, below it, or among its children."""
        place, target = self._lift.place, self._lift.place.move.target
        if place.move.where is Where.BEFORE:
            return self.places_before(str(target))
        if place.move.where is Where.INSIDE:
            if target is not None and (place.first or target not in opened):
                return self.places_before(target) + 1
            if children := arrangement.under(target):
                target = children[-1]
        return self.places_before(target, below=True) if target is not None else len(self.places)

    def __len__(self) -> int:
        return len(self.places) + 1

    @overload
    def __getitem__(self, index: int) -> TreeRow: ...

    @overload
    def __getitem__(self, index: slice) -> list[TreeRow]: ...

    def __getitem__(self, index: int | slice) -> TreeRow | list[TreeRow]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index == self._at:
            return self._landing
        row = super().__getitem__(index - (index > self._at))
        if row.item.id not in self._lifted:
            return row
        return replace(row, item=replace(row.item, role="faint", note="lifted", note_role="muted"))

    def key(self, index: int) -> Hashable:
        """Return the id of the item, or :data:`LANDING`."""
        return LANDING if index == self._at else super().key(index - (index > self._at))

    def index_of(self, id: str) -> int | None:
        """Return the row of an item that is visible, or of the landing."""
        if id == LANDING:
            return self._at
        index = super().index_of(id)
        return index if index is None else index + (index >= self._at)

    def text(self, index: int) -> str:
        """Return the item's label."""
        return self[index].item.label


def _landing_item(arrangement: Arrangement, lift: Lift) -> TreeItem:
    ids = lift.ids
    name = arrangement.items[ids[0]].name + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
    if lift.place.reason:
        return TreeItem(LANDING, name, mark="× ", role="error", note="cannot go here")
    return TreeItem(LANDING, name, mark="► ", role="accent strong", note="here")


_GROUP = "Arrange"

actions.register(
    Action("arrange.lift", "Lift", ("m",), _GROUP, "lift", writes=True),
    Action("arrange.drop", "Drop here", ("enter",), _GROUP, "drop", in_palette=False),
    Action("arrange.put_back", "Put back", ("escape",), _GROUP, "put back", in_palette=False),
    Action("arrange.down", "Move down", ("J", "alt+down"), _GROUP, writes=True),
    Action("arrange.up", "Move up", ("K", "alt+up"), _GROUP, writes=True),
    Action("arrange.out", "Move out of the parent", ("H", "alt+left"), _GROUP, writes=True),
    Action("arrange.in", "Move into the item above", ("L", "alt+right"), _GROUP, writes=True),
    Action("arrange.apply", "Apply staged moves", ("A",), _GROUP, "apply", writes=True),
)

_WHILE_LIFTED = {
    *("list_down", "list_up", "list_top", "list_bottom", "list_half_down", "list_half_up"),
    *("list_page_down", "list_page_up", "tree_expand", "tree_collapse"),
    *("arrange_drop", "arrange_put_back", "arrange_down", "arrange_up"),
}


_MOVING = frozenset({"arrange.lift", "arrange.down", "arrange.up", "arrange.out", "arrange.in"})


def _with_name(item: Item) -> TreeItem:
    return TreeItem(item.id, item.name)


class LiftTree(TreeList):
    """The items of an arrangement. It posts wanted moves; the screen stages them and shows it again.

    ``why_not_moved`` says why nothing can be moved now.
    """

    # A key that a class binds hides what its base binds to it, so opening and clearing are named again.
    BINDINGS = bindings(
        "arrange.drop",
        "arrange.put_back",
        "list.open",
        "list.clear",
        "arrange.lift",
        "arrange.down",
        "arrange.up",
        "arrange.out",
        "arrange.in",
    )

    @frozen
    class MoveWanted(Message):
        """The person wants to move items."""

        tree: LiftTree
        move: Move

        @property
        def control(self) -> LiftTree:
            """The tree, so that handlers can select by it."""
            return self.tree

    @frozen
    class LiftChanged(Message):
        """Items were lifted, carried to another place, or released."""

        tree: LiftTree
        lift: Lift | None

        @property
        def control(self) -> LiftTree:
            """The tree, so that handlers can select by it."""
            return self.tree

    def __init__(self, *, why_not_moved: Callable[[], str | None] = lambda: None, id: str | None = None) -> None:
        self._lift: Lift | None = None
        super().__init__(selectable=True, id=id)
        self._why_not_moved = why_not_moved
        self._arrange: Callable[[], Arrangement] | Arrangement = Arrangement({}, {})
        self._origins: Mapping[str, str] = {}
        self._describe: Callable[[Item], TreeItem] = _with_name
        self._at_rest: Flat | None = None

    @property
    def lift(self) -> Lift | None:
        """The lifted items; ``None`` while none are."""
        return self._lift

    @property
    def arrangement(self) -> Arrangement:
        """The items, with their staged moves."""
        return self._arrange if isinstance(self._arrange, Arrangement) else self._arrange()

    def show_arranged(
        self,
        arrange: Callable[[], Arrangement] | Arrangement,
        origins: Mapping[str, str],
        describe: Callable[[Item], TreeItem],
        cursor: str | None = None,
        *,
        opened: Iterable[str] = (),
        at_rest: Flat | None = None,
    ) -> None:
        """Show an arrangement, which may be computed when it is first needed.

        ``origins`` gives the former places of items with staged moves, ``describe`` returns the row of an item by
        itself; ``at_rest`` are the rows while nothing is lifted, where they are known otherwise.
        """
        self._arrange, self._origins, self._describe, self._at_rest = arrange, origins, describe, at_rest
        self._expanded.update(opened)
        if self._lift is not None:
            self._lift_again(self._lift)
        self._draw_all(cursor)

    def _draw_all(self, cursor: str | None = None) -> None:
        flat = self._at_rest or flat_of(self.arrangement, self._origins, self._describe)
        if self._lift is None:
            self.show_flat(flat, cursor)
        else:
            self._flat = flat
            self._draw_carried()

    def _draw_carried(self) -> None:
        self.show(self._visible(), LANDING)

    def _visible(self) -> TreeRows:
        rest = super()._visible()
        if self._lift is None:
            return rest
        return CarriedRows(rest, self.arrangement, self._lift, self._expanded)

    # Lifting

    def action_arrange_lift(self) -> None:
        """Lift the selected items, or that under the cursor."""
        chosen = find_lifted(self.arrangement, self._keys_to_lift())
        if not chosen:
            self._refuse("There is nothing to move.")
            return
        if (fixed := self.arrangement.why_fixed) is not None:
            self._refuse(fixed)
            return
        if (reason := next(filter(None, map(self._why_stays, chosen)), None)) is not None:
            self._refuse(reason)
            return
        if self.needle:
            self.find("")
        places = Landings(self.arrangement, chosen, self.expanded)
        self._carry(Lift(places, places.home()))

    def _why_stays(self, id: str) -> str | None:
        """Return the reason why an item cannot be moved at all."""
        item = self.arrangement.items[id]
        if item.kind.is_fixed:
            return why_not(self.arrangement, item, None) or f"“{item.name}” stays where it is."
        return why_stays(item)

    def _lift_again(self, lift: Lift) -> None:
        """Carry on with the present items."""
        ids = tuple(id for id in lift.ids if id in self.arrangement.items)
        if not ids:
            self._release()
            return
        places = Landings(self.arrangement, ids, self.expanded)
        self._lift = Lift(places, places.of(lift.place.move) or places.home())

    def _carry(self, lift: Lift) -> None:
        self._lift = lift
        self._draw_carried()
        self.refresh_bindings()
        self.post_message(self.LiftChanged(self, lift))

    def _release(self) -> None:
        self._lift = None
        self.refresh_bindings()
        self.post_message(self.LiftChanged(self, None))

    def _carry_to(self, place: Landing | None) -> None:
        if self._lift is not None and place is not None:
            self._carry(Lift(self._lift.places, place))

    def _places(self, by: int) -> Iterator[Landing]:
        """Walk the places below (``by`` above 0) or above the present place."""
        assert self._lift is not None
        return self._lift.places.below(self._lift.place) if by > 0 else self._lift.places.above(self._lift.place)

    def _carry_to_possible(self, by: int) -> None:
        self._carry_to(next((place for place in self._places(by) if place.reason is None), None))

    def _carry_to_depth(self, by: int) -> None:
        """Go to the next possible place further in (``by`` 1), or to the previous further out (-1)."""
        assert self._lift is not None
        depth = self._lift.place.depth
        possible = (place for place in self._places(by) if place.reason is None)
        self._carry_to(next((place for place in possible if (place.depth - depth) * by > 0), None))

    def _carry_by(self, by: int) -> None:
        """Carry the items over so many places, or as far as possible."""
        passed = [*islice(self._places(by), abs(by))]
        self._carry_to(passed[-1] if passed else None)

    def put_back(self) -> None:
        """Put the lifted items back where they were."""
        if self._lift is not None:
            first = self._lift.ids[0]
            self._release()
            self._draw_all(first)

    def action_arrange_put_back(self) -> None:
        """Put the lifted items back."""
        self.put_back()

    def action_arrange_drop(self) -> None:
        """Drop the lifted items, if that is possible here."""
        if self._lift is None:
            return
        place, first = self._lift.place, self._lift.ids[0]
        if place.reason:
            self._refuse(place.reason)
            return
        if place.move.where is Where.INSIDE and place.move.target is not None:
            self._expanded.add(place.move.target)
        self._release()
        self.selection.clear()
        self._draw_all(first)
        if not place.stays:
            self.post_message(self.MoveWanted(self, place.move))

    # Moving by a place

    def _keys_to_lift(self) -> tuple[str, ...]:
        if self.selected:
            return tuple(str(key) for key in self.selected)
        return (str(self.cursor_key),) if self.cursor_key is not None else ()

    def _refuse(self, reason: str) -> None:
        """Show why items cannot be lifted or moved."""
        self.notify(plain(reason), markup=False)

    def _request_move(self, move: Move | Refusal) -> None:
        if isinstance(move, Refusal):
            self._refuse(move.reason)
        else:
            self.post_message(self.MoveWanted(self, move))

    def action_arrange_down(self) -> None:
        """Move down by a place; lifted items go to the next possible place."""
        if self._lift is not None:
            self._carry_to_possible(1)
        else:
            self._request_move(step_move(self.arrangement, self._keys_to_lift(), 1))

    def action_arrange_up(self) -> None:
        """Move up by a place; lifted items go to the previous possible place."""
        if self._lift is not None:
            self._carry_to_possible(-1)
        else:
            self._request_move(step_move(self.arrangement, self._keys_to_lift(), -1))

    def action_arrange_out(self) -> None:
        """Move out of the parent, to the place after it."""
        self._request_move(outward(self.arrangement, self._keys_to_lift()))

    def action_arrange_in(self) -> None:
        """Move into the group just above."""
        self._request_move(inward(self.arrangement, self._keys_to_lift()))

    # What the list's keys do while something is lifted

    def _step(self, by: int) -> None:
        if self._lift is not None:
            self._carry_by(by)
        else:
            super()._step(by)

    def _leap(self, by: int) -> None:
        if self._lift is not None:
            self._carry_by(by)
        else:
            super()._leap(by)

    def action_list_top(self) -> None:
        """Go to the first row, or place."""
        if self._lift is not None:
            self._carry_to(self._lift.places.first())
        else:
            super().action_list_top()

    def action_list_bottom(self) -> None:
        """Go to the last row, or place."""
        if self._lift is not None:
            self._carry_to(self._lift.places.last())
        else:
            super().action_list_bottom()

    def action_tree_expand(self) -> None:
        """Expand or go in; lifted items go to the next place further in."""
        if self._lift is not None:
            self._carry_to_depth(1)
        else:
            super().action_tree_expand()

    def action_tree_collapse(self) -> None:
        """Collapse or go to the parent; lifted items go out, before their parent."""
        if self._lift is not None:
            self._carry_to_depth(-1)
        else:
            super().action_tree_collapse()

    def why_not(self, action: str) -> str | None:
        """Return the reason why nothing can be moved, or not now."""
        if action in _MOVING and (reason := self._why_not_moved()):
            return reason
        if self._waits_for_drop(action.replace(".", "_")):
            return "items are lifted; ‹arrange.drop› drops them, ‹arrange.put_back› puts them back"
        return super().why_not(action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer dropping only while items are lifted, and then only actions on them."""
        if action in ("arrange_drop", "arrange_put_back"):
            return self._lift is not None
        return False if self._waits_for_drop(action) else super().check_action(action, parameters)

    def _waits_for_drop(self, action: str) -> bool:
        """Whether items are lifted, and an action of the tree is not about them."""
        is_own = action.startswith(("list_", "tree_", "arrange_"))
        return self._lift is not None and is_own and action not in _WHILE_LIFTED

    def on_click(self, event: events.Click) -> None:
        """Carry the lifted items to the row that was clicked."""
        if self._lift is None:
            return
        event.prevent_default()
        index = self.row_at(event)
        key = self.tree_rows.key(index) if index is not None else None
        places = self._lift.places
        found = (places.of(Move(places.ids, str(key), where)) for where in (Where.BEFORE, Where.INSIDE))
        self._carry_to(next(filter(None, found), None))


class LandingLine(Static):
    """A line that says where lifted items would land, or why they cannot; hidden while none are lifted."""

    def show(self, event: LiftTree.LiftChanged) -> None:
        """Show where the items are carried to."""
        self.display = event.lift is not None
        if event.lift is not None:
            place = event.lift.place
            self.set_class(place.reason is not None, "-refused")
            self.update(Content(plain(("× " if place.reason else "► ") + place.sentence(event.control.arrangement))))
