"""The pages that were read one after another, without a screen."""

from __future__ import annotations

from recto.tui.page.cursor import Position
from recto.tui.screens.reading.history import History, Visit

PAGES = {"a", "b", "c"}


def at(page: str, leaf: int = 0) -> Visit:
    return Visit(page, Position(leaf))


def walked() -> History:
    """Return the history after a was read to its third leaf, then b, then c."""
    history = History()
    history.enter("a", None)
    history.enter("b", at("a", 3))
    history.enter("c", at("b"))
    return history


def test_back_leads_to_where_a_page_was_left_and_forward_again() -> None:
    history = walked()
    assert history.back(PAGES, at("c", 5)) == at("b")
    assert history.back(PAGES, at("b")) == at("a", 3)
    assert history.back(PAGES, at("a")) is None
    assert history.forward(PAGES, at("a", 3)) == at("b")
    assert history.forward(PAGES, at("b")) == at("c", 5)
    assert not history.can_go_forward


def test_to_read_another_page_ends_the_way_forward() -> None:
    history = walked()
    history.back(PAGES, at("c"))
    history.enter("a", at("b"))
    assert not history.can_go_forward
    assert history.back(PAGES, at("a")) == at("b")


def test_to_enter_the_page_that_is_read_changes_nothing() -> None:
    history = walked()
    history.back(PAGES, at("c"))
    history.enter("b", at("b", 9))
    assert history.can_go_forward
    assert history.back(PAGES, at("b")) == at("a", 3)


def test_pages_that_are_gone_are_passed_over() -> None:
    history = walked()
    assert history.back({"a", "c"}, at("c")) == at("a", 3)


def test_previous_goes_to_and_fro() -> None:
    history = walked()
    assert history.previous(PAGES, at("c", 5)) == at("b")
    assert history.here == "b"
    assert history.previous(PAGES, at("b")) == at("c", 5)
    assert history.previous({"c"}, at("c")) is None
