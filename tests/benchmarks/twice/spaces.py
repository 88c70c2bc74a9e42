"""What writes, merges, imports and lists of changes cost in a space of many pages."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from benchmarks.twice.cases import case
from recto.contract.changes import PageText, UpdatePage
from recto.server.content.change_requests import create_change_request, find_change_request
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.content.merges import merge
from recto.server.content.revisions import StoredRevision, main_revision
from recto.server.content.semantic_changes import changes_between
from recto.server.content.write_plan import apply_plan, plan_write
from recto.server.context import Context
from recto.server.platform import Owner, Platform
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Connection

T = TypeVar("T")


class _Space:
    """A space of so many pages beside each other."""

    def __init__(self, size: int) -> None:
        folder = TemporaryDirectory()
        atexit.register(folder.cleanup)
        self.platform = Platform.open(Path(folder.name) / "a.recto", owner=Owner("Ada"))
        self.size = size
        self.id = self.write(
            lambda context: add_space(context, context.database.value("SELECT id FROM organizations"), "A")
        )
        self.bring("Old.\n\nWords.\n")

    def write(self, work: Callable[[Context], T]) -> T:
        def in_transaction(connection: Connection) -> T:
            return work(self.platform.context(connection))

        return self.platform.database.write_now(in_transaction)

    def bring(self, text: str) -> StoredRevision:
        tree = ImportedTree([ImportedPage(f"p{at}", f"P{at}", f"p{at}", text=text) for at in range(self.size)])
        revision = self.write(lambda context: import_tree(context, self.id, tree))
        self.platform.indexer.run()
        return revision


@case("space: one page written and merged", 2_000)
def _written(size: int) -> Callable[[], object]:
    space = _Space(size)
    number = iter(range(1_000_000))

    def work(context: Context) -> None:
        connection = context.database
        name = create_change_request(context, space.id)
        change = UpdatePage(page="p7", document=PageText(markdown=f"New {next(number)}.\n"))
        row = find_change_request(connection, space.id, name)
        apply_plan(context, row, plan_write(context, row, [change]))
        merge(context, find_change_request(connection, space.id, name))

    return lambda: space.write(work)


@case("space: all pages changed by an import", 1_000)
def _imported(size: int) -> Callable[[], object]:
    space = _Space(size)
    number = iter(range(1_000_000))
    return lambda: space.bring(f"New {next(number)}.\n\nWords.\n")


@case("space: few of many changes listed", 2_000)
def _listed(size: int) -> Callable[[], object]:
    space = _Space(size)
    before = space.write(lambda context: main_revision(context.database, space.id))
    after = space.bring("New.\n")
    return lambda: space.write(lambda context: changes_between(context, before, after, 5))
