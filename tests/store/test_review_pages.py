from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recto.contract.changes import Changes
from recto.contract.content import Page
from recto.store.review_pages import MOST_REQUESTS, ReviewPage, Viewed, compare_trees, other_changes, review_pages


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


async def viewed_in(file: Path) -> Viewed:
    """Return the marks as a window has them that is opened now."""
    viewed = Viewed(file)
    await viewed.load()
    return viewed


async def test_a_mark_holds_until_the_page_is_changed_further(tmp_path: Path) -> None:
    file = tmp_path / "marks" / "v.json"
    one, further = ReviewPage("p", "P", fingerprint="1"), ReviewPage("p", "P", fingerprint="2")
    (await viewed_in(file)).set("c", one, True)
    again = await viewed_in(file)
    assert again.has("c", one)
    assert not again.has("c", further)
    assert not again.has("other", one)
    again.set("c", one, False)
    assert not again.has("c", one)
    assert not (await viewed_in(file)).has("c", one)


async def test_marks_made_in_another_window_meanwhile_stay(tmp_path: Path) -> None:
    file = tmp_path / "v.json"
    one, two = ReviewPage("p", "P", fingerprint="1"), ReviewPage("q", "Q", fingerprint="2")
    here, there = await viewed_in(file), await viewed_in(file)
    here.set("c", one, True)
    there.set("d", two, True)
    there.set("c", two, True)
    again = await viewed_in(file)
    assert again.has("c", one) and again.has("c", two) and again.has("d", two)
    assert not here.has("c", two)
    await here.load()
    assert here.has("c", two)


async def test_marks_of_so_many_change_requests_are_kept(tmp_path: Path) -> None:
    viewed, page = await viewed_in(tmp_path / "v.json"), ReviewPage("p", "P", fingerprint="1")
    for number in range(MOST_REQUESTS):
        viewed.set(f"c{number}", page, True)
    viewed.set("c0", ReviewPage("q", "Q", fingerprint="1"), True)
    viewed.set("last", page, True)
    again = await viewed_in(tmp_path / "v.json")
    assert again.has("c0", page) and again.has("last", page)
    assert not again.has("c1", page) and again.has("c2", page)


async def test_marks_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    page = ReviewPage("p", "P")
    for content in ("[1]", '{"c": 1}', "{"):
        (tmp_path / "v.json").write_text(content)
        assert not (await viewed_in(tmp_path / "v.json")).has("c", page)
    viewed = await viewed_in(tmp_path / "v.json")
    viewed.set("c", page, True)
    assert (await viewed_in(tmp_path / "v.json")).has("c", page)
