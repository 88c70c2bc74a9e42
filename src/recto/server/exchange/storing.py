"""Stores the texts and files of books ahead of the revisions that will hold them, in short transactions.

Nothing refers to them yet, so they are not visible; what is stored already is not written again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import TypeVar

from recto.checkpoints import checkpoint
from recto.frozen import frozen
from recto.server.content.objects import save_blobs, save_texts, stored_hashes, text_hash
from recto.server.content.tree import digest
from recto.server.exchange.assembly import texts_of
from recto.server.exchange.book import Book, SourceFile
from recto.server.exchange.folder import FolderError, Progress, join_path
from recto.server.http.problems import Problem
from recto.server.jobs import JobCancelled
from recto.server.people.directory import remember
from recto.server.spaces.retention import UNSWEPT
from recto.server.storage.database import Connection, Database

K = TypeVar("K", bound=Hashable)

_STEP = "Storing texts and files"
_TEXTS_AT_ONCE = 100
_BYTES_AT_ONCE = 8 * 1024 * 1024
_MOST_UNDER_WAY = 4
"""How many transactions wait while pages are read: they hold the bytes of these."""


@frozen
class Stored:
    """Hashes of what is stored: of files' bytes by their places in the opened folder, and of texts by themselves."""

    files: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def hashes_of(self, book: Book) -> dict[str, str]:
        """Return the hashes of the files of a book, by their places below its home."""
        return {file.path: self.files[_place(book, file)] for file in book.sources}

    def is_there(self, connection: Connection) -> bool:
        """Whether the files have not been swept since; texts are stored once more with their pages."""
        return set(self.files.values()) <= stored_hashes(connection, "blobs", self.files.values())


class BackgroundStoring:
    """Stores pages while others are read, on a thread of its own: one computes while the other waits for the disk.

    Where its context ends with an error, what was stored is swept in time.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recto-storing")
        self._under_way: deque[Future[Stored]] = deque()
        self._files: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._has_begun = False
        self._begin_batch()

    def __enter__(self) -> BackgroundStoring:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
        if kind is not None and self._has_begun:
            with suppress(Problem):  # the disk takes nothing
                self._database.write_now(lambda connection: remember(connection, UNSWEPT, "yes"))

    def take(self, place: str, content: bytes, text: str) -> None:
        """Take a page's file, by its place in the opened folder, and its text; raises what storing earlier ones did."""
        self._next_files[place] = content
        if text:
            self._next_texts.append(text)
        self._weight += len(content) + len(text)
        if len(self._next_files) >= _TEXTS_AT_ONCE or self._weight >= _BYTES_AT_ONCE:
            self._store_batch(_MOST_UNDER_WAY)

    def finish(self) -> Stored:
        """Store the rest; return what was stored since the last time."""
        self._store_batch(0)
        stored = Stored(self._files, self._texts)
        self._files, self._texts = {}, {}
        return stored

    def _begin_batch(self) -> None:
        self._next_files: dict[str, bytes] = {}
        self._next_texts: list[str] = []
        self._weight = 0

    def _store_batch(self, most_under_way: int) -> None:
        if self._next_files:
            store = partial(_store, self._database, self._next_texts, self._next_files)
            self._under_way.append(self._thread.submit(lambda: Stored(*store())))
            self._has_begun = True
            self._begin_batch()
        while len(self._under_way) > most_under_way:
            stored = self._under_way.popleft().result()
            self._files.update(stored.files)
            self._texts.update(stored.texts)


def store_ahead(
    database: Database, books: Sequence[Book], progress: Progress, cancelled: Callable[[], bool], before: Stored
) -> Stored:
    """Store what the books hold, but for what was stored ``before``, and return the hashes of all of it.

    Raises ``JobCancelled`` between two transactions once ``cancelled`` says so, and ``FolderError`` where a
    file cannot be read.
    """
    texts = dict.fromkeys(text for book in books for text in texts_of(book))
    files = {_place(book, file): file for book in books for file in book.sources}
    total = len(texts) + len(files)
    new_texts = [text for text in texts if text not in before.texts]
    new_files = {place: file for place, file in files.items() if place not in before.files}

    def report(left: int) -> None:
        progress(_STEP, total - left, total)

    progress(_STEP, 0, total)
    report(len(new_texts) + len(new_files))
    names = store_texts(database, new_texts, lambda done: report(len(new_texts) - done + len(new_files)), cancelled)
    hashes = store_files(database, new_files.items(), lambda done: report(len(new_files) - done), cancelled)
    return Stored({**before.files, **hashes}, {**before.texts, **names})


def _place(book: Book, file: SourceFile) -> str:
    return join_path(book.home, file.path)


def store_texts(
    database: Database, texts: Sequence[str], on_stored: Callable[[int], None], cancelled: Callable[[], bool]
) -> dict[str, str]:
    """Store texts and return their hashes by them; ``on_stored`` is called with how many are stored."""
    names: dict[str, str] = {}
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        stop_if(cancelled)
        names |= _store(database, texts[start : start + _TEXTS_AT_ONCE], {})[1]
        on_stored(len(names))
    return names


def store_files(
    database: Database,
    files: Iterable[tuple[K, SourceFile]],
    on_stored: Callable[[int], None],
    cancelled: Callable[[], bool],
) -> dict[K, str]:
    """Store files and return the hashes of their bytes; raises ``FolderError`` if a file cannot be read."""
    names: dict[K, str] = {}
    for batch in _some_files(files):
        stop_if(cancelled)
        names |= _store(database, (), {key: _bytes_of(file) for key, file in batch})[0]
        on_stored(len(names))
    stop_if(cancelled)
    return names


def _store(database: Database, texts: Iterable[str], files: Mapping[K, bytes]) -> tuple[dict[K, str], dict[str, str]]:
    """Store files' bytes and texts in one transaction, and return their hashes."""
    names = {text: text_hash(text) for text in texts}
    hashes = {key: digest(content) for key, content in files.items()}
    stored_texts, stored_files = database.read_now(
        lambda connection: (
            stored_hashes(connection, "texts", names.values()),
            stored_hashes(connection, "blobs", hashes.values()),
        )
    )
    new_texts = {name: text for text, name in names.items() if name not in stored_texts}
    new_files = {hashes[key]: content for key, content in files.items() if hashes[key] not in stored_files}
    if new_texts or new_files:
        database.write_now(lambda connection: _save(connection, new_texts, new_files))
    if new_texts:
        checkpoint("import.after-texts")
    if new_files:
        checkpoint("import.after-files")
    return hashes, names


def _save(connection: Connection, texts: Mapping[str, str], files: Mapping[str, bytes]) -> None:
    save_texts(connection, texts)
    save_blobs(connection, files)


def _bytes_of(file: SourceFile) -> bytes:
    try:
        return file.source.read()
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderError(f"{file.path} cannot be read: {reason}. Open the folder again.") from error


def _some_files(files: Iterable[tuple[K, SourceFile]]) -> Iterator[list[tuple[K, SourceFile]]]:
    """Split files into batches by their size, at least a file in each."""
    batch: list[tuple[K, SourceFile]] = []
    size = 0
    for key, file in files:
        if batch and size + file.size > _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append((key, file))
        size += file.size
    if batch:
        yield batch


def stop_if(cancelled: Callable[[], bool]) -> None:
    """Raise :class:`JobCancelled` once ``cancelled`` says so."""
    if cancelled():
        raise JobCancelled
