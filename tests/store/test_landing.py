from __future__ import annotations

from recto.store.arrangement import Arrangement
from recto.store.landing import Landings
from recto.store.moves import Move, Where, apply_move
from support.arrangements import arranged, group, outline, section, site_space

SITE = arranged(
    section("Home", site_space("en"), site_space("fr")),
    group("Products", section("Payments"), section("Identity")),
    group("Guides", section("Tutorials")),
    section("Log"),
)
OPEN = {"Home", "Products"}


def places(*ids: str, opened: set[str] = OPEN) -> list[str]:
    return [place.sentence(SITE) for place in Landings(SITE, ids, opened)]


def test_a_section_passes_each_place_among_sections_and_groups_once() -> None:
    refusal = "A section contains site spaces; a section goes before or after it, or into a group."
    assert places("Log") == [
        "Goes before “Home”, at the top level.",
        refusal,
        "Goes before “Products”, at the top level.",
        "Goes before “Payments”, in “Products”.",
        refusal,
        "Goes before “Identity”, in “Products”.",
        refusal,
        "Goes after “Identity”, in “Products”.",
        "Goes before “Guides”, at the top level.",
        "Goes into the group “Guides”.",
        refusal,
        "Stays where it is.",
    ]


def test_a_site_space_passes_the_places_of_its_section_and_one_for_each_other_container() -> None:
    found = Landings(SITE, ["fr"], OPEN)
    possible = [place for place in found if place.reason is None]
    assert [place.sentence(SITE) for place in possible] == ["Goes before “en”, in “Home”.", "Stays where it is."]
    assert [place.move.target for place in found if place.reason] == [
        "Products",
        "Payments",
        "Identity",
        "Guides",
        "Log",
    ]


def test_a_lifted_group_cannot_land_in_itself() -> None:
    assert "A group cannot go into itself." in places("Products")
    assert not any("Payments" in sentence for sentence in places("Products"))


def test_every_place_that_is_not_refused_gives_another_arrangement_but_home() -> None:
    for ids in (["Log"], ["Products"], ["Payments", "Log"], ["en"], ["Home", "Products"]):
        for place in Landings(SITE, ids, OPEN | {"Guides", "Log"}):
            result = apply_move(SITE, place.move)
            if place.reason is None:
                assert isinstance(result, Arrangement)
                assert (outline(result) == outline(SITE)) == place.stays
            else:
                assert not isinstance(result, Arrangement)


def test_one_begins_where_the_first_item_comes_from() -> None:
    for ids in (["Home"], ["Log"], ["Payments", "Identity"], ["Home", "Log"]):
        place = Landings(SITE, ids, OPEN).home()
        parent = SITE.parents[ids[0]]
        target = place.move.target
        assert target is None or target == parent or SITE.parents[target] == parent
    assert Landings(SITE, ["Log"], OPEN).home().stays


def test_walking_down_and_up_passes_the_same_places() -> None:
    for ids in (["Log"], ["Products"], ["Payments", "Log"], ["en"], ["Home", "Products"]):
        landings = Landings(SITE, ids, OPEN | {"Guides", "Log"})
        places = list(landings)
        assert (landings.first(), landings.last()) == (places[0], places[-1])
        for index, place in enumerate(places):
            assert landings.of(place.move) == place
            assert list(landings.below(place)) == places[index + 1 :]
            assert list(landings.above(place)) == places[:index][::-1]


def test_a_place_in_something_closed_or_gone_is_not_among_them() -> None:
    landings = Landings(SITE, ["Log"], OPEN)
    for target in ("Tutorials", "gone"):
        assert landings.of(Move(("Log",), target, Where.BEFORE)) is None
