from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from recto.server.http.problems import Busy, Unavailable
from recto.server.storage import database as database_module
from recto.server.storage import schema
from recto.server.storage.database import Connection, Database, Moved, unusable
from recto.server.storage.schema import APPLICATION_ID, MIGRATIONS, WorkspaceError


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "workspace.recto")
    yield opened
    opened.close()


def put(connection: Connection, key: str, value: str = "") -> None:
    connection.insert("workspace", key=key, value=value)


def keys(connection: Connection) -> list[str]:
    return connection.column("SELECT key FROM workspace ORDER BY key")


async def test_a_write_is_there_for_the_next_read(database: Database) -> None:
    await database.write(lambda connection: put(connection, "a"))
    assert await database.read(keys) == ["a"]


async def test_a_write_that_fails_leaves_nothing(database: Database) -> None:
    def work(connection: Connection) -> None:
        put(connection, "a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.write(work)
    assert await database.read(keys) == []
    await database.write(lambda connection: put(connection, "b"))
    assert await database.read(keys) == ["b"]


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await database.read(lambda connection: put(connection, "a"))


async def test_a_read_sees_one_state_and_does_not_wait_for_a_write(database: Database) -> None:
    started, written = threading.Event(), threading.Event()

    def look_twice(connection: Connection) -> tuple[list[str], list[str]]:
        first = keys(connection)
        started.set()
        assert written.wait(60)
        return first, keys(connection)

    looking = asyncio.create_task(database.read(look_twice))
    await asyncio.to_thread(started.wait, 60)
    await database.write(lambda connection: put(connection, "a"))
    written.set()
    assert await looking == ([], [])
    assert await database.read(keys) == ["a"]


async def test_a_read_that_takes_long_does_not_hold_up_another(database: Database) -> None:
    begun, read = threading.Event(), threading.Event()

    def look_long(connection: Connection) -> bool:
        begun.set()
        return read.wait(60)

    slow = asyncio.create_task(database.read(look_long))
    await asyncio.to_thread(begun.wait, 60)
    assert await database.read(keys) == []
    read.set()
    assert await slow, "the other read waited for this one"


async def test_reads_that_wait_are_done_by_one_thread(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_LONGEST_WAIT_S", 60.0)
    begun, go_on = threading.Event(), threading.Event()

    def look(_: Connection) -> str:
        begun.set()
        assert go_on.wait(60)
        return threading.current_thread().name

    first = asyncio.create_task(database.read(look))
    await asyncio.to_thread(begun.wait, 60)
    rest = [asyncio.create_task(database.read(look)) for _ in range(20)]
    await asyncio.sleep(0)
    go_on.set()
    assert len(set(await asyncio.gather(first, *rest))) == 1


async def test_several_reads_that_take_long_hold_up_others_only_while_all_threads_are_at_work(
    database: Database,
) -> None:
    read = [threading.Event() for _ in range(3)]

    def look(_: Connection, until: threading.Event) -> bool:
        return until.wait(60)

    two = [asyncio.create_task(database.read(partial(look, until=each), kind)) for kind, each in enumerate(read[:2])]
    assert await database.read(keys) == []
    third = asyncio.create_task(database.read(partial(look, until=read[2]), 2))
    waiting = asyncio.create_task(database.read(keys))
    read[1].set()
    assert await waiting == []
    read[0].set()
    read[2].set()
    assert await asyncio.gather(*two, third) == [True] * 3


async def test_reads_of_a_kind_that_takes_long_leave_a_thread_to_others(database: Database) -> None:
    begun: list[int] = []
    read = threading.Event()

    def look(_: Connection, number: int) -> bool:
        begun.append(number)
        return read.wait(60)

    slow = [asyncio.create_task(database.read(partial(look, number=number), "slow")) for number in range(30)]
    while len(begun) < 2:  # noqa: ASYNC110  nothing tells of it
        await asyncio.sleep(0)
    assert await database.read(keys, "other") == []
    assert await database.read(keys, "other") == [], "also after a thread was free again"
    assert begun == [0, 1]
    read.set()
    assert all(await asyncio.gather(*slow))
    assert begun == [*range(30)]


async def test_reads_of_one_kind_wait_for_no_more_than_one_of_another(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_LONGEST_WAIT_S", 60.0)
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def look(_: Connection, name: str) -> None:
        begun.set()
        assert go_on.wait(60)
        done.append(name)

    reads = [asyncio.create_task(database.read(partial(look, name=name), name)) for name in "aaaa"]
    await asyncio.to_thread(begun.wait, 60)
    reads += [asyncio.create_task(database.read(partial(look, name=name), name)) for name in "bbc"]
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(*reads)
    assert "".join(done) == "aabcaba"


async def test_a_cancelled_caller_stops_a_write_that_is_not_prepared_yet(database: Database) -> None:
    begun, go_on = threading.Event(), threading.Event()
    database._preparing._most = 1

    def prepare(_: Connection) -> None:
        begun.set()
        assert go_on.wait(60)

    slow = asyncio.create_task(database.write_prepared(prepare, lambda connection, _: put(connection, "slow")))
    await asyncio.to_thread(begun.wait, 60)
    waiting = asyncio.create_task(database.write_prepared(prepare, lambda connection, _: put(connection, "waiting")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()
    await slow
    assert await database.read(keys) == ["slow"]


async def test_others_write_while_a_write_is_prepared(database: Database) -> None:
    begun, written = threading.Event(), threading.Event()

    def prepare(connection: Connection) -> list[str]:
        begun.set()
        assert written.wait(60)
        return keys(connection)

    slow = asyncio.create_task(database.write_prepared(prepare, lambda connection, found: put(connection, f"{found}")))
    await asyncio.to_thread(begun.wait, 60)
    await database.write(lambda connection: put(connection, "a"))
    written.set()
    await slow
    assert "a" in await database.read(keys)


async def test_a_write_is_prepared_again_where_something_moved_and_at_last_within_it(database: Database) -> None:
    prepared: list[str] = []

    def prepare(_: Connection) -> int:
        prepared.append(threading.current_thread().name.rpartition("_")[0])
        return len(prepared)

    def work(connection: Connection, times: int) -> int:
        put(connection, f"try {times}")
        if times < 4:
            raise Moved
        return times

    assert await database.write_prepared(prepare, work) == 4
    assert prepared == ["recto-preparer"] * 3 + ["recto-writer"]
    assert await database.read(keys) == ["try 4"]


async def test_what_takes_long_to_prepare_is_never_prepared_within_the_transaction(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.server.storage.database._MOST_WITHIN_S", -1.0)
    prepared: list[str] = []

    def work(connection: Connection, _: None) -> None:
        put(connection, "try")
        raise Moved

    with pytest.raises(Busy, match="kept changing"):
        await database.write_prepared(lambda _: prepared.append(threading.current_thread().name), work)
    assert [name.rpartition("_")[0] for name in prepared] == ["recto-preparer"] * 3
    assert await database.read(keys) == []


async def test_a_cancelled_caller_does_not_interrupt_a_write(database: Database) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        put(connection, "first")
        begun.set()
        assert go_on.wait(60)

    running = asyncio.create_task(database.write(work))
    queued = asyncio.create_task(database.write(lambda connection: put(connection, "second")))
    await asyncio.to_thread(begun.wait, 60)
    for task in (running, queued):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    go_on.set()
    await database.write(lambda connection: put(connection, "third"))
    assert await database.read(keys) == ["first", "second", "third"]


def test_a_loop_that_is_closed_meanwhile_does_not_trouble_the_writer(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        put(connection, "a")
        begun.set()
        assert go_on.wait(60)

    async def leave() -> None:
        writing = asyncio.create_task(database.write(work))
        await asyncio.to_thread(begun.wait, 60)
        writing.cancel()

    asyncio.run(leave())
    go_on.set()
    assert database.write_now(keys) == ["a"]
    assert caplog.text == ""


async def test_the_event_loop_goes_on_while_the_writer_works(database: Database) -> None:
    go_on = threading.Event()
    writing = asyncio.create_task(database.write(lambda connection: go_on.wait(60)))
    assert await database.read(keys) == []
    go_on.set()
    assert await writing


class Line:
    """Writes that wait behind one that holds the writer."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._free = threading.Event()
        self.statements: list[str] = []
        begun = threading.Event()

        def hold(_: Connection) -> None:
            begun.set()
            assert self._free.wait(60)

        self.holding = database._submit(hold)
        assert begun.wait(60)

    def add(self, work: Callable[[Connection], object]) -> Future[object]:
        """Put a write in the line."""
        return self._database._submit(work)

    def go(self) -> None:
        """Let the line go, and count what is begun and committed from then on."""
        self._free.set()
        self.holding.result(60)
        self._database.write_now(lambda _: None)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Note the statements that the writer runs."""
        raw = self._database._writer.raw
        raw.set_trace_callback(self.statements.append)
        yield
        raw.set_trace_callback(None)


def test_writes_that_wait_are_made_durable_together(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_LONGEST_TOGETHER_S", 10.0)
    line = Line(database)
    writes = [line.add(partial(put, key=f"{at:02}")) for at in range(20)]
    with line.counting():
        line.go()
    assert [write.result(60) for write in writes] == [None] * 20
    assert database.read_now(keys) == [f"{at:02}" for at in range(20)]
    # The one that held them up, sixteen, the rest, and the write that tells the end of the line.
    assert line.statements.count("COMMIT") <= 4


def test_a_write_that_fails_does_not_harm_those_with_which_it_waited(database: Database) -> None:
    def fail(connection: Connection) -> None:
        put(connection, "never")
        connection.later(lambda later: put(later, "nor later"))
        raise ValueError

    def twice(connection: Connection) -> None:
        put(connection, "twice")
        put(connection, "twice")

    line = Line(database)
    good = [line.add(partial(put, key="a"))]
    wrong = [line.add(fail), line.add(twice)]
    good += [line.add(partial(put, key="b")), line.add(lambda connection: connection.later(partial(put, key="c")))]
    line.go()
    for write in good:
        write.result(60)
    with pytest.raises(ValueError):
        wrong[0].result(60)
    with pytest.raises(sqlite3.IntegrityError):
        wrong[1].result(60)
    database.write_now(lambda _: None)
    assert database.read_now(keys) == ["a", "b", "c"]


def test_a_write_for_which_there_is_no_room_does_not_harm_those_with_which_it_waited(database: Database) -> None:
    database.write_now(partial(put, key="a"))
    line = Line(database)
    writes = [line.add(partial(put, key="b")), line.add(partial(put, key="c", value="long" * 100_000))]
    writes.append(line.add(partial(put, key="d")))

    def fill(_: Future[None]) -> None:
        database._writer.raw.execute(f"PRAGMA max_page_count = {database._writer.value('PRAGMA page_count') + 2}")

    line.holding.add_done_callback(fill)
    line.go()
    writes[0].result(60)
    writes[2].result(60)
    with pytest.raises(Unavailable, match="Nothing was changed: the disk is full"):
        writes[1].result(60)
    assert database.read_now(keys) == ["a", "b", "d"]


def test_a_write_is_not_reported_before_it_is_durable(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[tuple[str, list[bool]]] = []
    line = Line(database)
    writes = [line.add(partial(put, key=key)) for key in "abc"]
    monkeypatch.setattr(
        database_module, "checkpoint", lambda name: passed.append((name, [write.done() for write in writes]))
    )
    line.go()
    before = [done for name, done in passed if name == "database.before-commit"]
    assert before[:2] == [[False] * 3] * 2  # of the one that held them up, and of the three together
    assert all(write.done() for write in writes)


def test_a_write_that_takes_long_lets_no_other_one_join(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_LONGEST_TOGETHER_S", 0.0)
    line = Line(database)
    writes = [line.add(partial(put, key=key)) for key in "abc"]
    with line.counting():
        line.go()
    for write in writes:
        write.result(60)
    assert database.read_now(keys) == ["a", "b", "c"]
    assert line.statements.count("COMMIT") >= 3


def test_writes_for_which_the_time_of_a_transaction_was_too_short_share_the_next(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0.0, *[1.0] * 100])  # the first transaction of several ends after its first write
    monkeypatch.setattr(database_module, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    line = Line(database)
    writes = [line.add(partial(put, key=key)) for key in "abcdef"]
    with line.counting():
        line.go()
    for write in writes:
        write.result(60)
    assert database.read_now(keys) == list("abcdef")
    assert line.statements.count("COMMIT") <= 4  # of what held them up, of the first, of the rest, and of the look


def test_closing_finishes_what_is_queued(tmp_path: Path) -> None:
    path = tmp_path / "workspace.recto"
    database = Database.open(path)
    waiting = threading.Event()
    database._submit(lambda connection: waiting.wait(60))
    late = database._submit(lambda connection: put(connection, "late"))
    waiting.set()
    database.close()
    late.result()
    again = Database.open(path)
    assert again.read_now(keys) == ["late"]
    again.close()


def test_two_processes_share_a_file(tmp_path: Path, database: Database) -> None:
    script = (
        "import sys; from pathlib import Path; from recto.server.storage.database import Database\n"
        "database = Database.open(Path(sys.argv[1]))\n"
        "for at in range(100):\n"
        "    database.write_now(lambda c: c.execute("
        "\"UPDATE workspace SET value = value + 1 WHERE key = 'n'\"))\n"
        "database.close()\n"
    )
    database.write_now(lambda connection: put(connection, "n", "0"))
    other = subprocess.Popen([sys.executable, "-c", script, str(database.path)])
    for _ in range(100):
        database.write_now(lambda c: c.execute("UPDATE workspace SET value = value + 1 WHERE key = 'n'"))
    assert other.wait(60) == 0
    assert database.read_now(lambda c: c.value("SELECT value FROM workspace WHERE key = 'n'")) == "200"


def test_the_file_is_set_up_to_lose_nothing(database: Database) -> None:
    def pragmas(connection: Connection) -> tuple[object, ...]:
        names = ("journal_mode", "synchronous", "foreign_keys", "application_id", "user_version")
        return tuple(connection.value(f"PRAGMA {name}") for name in names)

    assert database.write_now(pragmas) == ("wal", 2, 1, APPLICATION_ID, len(MIGRATIONS))


def test_an_older_file_is_brought_up_to_date_with_all_that_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "workspace.recto"
    with monkeypatch.context() as before:
        before.setattr(schema, "MIGRATIONS", MIGRATIONS[:1])
        older = Database.open(path)
        older.write_now(lambda connection: put(connection, "kept", "by all means"))
        assert older.read_now(lambda connection: connection.value("PRAGMA user_version")) == 1
        older.close()
    with closing(Database.open(path)) as newer:
        assert newer.read_now(lambda connection: connection.value("PRAGMA user_version")) == len(MIGRATIONS)
        assert newer.read_now(lambda c: c.value("SELECT value FROM workspace WHERE key = 'kept'")) == "by all means"


def test_fold_compares_every_script_without_case(database: Database) -> None:
    assert database.read_now(lambda connection: connection.value("SELECT fold('ÄРΣ')")) == "äрσ"
    assert database.read_now(lambda connection: connection.value("SELECT fold(NULL)")) is None


class TestFilesThatAreNoWorkspace:
    def refused(self, path: Path) -> str:
        before = path.read_bytes()
        with pytest.raises(WorkspaceError) as refusal:
            Database.open(path)
        assert path.read_bytes() == before
        return str(refusal.value)

    def test_not_sqlite(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("Dear diary\n" * 100)
        assert self.refused(path) == f"{path} is not a workspace of Recto: it is not a SQLite file."

    def test_of_another_program(self, tmp_path: Path) -> None:
        path = tmp_path / "other.db"
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE birds (name)")
        other.close()
        assert self.refused(path) == f"{path} is a SQLite file, but not a workspace of Recto."

    def test_from_a_newer_version(self, tmp_path: Path) -> None:
        path = tmp_path / "workspace.recto"
        Database.open(path).close()
        with sqlite3.connect(path) as newer:
            newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        newer.close()
        assert self.refused(path) == f"{path} was made by a newer version of Recto. Update Recto to open it."

    def test_damaged(self, tmp_path: Path) -> None:
        path = tmp_path / "workspace.recto"
        Database.open(path).close()
        path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8000)
        assert (
            self.refused(path)
            == f"{path} cannot be used as a workspace: the file is damaged. Keep a copy of it, and go on from a backup."
        )

    def test_in_use(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("recto.server.storage.database._BUSY_TIMEOUT_S", 0.0)
        path = tmp_path / "workspace.recto"
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert self.refused(path).endswith("another program is writing to it. Try again in a moment.")
        other.close()

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(WorkspaceError, match=str(tmp_path)):
            Database.open(tmp_path)

    def test_an_empty_file_becomes_one(self, tmp_path: Path) -> None:
        path = tmp_path / "workspace.recto"
        path.touch()
        database = Database.open(path)
        assert database.read_now(keys) == []
        database.close()


@pytest.mark.parametrize("replaced", [False, True])
async def test_nothing_is_written_to_a_file_that_has_gone(database: Database, replaced: bool) -> None:
    """SQLite itself would go on, and all that was acknowledged would go with the process."""
    await database.write(lambda connection: put(connection, "a"))
    assert await database.read(keys) == ["a"]
    aside = database.path.with_name("aside")
    database.path.rename(aside)
    if replaced:
        database.path.write_bytes(aside.read_bytes())
    with pytest.raises(Unavailable, match="Nothing was changed: the workspace's file was moved, removed or replaced"):
        await database.write(lambda connection: put(connection, "b"))
    assert await database.read(keys) == ["a"]
    aside.replace(database.path)
    await database.write(lambda connection: put(connection, "c"))
    assert await database.read(keys) == ["a", "c"]


async def test_a_full_disk_is_reported_and_leaves_everything_as_it_was(database: Database) -> None:
    await database.write(lambda connection: put(connection, "a"))
    pages = database._writer.value("PRAGMA page_count")
    database._writer.raw.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(Unavailable, match="Nothing was changed: the disk is full"):
        await database.write(lambda connection: put(connection, "b", "long" * 100_000))
    assert await database.read(keys) == ["a"]
    database._writer.raw.execute("PRAGMA max_page_count = 1000000")
    await database.write(lambda connection: put(connection, "c"))
    assert await database.read(keys) == ["a", "c"]


async def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "workspace.recto"
    with closing(Database.open(file)) as database:
        await database.write(lambda connection: put(connection, "long", "text" * 100_000))
    whole = file.read_bytes()
    file.write_bytes(whole[:-200_000] + b"\xa5" * 200_000)
    with closing(Database.open(file)) as database, pytest.raises(Unavailable, match="damaged"):
        await database.read(lambda connection: connection.all("SELECT value FROM workspace"))


def test_a_file_that_cannot_be_written_to_is_reported(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY
    assert "See to their permissions" in str(unusable(tmp_path / "workspace.recto", error))


def test_a_file_that_has_gone_is_not_taken_for_one_without_permissions(database: Database) -> None:
    database.path.unlink()
    with pytest.raises(Unavailable, match="cannot be read: the workspace's file was moved, removed or replaced"):
        database.read_now(keys)
