from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from recto.server.http.asgi import Disconnected, Request, Response, path_in


def request(*messages: Mapping[str, Any], query: bytes = b"", headers: tuple[tuple[bytes, bytes], ...] = ()) -> Request:
    coming = iter(messages)

    async def receive() -> dict[str, Any]:
        return dict(next(coming))

    return Request({"query_string": query, "headers": headers}, receive, {})


def test_the_first_of_several_headers_of_one_name_counts_whatever_its_case() -> None:
    given = request(headers=((b"Host", b"a"), (b"x-name", b"\xe9"), (b"host", b"b"))).headers
    assert given == {"host": "a", "x-name": "é"}


def test_a_query_parameter_has_all_its_values_and_empty_ones_too() -> None:
    assert request(query=b"a=1&b=&a=%C3%A9+2").query_params == {"a": ["1", "é 2"], "b": [""]}


async def test_a_body_comes_in_pieces_and_breaks_off_with_the_connection() -> None:
    piece = {"type": "http.request", "body": b"ab", "more_body": True}
    whole = request(piece, {"type": "http.request"})
    assert [part async for part in whole.stream()] == [b"ab"]
    broken = request(piece, {"type": "http.disconnect"})
    with pytest.raises(Disconnected):
        assert [part async for part in broken.stream()]


@pytest.mark.parametrize(
    ("response", "headers"),
    [
        (
            Response(201, b"{}", {"Location": "/x"}),
            {b"location": b"/x", b"content-length": b"2", b"content-type": b"application/json"},
        ),
        (Response(200), {b"content-length": b"0"}),
        (Response(204), {}),
        (Response(200, b"<p>", media_type="text/html"), {b"content-length": b"3", b"content-type": b"text/html"}),
    ],
)
async def test_a_response_says_what_its_body_is(response: Response, headers: dict[bytes, bytes]) -> None:
    sent: list[Mapping[str, Any]] = []

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    await response.send(send)
    assert (sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]) == (response.status, headers, response.body)


@pytest.mark.parametrize(
    ("root", "path", "within"),
    [("", "/v1/user", "/v1/user"), ("/a", "/a/v1", "/v1"), ("/a", "/ab/v1", "/ab/v1"), ("/a", "/v1", "/v1")],
)
def test_a_path_is_read_within_the_application(root: str, path: str, within: str) -> None:
    assert path_in({"root_path": root, "path": path}) == within
