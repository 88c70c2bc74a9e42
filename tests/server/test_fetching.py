"""Fetching: what is asked, of whom, how long and how much; each with a real server on this machine."""

from __future__ import annotations

import gzip
import socket
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

import httpcore
import pytest

from recto.server import fetching
from recto.server.fetching import Fetcher, FetchError, is_public, show_address
from recto.server.jobs import JobCancelled
from support.web_server import Handler, Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as one:
        yield one


@pytest.fixture
def other() -> Iterator[Server]:
    with serving() as one:
        yield one


OWN = Fetcher(is_local=True)
STRANGERS = Fetcher(is_local=False)


def page(body: bytes = b"<p>Hello</p>", **headers: str) -> Callable[[Handler], None]:
    return lambda handler: handler.send(200, body, **{"Content_Type": "text/html; charset=UTF-8", **headers})


def to(address: str, status: int = 302) -> Callable[[Handler], None]:
    return lambda handler: handler.send(status, b"", Location=address)


def test_what_an_address_gives_comes_with_its_type_and_where_it_was_found(server: Server) -> None:
    server.answers |= {"/a": to("/b?x=1"), "/b?x=1": page()}
    found = OWN.get(f"{server.address}/a#part")
    assert (found.content, found.content_type, found.charset) == (b"<p>Hello</p>", "text/html", "utf-8")
    assert found.url == f"{server.address}/b?x=1"


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://a.example/x", "gopher://a", "http://", "x", "http://a b/", "http://[::1"]
)
def test_only_web_addresses_are_fetched(address: str) -> None:
    with pytest.raises(FetchError, match="Only addresses that begin with http"):
        OWN.get(address)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://a.example/x", "data:text/plain,x"])
def test_a_redirect_to_another_kind_of_address_is_not_followed(server: Server, target: str) -> None:
    server.answers["/"] = to(target)
    with pytest.raises(FetchError, match="redirects to something that is not a web address"):
        OWN.get(server.address)


def test_redirects_have_an_end(server: Server) -> None:
    server.answers["/"] = to("/")
    with pytest.raises(FetchError, match="redirects too often"):
        OWN.get(server.address)
    assert len(server.asked) == fetching.MOST_REDIRECTS + 1


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433", "10.0.0.1", "169.254.169.254"],
)
def test_strangers_have_nothing_fetched_from_this_machine_and_private_networks(server: Server, host: str) -> None:
    server.answers["/"] = page()
    with pytest.raises(FetchError, match="private network or this machine"):
        STRANGERS.get(f"http://{host}:{server.port}/")
    assert not server.asked


def test_a_redirect_does_not_lead_the_owner_to_a_private_host_that_they_did_not_type(server: Server) -> None:
    server.answers |= {"/": to(f"http://localhost:{server.port}/inside"), "/inside": page()}
    with pytest.raises(FetchError, match="private network or this machine"):
        OWN.get(server.address)
    assert [path for path, _ in server.asked] == ["/"]


def test_a_link_of_a_page_leads_to_a_private_host_only_where_that_was_typed(server: Server) -> None:
    server.answers["/linked"] = page()
    linked = f"{server.address}/linked"
    assert OWN.get(linked, typed=server.address).content
    with pytest.raises(FetchError, match="private network or this machine"):
        OWN.get(linked, typed="https://docs.example.org")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        *((each, False) for each in ("192.168.1.1", "172.16.0.1", "100.64.0.1", "224.0.0.1", "255.255.255.255")),
        *((each, False) for each in ("fe80::1", "fc00::1", "ff02::1", "::", "::1", "::ffff:10.0.0.1")),
        *((each, False) for each in ("2002:7f00:1::", "64:ff9b::7f00:1", "fe80::1%eth0", "240.0.0.1")),
        *((each, True) for each in ("::ffff:93.184.216.34", "2002:5db8:d822::", "64:ff9b::5db8:d822")),
    ],
)
def test_addresses_are_distinguished_whatever_they_are_wrapped_in(address: str, expected: bool) -> None:
    assert is_public(ip_address(address)) is expected


@dataclass
class Resolver:
    """A name server that answers otherwise the second time."""

    answers: list[str]
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        if host != "127.0.0.1":
            self.asked.append(host)
            host = self.answers[len(self.asked) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]


def test_what_was_checked_is_what_is_connected_to_and_the_name_is_kept(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers["/"] = page()
    resolver = Resolver(["127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    monkeypatch.setattr(fetching, "is_public", lambda address: True)
    assert STRANGERS.get(f"http://docs.example.org:{server.port}/").content
    assert resolver.asked == ["docs.example.org"]
    assert server.asked[0][1]["Host"] == f"docs.example.org:{server.port}"


def test_each_hop_is_resolved_and_checked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers |= {"/": to("/again"), "/again": page()}
    resolver = Resolver(["127.0.0.1", "127.0.0.1"])
    public = [True, False]
    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    monkeypatch.setattr(fetching, "is_public", lambda address: public.pop(0))
    with pytest.raises(FetchError, match="private network"):
        STRANGERS.get(f"http://docs.example.org:{server.port}/")
    assert [path for path, _ in server.asked] == ["/"]


def test_credentials_go_to_their_own_host_alone_and_are_never_shown(server: Server, other: Server) -> None:
    server.answers |= {"/": to("/here"), "/here": to(f"{other.address}/there")}
    secret = f"http://ada:s3cret@127.0.0.1:{server.port}/"
    with pytest.raises(FetchError) as refused:
        OWN.get(secret)
    basic = f"Basic {b64encode(b'ada:s3cret').decode()}"
    assert [headers.get("Authorization") for _, headers in server.asked] == [basic, basic]
    assert [headers.get("Authorization") for _, headers in other.asked] == [None]
    assert "s3cret" not in str(refused.value)
    assert show_address(secret + "a?token=1") == f"{server.address}/a"


def test_headers_of_the_caller_go_to_their_own_host_alone(server: Server, other: Server) -> None:
    server.answers |= {"/": to("/here"), "/here": to(f"{other.address}/there")}
    other.answers["/there"] = page()
    with OWN.open("GET", server.address, headers={"Authorization": "Bearer s3cret"}) as response:
        assert response.status == 200
    assert [headers.get("Authorization") for _, headers in server.asked] == ["Bearer s3cret"] * 2
    assert [headers.get("Authorization") for _, headers in other.asked] == [None]


def test_more_than_may_come_is_not_read(server: Server) -> None:
    server.answers["/"] = page(b"x" * 2_000_000)
    with pytest.raises(FetchError, match="is larger than 1 MB"):
        OWN.get(server.address, most=1_000_000)


def test_packed_content_is_unpacked_as_far_as_it_may_go(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers |= {
        "/": page(gzip.compress(b"<p>Hello</p>"), Content_Encoding="gzip"),
        "/bomb": page(gzip.compress(b"\0" * 50_000_000), Content_Encoding="gzip"),
        "/broken": page(b"no gzip", Content_Encoding="gzip"),
        "/strange": page(b"x", Content_Encoding="br"),
    }
    assert OWN.get(server.address).content == b"<p>Hello</p>"
    largest = [0]
    inner = fetching._decode

    def measure(*given: Any) -> Iterator[bytes]:
        for piece in inner(*given):
            largest[0] = max(largest[0], len(piece))
            yield piece

    monkeypatch.setattr(fetching, "_decode", measure)
    with pytest.raises(FetchError, match="is larger than 1 MB"):
        OWN.get(f"{server.address}/bomb", most=1_000_000)
    assert largest[0] <= fetching._PIECE
    with pytest.raises(FetchError, match="is damaged"):
        OWN.get(f"{server.address}/broken")
    with pytest.raises(FetchError, match="compressed in an unsupported way"):
        OWN.get(f"{server.address}/strange")


def test_packed_content_ends_where_it_says(server: Server) -> None:
    packed = gzip.compress(b"<p>Hello</p>")
    nothing = b"\x00\x00\x00\xff\xff"  # a block of deflate that unpacks to nothing
    server.answers |= {
        "/more": page(packed + b"x" * 5_000_000, Content_Encoding="gzip"),
        "/cut": page(packed[:-9], Content_Encoding="gzip"),
        "/empty": page(b"", Content_Encoding="gzip"),
    }
    pieces = [*fetching._decode([packed, *[b"x"] * 100], "gzip", server.address)]
    assert pieces == [b"<p>Hello</p>"]
    assert OWN.get(f"{server.address}/more").content == b"<p>Hello</p>"
    assert OWN.get(f"{server.address}/empty").content == b""
    with pytest.raises(FetchError, match=f"The response of {server.address}/cut is damaged"):
        OWN.get(f"{server.address}/cut")
    endless = iter([packed[:10], *[nothing * 10_000] * 100])
    with pytest.raises(FetchError, match="is damaged"):
        assert not any(fetching._decode(endless, "gzip", server.address))
    assert next(endless)


def test_a_server_that_drips_is_left_at_the_deadline(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()

    def drip(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not gone.wait(0.01):
            try:
                handler.wfile.write(b"x")
            except OSError:
                return

    server.answers["/"] = drip
    monkeypatch.setattr(fetching, "LONGEST_S", 0.2)
    try:
        with pytest.raises(FetchError, match="did not answer in time"):
            OWN.get(server.address)
    finally:
        gone.set()


def test_a_cancelled_job_stops_fetching(server: Server) -> None:
    server.answers["/"] = page(b"x" * 5_000_000)
    reads = [0]

    def is_cancelled() -> bool:
        reads[0] += 1
        return reads[0] > 5

    with pytest.raises(JobCancelled):
        Fetcher(is_local=True, is_cancelled=is_cancelled).get(server.address)


def test_a_silent_server_is_left_when_the_job_is_cancelled(server: Server) -> None:
    asked, released = threading.Event(), threading.Event()

    def hold(handler: Handler) -> None:
        asked.set()
        released.wait(60)

    server.answers["/"] = hold
    try:
        with pytest.raises(JobCancelled):
            Fetcher(is_local=True, is_cancelled=asked.is_set).get(server.address)
    finally:
        released.set()


def test_addresses_of_a_host_are_tried_while_there_is_time_and_the_job_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float | None] = []

    def connect(_backend: Any, _host: str, _port: int, timeout: float | None, *_: Any) -> None:
        tried.append(timeout)
        raise httpcore.ConnectTimeout

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    monkeypatch.setattr(fetching, "resolve", lambda *_, **__: [f"192.0.2.{number}" for number in range(1, 6)])
    with pytest.raises(JobCancelled):
        Fetcher(is_local=True, is_cancelled=lambda: len(tried) == 2).get("http://docs.example.org/")
    assert len(tried) == 2
    monkeypatch.setattr(fetching, "LONGEST_S", 5.0)
    with pytest.raises(FetchError, match="did not answer in time"):
        OWN.get("http://docs.example.org/")
    assert len(tried) == 7
    assert all(timeout is not None and timeout <= 5 for timeout in tried[2:])
    monkeypatch.setattr(fetching, "LONGEST_S", 0.0)
    with pytest.raises(FetchError, match="did not answer in time"):
        OWN.get("http://docs.example.org/")
    assert len(tried) == 7


def test_missing_files_and_silent_hosts_are_reported(server: Server) -> None:
    with pytest.raises(FetchError, match="there is nothing at this address"):
        OWN.get(f"{server.address}/none")
    server.answers["/"] = lambda handler: handler.send(500, b"")
    with pytest.raises(FetchError, match="the server answered 500"):
        OWN.get(server.address)
    with ExitStack() as stack:
        closed = stack.enter_context(socket.socket())
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.raises(FetchError, match="cannot be reached"):
            OWN.get(f"http://127.0.0.1:{port}/")
