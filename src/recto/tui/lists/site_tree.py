"""The structure of a site as a tree in which items are lifted, carried and dropped, and its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from textual import events
from textual.message import Message

from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item, Kind, addresses
from recto.store.landing import Landing, home, landings
from recto.store.moves import Move, Refusal, Where, inward, lifted, outward, stepped
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.lists.tree_list import TreeItem, TreeList, TreeRow
from recto.tui.lists.tree_rows import CLOSED, LEAF, OPENED, unread_items
from recto.tui.look import lines
from recto.tui.look.lines import Span
from recto.tui.look.signs import LINK_SIGN

MOVED = "→"
"""Stands before where an item comes from that is to be moved."""

NEW_DEFAULT = "★ now the default"
"""Marks an item that became the default by itself."""

LANDING = "landing"
"""The id of the row that shows where lifted items would land."""


@frozen
class Lift:
    """Lifted items, the places where they could land, and the place they are at."""

    ids: tuple[str, ...]
    places: list[Landing]
    at: int

    @property
    def place(self) -> Landing:
        """Where it would land."""
        return self.places[self.at]


@frozen
class SiteRows:
    """The rows of an arrangement, made again whenever something in it is lifted, moves or lands."""

    arrangement: Arrangement
    origins: Mapping[str, str]
    """Where items come from that are to be moved."""
    addresses: Mapping[str, str]
    """Where items are read."""
    lift: Lift | None
    was_open: frozenset[str]
    """What was open before something was lifted."""
    new_defaults: frozenset[str] = frozenset()
    """Items that became the default by themselves, such as after another one was removed."""

    def under(self, parent: str | None) -> list[TreeItem]:
        """Return the rows of the children of an item, or of the top, each with its own children."""
        found: list[TreeItem] = []
        for id in self.arrangement.under(parent):
            if self._lands(id, Where.BEFORE):
                found.append(self._landing_row())
            found.append(self._row(self.arrangement.items[id]))
            if self._lands(id, Where.AFTER):
                found.append(self._landing_row())
        found += unread_items(self.arrangement.unread.get(parent, ()))
        if self._lands(parent, Where.INSIDE):
            found.append(self._landing_row())
        return found

    def _row(self, item: Item) -> TreeItem:
        children = self.under(item.id)
        if self.lift is not None and item.id not in self.was_open:
            # A closed item opens only for what would land in it.
            children = [child for child in children if child.id == LANDING]
        is_lifted = self.lift is not None and item.id in self.lift.ids
        origin = self.origins.get(item.id)
        role = "faint" if is_lifted else "changed" if origin else "strong" if item.kind is Kind.GROUP else ""
        return TreeItem(
            item.id,
            item.name,
            sign=MOVED if origin else LINK_SIGN if item.kind is Kind.LINK else "",
            role=role,
            detail=[(self._detail(item), "faint")],
            children=children,
            lazy=bool(self.lift and not children and self.arrangement.under(item.id)),
            note="lifted" if is_lifted else origin or marks(item, new_default=item.id in self.new_defaults),
        )

    def _detail(self, item: Item) -> str:
        if item.kind is Kind.GROUP:
            inside = len(self.arrangement.under(item.id))
            return count(inside, "item") if inside else "empty"
        if item.kind is Kind.SECTION:
            return f"/{item.path}"
        if item.kind is Kind.LINK:
            return lines.plain(item.url or "")
        return self.addresses.get(item.id, "unknown to this version")

    def _lands(self, target: str | None, where: Where) -> bool:
        move = self.lift.place.move if self.lift else None
        return move is not None and move.target == target and move.where is where

    def _landing_row(self) -> TreeItem:
        assert self.lift is not None
        ids = self.lift.ids
        name = self.arrangement.items[ids[0]].name + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
        if self.lift.place.reason:
            return TreeItem(LANDING, name, sign="×", role="error", note="cannot go here")
        return TreeItem(LANDING, name, sign="►", role="accent strong", note="here")


def draw_site_row(row: TreeRow, width: int) -> list[Span]:
    """Draw an item; what moves shows where it comes from, and where lifted items land the sign stands before them."""
    item = row.item
    fold = (OPENED if row.expanded else CLOSED) if item.expandable else LEAF
    lands = item.id == LANDING
    left: list[Span] = [("  " * row.depth, ""), (f"{item.sign} ", item.role) if lands else (fold, "faint")]
    if item.sign == LINK_SIGN:
        left.append((f"{LINK_SIGN} ", "muted"))
    left.append((lines.plain(item.label), item.role))
    if item.note:
        moves = item.sign == MOVED
        left.append((f"  {item.sign} {lines.plain(item.note)}", "changed") if moves else (f"  {item.note}", "muted"))
    return lines.beside(left, item.detail, width)


def marks(item: Item, *, new_default: bool = False) -> str:
    """Return the remarks on an item, a word or two each."""
    words = {
        NEW_DEFAULT if new_default else "default": item.default,
        "conditional": item.condition,
        "hidden": item.hidden,
        "draft": item.draft,
    }
    return " · ".join(word for word, has in words.items() if has)


FEW = 40
"""A site with so many items is shown with all of them open; of a larger one the sections are closed at first."""

_GROUP = "Arrange"

actions.register(
    Action("site.lift", "Lift", ("m",), _GROUP, "lift", writes=True),
    Action("site.drop", "Drop here", ("enter",), _GROUP, "drop", in_palette=False),
    Action("site.put_back", "Put back", ("escape",), _GROUP, "put back", in_palette=False),
    Action("site.down", "Move down", ("J", "alt+down"), _GROUP, writes=True),
    Action("site.up", "Move up", ("K", "alt+up"), _GROUP, writes=True),
    Action("site.out", "Move out of the parent", ("H", "alt+left"), _GROUP, writes=True),
    Action("site.in", "Move into the group above", ("L", "alt+right"), _GROUP, writes=True),
)

_WHILE_LIFTED = {
    *("list_down", "list_up", "list_top", "list_bottom", "list_half_down", "list_half_up"),
    *("list_page_down", "list_page_up", "tree_expand", "tree_collapse"),
    *("site_drop", "site_put_back", "site_down", "site_up"),
}


class SiteTree(TreeList):
    """Groups, sections and site spaces. It posts wanted moves; the screen stages them and shows it again."""

    # A key that a class binds hides what its base binds to it, so opening and clearing are named again.
    BINDINGS = bindings(
        "site.drop",
        "site.put_back",
        "list.open",
        "list.clear",
        "site.lift",
        "site.down",
        "site.up",
        "site.out",
        "site.in",
    )

    @dataclass
    class MoveWanted(Message):
        """The person wants items to be somewhere else."""

        tree: SiteTree
        move: Move

        @property
        def control(self) -> SiteTree:
            """The tree, so that handlers can select by it."""
            return self.tree

    @dataclass
    class Refused(Message):
        """What the person wants cannot be."""

        tree: SiteTree
        reason: str

        @property
        def control(self) -> SiteTree:
            """The tree, so that handlers can select by it."""
            return self.tree

    @dataclass
    class LiftChanged(Message):
        """Items were lifted, are over another place, or are lifted no more."""

        tree: SiteTree
        lift: Lift | None

        @property
        def control(self) -> SiteTree:
            """The tree, so that handlers can select by it."""
            return self.tree

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(draw=draw_site_row, selectable=True, id=id)
        self.arrangement = Arrangement({}, {})
        self._origins: Mapping[str, str] = {}
        self._new_defaults: frozenset[str] = frozenset()
        self._addresses: Mapping[str, str] = {}
        self._lift: Lift | None = None
        self._was_open: frozenset[str] = frozenset()

    @property
    def lift(self) -> Lift | None:
        """The lifted items; ``None`` while none are."""
        return self._lift

    def show_site(
        self,
        arrangement: Arrangement,
        origins: Mapping[str, str],
        cursor: str | None = None,
        new_defaults: frozenset[str] = frozenset(),
    ) -> None:
        """Show an arrangement; ``origins`` says of items that are to be moved where they come from.

        ``new_defaults`` are marked: they became the default by themselves.
        """
        small = len(arrangement.items) <= FEW
        new = arrangement.items.keys() - self.arrangement.items.keys()
        self._expanded.update(id for id in new if small or arrangement.items[id].kind is Kind.GROUP)
        self.arrangement = arrangement
        self._origins = origins
        self._new_defaults = new_defaults
        self._addresses = addresses(arrangement)
        if self._lift is not None:
            self._lift_again(self._lift)
        self._draw_all(cursor)

    def _draw_all(self, cursor: str | None = None) -> None:
        rows = SiteRows(
            self.arrangement, self._origins, self._addresses, self._lift, self._was_open, self._new_defaults
        )
        self.show_items(rows.under(None), LANDING if self._lift is not None else cursor)

    # Lifting

    def action_site_lift(self) -> None:
        """Lift the selected items, or that under the cursor."""
        chosen = lifted(self.arrangement, self._chosen())
        if not chosen:
            return
        if (fixed := self.arrangement.why_fixed) is not None:
            self.post_message(self.Refused(self, fixed))
            return
        unknown = [id for id in chosen if self.arrangement.items[id].kind is Kind.OTHER]
        if unknown:
            name = self.arrangement.items[unknown[0]].name
            self.post_message(self.Refused(self, f"“{name}” is of a kind unknown to this version."))
            return
        if self.needle:
            self.find("")
        self._was_open = self.expanded
        self._expanded.update(id for id in self.arrangement.items)
        places = landings(self.arrangement, chosen, self._was_open)
        self._carry(Lift(chosen, places, home(self.arrangement, places, chosen)))

    def _lift_again(self, lift: Lift) -> None:
        """Go on carrying over what the site is now."""
        ids = tuple(id for id in lift.ids if id in self.arrangement.items)
        if not ids:
            self._let_go()
            return
        self._expanded.update(id for id in self.arrangement.items)
        places = landings(self.arrangement, ids, self._was_open)
        start = home(self.arrangement, places, ids)
        at = next((index for index, one in enumerate(places) if one.move == lift.place.move), start)
        self._lift = Lift(ids, places, at)

    def _carry(self, lift: Lift) -> None:
        self._lift = lift
        self._draw_all()
        self.refresh_bindings()
        self.post_message(self.LiftChanged(self, lift))

    def _let_go(self) -> None:
        self._lift = None
        self._expanded = set(self._was_open)
        self.refresh_bindings()
        self.post_message(self.LiftChanged(self, None))

    def _to(self, index: int) -> None:
        if self._lift is not None:
            at = max(0, min(index, len(self._lift.places) - 1))
            self._carry(Lift(self._lift.ids, self._lift.places, at))

    def _to_possible(self, by: int) -> None:
        assert self._lift is not None
        index = self._lift.at + by
        while 0 <= index < len(self._lift.places):
            if self._lift.places[index].reason is None:
                self._to(index)
                return
            index += by

    def _to_depth(self, indices: range, *, deeper: bool) -> None:
        assert self._lift is not None
        depth = self._lift.place.depth
        for index in indices:
            place = self._lift.places[index]
            if place.reason is None and (place.depth > depth if deeper else place.depth < depth):
                self._to(index)
                return

    def put_back(self) -> None:
        """Put the lifted items back where they were."""
        if self._lift is not None:
            first = self._lift.ids[0]
            self._let_go()
            self._draw_all(first)

    def action_site_put_back(self) -> None:
        """Put the lifted items back."""
        self.put_back()

    def action_site_drop(self) -> None:
        """Drop the lifted items, where they may be here."""
        if self._lift is None:
            return
        place, first = self._lift.place, self._lift.ids[0]
        if place.reason:
            self.post_message(self.Refused(self, place.reason))
            return
        if place.move.where is Where.INSIDE and place.move.target is not None:
            self._was_open |= {place.move.target}
        self._let_go()
        self.selection.clear()
        self._draw_all(first)
        if not place.stays:
            self.post_message(self.MoveWanted(self, place.move))

    # Moving by one place

    def _chosen(self) -> tuple[str, ...]:
        if self.selected:
            return tuple(str(key) for key in self.selected)
        return (str(self.cursor_key),) if self.cursor_key is not None else ()

    def _want(self, move: Move | Refusal) -> None:
        if isinstance(move, Refusal):
            self.post_message(self.Refused(self, move.reason))
        else:
            self.post_message(self.MoveWanted(self, move))

    def action_site_down(self) -> None:
        """Move one place down; lifted items go to the next possible place."""
        if self._lift is not None:
            self._to_possible(1)
        else:
            self._want(stepped(self.arrangement, self._chosen(), 1))

    def action_site_up(self) -> None:
        """Move one place up; lifted items go to the previous possible place."""
        if self._lift is not None:
            self._to_possible(-1)
        else:
            self._want(stepped(self.arrangement, self._chosen(), -1))

    def action_site_out(self) -> None:
        """Move out of what it is in, to after it."""
        self._want(outward(self.arrangement, self._chosen()))

    def action_site_in(self) -> None:
        """Move into the group just above."""
        self._want(inward(self.arrangement, self._chosen()))

    # What the list's keys do while something is lifted

    def _step(self, by: int) -> None:
        if self._lift is not None:
            self._to(self._lift.at + by)
        else:
            super()._step(by)

    def _leap(self, by: int) -> None:
        if self._lift is not None:
            self._to(self._lift.at + by)
        else:
            super()._leap(by)

    def action_list_top(self) -> None:
        """Go to the first row, or place."""
        if self._lift is not None:
            self._to(0)
        else:
            super().action_list_top()

    def action_list_bottom(self) -> None:
        """Go to the last row, or place."""
        if self._lift is not None:
            self._to(len(self._lift.places))
        else:
            super().action_list_bottom()

    def action_tree_expand(self) -> None:
        """Expand or go in; lifted items go to the next place further in."""
        if self._lift is not None:
            self._to_depth(range(self._lift.at + 1, len(self._lift.places)), deeper=True)
        else:
            super().action_tree_expand()

    def action_tree_collapse(self) -> None:
        """Collapse or go to the parent; lifted items go out, before their parent."""
        if self._lift is not None:
            self._to_depth(range(self._lift.at - 1, -1, -1), deeper=False)
        else:
            super().action_tree_collapse()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer dropping only while something is lifted, and then nothing that is not about it."""
        if action in ("site_drop", "site_put_back"):
            return self._lift is not None
        if self._lift is not None and action.startswith(("list_", "tree_", "site_")):
            return action in _WHILE_LIFTED
        return super().check_action(action, parameters)

    def on_click(self, event: events.Click) -> None:
        """Carry the lifted items to the row that was clicked."""
        if self._lift is None:
            return
        event.prevent_default()
        index = self.row_at(event)
        key = self.tree_rows.key(index) if index is not None else None
        for place in self._places_at(key):
            self._to(place)
            return

    def _places_at(self, key: object) -> Iterator[int]:
        assert self._lift is not None
        for where in (Where.BEFORE, Where.INSIDE):
            for index, place in enumerate(self._lift.places):
                if place.move.target == key and place.move.where is where:
                    yield index
