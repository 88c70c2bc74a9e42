from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document.line_edits import split_lines
from recto.document.merge import diff
from recto.document.merge.diff import LineKind, diff_lines, word_marks

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "one two\n", "one three\n", "\n"]), max_size=12).map("".join)


def marked_parts(line: str, marks: diff.Marks) -> list[str]:
    return [line[start:end] for start, end in marks]


def test_an_edited_line_stands_beside_what_it_became_with_its_words_marked() -> None:
    compared = diff_lines("top\nThe quick brown fox\nend\n", "top\nA new line\nThe quick red fox\nend\n")
    assert (compared.added, compared.removed) == (2, 1)
    (hunk,) = compared.hunks
    assert hunk.header == "@@ -1,3 +1,4 @@"
    removed = next(line for line in hunk.lines if line.kind is LineKind.REMOVED)
    pair = next(right for left, right in hunk.rows if left is removed)
    assert pair is not None
    assert marked_parts(removed.text, removed.marks) == ["brown"]
    assert marked_parts(pair.text, pair.marks) == ["red"]
    assert (removed.old_number, removed.new_number, pair.new_number) == (2, None, 3)


def test_unified_lines_come_removed_first() -> None:
    (hunk,) = diff_lines("a\nb\nc\n", "x\ny\nc\n").hunks
    assert [(line.kind.value, line.text) for line in hunk.lines] == [
        ("removed", "a"),
        ("removed", "b"),
        ("added", "x"),
        ("added", "y"),
        ("context", "c"),
    ]


def test_chinese_is_compared_by_characters() -> None:
    old, new = word_marks("資料庫的連線設定", "資料庫的網路設定")
    assert (marked_parts("資料庫的連線設定", old), marked_parts("資料庫的網路設定", new)) == (["連線"], ["網路"])


def test_marks_across_a_space_are_one() -> None:
    _, new = word_marks("keep this here", "keep those words here")
    assert marked_parts("keep those words here", new) == ["those words"]


def test_a_missing_last_line_end_is_a_change() -> None:
    (hunk,) = diff_lines("a\nb", "a\nb\n").hunks
    assert [(line.kind.value, line.text, line.ended) for line in hunk.lines[1:]] == [
        ("removed", "b", False),
        ("added", "b", True),
    ]


def test_far_changes_are_hunks_of_their_own_unless_all_context_is_asked_for() -> None:
    before = "".join(f"line {number}\n" for number in range(40))
    after = before.replace("line 3\n", "line three\n").replace("line 30\n", "")
    assert [hunk.header for hunk in diff_lines(before, after).hunks] == ["@@ -1,7 +1,7 @@", "@@ -28,7 +28,6 @@"]
    (whole,) = diff_lines(before, after, context=None).hunks
    assert len(whole.lines) == 41


def test_equal_texts_have_no_hunks() -> None:
    assert not diff_lines("a\n", "a\n")


def test_very_large_changes_are_not_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "MOST_PAIRING_CELLS", 10)
    monkeypatch.setattr(diff, "MOST_WORDS", 3)
    (hunk,) = diff_lines("one two three\n", "one two four\n").hunks
    assert [line.marks for line in hunk.lines] == [(), ()]
    assert word_marks("a b c d e", "a b c d f") == ((), ())


@settings(derandomize=True, max_examples=200, deadline=None)
@given(TEXTS, TEXTS, st.integers(0, 3))
def test_a_diff_tells_both_texts(before: str, after: str, context: int) -> None:
    old, new = split_lines(before), split_lines(after)
    compared = diff_lines(before, after, context)
    removed = added = 0
    for hunk in compared.hunks:
        assert len({line.old_number for line in hunk.lines if line.old_number}) == hunk.old_end - hunk.old_start
        for line in hunk.lines:
            if line.old_number:
                assert old[line.old_number - 1] == line.text + "\n" * line.ended
            if line.new_number:
                assert new[line.new_number - 1] == line.text + "\n" * line.ended
            removed += line.kind is LineKind.REMOVED
            added += line.kind is LineKind.ADDED
    assert (removed, added) == (compared.removed, compared.added)
    assert len(old) - removed == len(new) - added
    assert bool(compared) == (before != after)
