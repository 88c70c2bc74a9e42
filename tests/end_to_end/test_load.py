"""Fifty people at once on one served workspace: nothing that was merged is lost, and the server never breaks."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recto.client.api import Api
from recto.client.errors import Conflict
from recto.client.sender import Limits, connect
from recto.contract.change_requests import CreateChangeRequest, UpdateChangeRequest
from recto.contract.changes import PageText, UpdatePage, WriteContent
from recto.contract.comments import CommentBodyInput, PostComment
from recto.server import spaces
from recto.server.content.importing import ImportedPage, ImportedTree, import_tree
from recto.server.content.revisions import main_revision, tree_of
from recto.server.content.store import load_texts
from recto.server.database import Connection
from recto.server.platform import Owner, Platform
from support.shell import serving

pytestmark = pytest.mark.slow

PAGES = 1000
PEOPLE = 50
ROUNDS = 2
SHARED = "page0000"
"""The page on which everybody has a paragraph of their own."""

_BARE = """
import socket
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def answer(request):
    return JSONResponse({"object": "user", "id": "nobody"})

taken = socket.create_server(("127.0.0.1", 0))
print(taken.getsockname()[1], flush=True)
app = Starlette(routes=[Route("/v1/user", answer)])
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run([taken])
"""


@contextmanager
def bare_server() -> Iterator[str]:
    """Serve one route of Starlette's, which does nothing, and yield its address."""
    process = subprocess.Popen([sys.executable, "-c", _BARE], stdout=subprocess.PIPE, text=True)
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
        space = spaces.create_space(context, connection.value("SELECT id FROM organizations"), "Large")
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


class Person:
    """One client, which reads, proposes and merges."""

    def __init__(self, number: int, address: str, token: str, space: str) -> None:
        self.number = number
        self.space = space
        self.sent = 0
        self.kept: dict[str, str] = {}
        """What this person wrote, by page."""
        # Nothing is sent twice, so that each answer that is none is seen.
        self._sender = connect(address, token, limits=Limits(attempts=1))
        self._api = Api(self._sender)
        self._chance = random.Random(number)

    async def work(self) -> None:
        """Do all rounds."""
        for round_ in range(ROUNDS):
            await self._read()
            await self._merge(round_)
        await self._sender.aclose()

    async def _read(self) -> None:
        content, page = self._api.space_content, f"page{self._chance.randrange(PAGES):04}"
        reads: list[Callable[[], Awaitable[object]]] = [
            lambda: content.get_page(self.space, page, "markdown"),
            lambda: content.get_page(self.space, page, "document"),
            lambda: content.search_space(self.space, "words page"),
            lambda: self._api.change_requests.list_change_requests(self.space, status="merged"),
            lambda: self._api.space_comments.list_comments(self.space),
        ]
        self._chance.shuffle(reads)
        for read in reads:
            await read()
        self.sent += len(reads)

    async def _merge(self, round_: int) -> None:
        requests, own = self._api.change_requests, f"page{1 + self.number * ROUNDS + round_:04}"
        request = (await requests.create_change_request(self.space, CreateChangeRequest(subject="Mine"))).id
        shared = await self._api.change_request_content.get_proposed_page(self.space, request, SHARED, "markdown")
        mark = f"person {self.number} in round {round_}"
        await self._api.space_comments.post_comment(
            self.space, PostComment(page=own, body=CommentBodyInput(markdown=f"Seen by {mark}."))
        )
        written = {
            own: f"Written by {mark}.\n",
            SHARED: (shared.markdown or "").replace(
                f"of person {self.number}.", f"of person {self.number}. Edited by {mark}."
            ),
        }
        changes = tuple(UpdatePage(page=page, document=PageText(markdown=text)) for page, text in written.items())
        await self._api.content_changes.write_content(self.space, request, WriteContent(changes=changes))
        await requests.update_change_request(self.space, request, UpdateChangeRequest(status="open"))
        await self._bring_in(request)
        self.kept |= {own: f"Written by {mark}.", f"{SHARED} {round_}": f"Edited by {mark}."}
        self.sent += 6

    async def _bring_in(self, request: str) -> None:
        """Merge, as often as it takes: somebody else may have changed the line above or below."""
        requests = self._api.change_requests
        while True:
            self.sent += 1
            try:
                await requests.merge(self.space, request)
                return
            except Conflict:
                self.sent += 1
                outcome = await requests.pull(self.space, request)
                assert outcome.result == "update", "distinct paragraphs are no conflict"


async def test_fifty_people_lose_nothing(tmp_path: Path) -> None:
    """Prints how many requests a second were answered, against a bare route that does nothing in the same run."""
    file = tmp_path / "load.recto"
    space = prepare(file)
    with serving(tmp_path / "home", "--workspace", str(file)) as server:
        people = [Person(number, server.address, server.token, space) for number in range(PEOPLE)]
        begun = time.perf_counter()
        await asyncio.gather(*(person.work() for person in people))
        taken = time.perf_counter() - begun
        ended = server.stop(signal.SIGINT)
    assert (ended.code, ended.errors) == (0, "")
    ours = sum(person.sent for person in people) / taken
    bare = await throughput_of_a_bare_route()
    print(f"{ours:.0f} requests a second, a bare route {bare:.0f}: {bare / ours:.1f} times as many")

    platform = Platform.open(file)
    try:
        texts, merged, comments = platform.database.read_now(lambda connection: _state(connection, space))
    finally:
        platform.close()
    for person in people:
        for page, mark in person.kept.items():
            assert mark in texts[page.split()[0]], f"what person {person.number} wrote on {page} is lost"
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


async def throughput_of_a_bare_route() -> float:
    """Return how many requests a second as many clients get answered by a server that does nothing."""
    with bare_server() as address:
        senders = [connect(address, "none") for _ in range(PEOPLE)]
        for sender in senders:
            await Api(sender).users.get_user()

        async def ask(api: Api) -> None:
            for _ in range(20):
                await api.users.get_user()

        begun = time.perf_counter()
        await asyncio.gather(*(ask(Api(sender)) for sender in senders))
        taken = time.perf_counter() - begun
        for sender in senders:
            await sender.aclose()
    return PEOPLE * 20 / taken
