"""Fifty people at once on one served workspace: nothing that was merged is lost, and the server never breaks."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.content.objects import load_texts
from recto.server.content.revisions import main_revision, tree_of
from recto.server.platform import Owner, Platform
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Connection
from support import people
from support.people import SHARED
from support.shell import serving

pytestmark = pytest.mark.slow

PAGES = 1000
PEOPLE = 50
ROUNDS = 2

_BARE = """
import socket
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def answer(request):
    return JSONResponse({"object": "user", "id": "nobody"})

taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM, int(sys.argv[1]))
taken.bind(("127.0.0.1", 0))
taken.listen()
print(taken.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/v1/user", answer)])
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run([taken])
"""


@contextmanager
def bare_server(protocol: int = socket.IPPROTO_TCP) -> Iterator[str]:
    """Serve one route of Starlette's, which does nothing, and yield its address.

    Where the socket does not say that it speaks TCP, the system holds back each answer for 40 ms.
    """
    process = subprocess.Popen([sys.executable, "-c", _BARE, str(protocol)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.communicate()


def paragraphs() -> list[str]:
    return [f"This is the paragraph of person {person}." for person in range(PEOPLE)]


def prepare(file: Path) -> str:
    """Make a workspace with a space of so many pages and return the id of the space."""
    platform = Platform.open(file, owner=Owner("Ada Lovelace"))

    def work(connection: Connection) -> str:
        context = platform.context(connection)
        space = add_space(context, connection.value("SELECT id FROM organizations"), "Large")
        texts = {f"page{at:04}": f"This is page {at}.\n\n" + "Words and words.\n\n" * 20 for at in range(PAGES)}
        texts[SHARED] = "\n\n".join(paragraphs()) + "\n"
        import_tree(
            context, space, ImportedTree([ImportedPage(page, page, page, text=text) for page, text in texts.items()])
        )
        return space

    try:
        space = platform.database.write_now(work)
        platform.indexer.run()  # once, behind the back of the first who open the space
        return space
    finally:
        platform.close()


def run_at_once(doing: str, *given: object) -> dict[str, Any]:
    """Have fifty people do something at once, from a process of their own."""
    command = [sys.executable, people.__file__, doing, *map(str, given)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def a_second(done: dict[str, Any]) -> float:
    """Return how many requests were answered in a second."""
    return float(done["requests"] / done["seconds"])


def test_fifty_people_lose_nothing(tmp_path: Path) -> None:
    """Prints how many requests a second were answered, against a bare route that does nothing in the same run."""
    file = tmp_path / "load.recto"
    space = prepare(file)
    with serving(tmp_path / "home", "--workspace", str(file)) as server:
        done = run_at_once("work", server.address, server.token, space, PAGES, PEOPLE, ROUNDS)
        same = a_second(run_at_once("ask", server.address, server.token, PEOPLE, 40))
        ended = server.stop(signal.SIGINT)
    assert (ended.code, ended.errors) == (0, "")
    ours = a_second(done)
    print(f"\n{ours:.0f} requests a second of all kinds, {same:.0f} for a user alone; a bare route", end="")
    for protocol, how in ((socket.IPPROTO_TCP, ""), (0, " where the system holds answers back")):
        with bare_server(protocol) as address:
            bare = a_second(run_at_once("ask", f"{address}/v1", "none", PEOPLE, 40))
        print(f" {bare:.0f}{how} ({ours / bare:.2f}, {same / bare:.2f})", end="")
    print()

    platform = Platform.open(file)
    try:
        texts, merged, comments = platform.database.read_now(lambda connection: _state(connection, space))
    finally:
        platform.close()
    for number, kept in enumerate(done["kept"]):
        for page, mark in kept.items():
            assert mark in texts[page.split()[0]], f"what person {number} wrote on {page} is lost"
    assert merged == comments == PEOPLE * ROUNDS


def _state(connection: Connection, space: str) -> tuple[dict[str, str], int, int]:
    """Return the text of each page of the main content, and the numbers of merged change requests and of comments."""
    nodes = [place.node for place in tree_of(connection, main_revision(connection, space)).places.values()]
    texts = load_texts(connection, {node.text for node in nodes if node.text})
    return (
        {node.id: texts[node.text or ""] for node in nodes},
        connection.value("SELECT count(*) FROM change_requests WHERE space = ? AND status = 'merged'", space),
        connection.value("SELECT count(*) FROM comments WHERE space = ?", space),
    )
