from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recto.contract.changes import DeletePage, RevertPage, UpdatePage
from recto.document.merge.text_merge import Side, merge_text
from recto.store.resolution import Choice, Conflict, ConflictingPage, Matter, Resolution, load_resolution, rebase_page

BASE = "".join(f"Line {number}.\n" for number in range(1, 31))
OURS = BASE.replace("Line 3.", "Ours 3.").replace("Line 20.", "Ours 20.")
THEIRS = BASE.replace("Line 3.", "Theirs 3.").replace("Line 20.", "Theirs 20.")


def text_page(id: str = "p", title: str = "Page") -> ConflictingPage:
    return ConflictingPage(id, title, merge_text(BASE, OURS, THEIRS))


def conflict(matter: Matter, name: str, base: Any, ours: Any, theirs: Any) -> Conflict:
    return Conflict("p", "Page", matter, name, base, ours, theirs)


def choose_sides(resolution: Resolution, *sides: Side) -> Resolution:
    for each, side in zip(resolution.conflicts, sides, strict=True):
        resolution = resolution.choose(each.id, Choice(side))
    return resolution


def test_what_is_left_is_counted_and_choices_are_undone_one_by_one() -> None:
    resolution = Resolution((text_page(),))
    assert resolution.left == 2
    first, second = resolution.conflicts
    chosen = resolution.choose(first.id, Choice(Side.OURS)).choose(first.id, Choice(Side.THEIRS))
    assert chosen.left == 1
    assert chosen.undo().choices[first.id] == Choice(Side.OURS)
    assert chosen.undo().undo().left == 2
    assert chosen.undo().undo().undo().left == 2
    assert chosen.choose(second.id, Choice(None, "Own.\n")).left == 0


def test_each_hunk_goes_its_own_way() -> None:
    resolution = choose_sides(Resolution((text_page(),)), Side.OURS, Side.BOTH)
    text = resolution.text_of(resolution.pages[0])
    assert text == BASE.replace("Line 3.", "Ours 3.").replace("Line 20.\n", "Ours 20.\nTheirs 20.\n")


def test_both_shows_the_paragraphs_apart_that_it_writes() -> None:
    base = "Before.\n\nTurn it.\n\nAfter.\n"
    page = ConflictingPage("p", "Page", merge_text(base, base.replace("it", "it left"), base.replace("it", "it right")))
    resolution = choose_sides(Resolution((page,)), Side.BOTH)
    [shown] = [resolution.choices[each.id].of(each) for each in resolution.conflicts]
    assert shown == "Turn it left.\n\nTurn it right.\n"
    assert resolution.text_of(page) == base.replace("Turn it.\n", shown)


def test_what_is_not_settled_stays_between_markers() -> None:
    resolution = Resolution((text_page(),))
    resolution = resolution.choose(resolution.conflicts[1].id, Choice(Side.BASE))
    text = resolution.text_of(resolution.pages[0])
    assert text.count("<<<<<<<") == 1
    assert "Line 20.\n" in text


@given(st.lists(st.sampled_from([*Side]), min_size=2, max_size=2))
def test_whatever_is_chosen_all_that_was_not_in_conflict_stays(sides: list[Side]) -> None:
    resolution = choose_sides(Resolution((text_page(),)), *sides)
    lines = resolution.text_of(resolution.pages[0]).split("\n")
    assert [line for line in lines if line.startswith("Line") and line not in ("Line 3.", "Line 20.")] == [
        f"Line {number}." for number in range(1, 31) if number not in (3, 20)
    ]


def test_one_write_says_all_that_was_chosen_of_a_page() -> None:
    page = ConflictingPage(
        "p",
        "Page",
        merge_text("a\n", "b\n", "c\n"),
        (
            conflict(Matter.ATTRIBUTE, "title", "Page", "Ours", "Theirs"),
            conflict(Matter.PLACE, "place", [None, 0, ""], ["x", 1, ""], [None, 2, ""]),
        ),
    )
    [change] = choose_sides(Resolution((page,)), Side.THEIRS, Side.THEIRS, Side.OURS).changes()
    assert isinstance(change, UpdatePage)
    assert (change.title, change.into, change.at) == ("Theirs", None, 2)
    assert change.document.markdown == "# Page\n\nb\n"
    assert change.model_fields_set >= {"title", "into", "at", "document"}


def test_a_deletion_is_settled_by_deleting_or_by_keeping() -> None:
    page = ConflictingPage("p", "Page", None, (conflict(Matter.DELETED, "page", True, False, True),))
    [gone] = choose_sides(Resolution((page,)), Side.OURS).changes()
    assert isinstance(gone, DeletePage)
    [kept] = choose_sides(Resolution((page,)), Side.THEIRS).changes()
    assert isinstance(kept, UpdatePage) and kept.title == "Page"


def test_a_page_that_the_platform_has_removed_is_brought_back_where_it_is_to_stay() -> None:
    page = ConflictingPage("p", "Page", None, (conflict(Matter.DELETED, "page", True, False, True),), is_there=False)
    back, kept = choose_sides(Resolution((page,), main="m"), Side.THEIRS).changes()
    assert isinstance(back, RevertPage) and back.revision == "m"
    assert isinstance(kept, UpdatePage)


def test_a_resolution_comes_back_from_disk_as_it_was() -> None:
    page = ConflictingPage(
        "p", "Page", merge_text(BASE, OURS, THEIRS), (conflict(Matter.ATTRIBUTE, "hidden", None, True, False),)
    )
    resolution = choose_sides(Resolution((page,), "r", "m"), Side.OURS, Side.BOTH, Side.BASE)
    resolution = resolution.choose(resolution.conflicts[2].id, Choice(None, "Own.\n"))
    again = load_resolution(resolution.dump())
    assert again is not None
    assert (again.conflicts, again.choices) == (resolution.conflicts, resolution.choices)
    assert (again.revision, again.main) == ("r", "m")
    assert again.text_of(again.pages[0]) == resolution.text_of(resolution.pages[0])


def test_anything_else_on_disk_is_no_resolution() -> None:
    for text in ("", "{}", "[]", '{"pages": 1, "choices": {}}', "null"):
        assert load_resolution(text) is None


def test_markers_of_the_platform_are_taken_with_what_stood_there_before() -> None:
    marked = merge_text(BASE, OURS, THEIRS, ours_label="change request #1", theirs_label="main content").text
    page = rebase_page(text_page(), marked.replace("Line 10.", "Merged 10."))
    assert [(each.base, each.ours) for each in page.conflicts] == [
        ("Line 3.\n", "Ours 3.\n"),
        ("Line 20.\n", "Ours 20.\n"),
    ]
    resolution = choose_sides(Resolution((page,)), Side.THEIRS, Side.THEIRS)
    assert "Merged 10." in resolution.text_of(page)
    assert rebase_page(page, OURS).conflicts == (), "another person has resolved it"


def test_a_text_without_markers_is_settled_from_the_three_texts() -> None:
    assert rebase_page(text_page(), OURS) == text_page()


def test_what_was_chosen_is_kept_where_the_same_is_still_in_conflict() -> None:
    resolution = choose_sides(Resolution((text_page(),)), Side.OURS, Side.THEIRS)
    other = ConflictingPage("p", "Page", merge_text(BASE, OURS, THEIRS.replace("Theirs 20.", "Newer 20.")))
    again = resolution.onto(Resolution((other,), "r2"))
    assert again.left == 1
    assert again.choices[other.conflicts[0].id] == Choice(Side.OURS)
    assert again.revision == "r2"


def test_only_texts_take_both_sides() -> None:
    attribute = conflict(Matter.ATTRIBUTE, "title", "a", "b", "c")
    assert not attribute.allows(Side.BOTH)
    assert attribute.allows(Side.BASE)
    assert not conflict(Matter.DELETED, "page", True, False, True).allows(Side.BASE)
    assert Resolution((text_page(),)).conflicts[0].allows(Side.BOTH)
