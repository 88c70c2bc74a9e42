from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from recto.cli.api.command import call, find
from recto.client import errors
from recto.client.json_calls import NOTHING, how_to_look, is_list
from recto.client.sender import Sender
from recto.contract.api import routes
from recto.contract.comments import Comments
from recto.contract.organizations import Organizations
from recto.contract.spaces import Spaces
from support.notes import Notes, WriteNote


class Server:
    """A made-up server, and what it was asked."""

    def __init__(self, *answers: httpx.Response, waits: list[float] | None = None) -> None:
        self.asked: list[httpx.Request] = []
        self._answers: Iterator[httpx.Response] = iter(answers)

        async def pause(seconds: float) -> None:
            assert waits is not None
            waits.append(seconds)

        self.sender = Sender(
            "https://api.example.com", None, transport=lambda: httpx.MockTransport(self._answer), pause=pause
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return next(self._answers)

    def queries(self) -> list[dict[str, str]]:
        return [dict(request.url.params) for request in self.asked]


def list_page(*items: Any, after: str | None = None) -> httpx.Response:
    return httpx.Response(200, json={"items": items, "count": 5} | ({"next": {"page": after}} if after else {}))


NOTE: dict[str, Any] = {"note_id": "n1", "whole": None, **dict.fromkeys(("share_key", "authors", "colour", "since"))}
LIST: dict[str, Any] = {"book_id": "b1", "page": None, "limit": None}


def test_an_answer_is_what_came_whatever_the_contract_names() -> None:
    server = Server(httpx.Response(200, content=b'{"unheardOf": [1.50, null], "id": 3}'))
    assert call(server.sender, Notes.get_note.routes[0], NOTE) == {"unheardOf": [1.5, None], "id": 3}
    assert str(server.asked[0].url) == "https://api.example.com/v1/notes/n1"


def test_texts_go_out_as_they_were_given() -> None:
    server = Server(httpx.Response(200, content=b"{}"))
    call(server.sender, Notes.get_note.routes[0], NOTE | {"authors": ["a", "b"], "whole": "perhaps"})
    assert server.asked[0].url.query == b"whole=perhaps&authors=a&authors=b"


def test_no_content_is_nothing_and_null_is_something() -> None:
    assert call(Server(httpx.Response(204)).sender, Notes.delete_note.routes[0], {"note_id": "n1"}) is NOTHING
    assert call(Server(httpx.Response(200, content=b"null")).sender, Notes.get_note.routes[0], NOTE) is None


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<html>", "a web page"),
        (b'{"id": ', "not JSON, or was cut short"),
        (b"NaN", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff", "not JSON"),
        (b"9" * 5000, "not JSON"),
    ],
)
def test_what_is_not_json_is_an_error(content: bytes, says: str) -> None:
    with pytest.raises(errors.BadResponse, match=says):
        call(Server(httpx.Response(200, content=content)).sender, Notes.get_note.routes[0], NOTE)


def test_a_list_is_walked_to_its_end() -> None:
    server = Server(
        list_page({"id": 1}, {"id": 2}, after="p2"), list_page({"id": 3, "own": True}, after="p3"), list_page()
    )
    answer = call(server.sender, Notes.list_notes.routes[0], LIST, all_pages=True)
    assert answer == {"count": 3, "items": [{"id": 1}, {"id": 2}, {"id": 3, "own": True}]}
    assert server.queries() == [
        {"limit": "200"},
        {"page": "p2", "limit": "200"},
        {"page": "p3", "limit": "200"},
    ]


@pytest.mark.parametrize("after", [{}, {"page": None}, {"page": ""}, [], ""])
def test_a_list_ends_where_no_further_page_is_named(after: object) -> None:
    server = Server(httpx.Response(200, json={"next": after, "items": [{"id": 1}]}))
    answer = call(server.sender, Notes.list_notes.routes[0], LIST, all_pages=True)
    assert answer["items"] == [{"id": 1}]
    assert server.queries() == [{"limit": "200"}]


def test_a_limit_that_was_given_stands() -> None:
    server = Server(list_page({"id": 1}))
    call(server.sender, Notes.list_notes.routes[0], LIST | {"limit": "7"}, all_pages=True)
    assert server.queries() == [{"limit": "7"}]


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ((list_page(after="p2"), list_page(after="p2")), "the same page of the list twice"),
        ((httpx.Response(200, json=[1]),), "is not a list"),
        ((httpx.Response(200, json={"items": {}}),), "is not a list"),
    ],
)
def test_a_list_that_is_none_or_never_ends_is_an_error(answers: tuple[httpx.Response, ...], says: str) -> None:
    with pytest.raises(errors.BadResponse, match=says):
        call(Server(*answers).sender, Notes.list_notes.routes[0], LIST, all_pages=True)


def test_lists_are_known() -> None:
    assert is_list(Organizations.list_organizations.routes[0])
    assert is_list(Comments.list_comments.routes[0])
    assert not is_list(Spaces.get_space.routes[0])
    assert not is_list(Spaces.delete_space.routes[0])


def test_a_wait_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    waits: list[float] = []
    busy = httpx.Response(429, headers={"Retry-After": "8"}, json={"error": {"message": "no"}})
    server = Server(busy, httpx.Response(200, content=b"{}"), waits=waits)
    assert call(server.sender, Notes.get_note.routes[0], NOTE) == {}
    assert waits == [8.0]
    assert capsys.readouterr().err == "recto: The platform asks to wait 8 s; Ctrl+C gives up.\n"


async def interrupt() -> httpx.Response:
    """Never answer: the person presses Ctrl+C."""
    signal.raise_signal(signal.SIGINT)
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize("change", [True, False])
def test_who_interrupts_a_change_hears_that_it_may_have_arrived(
    change: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    sender = Sender("https://api.example.com", None, transport=lambda: httpx.MockTransport(lambda _: interrupt()))
    with pytest.raises(KeyboardInterrupt):
        if change:
            call(sender, Notes.update_note.routes[0], {"note_id": "n1", "body": WriteNote(title="x")})
        else:
            call(sender, Notes.get_note.routes[0], NOTE)
    told = capsys.readouterr().err
    assert told == "recto: Interrupted. It may have arrived. Look before you send it again.\n" * change


def test_for_each_change_a_call_is_named_that_shows_whether_it_was_made() -> None:
    every = list(routes())
    for operation in every:
        if operation.reads:
            continue
        given = {each.name: f"{each.name} 1" for each in operation.parameters}
        path = re.search(r"Look with GET (\S+) before", how_to_look(operation, given))
        assert path is not None, operation
        found = find("GET", path[1])
        assert not found.open
        assert all(given[name] == value for name, value in found.values.items())
