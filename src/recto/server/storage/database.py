"""The SQLite file of a workspace: a single writer, several readers, a whole transaction at a time.

Writes queue on one thread and run between ``BEGIN IMMEDIATE`` and ``COMMIT``, so that two processes may share a file;
those that wait at the same moment share a transaction, in which each is done as a whole or not at all. Reads run on
connections of their own that cannot write, never wait for a write, and see one state throughout.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field
from functools import partial
from itertools import chain, count
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Generic, TypeVar

from recto import disk
from recto.checkpoints import checkpoint
from recto.frozen import record
from recto.server.http.problems import Busy, Unavailable
from recto.server.storage.schema import WorkspaceError, migrate

logger = logging.getLogger(__name__)

T = TypeVar("T")
V = TypeVar("V")
Row = dict[str, Any]
"""A row of a result, by column name."""

SQLITE_VERSION = sqlite3.sqlite_version
"""The version of the SQLite library in use."""

_READERS = 3
_LONGEST_WAIT_S = 0.02
"""How long a read waits for the read before it: parallel threads slow each other down, but a slow read must not hold up
the rest."""
_PREPARERS = 3
_TRIES = 3
"""How often a write is prepared outside its transaction before it is prepared within."""
_MOST_WITHIN_S = 0.25
"""The most time on the processor that preparing may take to be done within the transaction, where all others wait."""
_BUSY_TIMEOUT_S = 10.0
_MOST_TOGETHER = 16
"""How many writes share a transaction at most."""
_LONGEST_TOGETHER_S = 0.02
"""The seconds after which no other write joins a transaction, since those in it wait for its end."""


class Moved(Exception):
    """A prepared write no longer fits the stored state."""


class Connection:
    """A connection inside a transaction, with short ways to ask."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw
        self._later: list[Callable[[Connection], object]] = []
        self.left_over = False
        """Whether this transaction leaves work behind, which :attr:`Database.on_left_over` begins after its commit."""

    def later(self, work: Callable[[Connection], object]) -> None:
        """Schedule a write for after this transaction.

        It may be lost: use it for what can be made again, such as what was worked out
        while reading.
        """
        self._later.append(work)

    def take_later(self) -> list[Callable[[Connection], object]]:
        """Return the writes left for after the transaction."""
        taken, self._later = self._later, []
        return taken

    def one(self, sql: str, *parameters: Any) -> Row | None:
        """Return the first row, or ``None``."""
        found = self.raw.execute(sql, _bindings(parameters))
        values = found.fetchone()
        return None if values is None else dict(zip(_names(found), values, strict=True))

    def all(self, sql: str, *parameters: Any) -> list[Row]:
        """Return all rows."""
        found = self.raw.execute(sql, _bindings(parameters))
        rows = found.fetchall()
        names = _names(found) if rows else ()
        return [dict(zip(names, values, strict=True)) for values in rows]

    def value(self, sql: str, *parameters: Any) -> Any:
        """Return the first column of the first row, or ``None`` where there is no row."""
        values = self.raw.execute(sql, _bindings(parameters)).fetchone()
        return None if values is None else values[0]

    def column(self, sql: str, *parameters: Any) -> list[Any]:
        """Return the first column of all rows."""
        return [values[0] for values in self.raw.execute(sql, _bindings(parameters)).fetchall()]

    def execute(self, sql: str, *parameters: Any) -> int:
        """Run a statement that changes something and return how many rows it changed."""
        changed = self.raw.execute(sql, _bindings(parameters)).rowcount
        checkpoint("database.statement")
        return changed

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each of the rows."""
        self.raw.executemany(sql, rows)
        checkpoint("database.statement")

    def insert(self, table: str, **values: Any) -> None:
        """Insert a row."""
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        self.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', *values.values())

    def update(self, table: str, key: str, **values: Any) -> int:
        """Set these columns of the row whose ``id`` is ``key`` and return how many rows there were, 1 or 0."""
        if not values:
            return 0
        changes = ", ".join(f'"{name}" = ?' for name in values)
        return self.execute(f'UPDATE "{table}" SET {changes} WHERE id = ?', *values.values(), key)


def _bindings(parameters: tuple[Any, ...]) -> Any:
    """Allow either positional parameters or a mapping of named parameters."""
    if len(parameters) == 1 and isinstance(parameters[0], dict):
        return parameters[0]
    return parameters


@record
class _Write(Generic[T]):
    """A waiting write, and the future for its result."""

    work: Callable[[Connection], T]
    future: Future[T] = field(default_factory=Future)


_Piece = tuple[Callable[[Future[Any]], None], Future[Any]]
"""Work, and the future that awaits its outcome."""


_NONE = object()


class _Queue:
    """A queue of work that threads do one after another, in which long work does not hold up the rest.

    One thread leads and takes all that waits: waking another for each piece would take as long as many pieces do. If a
    piece takes longer than the longest wait, another thread takes the lead, and the first leaves after its piece.

    Each piece is of some kind. The kinds take turns, so that many pieces of one kind do not hold up the others, and
    kinds whose last piece took long leave one thread to the rest.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._threads = ThreadPoolExecutor(most, thread_name_prefix=name)
        self._waiting: dict[Hashable, deque[_Piece]] = {}
        self._running: dict[int, Hashable] = {}
        self._slow: set[Hashable] = set()
        self._lock = Lock()
        self._at_work = 0
        self._numbers = count()
        self._leader: int | None = None
        self._begun = 0.0
        self._watching: asyncio.AbstractEventLoop | None = None

    def add(self, do: Callable[[Future[T]], None], kind: Hashable = None) -> Future[T]:
        """Queue work; its result goes to the future that it is called with."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.setdefault(kind, deque()).append((do, future))
            if self._leader is None:
                self._lead()
        return future

    def watch(self) -> None:
        """Make the running event loop check, as long as anything waits, whether another thread has to lead."""
        loop = asyncio.get_running_loop()
        if self._watching is not loop:
            self._watching = loop
            loop.call_later(_LONGEST_WAIT_S, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._watching is not loop:
            return
        with self._lock:
            if not self._waiting:
                self._watching = None
                return
            if time.monotonic() - self._begun >= _LONGEST_WAIT_S:
                if self._leader in self._running:
                    self._slow.add(self._running[self._leader])
                self._lead()
        loop.call_later(_LONGEST_WAIT_S, self._look, loop)

    def close(self) -> None:
        """Finish what was begun and cancel what waits."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for _, future in chain.from_iterable(waiting.values()):
            future.cancel()
        self._threads.shutdown(wait=True)

    def _next(self) -> Hashable:
        """Return the kind whose turn it is; ``_NONE`` where nothing waits, or nothing that may begin now."""
        has_room = sum(kind in self._slow for kind in self._running.values()) < max(1, self._most - 1)
        return next((kind for kind in self._waiting if has_room or kind not in self._slow), _NONE)

    def _take(self, kind: Hashable) -> _Piece:
        line = self._waiting.pop(kind)
        piece = line.popleft()
        if line:
            self._waiting[kind] = line  # behind the others
        return piece

    def _lead(self) -> None:
        # Else one of those at work has to finish first.
        if self._at_work < self._most and self._next() is not _NONE:
            number = next(self._numbers)
            self._threads.submit(self._work, number)
            self._at_work += 1
            self._leader = number
            self._begun = time.monotonic()

    def _work(self, number: int) -> None:
        while True:
            with self._lock:
                kind = self._next()
                if self._leader is None and kind is not _NONE:
                    self._leader = number
                if self._leader != number or kind is _NONE:
                    self._leader = None if self._leader == number else self._leader
                    self._at_work -= 1
                    return
                do, future = self._take(kind)
                self._running[number] = kind
                self._begun = time.monotonic()
            took = -time.thread_time()  # a piece that had to wait for others is not slow itself
            if future.set_running_or_notify_cancel():
                do(future)
            took += time.thread_time()
            del do, future
            with self._lock:
                del self._running[number]
                (self._slow.add if took >= _LONGEST_WAIT_S else self._slow.discard)(kind)


class Database:
    """The workspace's file, its writer and its readers."""

    def __init__(self, path: Path, writer: sqlite3.Connection) -> None:
        self.path = path
        self._file = _identity(path)
        self._writer = Connection(writer)
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="recto-writer")
        self._reading = _Queue(_READERS, "recto-reader")
        self._preparing = _Queue(_PREPARERS, "recto-preparer")
        self._turn = Lock()
        self._idle: SimpleQueue[Connection] = SimpleQueue()
        self._waiting: deque[_Write[Any]] = deque()
        self.on_left_over: Callable[[], None] = lambda: None
        """Called on the writer's thread after a transaction that left work behind, which it must not wait for."""

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open the file, making it or bringing its tables up to date as needed.

        Raises :class:`WorkspaceError` where the file is not a workspace that this version of Recto can use.
        """
        disk.make_folder(path.parent)
        disk.make_file(path)  # SQLite creates its journals with the file's permissions
        disk.close_files(path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal"))
        try:
            writer = _connect(path, "rwc")
        except sqlite3.Error as error:
            raise WorkspaceError(f"{path} cannot be opened as a workspace: {error}.") from error
        try:
            migrate(writer, path)
            writer.execute("PRAGMA journal_mode = WAL")
            writer.execute("PRAGMA synchronous = FULL")
            writer.execute("PRAGMA foreign_keys = ON")
        except sqlite3.DatabaseError as error:
            writer.close()
            raise unusable(path, error) from error
        except BaseException:
            writer.close()
            raise
        return cls(path, writer)

    async def read(self, work: Callable[[Connection], T], kind: Hashable = None) -> T:
        """Run ``work`` on a reader's thread, inside one read transaction; works of a ``kind`` are done in turn."""
        return await self._run_on(self._reading, partial(_settle_with, partial(self._read_in_turn, work)), kind)

    async def _run_on(self, queue: _Queue, do: Callable[[Future[T]], None], kind: Hashable) -> T:
        future = queue.add(do, kind)
        queue.watch()
        try:
            return await _outcome(future)
        except asyncio.CancelledError:
            future.cancel()
            raise

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` on the writer's thread as one transaction; a caller that is cancelled does not interrupt it."""
        return await _outcome(self._submit(work))

    async def write_prepared(
        self, prepare: Callable[[Connection], V], work: Callable[[Connection, V], T], kind: Hashable = None
    ) -> T:
        """Run ``prepare`` in a read transaction, and ``work`` with what it returned as :meth:`write` does.

        What takes long is prepared, so that other writes and reads do not wait for it. ``work`` checks that what was
        prepared still fits, and raises :class:`Moved` where it does not: both run again, at last in one transaction.
        A caller that is cancelled does not interrupt it once preparing has begun.
        Raises :class:`Busy` where that would hold up all others.
        """
        took = 0.0

        def time_work(connection: Connection) -> V:
            nonlocal took
            begun = time.thread_time()
            prepared = prepare(connection)
            took = time.thread_time() - begun
            return prepared

        def do(future: Future[T]) -> None:
            try:
                prepared = self._read_in_turn(time_work)
                self._queue(_Write(partial(_run_prepared, work, prepared), future))
            except BaseException as error:
                future.set_exception(error)

        for _ in range(_TRIES):
            with suppress(Moved):
                return await self._run_on(self._preparing, do, kind)
        if took > _MOST_WITHIN_S:
            raise Busy("Other writes kept changing this meanwhile. Try again in a moment.")
        return await self.write(lambda connection: work(connection, prepare(connection)))

    def _read_in_turn(self, work: Callable[[Connection], T]) -> T:
        taken = self._turn.acquire(timeout=_LONGEST_WAIT_S)
        try:
            return self.read_now(work)
        finally:
            if taken:
                self._turn.release()

    async def version(self) -> int:
        """Return a number that is another after each commit of another program to the file.

        The writer's own connection is asked, for which its own commits do not count.
        """
        ask = self._writing.submit(lambda: self._writer.value("PRAGMA data_version"))
        return int(await _outcome(ask))

    def read_now(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` on this thread, inside one read transaction. Not for the event loop's thread.

        Raises :class:`Unavailable` where the file cannot be read.
        """
        try:
            connection = self._reader()
            try:
                connection.raw.execute("BEGIN")
                try:
                    return work(connection)
                finally:
                    connection.raw.execute("ROLLBACK")
                    self._do_later(connection.take_later())
            finally:
                self._idle.put(connection)
        except sqlite3.Error as error:
            if (why := _complaint(error)) is None or _code(error) == sqlite3.SQLITE_READONLY:
                raise
            why = why if self._is_there() else _GONE
            raise Unavailable(f"The workspace cannot be read: {why}") from error

    def write_now(self, work: Callable[[Connection], T]) -> T:
        """Queue ``work`` on the writer's thread and wait. Not for the event loop's thread, nor from inside a write."""
        return self._submit(work).result()

    def close(self) -> None:
        """Finish the writes that are queued and let go of the file."""
        self._reading.close()
        self._preparing.close()
        self._writing.shutdown(wait=True)
        while True:
            try:
                self._idle.get_nowait().raw.close()
            except Empty:
                break
        self._writer.raw.close()

    def _do_later(self, works: Iterable[Callable[[Connection], object]]) -> None:
        for work in works:
            with suppress(RuntimeError):  # the database is being closed
                self._submit(work).add_done_callback(_tell_failure)

    def _submit(self, work: Callable[[Connection], T]) -> Future[T]:
        return self._queue(_Write(work))

    def _queue(self, write: _Write[T]) -> Future[T]:
        self._waiting.append(write)
        try:
            self._writing.submit(self._write_waiting)
        except RuntimeError:  # the database is being closed
            self._waiting.remove(write)
            raise
        return write.future

    def _write_waiting(self) -> None:
        """Do the waiting writes in a shared transaction: most of their cost is making them durable."""
        group = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST_TOGETHER))]
        done = self._together(group) if len(group) > 1 else 0
        if done:  # each of the others has this method called once more
            self._waiting.extendleft(reversed(group[done:]))
            return
        for write in group:
            try:
                result = self._transaction(write.work)
            except BaseException as error:
                write.future.set_exception(error)
            else:
                write.future.set_result(result)

    def _together(self, group: Sequence[_Write[Any]]) -> int:
        """Do the first of several writes in one transaction, each as a whole or not at all; return how many.

        A write is answered once it is durable. Where the file or the disk refuses anything, the transaction is rolled
        back and none is done: done alone, each meets its own error, and none fails for another.
        """
        if not self._is_there():
            return 0
        raw, left_over, later = self._writer.raw, False, []
        outcomes: list[Callable[[], None]] = []
        end = time.monotonic() + _LONGEST_TOGETHER_S
        try:
            raw.execute("BEGIN IMMEDIATE")
            checkpoint("database.begin")
            while len(outcomes) < len(group) and (not outcomes or time.monotonic() < end):
                write = group[len(outcomes)]
                self._writer.left_over = False
                raw.execute("SAVEPOINT one")
                try:
                    result = write.work(self._writer)
                except sqlite3.Error:
                    raise
                except BaseException as error:
                    self._writer.take_later()
                    raw.execute("ROLLBACK TO one")
                    outcomes.append(partial(write.future.set_exception, error))
                else:
                    later += self._writer.take_later()
                    left_over = left_over or self._writer.left_over
                    outcomes.append(partial(write.future.set_result, result))
                raw.execute("RELEASE one")
            checkpoint("database.before-commit")
            raw.execute("COMMIT")
        except sqlite3.Error:
            self._writer.take_later()
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            return 0
        checkpoint("database.after-commit")
        for notify in outcomes:
            notify()
        self._do_later(later)
        if left_over:
            self.on_left_over()
        return len(outcomes)

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        """Do the work as a whole or not at all; raises :class:`Unavailable` where the file does not take it."""
        if not self._is_there():
            # SQLite would keep writing to a file without a name, which would be lost with the process.
            raise Unavailable(f"Nothing was changed: {_GONE}")
        try:
            return self._between_begin_and_commit(work)
        except sqlite3.Error as error:
            if (why := _complaint(error)) is None:
                raise
            raise Unavailable(f"Nothing was changed: {why}") from error

    def _between_begin_and_commit(self, work: Callable[[Connection], T]) -> T:
        raw = self._writer.raw
        self._writer.left_over = False
        raw.execute("BEGIN IMMEDIATE")
        checkpoint("database.begin")
        try:
            result = work(self._writer)
            checkpoint("database.before-commit")
            raw.execute("COMMIT")
        except BaseException:
            self._writer.take_later()
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            raise
        checkpoint("database.after-commit")
        self._do_later(self._writer.take_later())
        if self._writer.left_over:
            self.on_left_over()
        return result

    def _is_there(self) -> bool:
        return _identity(self.path) == self._file

    def _reader(self) -> Connection:
        try:
            return self._idle.get_nowait()
        except Empty:
            return Connection(_connect(self.path, "ro"))


def _settle_with(work: Callable[[], T], future: Future[T]) -> None:
    """Do work and set its result in a future."""
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def _run_prepared(work: Callable[[Connection, V], T], prepared: V, connection: Connection) -> T:
    return work(connection, prepared)


def _tell_failure(future: Future[object]) -> None:
    if not future.cancelled() and (error := future.exception()) is not None:
        logger.info("A deferred write failed: %s.", type(error).__name__)


async def _outcome(future: Future[T]) -> T:
    """Wait for work on another thread; a cancelled caller only stops waiting."""
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()

    def notify(_: Future[T]) -> None:
        with suppress(RuntimeError):  # the loop is closed, so no caller waits
            loop.call_soon_threadsafe(_settle, finished)

    future.add_done_callback(notify)
    await finished
    return future.result()


def _settle(finished: asyncio.Future[None]) -> None:
    if not finished.done():
        finished.set_result(None)


def unusable(path: Path, error: sqlite3.Error) -> WorkspaceError:
    """Return the error that says that a file cannot be opened as a workspace, and why."""
    why = _complaint(error)
    return WorkspaceError(f"{path} cannot be used as a workspace: {why or f'{error}.'}")


_GONE = "the workspace's file was moved, removed or replaced while it was open. Put it back, or start Recto again."
_COMPLAINTS = {
    sqlite3.SQLITE_BUSY: "another program is writing to it. Try again in a moment.",
    sqlite3.SQLITE_LOCKED: "another program is writing to it. Try again in a moment.",
    sqlite3.SQLITE_FULL: "the disk is full. Make room on it.",
    sqlite3.SQLITE_IOERR: "the disk fails, or is full.",
    sqlite3.SQLITE_READONLY: "the file or its folder cannot be written to. See to their permissions.",
    sqlite3.SQLITE_CANTOPEN: "the file or its folder cannot be opened for writing. See to their permissions.",
    sqlite3.SQLITE_CORRUPT: "the file is damaged. Keep a copy of it, and go on from a backup.",
    sqlite3.SQLITE_NOTADB: "the file is damaged. Keep a copy of it, and go on from a backup.",
}


def _complaint(error: sqlite3.Error) -> str | None:
    """Return the fault of the file or its disk; ``None`` for other errors."""
    return _COMPLAINTS.get(_code(error))


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what stays the same for a file as long as it is the same file; ``None`` where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open the file; connections travel between threads but are used by a single thread at a time."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    connection.create_function("fold", 1, _fold, deterministic=True)
    return connection


def _names(found: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in found.description]


def _fold(text: str | None) -> str | None:
    """Make ``fold(column)`` compare without regard to case in every script; SQLite itself only knows ASCII."""
    return None if text is None else text.casefold()
