"""Pages of a source beside those of its translation."""

from __future__ import annotations

from datetime import timedelta

from recto.contract.content import Page, PageTree
from recto.store.translations import PageState, compare
from support.platform import MORNING


def page(path: str, hour: int = 0, *pages: Page, id: str = "") -> Page:
    return Page(id=id or path, path=path, updated_at=MORNING + timedelta(hours=hour), pages=pages)


def test_pages_are_paired_by_path_in_the_order_of_the_source() -> None:
    source = PageTree(pages=(page("start", 1, page("start/inner", 3)), page("new"), page("end")))
    result = PageTree(pages=(page("end"), page("own", 0, page("own/inner")), page("start", 2, page("start/inner", 2))))
    assert [(one.path, one.state) for one in compare(source, result)] == [
        ("start", PageState.CURRENT),
        ("start/inner", PageState.STALE),
        ("new", PageState.MISSING),
        ("end", PageState.CURRENT),
        ("own", PageState.EXTRA),
        ("own/inner", PageState.EXTRA),
    ]


def test_pages_of_the_same_platform_are_paired_by_their_ids_and_changed_ones_are_stale() -> None:
    source = PageTree(pages=(page("b", 5, id="1"), page("c", 5, id="2")))
    result = PageTree(pages=(page("a", id="1"), page("b", id="2"), page("c", id="own")))
    assert [(one.path, one.result and one.result.id, one.state) for one in compare(source, result, {"2"})] == [
        ("b", "1", PageState.CURRENT),
        ("c", "2", PageState.STALE),
        ("c", "own", PageState.EXTRA),
    ]


def test_before_the_first_run_every_page_is_missing() -> None:
    assert {one.state for one in compare(PageTree(pages=(page("start"), page("end"))), None)} == {PageState.MISSING}


def test_pages_that_change_requests_hold_are_waiting_unless_they_have_changed_since() -> None:
    source = PageTree(pages=(page("a"), page("b"), page("c"), page("d")))
    result = PageTree(pages=(page("a"), page("b"), page("d")))
    states = [one.state_words for one in compare(source, result, {"b"}, {"a": 4, "b": 4, "c": 5})]
    assert states == ["waiting in #4", "stale", "waiting in #5", "current"]
