"""When the second server gives a test up: where the program has said what is missing, and nowhere else."""

from __future__ import annotations

from typing import Any

from recto.client.errors import Unsupported
from support.second_server import OnlyReference, SecondServer

REPLIES = "GET /v1/spaces/…/comments/…/replies"
SAID = "this server does not list replies"


def second_server(*messages: str) -> SecondServer:
    async def application(*_: Any) -> None: ...

    second = SecondServer()
    second.doors.append(OnlyReference(application))
    second.doors[0].lacked.update([REPLIES, "GET /v1/user"])
    second.transcript.messages += messages
    return second


def failure(error: Exception) -> Exception:
    try:
        raise error
    except Exception as raised:
        return raised


def test_a_failure_is_expected_where_the_screen_named_the_missing_operation() -> None:
    assert second_server(SAID).why_given_up("test_x", failure(AssertionError())) == REPLIES


def test_a_failure_counts_where_the_screen_named_nothing() -> None:
    assert second_server().why_given_up("test_x", failure(AssertionError("no picture"))) is None
    assert second_server("No replies yet.").why_given_up("test_x", failure(AssertionError())) is None


def test_a_hang_is_never_given_up() -> None:
    assert second_server(SAID).why_given_up("test_x", failure(AssertionError("it does not come to rest"))) is None


def test_the_answer_of_the_store_says_it_too() -> None:
    error = failure(Unsupported("Could not load your own user.", "This server does not offer it.", status=404))
    assert second_server().why_given_up("test_x", error) == "GET /v1/user"
