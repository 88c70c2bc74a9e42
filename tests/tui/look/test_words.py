"""Times, signs and people."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from recto.tui.look import signs
from recto.tui.look.times import ago, both, exact

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (timedelta(seconds=-20), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=2, minutes=50), "2 h ago"),
        (timedelta(days=3), "3 d ago"),
        (timedelta(days=40), "31 Jan 2026"),
    ],
)
def test_times_are_shown_as_ages(before: timedelta, said: str) -> None:
    assert ago(NOON - before, NOON) == said


def test_a_date_is_shown_once() -> None:
    hours, months = NOON - timedelta(hours=2), NOON - timedelta(days=60)
    assert both(hours, NOON) == f"2 h ago · {exact(hours)}"
    assert both(months, NOON) == exact(months)


@pytest.mark.parametrize(("zone", "moment"), [("EST5", datetime.min), ("CET-1", datetime.max)])
def test_a_moment_at_the_ends_of_time_is_shown_in_its_own_zone(
    zone: str, moment: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        said = exact(moment.replace(tzinfo=UTC)), ago(moment.replace(tzinfo=UTC), NOON)
    time.tzset()
    assert all(f" {moment.year}" in each for each in said)


def test_a_moment_that_is_not_known_says_nothing() -> None:
    assert ago(None, NOON) == ""


def test_an_unknown_state_shows_under_its_own_word() -> None:
    assert signs.sign(signs.CHANGE_REQUEST, "frozen\x1b").word == "frozen"


def test_each_sign_takes_one_cell_and_no_two_states_of_a_kind_share_one() -> None:
    for kind in (signs.CHANGE_REQUEST, signs.REVIEW, signs.COMMENT, signs.CHANGE):
        assert len({one.sign for one in kind.values()}) == len(kind)
        assert all(len(one.sign) == 1 for one in kind.values())


@dataclass
class Someone:
    id: str = "u1"
    display_name: str | None = None
    email: str | None = None


def test_a_person_always_has_the_same_short_form() -> None:
    assert signs.person(Someone(display_name=" Ada Lovelace ")) == "Ada Lovelace"
    assert signs.person(Someone(email="ada@example.org")) == "ada"
    assert signs.person(Someone()) == "u1"
    assert signs.person(None) == "unknown member"


def test_emoji_come_as_code_points_or_as_themselves() -> None:
    assert signs.emoji("1f3e0") == "🏠"
    assert signs.emoji("🏠") == "🏠"
    assert signs.emoji("1f44d-1f3fd") == "👍"
    assert signs.emoji("👩‍💻") == "👩"
    assert signs.emoji("a whole sentence") == "a "


@pytest.mark.parametrize("typed", ["📖", "1f4d6", "1f44d-1f3fd", "👩‍💻", "1️⃣", "🇫🇷", "ℹ️"])
def test_one_emoji_may_be_typed(typed: str) -> None:
    assert signs.why_no_emoji(typed) is None


@pytest.mark.parametrize("typed", ["book", "📖 guide", "📖" * 20])
def test_what_is_typed_for_an_emoji_and_is_none_is_refused(typed: str) -> None:
    assert signs.why_no_emoji(typed) == "type one emoji, such as 📖"
