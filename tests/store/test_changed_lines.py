from __future__ import annotations

import pytest

from recto.store.review_pages import changed_lines

BEFORE = "# Title\n\nOne.\n\nTwo.\n\nThree.\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (BEFORE, {}),
        (BEFORE.replace("Two.", "2."), {4: "edited"}),
        (BEFORE.replace("Two.\n", "Two.\n\nNew.\n"), {6: "new"}),
        (BEFORE.replace("Two.\n\n", ""), {4: "deleted"}),
        (BEFORE.replace("\nThree.\n", ""), {4: "deleted"}),
        (BEFORE.replace("\n\n", "\n\n\n"), {}),
        (BEFORE.replace("Two.", "New here.\n\nTwo!"), {4: "new", 6: "edited"}),
        (BEFORE.replace("Two.", "Wholly other words.\nAnd more of them."), {4: "edited", 5: "new"}),
        ("", {}),
    ],
)
def test_lines_are_new_edited_or_before_them_some_were_deleted(after: str, expected: dict[int, str]) -> None:
    assert changed_lines(BEFORE, after) == expected


def test_all_of_a_page_without_a_text_before_is_new() -> None:
    assert changed_lines("", BEFORE) == {0: "new", 2: "new", 4: "new", 6: "new"}
