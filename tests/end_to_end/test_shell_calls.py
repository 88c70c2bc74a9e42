"""``recto api`` as a process of its own, against servers that are not Recto."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.shell import PATIENCE, RECTO, environment, recto

pytestmark = pytest.mark.slow

TOKEN = "token-nobody-may-see-4f1a"


@contextmanager
def platform(*answers: bytes) -> Iterator[tuple[str, list[bytes], threading.Event]]:
    """Answer one request after another; one too many is never answered. Gives address, requests, and when one came."""
    requests: list[bytes] = []
    arrived = threading.Event()
    kept: list[socket.socket] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        left = list(answers)
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            kept.append(connection)
            requests.append(connection.recv(65_536))
            arrived.set()
            if left:
                connection.sendall(left.pop(0))
                connection.close()

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", requests, arrived
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(PATIENCE)
        for connection in kept:
            connection.close()


def response(status: str, body: bytes, *headers: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            ("PATCH", "/spaces/abc", "-f", "title=x"),
            "recto: Interrupted. It may have arrived. Look with GET /spaces/abc before you send it again.\n",
        ),
        (("GET", "/spaces/abc"), ""),
    ],
)
def test_ctrl_c_ends_a_call_without_an_answer(tmp_path: Path, call: tuple[str, ...], told: str) -> None:
    with platform() as (address, requests, arrived):
        process = subprocess.Popen(
            [*RECTO, "api", *call, "--base-url", address],
            env=environment(tmp_path, RECTO_TOKEN=TOKEN),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert arrived.wait(PATIENCE)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, errors) == (130, "", told)
    assert len(requests) == 1
    assert f"Authorization: Bearer {TOKEN}".encode() in requests[0]


def test_what_a_server_adds_is_kept_and_acts_on_nothing(tmp_path: Path) -> None:
    told = {"object": "user", "id": "u", "mood": "\x9b31m \u202e \x1b[2J", "rate": 1.5, "none": None}
    with platform(response("200 OK", json.dumps(told, ensure_ascii=False).encode())) as (address, _, _):
        call = recto(tmp_path, "api", "GET", "/user", "--base-url", address, RECTO_TOKEN=TOKEN)
    assert (call.code, call.errors) == (0, "")
    assert json.loads(call.out) == told
    assert list(json.loads(call.out)) == list(told)
    assert not set(call.out) & set("\x1b\x9b\u202e")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (response("200 OK", b"<html>Sign in</html>"), "The server answered with a web page, not with data."),
        (response("200 OK", b'{"id": "abc'), "is not JSON, or was cut short"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "The server's response was cut short."),
    ],
)
@pytest.mark.parametrize(
    ("method", "code", "next_step"),
    [("GET", 1, ""), ("PATCH", 3, "Look with GET /spaces/abc before you send it again.")],
)
def test_a_change_whose_answer_cannot_be_used_ends_with_3_and_a_read_with_1(
    tmp_path: Path, answer: bytes, says: str, method: str, code: int, next_step: str
) -> None:
    with platform(*[answer] * 3) as (address, _, _):
        call = recto(tmp_path, "api", method, "/spaces/abc", "--base-url", address, RECTO_TOKEN=TOKEN)
    assert (call.code, call.out) == (code, "")
    assert says in call.errors
    assert next_step in call.errors
    assert TOKEN not in call.errors


def test_what_a_server_refuses_ends_with_1_in_its_own_words(tmp_path: Path) -> None:
    refusal = b'{"error": {"code": 400, "message": "The title is \\u001b[31m too long."}}'
    with platform(response("400 Bad Request", refusal)) as (address, _, _):
        call = recto(tmp_path, "api", "PATCH", "/spaces/abc", "--base-url", address, RECTO_TOKEN=TOKEN)
    assert (call.code, call.out) == (1, "")
    assert "recto: 400: The title is [31m too long.\n" in call.errors
    assert TOKEN not in call.errors


def test_nothing_leaves_where_nothing_is_to_be_changed(tmp_path: Path) -> None:
    with platform() as (address, requests, _):
        call = recto(tmp_path, "--read-only", "api", "DELETE", "/spaces/abc", "--base-url", address, RECTO_TOKEN=TOKEN)
    assert (call.code, call.out, requests) == (2, "", [])
    assert "Recto is read-only now." in call.errors
