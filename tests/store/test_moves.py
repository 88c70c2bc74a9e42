from __future__ import annotations

import pytest

from recto.store.arrangement import Arrangement, addresses, find_changed_addresses
from recto.store.moves import Move, Refusal, Where, apply_move, find_lifted, inward, outward, step_move
from support.arrangements import arranged, group, other, outline, section, site_space

SITE = arranged(
    section("Home", site_space("en", default=True), site_space("fr"), default=True),
    group("Products", section("Payments", site_space("pay", default=True)), section("Identity")),
    section("Developers", site_space("v3"), site_space("v2", default=True)),
    group("Guides", group("Deep", section("Tutorials"))),
    other("External"),
)


def after(*ids: str, to: str | None, where: Where) -> str:
    result = apply_move(SITE, Move(ids, to, where))
    assert isinstance(result, Arrangement), result
    return outline(result)


def refusal_of(*ids: str, to: str | None, where: Where) -> str:
    result = apply_move(SITE, Move(ids, to, where))
    assert isinstance(result, Refusal)
    return result.reason


def test_a_section_goes_before_after_and_inside() -> None:
    assert after("Developers", to="Home", where=Where.BEFORE).startswith("Developers(v3 v2) Home(en fr) Products")
    assert after("Home", to="Payments", where=Where.AFTER).startswith("Products(Payments(pay) Home(en fr) Identity)")
    assert "Guides(Deep(Tutorials) Developers(v3 v2))" in after("Developers", to="Guides", where=Where.INSIDE)
    assert after("Payments", to=None, where=Where.INSIDE).endswith("External Payments(pay)")


def test_several_items_go_together_in_their_order() -> None:
    assert after("Identity", "Home", to="Deep", where=Where.BEFORE).startswith("Products(Payments(pay)) Developers")
    assert "Guides(Home(en fr) Identity Deep(Tutorials))" in after("Identity", "Home", to="Deep", where=Where.BEFORE)


def test_what_lies_in_a_lifted_group_goes_along_with_it() -> None:
    assert find_lifted(SITE, ["Tutorials", "Guides", "Home"]) == ("Home", "Guides")


def test_site_spaces_are_ordered_in_their_section() -> None:
    assert "Developers(v2 v3)" in after("v2", to="v3", where=Where.BEFORE)
    assert "Home(fr en)" in after("en", to="Home", where=Where.INSIDE)


def test_a_place_beside_itself_changes_nothing() -> None:
    assert apply_move(SITE, Move(("Home",), "Home", Where.AFTER)) is SITE


@pytest.mark.parametrize(
    ("ids", "to", "where", "reason"),
    [
        (("Guides",), "Guides", Where.INSIDE, "A group cannot go into itself."),
        (("Guides",), "Deep", Where.INSIDE, "“Deep” is in “Guides”; a group cannot go into its own contents."),
        (("Guides",), "Tutorials", Where.BEFORE, "“Deep” is in “Guides”"),
        (("Home",), "Developers", Where.INSIDE, "A section contains site spaces"),
        (("Home",), "v3", Where.BEFORE, "A section contains site spaces"),
        (("Home",), "v3", Where.INSIDE, "A site space contains nothing"),
        (("en",), "Products", Where.INSIDE, "A group contains sections and groups"),
        (("en",), "v3", Where.AFTER, "A site space stays in its section, here “Home”"),
        (("en",), "Home", Where.BEFORE, "A site space stays in its section"),
        (("en",), "fr", Where.INSIDE, "A site space contains nothing"),
        (("External",), "Home", Where.BEFORE, "of a kind that this version does not know"),
        (("Home", "en"), "Gone", Where.BEFORE, "no longer there"),
        (("Home", "v2"), "Guides", Where.INSIDE, "A group contains sections and groups"),
    ],
)
def test_impossible_places_are_refused_with_the_reason(
    ids: tuple[str, ...], to: str, where: Where, reason: str
) -> None:
    assert reason in refusal_of(*ids, to=to, where=where)


def test_one_place_up_and_down() -> None:
    assert step_move(SITE, ["Products"], -1) == Move(("Products",), "Home", Where.BEFORE)
    assert step_move(SITE, ["Home", "Products"], 1) == Move(("Home", "Products"), "Developers", Where.AFTER)
    assert step_move(SITE, ["Home"], -1) == Refusal("It is the first already.")
    assert step_move(SITE, ["v2"], 1) == Refusal("It is the last already.")
    assert step_move(SITE, ["Home", "Payments"], 1) == Refusal(
        "The selected items are in different places: lift them, then they can go to one."
    )


def test_out_and_in() -> None:
    assert outward(SITE, ["Tutorials"]) == Move(("Tutorials",), "Deep", Where.AFTER)
    assert outward(SITE, ["Home"]) == Refusal("It is at the top level already.")
    assert inward(SITE, ["Developers"]) == Move(("Developers",), "Products", Where.INSIDE)
    assert inward(SITE, ["Home"]) == Refusal("There is nothing above it to go into.")


def test_addresses_follow_paths_and_defaults_and_groups_have_none() -> None:
    assert addresses(SITE) == {
        "en": "/",
        "fr": "/Home/fr/",
        "pay": "/Payments/",
        "v3": "/Developers/v3/",
        "v2": "/Developers/",
    }
    flat = arranged(site_space("en", default=True), site_space("fr"))
    assert addresses(flat) == {"en": "/", "fr": "/fr/"}


def test_a_move_changes_no_address_and_another_default_does() -> None:
    grouped = apply_move(SITE, Move(("Developers",), "Guides", Where.INSIDE))
    assert isinstance(grouped, Arrangement)
    assert find_changed_addresses(SITE, grouped) == ()
    other_default = arranged(
        section("Home", site_space("en"), site_space("fr", default=True), default=True),
    )
    one = arranged(section("Home", site_space("en", default=True), site_space("fr"), default=True))
    assert [(each.item.id, each.before, each.after) for each in find_changed_addresses(one, other_default)] == [
        ("en", "/", "/Home/en/"),
        ("fr", "/Home/fr/", "/"),
    ]
