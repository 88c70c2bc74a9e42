from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.contract.changes import UpdatePage
from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.move_plan import inverse, page_moves, plan
from recto.store.moves import Move, Where, apply_move
from recto.store.staging import Staging, stage
from support.arrangements import ModelServer, arranged, group, other, outline, section, site_space


@st.composite
def forests(draw: st.DrawFn, items: dict[str, Item], spaces: dict[str, list[str]]) -> Arrangement:
    """Put groups and sections anywhere, in any order; site spaces in any order in their section."""
    children: dict[str | None, list[str]] = {None: []}
    placed_groups: list[str | None] = [None]
    groups = [id for id, item in items.items() if item.kind is Kind.GROUP]
    for id in draw(st.permutations(groups)):
        children.setdefault(draw(st.sampled_from(placed_groups)), []).append(id)
        placed_groups.append(id)
    for id in [id for id, item in items.items() if item.kind is Kind.SECTION]:
        children.setdefault(draw(st.sampled_from(placed_groups)), []).append(id)
    for parent in list(children):
        children[parent] = draw(st.permutations(children[parent]))
    for parent, ids in spaces.items():
        children[parent] = draw(st.permutations(ids))
    return Arrangement(items, {parent: tuple(ids) for parent, ids in children.items() if ids})


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Arrangement, Arrangement]:
    """Two arrangements of the same items."""
    items = {f"g{index}": Item(f"g{index}", Kind.GROUP) for index in range(draw(st.integers(0, 5)))}
    sections = [f"s{index}" for index in range(draw(st.integers(1, 8)))]
    items |= {id: Item(id, Kind.SECTION) for id in sections}
    spaces: dict[str, list[str]] = {}
    for index in range(draw(st.integers(0, 6))):
        spaces.setdefault(draw(st.sampled_from(sections)), []).append(f"p{index}")
        items[f"p{index}"] = Item(f"p{index}", Kind.SITE_SPACE)
    return draw(forests(items, spaces)), draw(forests(items, spaces))


@pytest.mark.slow
@given(pairs())
@settings(deadline=None)
def test_the_plan_made_step_by_step_gives_the_wanted_arrangement_and_its_inverse_the_old_one(
    pair: tuple[Arrangement, Arrangement],
) -> None:
    before, after = pair
    server = ModelServer(before)
    for step in plan(before, after):
        server.make(step)
    assert server.order == after.children
    for step in inverse(before, after):
        server.make(step)
    assert server.order == before.children


@given(pairs())
@settings(deadline=None)
def test_steps_staged_as_moves_give_the_same(pair: tuple[Arrangement, Arrangement]) -> None:
    before, after = pair
    again = stage(before, plan(before, after))
    assert isinstance(again, Staging)
    assert again.arrangement.children == after.children


@given(st.permutations(range(5)))
def test_no_shorter_way_orders_siblings(order: list[int]) -> None:
    names = [f"s{number}" for number in range(5)]
    before = arranged(*(section(name) for name in names))
    after = before.with_order({None: tuple(names[number] for number in order)})
    steps = plan(before, after)
    # The longest run that stands in order stays; everything else has to move once.
    longest = max(
        length
        for length in range(1, 6)
        if any(list(run) == sorted(run) for run in itertools.combinations(order, length))
    )
    assert len(steps) == 5 - longest


def test_moving_one_of_many_is_one_step() -> None:
    before = arranged(section("A"), section("B"), section("C"), section("D"))
    after = apply_move(before, Move(("D",), "A", Where.BEFORE))
    assert isinstance(after, Arrangement)
    assert [step.sentence for step in plan(before, after)] == ["Put “D” before “A”"]


def test_a_section_that_is_to_be_last_in_its_new_group_takes_one_step_and_elsewhere_two() -> None:
    before = arranged(section("A"), group("G", section("B")))
    last = apply_move(before, Move(("A",), "G", Where.INSIDE))
    first = apply_move(before, Move(("A",), "B", Where.BEFORE))
    assert isinstance(last, Arrangement)
    assert isinstance(first, Arrangement)
    assert [step.sentence for step in plan(before, last)] == ["Put “A” into “G”"]
    assert [step.sentence for step in plan(before, first)] == ["Put “A” into “G”", "Put “A” before “B”"]
    assert [step.sentence for step in inverse(before, last)] == ["Take “A” out of “G”", "Put “A” before “G”"]


def test_two_groups_change_places_without_ever_holding_each_other() -> None:
    before = arranged(group("A", group("B", section("S"))))
    after = before.with_order({None: ("B",), "B": ("S", "A"), "A": ()})
    server = ModelServer(before)
    for step in plan(before, after):
        server.make(step)
    assert server.order == after.children


def test_nothing_is_put_beside_an_unknown_item_where_another_neighbour_stays() -> None:
    before = arranged(section("A"), other("X"), section("B"), section("C"))
    after = apply_move(before, Move(("A",), "X", Where.AFTER))
    assert isinstance(after, Arrangement)
    assert [step.sentence for step in plan(before, after)] == ["Put “A” before “B”"]


def test_arrangements_of_different_items_have_no_plan() -> None:
    before = arranged(section("A", site_space("a")), section("B"))
    with pytest.raises(ValueError, match="same items"):
        plan(before, arranged(section("A"), section("B")))
    with pytest.raises(ValueError, match="same items"):
        plan(before, arranged(section("A"), section("B", site_space("a"))))


def test_staging_says_where_moved_items_come_from_and_forgets_the_last_move() -> None:
    base = arranged(section("A"), group("G", section("B"), section("C")))
    staging = Staging(base)
    for move in (Move(("A",), "B", Where.BEFORE), Move(("C",), "B", Where.BEFORE)):
        added = staging.add(move)
        assert isinstance(added, Staging)
        staging = added
    assert outline(staging.arrangement) == "G(A C B)"
    assert staging.origins == {"A": "from the top level", "C": "was after “B”"}
    assert [one.sentence for one in staging.moves] == ["Move “A” before “B”", "Move “C” before “B”"]
    assert outline(staging.without_last().arrangement) == "G(A B C)"


def test_a_move_that_changes_nothing_is_not_staged() -> None:
    base = arranged(section("A"), section("B"))
    staging = Staging(base)
    assert staging.add(Move(("A",), "B", Where.BEFORE)) is staging


def test_moves_are_staged_again_on_the_current_structure_as_far_as_they_fit() -> None:
    base = arranged(section("A"), section("B"), group("G"))
    staging = Staging(base)
    for move in (Move(("A",), "G", Where.INSIDE), Move(("B",), None, Where.INSIDE)):
        added = staging.add(move)
        assert isinstance(added, Staging)
        staging = added
    again, lost = staging.onto(arranged(section("A"), section("New"), group("G")))
    assert outline(again.arrangement) == "New G(A)"
    assert lost == ("Move “B” to the end of the top level: What it names is no longer there.",)


# Pages


def pages(*roots: Any) -> Arrangement:
    """Make an arrangement of pages from names, and from tuples of a name and what is in it."""

    def node(given: Any) -> tuple[Item, tuple[Any, ...]]:
        name, *inside = given if isinstance(given, tuple) else (given,)
        return Item(name, Kind.PAGE, name), tuple(node(each) for each in inside)

    return arranged(*(node(root) for root in roots))


def apply_changes(before: Arrangement, changes: Iterable[UpdatePage]) -> Arrangement:
    """Return what a server makes of changes, one after another, each page put where it says."""
    children = {parent: list(ids) for parent, ids in before.children.items()}
    for change in changes:
        old = next(parent for parent, ids in children.items() if change.page in ids)
        parent = change.into if "into" in change.model_fields_set else old
        above: str | None = parent
        while above is not None:
            assert above != change.page, "a page cannot move under itself"
            above = next(one for one, ids in children.items() if above in ids)
        children[old].remove(change.page)
        children.setdefault(parent, []).insert(change.at, change.page)
    return before.with_order({parent: tuple(ids) for parent, ids in children.items()})


def test_pages_that_change_places_with_what_they_hold_are_put_from_the_top_down() -> None:
    before, after = pages(("a", ("b", "c")), "d"), pages(("b", ("a", "d")), "c")
    changes = page_moves(before, after)
    assert apply_changes(before, changes).same_order(after)
    assert page_moves(before, before) == ()


@given(st.data())
def test_page_moves_lead_from_any_tree_to_any_other_with_one_change_for_each_page_at_most(data: st.DataObject) -> None:
    names = [str(number) for number in range(data.draw(st.integers(1, 9)))]

    def tree() -> Arrangement:
        order = data.draw(st.permutations(names))
        parents: dict[str, str | None] = {}
        for index, name in enumerate(order):
            parents[name] = data.draw(st.sampled_from([None, *order[:index]]))
        children: dict[str | None, tuple[str, ...]] = {}
        for name in order:
            children[parents[name]] = (*children.get(parents[name], ()), name)
        return Arrangement({name: Item(name, Kind.PAGE, name) for name in names}, children)

    before, after = tree(), tree()
    changes = page_moves(before, after)
    assert apply_changes(before, changes).same_order(after)
    assert len({change.page for change in changes}) == len(changes)
