from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recto.client.errors import Unsendable
from recto.client.outgoing import Outgoing, make_outgoing, platform_address, usable_token
from recto.contract.operation import Operation
from support.notes import Colour, Notes, WriteNote


def request_of(operation: Operation[Any, Any], *args: Any, **kwargs: Any) -> Outgoing:
    arguments = operation.arguments(*args, **kwargs)
    route = operation.route(arguments)
    return make_outgoing(route, route.flat(arguments), "Could not do it.")


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://api.example.com", "https://api.example.com"),
        ("https://api.example.com/", "https://api.example.com"),
        ("https://api.example.com/v1", "https://api.example.com"),
        (" https://api.example.com/v1// ", "https://api.example.com"),
        ("http://127.0.0.1:8977/docs/v1/", "http://127.0.0.1:8977/docs"),
        ("https://v1", "https://v1"),
    ],
)
def test_an_address_is_taken_with_or_without_its_version(given: str, address: str) -> None:
    assert platform_address(given) == address


@pytest.mark.parametrize(
    "given",
    ["", "api.example.com", "ftp://example.com", "https://", "https://example.com:no", "https://[::1",
     "https://me:secret@example.com", "https://example.com?key=1", "https://example.com:0"],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_repeating_it(given: str) -> None:
    with pytest.raises(Unsendable) as caught:
        platform_address(given)
    assert "secret" not in str(caught.value)


def test_a_token_is_trimmed_and_none_stays_none() -> None:
    assert usable_token(" abc\n") == "abc"
    assert usable_token(None) is None
    assert usable_token("  ") is None


@pytest.mark.parametrize("token", ["top secret", "top\nsecret", "tøp-secret"])
def test_a_token_that_no_header_takes_is_refused_without_repeating_it(token: str) -> None:
    with pytest.raises(Unsendable) as caught:
        usable_token(token)
    assert "secret" not in str(caught.value)


def test_path_parameters_are_quoted() -> None:
    assert request_of(Notes.get_note, "a/b ü?", whole=False).target == "/v1/notes/a%2Fb%20%C3%BC%3F?whole=false"


def test_a_path_parameter_that_is_a_path_keeps_its_slashes() -> None:
    assert request_of(Notes.get_note_at, "guides/first steps").target == "/v1/notes/at/guides/first%20steps"


def test_a_value_that_looks_like_a_placeholder_stays_a_value() -> None:
    assert request_of(Notes.get_note_at, "{note_path}").target == "/v1/notes/at/%7Bnote_path%7D"


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_a_path_parameter_that_would_lead_elsewhere_is_refused(value: str) -> None:
    with pytest.raises(Unsendable):
        request_of(Notes.get_note, value)
    with pytest.raises(Unsendable):
        request_of(Notes.get_note_at, f"guides/{value}/first")


def test_query_parameters_go_out_in_their_spelling() -> None:
    request = request_of(
        Notes.get_note,
        "n1",
        share_key="a&b",
        authors=["u1", "u2"],
        colour=Colour.RED,
        since=datetime(2026, 1, 2, tzinfo=UTC),
    )
    assert request.target == (
        "/v1/notes/n1?shareKey=a%26b&whole=true&authors=u1&authors=u2&colour=red&since=2026-01-02T00%3A00%3A00%2B00%3A00"
    )
    assert request.content is None


def test_a_body_holds_what_was_set_and_nothing_else() -> None:
    request = request_of(Notes.update_note, "n1", WriteNote(title=None))
    assert request == Outgoing("PATCH", "/v1/notes/n1", b'{"title":null}')
