from __future__ import annotations

import pytest

from recto.client import errors
from recto.client.errors import Refused, TooManyRequests, refusal

WHAT = "Could not change a note."


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.BadRequest),
        (401, errors.Unauthorized),
        (403, errors.NotAllowed),
        (404, errors.NotFound),
        (405, errors.Unsupported),
        (409, errors.Conflict),
        (410, errors.NotFound),
        (412, errors.PreconditionFailed),
        (422, errors.BadRequest),
        (429, errors.TooManyRequests),
        (500, errors.ServerFailed),
        (501, errors.Unsupported),
        (502, errors.Unavailable),
        (503, errors.Unavailable),
        (504, errors.Unavailable),
        (505, errors.ServerFailed),
        (511, errors.Unavailable),
        (522, errors.Unavailable),
        (418, Refused),
    ],
)
def test_each_status_has_its_error_which_says_what_why_and_what_next(status: int, kind: type[Refused]) -> None:
    error = refusal(WHAT, status, "Nope", reads=True)
    assert type(error) is kind
    assert error.status == status
    assert str(error) == f"{WHAT} {kind.default_why} {kind.default_next_step}"
    assert error.message == "Nope"


def test_a_404_that_is_not_the_platforms_own_means_that_the_server_lacks_the_operation() -> None:
    assert type(refusal(WHAT, 404, None, reads=True)) is errors.Unsupported


def test_the_platforms_words_are_outside_text() -> None:
    error = refusal(WHAT, 409, "Nothing\x1b]0;owned\x07 would change", reads=False)
    assert error.message == "Nothing ]0;owned would change"
    assert "\x1b" not in str(error)


@pytest.mark.parametrize(
    ("status", "reads", "unsure"),
    [(500, False, True), (502, False, True), (504, False, True), (503, False, True), (501, False, False),
     (500, True, False), (503, True, False), (409, False, False)],
)  # fmt: skip
def test_only_a_failed_server_leaves_open_whether_a_change_arrived(status: int, reads: bool, unsure: bool) -> None:
    assert refusal(WHAT, status, "", reads=reads).may_have_arrived is unsure


def test_a_change_that_is_to_come_back_later_has_not_arrived() -> None:
    error = refusal(WHAT, 503, "", reads=False, retry_after=7)
    assert not error.may_have_arrived
    assert error.next_step == "Try again in 7 s."
    assert not refusal(WHAT, 503, "", reads=False, by_gateway=False).may_have_arrived


def test_a_limit_says_how_long_to_wait() -> None:
    error = refusal(WHAT, 429, "", reads=False, retry_after=12.4)
    assert isinstance(error, TooManyRequests)
    assert error.retry_after == 12.4
    assert error.next_step == "Try again in 12 s."


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("There is no space s9, or you may not see it.", "There is no space s9, or you may not see it."),
        ("Already in that place", "Already in that place."),
        ("title: at most 50 characters", "The server says: title: at most 50 characters."),
        ("Bad Request", "The server does not accept what it was sent."),
        ("", "The server does not accept what it was sent."),
    ],
)
def test_the_platforms_own_words_are_preferred_where_they_say_something(said: str, why: str) -> None:
    assert refusal(WHAT, 400, said, reads=False).why == why
