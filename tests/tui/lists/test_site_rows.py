"""The rows of a site's tree: what is lifted stays where it was, and shows where it would land."""

from __future__ import annotations

from collections.abc import Iterable

from recto.store.landing import Landings
from recto.store.moves import Move, Where
from recto.tui.lists.lift_tree import CarriedRows, Lift, flat_of
from recto.tui.lists.tree_rows import TreeRows, draw_tree_row
from recto.tui.screens.site.structure import describe_in
from support.arrangements import arranged, group, section, site_space

SITE = arranged(section("home", site_space("start"), default=True), group("products", section("pay")), group("empty"))


def rows(lift: Lift | None = None, *, opened: Iterable[str] = (), origins: dict[str, str] | None = None) -> str:
    """Write the visible rows as one line: ``.`` for each level, names with their sign and note."""
    flat = flat_of(SITE, origins or {}, describe_in(SITE))
    found = TreeRows(flat, flat.visible(set(opened)), lambda place: flat.ids[place] in opened, draw_tree_row)
    if lift is not None:
        found = CarriedRows(found, SITE, lift, set(opened))
        assert [found.index_of(str(found.key(index))) for index in range(len(found))] == list(range(len(found)))
    parts = []
    for row in found.rows:
        item = row.item
        parts.append(
            "." * row.depth + item.mark.strip() + item.sign + item.label + (f"/{item.note}" if item.note else "")
        )
    return " ".join(parts)


def lifted(name: str, where: Where, target: str, *, opened: Iterable[str] = ()) -> Lift:
    """Lift an item and carry it to a place."""
    places = Landings(SITE, (name,), frozenset(opened))
    place = places.of(Move((name,), target, where))
    assert place is not None
    return Lift(places, place)


def test_each_item_stands_under_what_it_is_in_with_what_is_special_about_it() -> None:
    opened = {"home", "products"}
    assert rows(opened=opened) == "home/default .start products .pay empty"
    assert rows(opened=opened, origins={"pay": "from home"}).split(" empty")[0].endswith(".pay/→ from home")


def test_what_is_lifted_stays_and_shows_where_it_would_land_or_that_it_cannot() -> None:
    opened = {"home", "products"}
    before = lifted("pay", Where.BEFORE, "home", opened=opened)
    assert rows(before, opened=opened) == "►pay/here home/default .start products .pay/lifted empty"
    inside = lifted("pay", Where.INSIDE, "home", opened=opened)
    assert rows(inside, opened=opened) == "home/default .start .×pay/cannot go here products .pay/lifted empty"


def test_what_was_closed_opens_for_nothing_but_what_would_land_in_it() -> None:
    assert rows(lifted("home", Where.INSIDE, "products")) == "home/lifted products .►home/here empty"
