"""A key in a large tree does as much as in a small one: what is done is counted, and not timed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recto.store.arrangement import IN_COLLECTIONS, Arrangement, Item, Kind
from recto.store.landing import Landings
from recto.tui.lists.columns import Column, Texts
from recto.tui.lists.lift_tree import CarriedRows, Lift, flat_of
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.tree_rows import Flat, TreeItem, TreeRows, draw_tree_row
from recto.tui.screens.site.structure import describe_in
from recto.tui.screens.site.structure_tab import item_lines
from support.arrangements import arranged, section, site_space
from support.calls import calls

SMALL, LARGE = 10, 1_000


def shelves(collections: int) -> Arrangement:
    """Return that many collections of ten spaces each in an organization."""
    items = {"own": Item("own", Kind.ORGANIZATION)}
    children: dict[str | None, tuple[str, ...]] = {
        None: ("own",),
        "own": tuple(f"collection {n}" for n in range(collections)),
    }
    for holder in children["own"]:
        children[holder] = tuple(f"{holder} space {n}" for n in range(10))
        items[holder] = Item(holder, Kind.COLLECTION)
        items |= {id: Item(id, Kind.SPACE) for id in children[holder]}
    return Arrangement(items, children, kinds_apart=IN_COLLECTIONS)


def carrying(collections: int) -> Callable[[], object]:
    """Lift a space in the middle, carry it four places down and two up, and draw a screen of rows each time."""
    arrangement = shelves(collections)
    flat = flat_of(arrangement, {}, lambda item: TreeItem(item.id, item.name))
    opened = frozenset(arrangement.items)
    lifted = (f"collection {collections // 2} space 4",)

    def show(lift: Lift) -> None:
        rest = TreeRows(flat, flat.visible(opened), lambda _: True, draw_tree_row)
        rows = CarriedRows(rest, arrangement, lift, opened)
        first = max(0, (rows.index_of("landing") or 0) - 10)
        for index in range(first, first + 20):
            rows.draw(index, 40)

    def carry() -> None:
        places = Landings(arrangement, lifted, opened)
        place = places.home()
        show(Lift(places, place))
        for walk, steps in ((places.below, 4), (places.above, 2)):
            for _ in range(steps):
                place = next(walk(place))
                show(Lift(places, place))

    return carry


def type_filter(collections: int) -> Callable[[], object]:
    """Type a letter that all items hold."""
    flat = flat_of(shelves(collections), {}, lambda item: TreeItem(item.id, item.name))
    return lambda: flat.filter("c")


def stand_on(site_spaces: int) -> Callable[[], object]:
    """Draw the row of a site space and the facts beside it."""
    site = arranged(*(section(f"s{n}", site_space(f"v{n}")) for n in range(site_spaces)))
    item = site.items["v3"]
    return lambda: (describe_in(site)(item), item_lines(site, item))


def filter_list(items: int) -> Callable[[], object]:
    """Type two letters over the loaded items of a list, and draw a screen of those that hold them."""
    listed = tuple(f"Member {n}" for n in range(items))
    texts = Texts([Column[str]("Name", lambda item: item, width=20)])

    def type_letters() -> None:
        for needle in ("m", "me"):
            rows = ItemRows(texts.filter_items(listed, needle), lambda item, width: [(item, "")])
            for index in range(10):
                rows.draw(index, 40)

    return type_letters


@pytest.mark.parametrize("prepare", [carrying, type_filter, filter_list, stand_on])
def test_a_key_does_as_much_in_a_large_tree(prepare: Callable[[int], Callable[[], object]]) -> None:
    # A search over siblings halves them: some steps more, not some times as many.
    assert calls(prepare(LARGE)) <= 1.5 * calls(prepare(SMALL))


def test_what_is_visible_is_found_once_for_the_same_open_items() -> None:
    flat = Flat.of([TreeItem("a", "A", children=(TreeItem("b", "B"),)), TreeItem("c", "C")])
    assert flat.visible({"a"}) is flat.visible({"a"})
    assert flat.visible(()) == [0, 2]
    assert flat.visible({"a"}) == [0, 1, 2]
