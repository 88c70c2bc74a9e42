"""The way back and forward over locations, without a screen."""

from __future__ import annotations

from recto.store.locations import ChangeRequestLocation, Location, OrganizationsLocation, SpaceLocation
from recto.tui.navigation.location_history import History

ORGANIZATIONS = OrganizationsLocation()


def at(page: str, leaf: int = 0) -> SpaceLocation:
    return SpaceLocation("s", page=page, position=(leaf, 0, 0))


def is_gone(_location: Location) -> bool:
    return False


def walk() -> History:
    """Return the history after a was read to its third leaf, then b, then c."""
    history = History()
    for location in (ORGANIZATIONS, SpaceLocation("s"), at("a"), at("a", 3), at("b"), at("c")):
        history.visit(location)
    return history


def test_back_leads_to_where_a_page_was_left_and_forward_again() -> None:
    history = walk()
    assert history.go_back(at("c", 5), is_gone) == at("b")
    assert history.go_back(at("b"), is_gone) == at("a", 3)
    assert history.go_back(at("a", 3), is_gone) == ORGANIZATIONS
    assert not history.can_go_back
    assert history.go_back(ORGANIZATIONS, is_gone) is None
    assert history.go_forward(ORGANIZATIONS, is_gone) == at("a", 3)
    assert history.go_forward(at("a", 3), is_gone) == at("b")
    assert history.go_forward(at("b"), is_gone) == at("c", 5)
    assert not history.can_go_forward


def test_to_visit_another_location_ends_the_way_forward() -> None:
    history = walk()
    history.go_back(at("c"), is_gone)
    history.visit(ChangeRequestLocation("s", "1"))
    assert not history.can_go_forward
    assert history.go_back(ChangeRequestLocation("s", "1"), is_gone) == at("b")


def test_a_page_that_was_only_passed_is_left_for_the_one_that_was_read() -> None:
    assert walk().go_back(at("d"), is_gone) == at("c")


def test_locations_that_are_gone_are_passed_over_and_the_current_one_too() -> None:
    history = walk()
    history.visit(at("b"))
    assert history.go_back(at("b"), lambda location: location == at("c")) == at("a", 3)


def test_a_position_is_noted_for_the_current_location_only() -> None:
    history = walk()
    history.update(at("b", 9))
    history.update(at("c", 7))
    assert history.go_back(at("c", 7), is_gone) == at("b")
