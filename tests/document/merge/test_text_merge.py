from __future__ import annotations

import random
import shutil
import subprocess
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document import line_edits
from recto.document.line_edits import split_lines
from recto.document.merge import text_merge
from recto.document.merge.text_merge import ConflictHunk, MergedText, Side, find_conflicts, merge_text

BASE = "".join(f"line {number}\n" for number in range(1, 11))


def edit(line: int, text: str) -> str:
    return BASE.replace(f"line {line}\n", text)


def test_changes_in_different_places_both_take_effect() -> None:
    merged = merge_text(BASE, edit(2, "line two\n"), edit(9, "line nine\nand more\n"))
    assert merged.clean
    assert merged.text == edit(2, "line two\n").replace("line 9\n", "line nine\nand more\n")


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    ours = edit(3, "new\n").replace("line 9\n", "")
    assert merge_text(BASE, ours, edit(3, "new\n")) == MergedText((ours,))


def test_a_conflict_is_marked_as_git_marks_it() -> None:
    merged = merge_text("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n", ours_label="#3", theirs_label="main")
    assert merged.conflicts == (ConflictHunk("b\n", "ours\n", "theirs\n"),)
    assert merged.text == "a\n<<<<<<< #3\nours\n=======\ntheirs\n>>>>>>> main\nc\n"


def test_a_change_against_a_deletion_is_a_conflict_with_an_empty_side() -> None:
    merged = merge_text("a\nb\nc\n", "a\nc\n", "a\nB\nc\n")
    assert merged.conflicts == (ConflictHunk("b\n", "", "B\n"),)


def test_conflicts_with_a_line_between_are_one() -> None:
    ours = edit(3, "ours 3\n").replace("line 6\n", "ours 6\n")
    theirs = edit(3, "theirs 3\n").replace("line 6\n", "theirs 6\n")
    (hunk,) = merge_text(BASE, ours, theirs).conflicts
    assert hunk.base == "line 3\nline 4\nline 5\nline 6\n"
    assert hunk.ours == "ours 3\nline 4\nline 5\nours 6\n"


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (Side.OURS, "a\nours\nc"),
        (Side.THEIRS, "a\ntheirs\nc"),
        (Side.BOTH, "a\nours\ntheirs\nc"),
        (Side.BASE, "a\nb\nc"),
        ("typed", "a\ntyped\nc"),
        ("", "a\nc"),
    ],
)
def test_a_conflict_is_settled_by_a_side_or_a_text(choice: Side | str, text: str) -> None:
    merged = merge_text("a\nb\nc", "a\nours\nc", "a\ntheirs\nc")
    settled = merged.resolve(0, choice)
    assert (settled.clean, settled.text) == (True, text)


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        ("Ours.\n", "Theirs.\n", "Ours.\n\nTheirs.\n"),
        ("- ours\n", "Theirs.\n", "- ours\n\nTheirs.\n"),
        ("Ours.\n", "3. theirs\n", "Ours.\n\n3. theirs\n"),
        ("- ours\n", "- theirs\n", "- ours\n- theirs\n"),
        ("Ours.\n\n", "Theirs.\n\n", "Ours.\n\nTheirs.\n\n"),
        ("", "Theirs.\n", "Theirs.\n"),
    ],
)
def test_both_keeps_paragraphs_apart(ours: str, theirs: str, both: str) -> None:
    hunk = ConflictHunk("Base.\n", ours, theirs)
    for before, after in (("First.\n\n", "\nLast.\n"), ("", "\nLast.\n"), ("First.\n\n", "")):
        merged = MergedText(tuple(each for each in (before, hunk, after) if each))
        assert merged.are_blocks == (True,)
        assert merged.resolve(0, Side.BOTH).text == f"{before}{both}{after}"
    for regions in (("A line\n", hunk, "\nLast.\n"), ("First.\n\n", hunk, "of a paragraph\n"), (hunk, hunk)):
        assert not any(MergedText(regions).are_blocks)


def test_conflicts_are_settled_one_by_one() -> None:
    ours = edit(1, "ours 1\n").replace("line 10\n", "ours 10\n")
    theirs = edit(1, "theirs 1\n").replace("line 10\n", "theirs 10\n")
    merged = merge_text(BASE, ours, theirs)
    first = merged.resolve(1, Side.THEIRS)
    assert len(first.conflicts) == 1
    assert first.resolve(0, Side.OURS).text == edit(1, "ours 1\n").replace("line 10\n", "theirs 10\n")


def test_markers_are_read_back() -> None:
    merged = merge_text(BASE, edit(5, "ours\n"), edit(5, ""), ours_label="#12", theirs_label="main content")
    read = find_conflicts(merged.text)
    assert read.conflicts == (ConflictHunk("", "ours\n", ""),)
    assert (read.ours_label, read.theirs_label, read.text) == ("#12", "main content", merged.text)


def test_markers_with_the_base_are_read() -> None:
    text = "<<<<<<< a\nours\n||||||| b\nbase\n=======\ntheirs\n>>>>>>> c\n"
    assert find_conflicts(text).conflicts == (ConflictHunk("base\n", "ours\n", "theirs\n"),)


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=======\n",
        "<<<<<<< only\na start\n",
        "<<<<<<< a\nx\n>>>>>>> c\n",
        "=======\n>>>>>>> c\n",
        "<<<<<<<not a marker\n=======\n>>>>>>> c\n",
    ],
)
def test_markers_without_counterpart_are_text(text: str) -> None:
    assert find_conflicts(text) == MergedText((text,))


def test_an_unfinished_conflict_before_a_whole_one_is_text() -> None:
    read = find_conflicts("<<<<<<< a\nlost\n<<<<<<< b\nours\n=======\ntheirs\n>>>>>>> c\n")
    assert read.regions == ("<<<<<<< a\nlost\n", ConflictHunk("", "ours\n", "theirs\n"))
    assert (read.ours_label, read.theirs_label) == ("b", "c")


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=12)


@pytest.mark.slow
@settings(derandomize=True, max_examples=400, deadline=None)
@given(LINES, LINES, LINES)
def test_no_line_that_a_side_wrote_is_gone(base: list[str], ours: list[str], theirs: list[str]) -> None:
    merged = merge_text("".join(base), "".join(ours), "".join(theirs))
    for written, pick in ((ours, Side.OURS), (theirs, Side.THEIRS)):
        seen: Counter[str] = Counter()
        for region in merged.regions:
            text = region if isinstance(region, str) else region.take(pick)
            seen.update(split_lines(text))
        new = Counter(written) - Counter(base)
        assert not new - seen


@settings(derandomize=True, max_examples=200, deadline=None)
@given(LINES, LINES, LINES)
def test_sides_are_equals(base: list[str], ours: list[str], theirs: list[str]) -> None:
    texts = "".join(base), "".join(ours), "".join(theirs)
    one, other = merge_text(*texts), merge_text(texts[0], texts[2], texts[1])
    if one.clean and other.clean:
        assert one.text == other.text
    assert merge_text(texts[0], texts[1], texts[0]).text == texts[1]


def mutate(lines: list[str], chance: random.Random, name: str) -> list[str]:
    lines = list(lines)
    for change in range(chance.randint(0, 4)):
        place = chance.randint(0, len(lines))
        new = [f"{name} {change} {part}" for part in range(chance.randint(0, 2))]
        lines[place : place + chance.randint(0, 2)] = new
    return lines


def end(lines: list[str], chance: random.Random) -> str:
    return "\n".join(lines) + ("\n" if lines and chance.random() < 0.85 else "")


def git_merge(folder: Path, base: str, ours: str, theirs: str) -> str:
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_text(text, newline="")
    command = ["git", "merge-file", "-p", "-L", "ours", "-L", "base", "-L", "theirs", "ours", "base", "theirs"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()


@pytest.mark.skipif(shutil.which("git") is None, reason="git, the oracle, is not installed")
def test_merges_are_those_of_git(tmp_path: Path) -> None:
    chance = random.Random(2)
    for _ in range(100):
        base = [f"line {number}" for number in range(chance.randint(0, 14))]
        ours, theirs = mutate(base, chance, "ours"), mutate(base, chance, "theirs")
        texts = end(base, chance), end(ours, chance), end(theirs, chance)
        assert merge_text(*texts).text == git_merge(tmp_path, *texts)


@pytest.mark.skipif(shutil.which("git") is None, reason="git, the oracle, is not installed")
@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ("- a\n\n- b\n\n- c\n\n", "- A\n\n- b\n\n- C\n\n", "- x\n\n- b\n\n- z\n\n"),
        ("x\n\n\n\n\n\ny\n", "1\n\n\n\n\n\n2\n", "3\n\n\n\n\n\n4\n"),
        ("|\n|\n|\n|\n", "|\n|\n|\n|\n|\n", "|\n|\n|\n|\n|\n"),
        ("a\n\nb\n\nc\n", "a\n\nnew\n\nb\n\nc\n", "a\n\nb\n\nc\n\nend\n"),
        ("one\ntwo\n", "one\ntwo\nours", "one\ntwo\ntheirs"),
        ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", "a\r\nX\r\nc\r\n"),
    ],
)
def test_repetitive_texts_merge_as_git_merges_them(tmp_path: Path, base: str, ours: str, theirs: str) -> None:
    assert merge_text(base, ours, theirs).text == git_merge(tmp_path, base, ours, theirs)


def test_conflicts_in_a_rewritten_text_are_placed_without_looking_at_each_edit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0

    class Looking(list[Any]):
        def __getitem__(self, index: Any) -> Any:
            nonlocal looked
            looked += 1
            return super().__getitem__(index)

        def __iter__(self) -> Iterator[Any]:
            nonlocal looked
            for item in super().__iter__():
                looked += 1
                yield item

    monkeypatch.setattr(text_merge, "edits", lambda before, after: Looking(line_edits.edits(before, after)))
    size = 1_000
    base = "".join(f"base {number}\n" for number in range(size))
    ours = "".join(f"{'base' if number % 5 else 'ours'} {number}\n" for number in range(size))
    theirs = "".join(f"theirs {number}\n" if number % 5 else f"ours {number}\n" for number in range(size))
    assert merge_text(base, ours, theirs).conflicts
    assert 0 < looked < 5 * size


def numbered(lines: range, word: str = "line") -> str:
    return "".join(f"{word} {number}\n" for number in lines)


LONG = numbered(range(120_000))
"""More than a million characters."""


def test_a_long_text_is_merged_without_lists_of_the_lines_that_all_begin_and_end_with() -> None:
    ours = LONG.replace("line 60000\n", "ours\n")
    theirs = LONG.replace("line 60010\nline 60011\n", "theirs\n")
    tracemalloc.start()
    try:
        merged = merge_text(LONG, ours, theirs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert merged.clean
    assert merged.text == ours.replace("line 60010\nline 60011\n", "theirs\n")
    assert peak < 8 * len(LONG)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("first\n" + LONG, LONG + "last"),
        (LONG[len("line 0\n") :], LONG[: -len("line 119999\n")]),
        (LONG + "ours\n", LONG + "theirs\n"),
        ("ours\n" + LONG, "theirs\n" + LONG),
        (LONG.replace("line 7\n", "line 7\nline 7\n"), LONG.replace("line 9\n", "nine\n")),
        ("ours", LONG + "line 119999\n"),
        ("", LONG[1:]),
    ],
)
def test_a_long_text_is_merged_as_a_short_one(monkeypatch: pytest.MonkeyPatch, ours: str, theirs: str) -> None:
    merged = merge_text(LONG, ours, theirs)
    monkeypatch.setattr(text_merge, "_LARGE", 10 * len(LONG))
    assert merged == merge_text(LONG, ours, theirs)


def test_of_too_many_lines_those_between_the_first_and_the_last_change_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    split: list[int] = []

    def count_lines(text: str) -> list[str]:
        lines = split_lines(text)
        split.append(len(lines))
        return lines

    monkeypatch.setattr(text_merge, "split_lines", count_lines)
    head, tail = "same\n" * 5, "end\n" * 5
    texts = [head + numbered(range(320_000), word) + tail for word in ("base", "ours", "theirs")]

    merged = merge_text(*texts)

    assert merged.regions == (head, ConflictHunk(*(text[len(head) : -len(tail)] for text in texts)), tail)
    assert split == []
