"""Pages of a source beside those of its translation."""

from __future__ import annotations

from datetime import timedelta

from recto.contract.content import Page, PageTree
from recto.store.translations import PageState, compare
from support.platform import MORNING


def page(path: str, hour: int = 0, *pages: Page) -> Page:
    return Page(id=path, path=path, updated_at=MORNING + timedelta(hours=hour), pages=pages)


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


def test_before_the_first_run_every_page_is_missing() -> None:
    assert {one.state for one in compare(PageTree(pages=(page("start"), page("end"))), None)} == {PageState.MISSING}
