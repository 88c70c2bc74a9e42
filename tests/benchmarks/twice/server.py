"""What the server does with large spaces, many bodies at once and answers that are not read."""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from benchmarks.twice.cases import case
from recto.collector import give_large_blocks_back
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.changes import ContentChanges
from recto.contract.content import Content
from recto.document.merge.page_tree import DocumentTree, TreeEntry
from recto.document.merge.tree_merge import merge_trees
from recto.server.content.imported_tree import ImportedPage
from recto.server.http.bodies import MB, Room
from recto.server.http.registry import entry
from recto.server.platform import Platform
from support.connections import ASK, respond_with, serve_app, until
from support.content import make_space, propose
from support.platform import make_platform


def _platform() -> Platform:
    return make_platform(Path(tempfile.mkdtemp()))


def _index(platform: Platform) -> None:
    """Finish what goes on behind, which would be measured, too."""
    platform.indexer.run()


def _pages(size: int, text: str) -> list[ImportedPage]:
    return [ImportedPage(f"p{number}", f"Page {number}", text=f"{text} {number}.\n") for number in range(size)]


@case("changes: a change request of so many pages", 1_000, largest=5_000)
def changes(size: int) -> Callable[[], object]:
    """Return the listing of what a change request changes: each page of a space."""
    platform = _platform()
    space = make_space(platform, _pages(size, "Words"))
    _index(platform)
    request = propose(platform, space, "All", _pages(size, "Other words"))
    _index(platform)
    found = entry(ContentChanges.list_changes)
    assert found is not None
    handler = found.handler
    return lambda: platform.database.read_now(
        lambda connection: handler(platform.context(connection), InChangeRequest(space, request), 1000).to_json()
    )


@case("content: a space of so many pages", 1_000, largest=5_000)
def content(size: int) -> Callable[[], object]:
    """Return the answer with the pages of a space."""
    platform = _platform()
    space = make_space(platform, _pages(size, "Words"))
    _index(platform)
    found = entry(Content.list_pages)
    assert found is not None
    handler = found.handler
    return lambda: platform.database.read_now(
        lambda connection: handler(platform.context(connection), Main(space)).to_json()
    )


@case("merge: siblings that both put in another order", 1_000)
def orders(size: int) -> Callable[[], object]:
    """Return a merge of two orders of so many siblings."""
    ids = [str(number) for number in range(size)]
    trees = [DocumentTree.of(map(TreeEntry, order)) for order in (ids, ids[::-1], Random(1).sample(ids, size))]
    return lambda: merge_trees(*trees)


@case("merge: pages that both move under the next one", 1_000)
def chains(size: int) -> Callable[[], object]:
    """Return a merge of moves that together make one chain of so many pages."""
    ids = [str(number) for number in range(size)]

    def move(first: int) -> DocumentTree:
        return DocumentTree.of(
            TreeEntry(id, ids[at + 1] if at % 2 == first and at + 1 < size else None) for at, id in enumerate(ids)
        )

    trees = [DocumentTree.of(map(TreeEntry, ids)), move(0), move(1)]
    return lambda: merge_trees(*trees)


@case("bodies: so many at once that wait for room", 100, largest=500)
def bodies(size: int) -> Callable[[], object]:
    """Return so many callers that hold room for the body of a request, one after another."""

    async def call(room: Room, caller: str) -> None:
        async with room.reserve(caller, 16 * MB):
            body = json.dumps({"title": "x" * MB})
            await asyncio.sleep(0)
            assert body

    async def calls() -> None:
        room = Room(patience_s=600)
        await asyncio.gather(*(call(room, str(number)) for number in range(size)))

    return lambda: asyncio.run(calls())


@case("answers: so many that are not read", 50, largest=200)
def answers(size: int) -> Callable[[], object]:
    """Return so many connections that ask for four megabytes each and read nothing."""
    give_large_blocks_back()  # as the server does

    async def ask() -> None:
        loop = asyncio.get_running_loop()
        async with serve_app(respond_with(4 * MB)) as (port, open_ones):
            plain = [socket.socket() for _ in range(size)]
            for each in plain:
                before = set(open_ones)
                each.setblocking(False)
                await loop.sock_connect(each, ("127.0.0.1", port))
                await loop.sock_sendall(each, ASK)
                await until(lambda before=before: any(one.unread_bytes for one in open_ones - before))  # type: ignore[misc]
            for each in plain:
                each.close()

    return lambda: asyncio.run(ask())
