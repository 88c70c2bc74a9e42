from __future__ import annotations

import asyncio
import gzip
import json
import re
import socket
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest

from recto.client import errors
from recto.client.call import Call
from recto.client.outgoing import Limits
from recto.client.sender import Sender, connect, embed, failure_of
from recto.client.waiting import Wait
from recto.contract.api import routes
from recto.contract.change_requests import ChangeRequests
from recto.contract.operation import Operation
from recto.contract.sites import Sites
from recto.contract.spaces import Spaces
from support.notes import Note, Notes, WriteNote

TOKEN = "token-nobody-may-see"
Handler = Callable[[httpx.Request], Any]


def note(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"object": "note", "id": "n1", "title": "First"})


def refused(status: int, **headers: str) -> httpx.Response:
    body = {"error": {"code": status, "message": "No"}}
    return httpx.Response(status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


class Platform:
    """A sender to a made-up server, with what was asked and how long was waited."""

    def __init__(self, *answers: Handler | httpx.Response | Exception, limits: Limits | None = None) -> None:
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self._answers = list(answers)
        self.sender = Sender(
            "https://api.example.com",
            TOKEN,
            transport=lambda: httpx.MockTransport(self._answer),
            limits=limits,
            wall_clock=lambda: 1000.0,
            pause=self._pause,
        )
        self.call = Call(self.sender)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if callable(answer):
            answer = answer(request)
        if asyncio.iscoroutine(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, httpx.Response)
        return answer

    async def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)


async def test_a_refusal_that_quotes_the_token_does_not_show_it() -> None:
    body = {"error": {"code": 400, "message": f"The header “Bearer {TOKEN}” is not accepted here."}}
    platform = Platform(httpx.Response(400, json=body))
    with pytest.raises(errors.BadRequest) as caught:
        await platform.call(Notes.get_note, "one")
    assert caught.value.message == "The header “Bearer …” is not accepted here."
    assert TOKEN not in str(caught.value)


async def test_a_call_comes_back_as_its_model() -> None:
    platform = Platform(note)
    assert (await platform.call(Notes.get_note, "n1")).title == "First"
    request = platform.requests[0]
    assert str(request.url) == "https://api.example.com/v1/notes/n1?whole=true"
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["Accept"] == "application/json"
    assert "Content-Type" not in request.headers
    await platform.sender.aclose()


async def test_a_body_goes_out_as_json() -> None:
    platform = Platform(note)
    await platform.call(Notes.update_note, "n1", WriteNote(title="Ü"))
    request = platform.requests[0]
    assert request.headers["Content-Type"] == "application/json"
    assert json.loads(request.content) == {"title": "Ü"}


@pytest.mark.parametrize(
    "answer", [httpx.Response(200), httpx.Response(204), httpx.Response(205), httpx.Response(200, json={"ok": True})]
)
async def test_no_content_is_none_whatever_json_comes_in_its_place(answer: httpx.Response) -> None:
    operation: Operation[Any, Any] = Notes.delete_note
    assert await Platform(answer).sender.send(operation, {"note_id": "n1"}) is None


async def test_a_web_page_is_no_answer_where_no_content_is_expected() -> None:
    operation: Operation[Any, Any] = Notes.delete_note
    with pytest.raises(errors.BadResponse, match="a web page") as caught:
        await Platform(httpx.Response(200, html="<!doctype html><p>Sign in")).sender.send(operation, {"note_id": "n1"})
    assert caught.value.may_have_arrived


async def test_a_quoted_path_reaches_the_server_as_it_is() -> None:
    platform = Platform(note)
    await platform.call(Notes.get_note_at, "a b/c%2Fd/ü")
    assert platform.requests[0].url.raw_path == b"/v1/notes/at/a%20b/c%252Fd/%C3%BC"


async def test_a_server_below_a_path_is_asked_there() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return note(request)

    sender = Sender("https://example.com/docs", None, transport=lambda: httpx.MockTransport(answer))
    await Call(sender)(Notes.get_note, "n1", whole=False)
    assert seen == ["https://example.com/docs/v1/notes/n1?whole=false"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"object": "note", "id"', "The server's response is not JSON, or was cut short."),
        (b"<!doctype html><p>Sign in", "The server answered with a web page, not with data."),
        (b"", "The server's response is empty."),
        (b'{"object": "note"}', "The server's response is not what the API describes: Field required (at id)."),
        (b'{"id": 7}', "The server's response is not what the API describes: Input should be a valid string (at id)."),
        (b"\xff\xfe", "The server's response is not JSON, or was cut short."),
    ],
)
async def test_a_broken_answer_is_reported_and_not_asked_for_again(content: bytes, why: str) -> None:
    platform = Platform(httpx.Response(200, content=content))
    with pytest.raises(errors.BadResponse) as caught:
        await platform.call(Notes.get_note, "n1")
    assert caught.value.why == why
    assert caught.value.what == "Could not load one note."
    assert not caught.value.may_have_arrived
    assert len(platform.requests) == 1


async def test_a_change_whose_answer_is_broken_may_have_arrived() -> None:
    platform = Platform(httpx.Response(200, content=b"{"))
    with pytest.raises(errors.BadResponse) as caught:
        await platform.call(Notes.update_note, "n1", WriteNote())
    assert caught.value.may_have_arrived


@pytest.mark.parametrize("operation", [Notes.update_note, Notes.delete_note])
async def test_a_change_that_a_web_page_answers_does_not_pass_for_done(operation: Operation[Any, Any]) -> None:
    platform = Platform(httpx.Response(200, html="<html>Sign in</html>"))
    arguments = {"note_id": "n1"} | ({"body": WriteNote()} if operation is Notes.update_note else {})
    with pytest.raises(errors.Intercepted) as caught:
        await platform.sender.send(operation, arguments)
    assert caught.value.may_have_arrived
    assert isinstance(platform.sender.reach.failure, errors.Intercepted)


async def test_an_answer_that_breaks_off_is_reported() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"object": "note",'
        raise httpx.RemoteProtocolError("peer closed connection")

    platform = Platform(lambda _: httpx.Response(200, content=pieces()))
    with pytest.raises(errors.BadResponse, match="cut short"):
        await platform.call(Notes.get_note, "n1")
    with pytest.raises(errors.BadResponse) as caught:
        await platform.call(Notes.update_note, "n1", WriteNote())
    assert caught.value.may_have_arrived


async def test_an_answer_that_is_packed_wrongly_is_reported() -> None:
    broken = httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"not gzip"))
    with pytest.raises(errors.BadResponse):
        await Platform(lambda _: broken).call(Notes.get_note, "n1")
    packed = gzip.compress(b'{"id": "n1"}')
    fine = httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(packed))
    assert (await Platform(lambda _: fine).call(Notes.get_note, "n1")).id == "n1"


async def test_a_large_answer_is_parsed_beside_the_loop() -> None:
    items = [{"object": "note", "id": str(number), "title": "x" * 100} for number in range(5000)]
    platform = Platform(httpx.Response(200, json={"items": items}))
    listed = await platform.call(Notes.list_notes, "b1")
    assert [each.id for each in listed.items] == [str(number) for number in range(5000)]


async def test_a_read_is_tried_again_where_the_connection_broke() -> None:
    platform = Platform(httpx.ReadError("reset"), httpx.ConnectError("no"), note)
    assert (await platform.call(Notes.get_note, "n1")).id == "n1"
    assert len(platform.requests) == 3


async def test_a_read_is_given_up_after_a_bounded_number_of_attempts() -> None:
    platform = Platform(httpx.ConnectError("no"), limits=Limits(attempts=3))
    with pytest.raises(errors.Unreachable, match=r"https://api\.example\.com cannot be reached\."):
        await platform.call(Notes.get_note, "n1")
    assert len(platform.requests) == 3
    assert len(platform.waits) == 2


async def test_a_refused_connection_is_named_in_the_words_of_the_system() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens on it
        sender = Sender(f"http://127.0.0.1:{taken.getsockname()[1]}", TOKEN, limits=Limits(attempts=1))
        with pytest.raises(errors.Unreachable) as raised:
            await Call(sender)(Notes.get_note, "n1")
        await sender.aclose()
    assert raised.value.reason == "connection refused"


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry_After": "3"}, 3.0),
        ({"Retry_After": "Thu, 01 Jan 1970 00:16:45 GMT"}, 5.0),
        ({"X_RateLimit_Reset": "1007"}, 7.0),
        ({"Retry_After": "soon"}, 0.5),
        ({}, 0.5),
        ({"Retry_After": "Thu, 01 Jan 1970 00:16:00 GMT"}, 0.0),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_a_read_waits_as_long_as_the_server_asks(status: int, headers: dict[str, str], waited: float) -> None:
    platform = Platform(refused(status, **headers), note)
    assert (await platform.call(Notes.get_note, "n1")).id == "n1"
    assert platform.waits == [waited]


async def test_a_read_does_not_wait_longer_than_it_may() -> None:
    platform = Platform(refused(429, Retry_After="3600"), limits=Limits(longest_wait=10))
    with pytest.raises(errors.TooManyRequests) as caught:
        await platform.call(Notes.get_note, "n1")
    assert caught.value.retry_after == 3600
    assert platform.waits == []
    assert len(platform.requests) == 1


@pytest.mark.parametrize("status", [429, 503])
async def test_a_wait_beyond_all_measure_fails_as_a_refusal(status: int) -> None:
    platform = Platform(refused(status, Retry_After="9" * 320))
    with pytest.raises(errors.Refused, match="Try again in 86400 s"):
        await platform.call(Notes.get_note, "n1")
    assert not platform.waits


@pytest.mark.parametrize(
    ("refusal", "waited"),
    [
        (refused(429, Retry_After="3"), 3.0),
        (refused(429), 0.5),
        (refused(503, Retry_After="4"), 4.0),
        (refused(503, X_RateLimit_Reset="1007"), 7.0),
    ],
)
async def test_what_was_not_taken_on_is_sent_again(refusal: httpx.Response, waited: float) -> None:
    platform = Platform(refusal, note)
    assert (await platform.call(Notes.create_note, "b1", WriteNote(title="x"))).id == "n1"
    assert platform.waits == [waited]
    assert [json.loads(request.content) for request in platform.requests] == [{"title": "x"}] * 2


async def test_what_is_never_taken_on_is_given_up_after_a_bounded_number_of_attempts() -> None:
    platform = Platform(refused(429, Retry_After="1"), limits=Limits(attempts=3))
    with pytest.raises(errors.TooManyRequests) as caught:
        await platform.call(Notes.update_note, "n1", WriteNote(title="x"))
    assert not caught.value.may_have_arrived
    assert (platform.waits, len(platform.requests)) == ([1.0, 1.0], 3)


@pytest.mark.parametrize("name", ["get_note", "update_note"])
async def test_a_wait_is_reported_and_can_be_cancelled(name: str) -> None:
    told: list[list[float]] = []
    waiting = asyncio.Event()

    def hear(waits: tuple[Wait, ...]) -> None:
        told.append([wait.seconds for wait in waits])
        waiting.set()

    answer = refused(429, Retry_After="9")
    sender = Sender("https://api.example.com", None, transport=lambda: httpx.MockTransport(lambda _: answer))
    sender.waits.listener = hear
    given = () if name == "get_note" else (WriteNote(title="x"),)
    task = asyncio.ensure_future(Call(sender)(getattr(Notes, name), "n1", *given))
    await waiting.wait()
    assert sender.waits
    assert not sender.writing
    sender.waits.give_up()
    with pytest.raises(errors.TooManyRequests, match=r"Try again in 9 s\.") as caught:
        await task
    assert not caught.value.may_have_arrived
    assert told == [[9.0], []]
    await sender.aclose()


async def test_a_cancelled_read_waits_no_longer() -> None:
    told: list[int] = []
    waiting = asyncio.Event()

    def hear(waits: tuple[Wait, ...]) -> None:
        told.append(len(waits))
        waiting.set()

    answer = refused(503, Retry_After="9")
    sender = Sender("https://api.example.com", None, transport=lambda: httpx.MockTransport(lambda _: answer))
    sender.waits.listener = hear
    task = asyncio.ensure_future(Call(sender)(Notes.get_note, "n1"))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == [1, 0]
    await sender.aclose()


async def test_a_short_wait_is_not_worth_telling() -> None:
    told: list[int] = []
    platform = Platform(refused(429), note)
    platform.sender.waits.listener = lambda waits: told.append(len(waits))
    await platform.call(Notes.get_note, "n1")
    assert (platform.waits, told) == ([0.5], [])


async def test_a_read_only_sender_lets_nothing_out_that_changes_something() -> None:
    platform = Platform(note)
    sender = Sender(
        "https://api.example.com", None, read_only=True, transport=lambda: httpx.MockTransport(platform._answer)
    )
    call = Call(sender)
    assert (await call(Notes.get_note, "n1")).id == "n1"
    for write in (
        lambda: call(Notes.update_note, "n1", WriteNote(title="x")),
        lambda: call(Notes.create_note, "b1", WriteNote()),
        lambda: call(Notes.delete_note, "n1"),
    ):
        with pytest.raises(errors.ReadOnly, match="read-only") as caught:
            await write()
        assert not caught.value.may_have_arrived
    assert [request.method for request in platform.requests] == ["GET"]
    await sender.aclose()


async def test_an_answer_can_be_had_as_it_came() -> None:
    platform = Platform(httpx.Response(200, content=b'{"id": "n1", "unheardOf": 1.50}'))
    assert (
        await platform.sender.ask(Notes.get_note.routes[0], Notes.get_note.arguments("n1"))
        == b'{"id": "n1", "unheardOf": 1.50}'
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 500, 502])
async def test_a_refused_read_is_not_asked_again(status: int) -> None:
    platform = Platform(refused(status))
    with pytest.raises(errors.Refused) as caught:
        await platform.call(Notes.get_note, "n1")
    assert (caught.value.status, caught.value.message) == (status, "No")
    assert len(platform.requests) == 1


@pytest.mark.parametrize(
    ("failure", "kind", "unsure"),
    [
        (httpx.ConnectError("no"), errors.Unreachable, False),
        (httpx.ConnectTimeout("no"), errors.TimedOut, False),
        (httpx.ReadError("reset"), errors.Unreachable, True),
        (httpx.WriteError("reset"), errors.Unreachable, True),
        (httpx.RemoteProtocolError("gone"), errors.Unreachable, True),
        (httpx.ReadTimeout("late"), errors.TimedOut, True),
        (refused(503), errors.ServerFailed, True),
        (refused(503, Retry_After="3600"), errors.ServerFailed, False),
        (refused(502), errors.ServerFailed, True),
    ],
)
async def test_what_changes_something_is_sent_once(
    failure: Exception | httpx.Response, kind: type[errors.ClientError], unsure: bool
) -> None:
    calls: list[tuple[Operation[Any, Any], dict[str, Any]]] = [
        (Notes.update_note, Notes.update_note.arguments("n1", WriteNote(title="x"))),
        (Notes.delete_note, Notes.delete_note.arguments("n1")),
        (Notes.create_note, Notes.create_note.arguments("b1", WriteNote(title="x"))),
    ]
    for operation, arguments in calls:
        platform = Platform(failure)
        with pytest.raises(kind) as caught:
            await platform.sender.send(operation, arguments)
        assert caught.value.may_have_arrived is unsure
        assert len(platform.requests) == 1


async def test_a_server_that_sends_elsewhere_is_not_followed() -> None:
    moved = httpx.Response(308, headers={"Location": "https://other.example/v1/notes/n1?key=hidden"})
    platform = Platform(moved)
    with pytest.raises(errors.BadResponse, match=r"https://other\.example/v1/notes/n1\.") as caught:
        await platform.call(Notes.update_note, "n1", WriteNote())
    assert "hidden" not in str(caught.value)
    assert len(platform.requests) == 1


@pytest.mark.parametrize(
    ("answer", "is_reached"),
    [
        (note, True),
        (refused(500), True),
        (refused(429, Retry_After="3600"), True),
        (refused(404), True),
        (refused(502), False),
        (refused(503), False),
        (refused(504), False),
        (httpx.Response(502, html="<html>Bad gateway</html>"), False),
        (httpx.Response(200, html="<html>Sign in</html>"), False),
        (httpx.Response(302, headers={"Location": "https://portal.example/"}), False),
        (httpx.ConnectError("No route to host"), False),
        (httpx.ReadTimeout("No response"), False),
    ],
)
async def test_only_what_the_platform_itself_answers_shows_that_it_is_reached(answer: Any, is_reached: bool) -> None:
    platform = Platform(answer)
    told: list[bool] = []
    platform.sender.reach.listener = lambda failure: told.append(failure is None)
    with suppress(errors.ClientError):
        await platform.call(Notes.get_note, "n1")
    assert (platform.sender.reach.failure is None) is is_reached
    assert told == ([] if is_reached else [False])


async def test_what_fails_while_others_are_answered_says_nothing_about_the_platform() -> None:
    platform = Platform(lambda request: refused(504) if request.url.path.endswith("/slow") else note(request))
    told: list[bool] = []
    platform.sender.reach.listener = lambda failure: told.append(failure is None)

    async def ask(note: str) -> None:
        with suppress(errors.Unavailable):
            await platform.call(Notes.get_note, note)

    await ask("slow")
    assert told == [False], "nothing else is known"
    for _ in range(3):
        await ask("n1")
        await ask("slow")
    assert told == [False, True]
    await ask("slow")
    assert told == [False, True, False], "nothing was answered since"


async def test_an_unknown_path_means_that_the_server_lacks_the_operation() -> None:
    with pytest.raises(errors.Unsupported):
        await Platform(httpx.Response(404, text="Not Found")).call(Notes.get_note, "n1")
    with pytest.raises(errors.NotFound):
        await Platform(refused(404)).call(Notes.get_note, "n1")


async def test_an_answer_that_never_comes_times_out() -> None:
    async def never(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    platform = Platform(never, limits=Limits(total=0.01, write_total=0.01))
    with pytest.raises(errors.TimedOut) as read:
        await platform.call(Notes.get_note, "n1")
    with pytest.raises(errors.TimedOut) as written:
        await platform.call(Notes.update_note, "n1", WriteNote())
    assert not read.value.may_have_arrived
    assert written.value.may_have_arrived
    assert len(platform.requests) == 2


async def test_a_write_is_waited_for_longer_than_a_read() -> None:
    platform = Platform(note, limits=Limits(read=1, write=2))
    await platform.call(Notes.get_note, "n1")
    await platform.call(Notes.update_note, "n1", WriteNote())
    assert [request.extensions["timeout"]["read"] for request in platform.requests] == [1, 2]


@pytest.mark.parametrize(("status", "late"), [(504, True), (524, True), (500, False), (502, False)])
async def test_a_gateway_that_did_not_wait_says_nothing_of_what_comes_later(status: int, late: bool) -> None:
    with pytest.raises(errors.ServerFailed) as caught:
        await Platform(refused(status)).call(Notes.update_note, "n1", WriteNote())
    assert caught.value.may_arrive_later is late


async def test_a_cancelled_read_stops_and_a_cancelled_write_goes_on() -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()
    ended: list[str] = []

    async def slow(request: httpx.Request) -> httpx.Response:
        arrived.set()
        try:
            await go_on.wait()
            ended.append(request.method)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return note(request)

    platform = Platform(slow)
    for call in (platform.call(Notes.get_note, "n1"), platform.call(Notes.update_note, "n1", WriteNote())):
        arrived.clear()
        task = asyncio.ensure_future(call)
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    go_on.set()
    await platform.sender.aclose()
    assert ended == ["cancelled", "PATCH"]


async def test_a_write_that_fails_after_its_caller_left_disturbs_nothing() -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_: httpx.Request) -> httpx.Response:
        arrived.set()
        await go_on.wait()
        return refused(409)

    platform = Platform(slow)
    task = asyncio.ensure_future(platform.call(Notes.update_note, "n1", WriteNote()))
    await arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await platform.sender.aclose()


async def test_no_more_reads_at_once_than_allowed() -> None:
    full, go_on = asyncio.Event(), asyncio.Event()
    running: set[str] = set()

    async def slow(request: httpx.Request) -> httpx.Response:
        running.add(request.url.path)
        if len(running) == 2:
            full.set()
        await go_on.wait()
        running.discard(request.url.path)
        return note(request)

    platform = Platform(slow, limits=Limits(parallel_reads=2))
    reading = asyncio.gather(*(platform.call(Notes.get_note, str(number)) for number in range(9)))
    await full.wait()
    for _ in range(100):
        await asyncio.sleep(0)
    assert len(running) == 2
    go_on.set()
    assert len(await reading) == 9


async def test_a_closed_sender_says_so() -> None:
    platform = Platform(note)
    await platform.sender.aclose()
    with pytest.raises(errors.Unreachable, match="closed"):
        await platform.call(Notes.get_note, "n1")
    await platform.sender.aclose()


async def test_closing_ends_the_waiting_of_a_read() -> None:
    waiting = asyncio.Event()

    def busy(_: httpx.Request) -> httpx.Response:
        waiting.set()
        return refused(503, Retry_After="9")

    sender = Sender("https://api.example.com", None, transport=lambda: httpx.MockTransport(busy))
    task = asyncio.ensure_future(Call(sender)(Notes.get_note, "n1"))
    await waiting.wait()
    await sender.aclose()
    with pytest.raises(errors.ClientError):
        await task


async def test_the_token_is_in_no_text_about_a_failure() -> None:
    for answer in (
        httpx.ConnectError("no"),
        refused(401),
        httpx.Response(200, content=b"{"),
        httpx.ReadTimeout("late"),
    ):
        platform = Platform(answer)
        with pytest.raises(errors.ClientError) as caught:
            await platform.call(Notes.update_note, "n1", WriteNote())
        told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(platform.sender)
        assert TOKEN not in told


async def test_an_application_is_called_in_process() -> None:
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope["method"], scope["path"], dict(scope["headers"])[b"authorization"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'{"id": "n1"}'})

    sender = embed(application, TOKEN)
    assert await Call(sender)(Notes.get_note, "n1") == Note(id="n1")
    assert seen == [("GET", "/v1/notes/n1", f"Bearer {TOKEN}".encode())]
    await sender.aclose()


async def test_an_application_that_fails_is_a_failed_server() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("unforeseen")

    with pytest.raises(errors.ServerFailed):
        await Call(embed(application, None))(Notes.get_note, "n1")


async def test_an_application_in_this_process_that_is_busy_can_be_reached() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 503, "headers": []})
        await send({"type": "http.response.body", "body": b'{"error": {"code": 503, "message": "Busy"}}'})

    sender = embed(application, None)
    with pytest.raises(errors.Unavailable):
        await Call(sender)(Notes.update_note, "n1", WriteNote())
    assert sender.reach.failure is None


@asynccontextmanager
async def answering(
    answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]],
) -> AsyncIterator[Call]:
    """Call a real server on this machine whose connections ``answer`` handles; at the end they are all over."""
    connections: list[asyncio.Task[None]] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.append(task)
        try:
            await answer(reader, writer)
        finally:
            writer.close()
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    sender = connect(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", TOKEN)
    try:
        yield Call(sender)
    finally:
        await sender.aclose()
        server.close()
        await asyncio.gather(*connections)
        await server.wait_closed()


async def test_a_cancelled_read_closes_its_connection() -> None:
    arrived, closed = asyncio.Event(), asyncio.Event()

    async def answer_half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id": ')
        await writer.drain()
        arrived.set()
        if await reader.read() == b"":
            closed.set()

    async with answering(answer_half) as call:
        task = asyncio.ensure_future(call(Notes.get_note, "n1"))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(60):
            await closed.wait()


async def test_a_cancelled_write_goes_on_to_its_end_on_its_connection() -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()
    ended: list[bytes] = []

    async def answer_late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        arrived.set()
        await go_on.wait()
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        ended.append(await reader.read())

    async with answering(answer_late) as call:
        task = asyncio.ensure_future(call(Notes.delete_note, "n1"))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
    assert ended == [b""]


async def test_calls_share_a_connection() -> None:
    connections = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        with suppress(asyncio.IncompleteReadError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{"id": "n1"}')
                await writer.drain()

    async with answering(answer) as call:
        for _ in range(5):
            assert (await call(Notes.get_note, "n1")).id == "n1"
    assert connections == 1


async def test_a_port_without_a_server_is_unreachable() -> None:
    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]
    taken.close()
    await taken.wait_closed()
    sender = connect(f"http://127.0.0.1:{port}/v1/", TOKEN, limits=Limits(attempts=1))
    with pytest.raises(errors.Unreachable) as caught:
        await Call(sender)(Notes.update_note, "n1", WriteNote())
    assert not caught.value.may_have_arrived
    await sender.aclose()


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", errors.BadResponse),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", errors.BadResponse),
        (b"", errors.Unreachable),
        (b"SSH-2.0-OpenSSH_9.6\r\n", errors.Unreachable),
    ],
)
async def test_a_real_connection_that_breaks_is_reported_and_a_write_not_repeated(
    sent: bytes, kind: type[errors.ClientError]
) -> None:
    asked = 0

    async def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(break_off, "127.0.0.1", 0)
    sender = connect(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", TOKEN)
    with pytest.raises(kind) as caught:
        await Call(sender)(Notes.update_note, "n1", WriteNote())
    assert caught.value.may_have_arrived
    assert asked == 1
    await sender.aclose()
    server.close()
    await server.wait_closed()


async def test_no_module_is_looked_for_while_requests_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'{"object": "note", "id": "n1"}'})

    looked_for: list[str] = []

    class Finder:
        def find_spec(self, name: str, *_: Any) -> None:
            looked_for.append(name)

    call = Call(embed(application, TOKEN))
    await call(Notes.get_note, "n1")
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    await call(Notes.get_note, "n1")
    assert looked_for == []


def test_what_failed_is_named_without_what_more_its_operation_says() -> None:
    assert failure_of(Sites.list_sites.routes[0]) == "Could not load the sites of an organization."
    assert failure_of(Sites.delete_site.routes[0]) == "Could not remove a site."
    assert failure_of(Spaces.update_space.routes[0]) == "Could not change a space's settings."
    lists = ChangeRequests.update_change_request.routes[0]
    assert failure_of(lists) == "Could not change a change request's subject, description or status."


def test_what_failed_is_said_in_one_short_sentence() -> None:
    for says in map(failure_of, routes()):
        assert len(says) < 93, says  # a message shows about two lines of it
        assert not re.match(r"Could not load (return|get|list|show)\b", says)
