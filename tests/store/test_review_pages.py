from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recto.contract.changes import Changes
from recto.contract.content import Page
from recto.store.review_pages import ReviewPage, Viewed, compare_trees, other_changes, review_pages


def changes(*items: dict[str, Any], **values: Any) -> Changes:
    return Changes.model_validate({"changes": items, **values})


def page(id: str, title: str = "T") -> dict[str, str]:
    return {"id": id, "type": "document", "title": title, "path": id}


def test_what_happened_to_a_page_is_gathered() -> None:
    edited = {"document": {"before": "a", "after": "b"}, "title": {"before": "Old", "after": "New"}}
    found = review_pages(
        changes(
            {"type": "page_edited", "page": page("one", "New"), "attributes": edited},
            {"type": "page_moved", "page": page("one", "New"), "parent": {"before": None, "after": "two"}},
            {"type": "page_created", "page": page("three")},
            {"type": "page_deleted", "page": page("four")},
        ),
        {"two": "Second"},
    )
    assert [one.kinds for one in found] == [("edited", "renamed", "moved"), ("new",), ("deleted",)]
    assert found[0].attributes == (("title", "Old", "New"), ("parent", "the top level", "Second"))
    assert found[0].has_new_text


def test_other_changes_are_listed_beside_pages_and_unknown_kinds_pass() -> None:
    found = changes(
        {"type": "file_created", "file": {"id": "f", "name": "logo.png"}},
        {"type": "variables_edited"},
        {"type": "something_new", "more": 1},
    )
    assert review_pages(found) == []
    assert other_changes(found) == ["file created: logo.png", "variables edited", "something new"]


def test_page_trees_tell_what_a_server_does_not() -> None:
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    before = [Page(id="a", title="A", updated_at=early), Page(id="b", title="B", updated_at=early), Page(id="c")]
    after = [
        Page(id="a", title="A2", updated_at=late, pages=(Page(id="b", title="B", updated_at=early),)),
        Page(id="d"),
    ]
    found = compare_trees(before, after)
    assert {one.id: one.kinds for one in found} == {
        "a": ("edited", "renamed"),
        "b": ("moved",),
        "d": ("new",),
        "c": ("deleted",),
    }


def test_a_mark_holds_until_the_page_is_changed_further(tmp_path: Path) -> None:
    one, further = ReviewPage("p", "P", fingerprint="1"), ReviewPage("p", "P", fingerprint="2")
    Viewed(tmp_path / "marks" / "v.json").set("c", one, True)
    again = Viewed(tmp_path / "marks" / "v.json")
    assert again.has("c", one)
    assert not again.has("c", further)
    assert not again.has("other", one)
    again.set("c", one, False)
    assert not Viewed(tmp_path / "marks" / "v.json").has("c", one)


def test_marks_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text("[1]")
    assert not Viewed(tmp_path / "v.json").has("c", ReviewPage("p", "P"))
