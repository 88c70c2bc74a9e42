"""Many people at once on one server: a process of its own that costs little, so that what is measured is the server.

    python people.py work ADDRESS TOKEN SPACE PAGES PEOPLE ROUNDS
    python people.py ask ADDRESS TOKEN PEOPLE TIMES

``work`` has them read, propose and merge; ``ask`` has them ask for their user alone. Prints JSON: how many requests
were answered in how many seconds, and what each person wrote, by page.
"""

from __future__ import annotations

import json
import random
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

SHARED = "page0000"
"""The page on which everybody has a paragraph of their own."""

_PATIENCE_S = 120.0


class Line:
    """One connection that stays open."""

    def __init__(self, address: str, token: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname is not None
        assert parts.port is not None
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=_PATIENCE_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._path = parts.path
        self._head = f" HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {token}\r\nAccept: */*\r\n"
        self.sent = 0

    def ask(self, method: str, path: str, body: object = None, good: Sequence[int] = (200, 201)) -> tuple[int, Any]:
        """Send a request and return the status and the JSON of its answer; any other status than a good one fails."""
        content = b"" if body is None else json.dumps(body).encode()
        kind = "Content-Type: application/json\r\n" if content else ""
        head = f"{method} {self._path}{path}{self._head}{kind}Content-Length: {len(content)}\r\n\r\n"
        self._socket.sendall(head.encode() + content)
        status, answer = self._answer()
        self.sent += 1
        assert status in good, f"{method} {path}: {status} {answer!r}"
        return status, json.loads(answer)

    def _answer(self) -> tuple[int, bytes]:
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._received()
        head, body = received[:end].lower(), received[end + 4 :]
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        pieces, there = [body], len(body)
        while there < length:
            pieces.append(self._received())
            there += len(pieces[-1])
        return int(head.split(b" ", 2)[1]), b"".join(pieces)

    def _received(self) -> bytes:
        received = self._socket.recv(256 * 1024)
        assert received, "the server closed the connection"
        return received


class Person:
    """One person, who reads, proposes and merges."""

    def __init__(self, number: int, line: Line, space: str, pages: int) -> None:
        self._number = number
        self._line = line
        self._space = f"/spaces/{space}"
        self._pages = pages
        self._chance = random.Random(number)
        self.kept: dict[str, str] = {}
        """What this person wrote, by page."""

    def read(self) -> None:
        """Look around."""
        page = f"page{self._chance.randrange(self._pages):04}"
        reads = [
            f"/content/page/{page}?format=markdown",
            f"/content/page/{page}?format=document",
            "/search?query=words+page",
            "/change-requests?status=merged",
            "/comments",
        ]
        self._chance.shuffle(reads)
        for each in reads:
            self._line.ask("GET", self._space + each)

    def merge(self, round_: int, rounds: int) -> None:
        """Comment on a page, write it and the shared one, and merge."""
        ask, own = self._line.ask, f"page{1 + self._number * rounds + round_:04}"
        _, made = ask("POST", f"{self._space}/change-requests", {"subject": "Mine"})
        request = f"{self._space}/change-requests/{made['id']}"
        _, shared = ask("GET", f"{request}/content/page/{SHARED}?format=markdown")
        mark = f"person {self._number} in round {round_}"
        ask("POST", f"{self._space}/comments", {"page": own, "body": {"markdown": f"Seen by {mark}."}})
        paragraph = f"of person {self._number}."
        written = {
            own: f"Written by {mark}.\n",
            SHARED: shared["markdown"].replace(paragraph, f"{paragraph} Edited by {mark}."),
        }
        changes = [
            {"operation": "update_page", "page": page, "document": {"markdown": text}} for page, text in written.items()
        ]
        ask("POST", f"{request}/content", {"changes": changes})
        ask("PATCH", request, {"status": "open"})
        # Another person may have changed the line above or below.
        while ask("POST", f"{request}/merge", good=(200, 409))[0] == 409:
            _, outcome = ask("POST", f"{request}/update")
            assert outcome["result"] == "update", "distinct paragraphs are no conflict"
        self.kept |= {own: f"Written by {mark}.", f"{SHARED} {round_}": f"Edited by {mark}."}


@contextmanager
def _lines(address: str, token: str, count: int) -> Iterator[list[Line]]:
    """Open connections, on which one request each was answered."""
    lines = [Line(address, token) for _ in range(count)]
    for line in lines:
        line.ask("GET", "/user")
        line.sent = 0
    yield lines


def _run_at_once(works: Sequence[Callable[[], None]]) -> float:
    """Do all at once and return how many seconds that took."""
    with ThreadPoolExecutor(len(works)) as threads:
        begun = time.perf_counter()
        for done in [threads.submit(work) for work in works]:
            done.result()
        return time.perf_counter() - begun


def work(address: str, token: str, space: str, pages: int, people: int, rounds: int) -> dict[str, Any]:
    """Have people read, propose and merge, all at once."""
    with _lines(address, token, people) as lines:
        everybody = [Person(number, line, space, pages) for number, line in enumerate(lines)]
        everybody[0].read()  # what a server imports when it is first asked is not what is measured
        lines[0].sent = 0

        def rounds_of(person: Person) -> Callable[[], None]:
            def work() -> None:
                for round_ in range(rounds):
                    person.read()
                    person.merge(round_, rounds)

            return work

        seconds = _run_at_once([rounds_of(person) for person in everybody])
        requests = sum(line.sent for line in lines)
    return {"requests": requests, "seconds": seconds, "kept": [person.kept for person in everybody]}


def ask(address: str, token: str, people: int, times: int) -> dict[str, Any]:
    """Have people ask for their user, all at once."""
    with _lines(address, token, people) as lines:

        def times_of(line: Line) -> Callable[[], None]:
            def work() -> None:
                for _ in range(times):
                    line.ask("GET", "/user")

            return work

        seconds = _run_at_once([times_of(line) for line in lines])
    return {"requests": people * times, "seconds": seconds}


if __name__ == "__main__":
    doing, address, token, *rest = sys.argv[1:]
    if doing == "work":
        print(json.dumps(work(address, token, rest[0], *map(int, rest[1:]))))
    else:
        print(json.dumps(ask(address, token, *map(int, rest))))
