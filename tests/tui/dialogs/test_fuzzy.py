"""Fuzzy matching: what ranks above what, and that it is linear in the text."""

from __future__ import annotations

from typing import Any

import pytest

from recto.tui.dialogs import fuzzy
from recto.tui.dialogs.fuzzy import Fuzzy, fold, stretches


def rank(query: str, texts: list[str]) -> list[str]:
    """Return the texts that match, best first."""
    scores = [(Fuzzy(query).score(text), text) for text in texts]
    return [text for score, text in sorted(scores, key=lambda each: -each[0]) if score]


def test_initials_and_beginnings_come_first() -> None:
    titles = ["A regular story", "Get started", "Getting started", "Budgets"]

    assert rank("gs", titles)[:2] == ["Get started", "Getting started"]
    assert rank("xyz", titles) == []


def test_the_word_itself_comes_before_letters_that_are_strewn_about() -> None:
    titles = [
        "Plug-and-Play Scripting  Ada's documentation › nso",
        "70.3. Planner Statistics and Security  Ada's documentation › pgsql",
        "Refunds  Ada's › Payments",
        "Payments  Ada's documentation and yours",
    ]

    assert rank("payments", titles)[:2] == [titles[3], titles[2]]


def test_words_come_before_beginnings_before_runs_before_scattered_letters() -> None:
    titles = ["Stable", "Tuna ballet", "Tables", "Table"]

    assert rank("table", titles) == ["Table", "Tables", "Stable", "Tuna ballet"]
    assert rank("gts", ["the digits", "Settings", "Getting to Start"])[0] == "Getting to Start"


def test_several_words_match_across_whatever_stands_between_them() -> None:
    titles = ["Choosing and theming, optionally normal", "Choosing the Optimal", "choosing-the-optimal value"]

    assert rank("Choosing the optimal", titles)[:2] == [titles[1], titles[2]]


def test_whatever_is_typed_is_looked_for_as_it_stands() -> None:
    assert rank("a.*(", ["a.*(b)", "abc"]) == ["a.*(b)"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("cafe", "Café"),
        ("café", "Cafe\u0301"),
        ("strasse", "Straße"),
        ("STRASSE", "straße"),
        ("istanbul", "İstanbul"),
        ("file", "ﬁle"),
        ("abc", "ＡＢＣ"),
        ("한", "한국어"),
        ("配置", "服务器配置"),
    ],
)
def test_case_accents_and_width_do_not_matter(query: str, text: str) -> None:
    assert Fuzzy(query).score(text) > fuzzy.SCATTERED


class Counted(str):
    """A text that counts how many of its characters are looked at."""

    looked_at = 0

    def find(self, letter: Any, start: Any = None, end: Any = None) -> int:
        at = super().find(letter, start, end)
        self.looked_at += (at if at >= 0 else len(self)) - start + 1
        return at

    def rfind(self, letter: Any, start: Any = None, end: Any = None) -> int:
        at = super().rfind(letter, start, end)
        self.looked_at += end - at
        return at


@pytest.mark.parametrize(
    ("query", "piece"),
    [
        ("tettette", "tet"),
        ("tettette", "te "),
        ("eeeeeeeez", "e"),
        ("ab" * 250, "ab"),
        ("choosing the optimal", "choosing the optima "),
        ("choosing the optimal", "choosing optimal "),
        ("abcde", "abcd abcde "),
    ],
)
def test_each_character_is_compared_at_most_three_times_however_letters_repeat(query: str, piece: str) -> None:
    def compare(times: int) -> tuple[int, int]:
        text = Counted(piece * times)
        found = sum(len(places) for places in stretches(fold(query).replace(" ", ""), text))
        assert found <= len(text)
        return text.looked_at, len(text)

    once, length = compare(1000)
    twice, _ = compare(2000)

    assert once <= 3 * length
    assert twice <= 2 * once + 2 * len(query)


def test_stretches_hold_the_letters_in_order_and_do_not_overlap() -> None:
    text = "a xab b ab aab"

    found = list(stretches("ab", text))

    assert ["".join(text[at] for at in places) for places in found] == ["ab"] * len(found)
    assert found == [[3, 4], [8, 9], [12, 13]]


def test_a_run_of_combining_characters_is_folded_one_by_one() -> None:
    marks = "\u0323\u0301" * 50_000  # normalized as a whole, these would be put in order by pairs

    assert Fuzzy("az").score(f"a{marks}z") > 0
