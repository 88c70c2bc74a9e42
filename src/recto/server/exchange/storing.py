"""Stores the texts and files of books ahead of the revisions that will hold them, in short transactions.

Nothing refers to them yet, so they are not visible; texts that are stored already are not written again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from recto.checkpoints import checkpoint
from recto.server.content.objects import save_blob, save_texts, stored_hashes
from recto.server.content.tree import digest
from recto.server.exchange.assembly import texts_of
from recto.server.exchange.book import Book, SourceFile
from recto.server.exchange.folder import FolderError, Progress
from recto.server.jobs import JobCancelled
from recto.server.storage.database import Connection, Database

BlobNames = Mapping[tuple[str, str], str]
"""The hash of each file's bytes, by the folder of its book and its place below the book's home."""

_STEP = "Storing texts and files"
_TEXTS_AT_ONCE = 100
_BYTES_AT_ONCE = 8 * 1024 * 1024


def store_ahead(
    database: Database, books: Sequence[Book], progress: Progress, cancelled: Callable[[], bool]
) -> BlobNames:
    """Store what the books hold and return the names of their files' bytes.

    Raises ``JobCancelled`` between two transactions once ``cancelled`` says so, and ``FolderError`` where a
    file cannot be read.
    """
    texts: dict[str, str] = {}
    for book in books:
        texts.update(texts_of(book))
    total = len(texts) + sum(len(book.sources) for book in books)
    progress(_STEP, 0, total)
    store_texts(database, texts, lambda done: progress(_STEP, done, total), cancelled)
    files = [(book, file) for book in books for file in book.sources]
    return store_files(database, files, lambda done: progress(_STEP, len(texts) + done, total), cancelled)


def store_texts(
    database: Database, texts: Mapping[str, str], on_stored: Callable[[int], None], cancelled: Callable[[], bool]
) -> None:
    """Store texts by their hashes; ``on_stored`` is called with how many are stored."""
    done = 0
    for some in _some_texts(texts):
        stop_if(cancelled)
        _store_texts(database, some)
        done += len(some)
        on_stored(done)


def store_files(
    database: Database,
    files: Iterable[tuple[Book, SourceFile]],
    on_stored: Callable[[int], None],
    cancelled: Callable[[], bool],
) -> BlobNames:
    """Store files of books and return the names of their bytes; raises ``FolderError`` if a file cannot be read."""
    names: dict[tuple[str, str], str] = {}
    for batch in _some_files(files):
        stop_if(cancelled)
        names.update(_store_files(database, batch))
        on_stored(len(names))
    stop_if(cancelled)
    return names


def _store_texts(database: Database, texts: Mapping[str, str]) -> None:
    stored = database.read_now(partial(stored_hashes, table="texts", hashes=texts))
    new = {name: text for name, text in texts.items() if name not in stored}
    if new:
        database.write_now(partial(save_texts, bodies=new))
        checkpoint("import.after-texts")


def _store_files(database: Database, files: Sequence[tuple[Book, SourceFile]]) -> dict[tuple[str, str], str]:
    contents = {(book.folder, file.path): _bytes_of(file) for book, file in files}
    names = {key: digest(content) for key, content in contents.items()}
    stored = database.read_now(partial(stored_hashes, table="blobs", hashes=names.values()))
    new = [content for key, content in contents.items() if names[key] not in stored]
    if new:
        database.write_now(partial(_save_blobs, contents=new))
        checkpoint("import.after-files")
    return names


def _save_blobs(connection: Connection, contents: Iterable[bytes]) -> None:
    for content in contents:
        save_blob(connection, content)


def _bytes_of(file: SourceFile) -> bytes:
    try:
        return file.source.read()
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderError(f"{file.path} cannot be read: {reason}. Open the folder again.") from error


def _some_texts(texts: Mapping[str, str]) -> Iterator[dict[str, str]]:
    waiting = list(texts.items())
    return (dict(waiting[at : at + _TEXTS_AT_ONCE]) for at in range(0, len(waiting), _TEXTS_AT_ONCE))


def _some_files(files: Iterable[tuple[Book, SourceFile]]) -> Iterator[list[tuple[Book, SourceFile]]]:
    """Split files into batches by their size, at least a file in each."""
    batch: list[tuple[Book, SourceFile]] = []
    size = 0
    for book, file in files:
        if batch and size + file.size > _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append((book, file))
        size += file.size
    if batch:
        yield batch


def stop_if(cancelled: Callable[[], bool]) -> None:
    """Raise :class:`JobCancelled` once ``cancelled`` says so."""
    if cancelled():
        raise JobCancelled
