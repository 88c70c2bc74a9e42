"""The pane with the structure of a site: the tree of groups, sections and site spaces, in which items are moved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.message import Message

from recto.contract.structure import SiteStructure, Structure
from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item, Kind, address_of, find_moved_defaults
from recto.tui.lists.lift_tree import LiftTree
from recto.tui.lists.tree_rows import TreeItem, unread_items
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.signs import LINK_SIGN
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from recto.store.locations import SiteLocation
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.staging import Staging
    from recto.store.store import Store


NEW_DEFAULT = "★ now the default"
"""Stands beside an item that became the default by itself."""

_FEW = 40
"""A site with so many items is shown with all of them open; of a larger one the sections are closed at first."""


class StructurePane(Pane):
    """The structure with its staged moves."""

    @frozen
    class Loaded(Message):
        """The structure has been loaded; if ``stale``, it is being refreshed."""

        arrangement: Arrangement
        stale: bool

    class Passed(Message):
        """The cursor is on another item."""

    @frozen
    class Entered(Message):
        """The person goes into a site space or a link."""

        item: Item

    def __init__(
        self, store: Store, site: SiteAddress, location: SiteLocation, why_not_moved: Callable[[], str | None]
    ) -> None:
        self._tree = LiftTree(id="tree", why_not_moved=why_not_moved)
        self._tree.mark_news(store.news)
        self._tree.can_open = lambda _: self._opens_here
        self._tree.why_closed = lambda _: self._why_closed
        super().__init__(store, "Structure", self._tree, id="structure")
        self._site = site
        self.structure: Query[SiteStructure] = store.query(Structure.get_structure, site.organization, site.id)
        self._wanted = location.item
        """The item to put the cursor on when it is there."""
        self._row = location.row
        """The row to put the cursor on at first."""
        self._arrangement = Arrangement({}, {})
        self._loaded: Arrangement | None = None
        """The structure as the platform gave it last."""
        self._new_defaults: frozenset[str] = frozenset()
        """Items that became the default by themselves while the screen was open."""

    def on_mount(self) -> None:
        """Follow the structure."""
        self.follow(self.structure, self._take)

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The structure."""
        return (self.structure,)

    def reload(self) -> None:
        """Request the structure again."""
        self.structure.refresh()

    def _take(self, query: Query[SiteStructure]) -> None:
        if self.show_state(query, "the structure of the site") and query.value is not None:
            arrangement = Arrangement.of(query.value)
            self._note_defaults(arrangement)
            self.post_message(self.Loaded(arrangement, query.stale))
        else:
            self.refresh_bindings()

    def _note_defaults(self, arrangement: Arrangement) -> None:
        before, self._loaded = self._loaded, arrangement
        lasting = {id for id in self._new_defaults if id in arrangement.items and arrangement.items[id].default}
        fresh = find_moved_defaults(before, arrangement) if before is not None else frozenset()
        self._new_defaults = fresh | lasting

    # Drawing

    def show_staging(self, staging: Staging, item: str | None = None) -> None:
        """Show the structure with its staged moves, and put the cursor on an item if given."""
        before, arrangement = self._arrangement, staging.arrangement
        self._arrangement = arrangement
        wanted = item or self._wanted
        found = wanted if wanted in arrangement.items else None
        if found is not None:
            self._wanted = None
        few = len(arrangement.items) <= _FEW
        new = arrangement.items.keys() - before.items.keys()
        self._tree.show_arranged(
            arrangement,
            staging.origins,
            describe_in(arrangement, self._new_defaults),
            found,
            opened=[id for id in new if few or arrangement.items[id].kind is Kind.GROUP],
        )
        if found is not None:
            self._tree.reveal(found)
        elif self._row is not None:
            self._tree.cursor = self._row
        self._row = None
        kinds = [one.kind for one in arrangement.items.values()]
        counted = [count(kinds.count(kind), kind.word) for kind in Kind if kinds.count(kind)]
        below = f"{count(staging.count, 'move')} staged" if staging.moves else _unknown_order(arrangement)
        self.entitle("Structure", ", ".join(counted), below)
        if not arrangement.items and not arrangement.unread:
            self.show_empty("No sections or spaces yet.", "a", "adds one")

    def reveal(self, item: str) -> None:
        """Put the cursor on an item, as soon as it is there."""
        if not self._tree.reveal(item):
            self._wanted = item

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        return self._arrangement.items.get(str(self._tree.cursor_key))

    @property
    def row(self) -> int:
        """The row of the cursor."""
        return self._tree.cursor

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Report that the cursor is on another item."""
        event.stop()
        self.post_message(self.Passed())

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go into a site space or a link; open or close anything else."""
        event.stop()
        item = self.item
        if item is not None and _leads(item):
            self.post_message(self.Entered(item))
        elif (row := self._tree.current) is not None and row.expandable:
            self._tree.toggle(row)

    @property
    def _opens_here(self) -> bool:
        item, row = self.item, self._tree.current
        return (item is not None and _leads(item)) or (row is not None and row.expandable)

    @property
    def _why_closed(self) -> str | None:
        item = self.item
        is_hidden = item is not None and item.kind is Kind.SITE_SPACE and item.space is None
        return "you may not see its space" if is_hidden else None

    # Lifting

    @property
    def is_lifting(self) -> bool:
        """Whether items are lifted."""
        return self._tree.lift is not None

    def put_back(self) -> None:
        """Put lifted items back."""
        self._tree.put_back()


def _unknown_order(arrangement: Arrangement) -> str:
    """Explain that groups stand above sections only because the server lists both apart."""
    beside = ({arrangement.items[id].kind for id in ids} for ids in arrangement.children.values())
    is_unknown = any(kinds.issuperset(arrangement.kinds_apart) for kinds in beside)
    return "order of groups among sections unknown" if is_unknown and arrangement.kinds_apart else ""


def describe_in(arrangement: Arrangement, new_defaults: Collection[str] = ()) -> Callable[[Item], TreeItem]:
    """Return what makes the row of an item of a site; ``new_defaults`` became the default by themselves."""

    def describe(item: Item) -> TreeItem:
        return TreeItem(
            item.id,
            item.name,
            sign=LINK_SIGN if item.kind is Kind.LINK else "",
            role="strong" if item.kind is Kind.GROUP else "",
            detail=[(_detail(item), "faint")],
            note=marks(item, new_default=item.id in new_defaults),
        )

    def _detail(item: Item) -> str:
        if item.kind is Kind.GROUP:
            inside = len(arrangement.under(item.id))
            return count(inside, "item") if inside else "empty"
        if item.kind is Kind.SECTION:
            return f"/{item.path}"
        if item.kind is Kind.LINK:
            return lines.plain(item.url or "")
        return address_of(arrangement, item) if item.kind is Kind.SITE_SPACE else "unknown to this version"

    return describe


def _leads(item: Item) -> bool:
    """Whether something is behind an item of the structure."""
    return item.kind is Kind.LINK or (item.kind is Kind.SITE_SPACE and item.space is not None)


def rows_of(
    arrangement: Arrangement, describe: Callable[[Item], TreeItem], parent: str | None = None
) -> list[TreeItem]:
    """Return the rows of all items, or of those under an item, each with its own rows."""
    found = []
    for id in arrangement.under(parent):
        row = describe(arrangement.items[id])
        found.append(replace(row, children=(*row.children, *rows_of(arrangement, describe, id))))
    return [*found, *unread_items(arrangement.unread.get(parent, ()))]


def marks(item: Item, *, new_default: bool = False) -> str:
    """Return the remarks on an item, a word or two each."""
    words = {
        NEW_DEFAULT if new_default else "default": item.default,
        "conditional": item.condition,
        "hidden": item.hidden,
        "draft": item.draft,
    }
    return " · ".join(word for word, has in words.items() if has)
