"""Sources of content: an address, a file or a folder, opened as books."""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from recto.contract.imports import Source
from recto.document.markdown.link_addresses import addresses_in
from recto.document.markdown.page_links import LinkKind, read_link, resolve
from recto.server.exchange.archive import unpack
from recto.server.exchange.book import BookPage
from recto.server.exchange.book_reader import read_book
from recto.server.exchange.folder import FolderError, list_folder
from recto.server.exchange.library import Library, book_folders
from recto.server.exchange.sources.exports import (
    clean_notion_slug,
    recognize,
    take_confluence,
    take_files,
    take_notion,
)
from recto.server.exchange.sources.pages import FolderDraft
from recto.server.exchange.sources.website import Website
from recto.server.exchange.sources.wiki import take_wiki
from recto.server.exchange.sources.word import take_word
from recto.server.fetching import Fetcher, show_address
from recto.server.jobs import Work

_ENDINGS = {"docx": ".docx", "markdown": ".md", "html": ".html", "zip": ".zip", "notion": ".zip", "confluence": ".zip"}
_FILE = "file:"
_LONGEST_NAME = 80
_MOST_BESIDE = 1_000


def show_source(address: str) -> str:
    """Return a source as it may be shown: a path, or an address without credentials."""
    path = local_path(address)
    return str(path) if path is not None else show_address(address)


def local_path(address: str) -> Path | None:
    """Return the path that a ``file:`` address names; ``None`` for other addresses, and for text that is no address."""
    if not address.lower().startswith(_FILE):
        return None
    try:
        return Path(url2pathname(urlsplit(address).path))
    except ValueError:  # such as file://[docs
        return None


@contextmanager
def open_source(source: Source, address: str, work: Work) -> Iterator[Library]:
    """Read content from an address, or from a file or folder of this machine; its files last as long as the context.

    Raises ``FolderError``, ``FetchError`` and ``JobCancelled``.
    """
    with TemporaryDirectory(prefix="recto-") as temporary:
        scratch = Path(temporary)
        draft = FolderDraft(scratch / "pages")
        draft.top.mkdir()
        name, source = _gather(source, address, draft, scratch, work)
        folder = list_folder(draft.top, named=show_source(address))
        work.progress("Reading pages", 0, None)
        bases = book_folders(folder)
        titles = {base: posixpath.basename(base) or name for base in bases}
        books = tuple(
            read_book(folder, base, titles[base], lambda *_: work.stop_if_cancelled(), takes_linked=True)
            for base in bases
        )
        if source == "notion":
            books = tuple(replace(book, pages=tuple(_without_ids(page) for page in book.pages)) for book in books)
        left_out = (*folder.left_out, *draft.left_out)
        yield Library(draft.top, books, None, tuple(sorted(left_out, key=lambda each: each.place)))


def _without_ids(page: BookPage) -> BookPage:
    children = tuple(_without_ids(child) for child in page.children)
    return replace(page, slug=clean_notion_slug(page.slug), children=children)


def _gather(source: Source, address: str, draft: FolderDraft, scratch: Path, work: Work) -> tuple[str, Source]:
    """Write the pages of a source into a draft, and return its name and what it is found to be."""
    if source == "github-wiki":
        return take_wiki(draft, address, scratch / "wiki", work), source
    path = local_path(address)
    fetcher = Fetcher(is_local=work.is_local, is_cancelled=work.is_cancelled)
    if path is None and source in ("website", "html"):
        Website(fetcher, draft, address, work.progress, is_single=source == "html").take()
        return urlsplit(address).hostname or "", source
    if path is None:
        work.progress("Fetching the file", 0, None)
        path = _download(source, address, fetcher, scratch)
    elif source == "website":
        raise FolderError("A website is imported from its address, which begins with https://.")
    if not path.exists():
        raise FolderError(f"There is no file {path}. Check the path.")

    def step(done: int, total: int) -> None:
        work.stop_if_cancelled()
        work.progress("Converting pages", done, total)

    if source == "docx":
        take_word(draft, path, path.name)
        return path.stem, source
    if source in ("markdown", "html") and path.is_file():
        _take_file(draft, path, step)
        return path.stem, source
    top = path
    if path.is_file():
        top = scratch / "unpacked"
        top.mkdir()
        draft.left_out.extend(unpack(path, top, work.progress, work.is_cancelled))
        parts = sorted(top.glob("*Part-*.zip"))
        if source == "notion" or (parts and len(parts) == len(list(top.iterdir()))):
            _unpack_parts(draft, top, parts, work)
    folder = list_folder(top, named=show_source(address))
    draft.left_out.extend(folder.left_out)
    if source == "zip":
        source = recognize(folder)
    {"notion": take_notion, "confluence": take_confluence}.get(source, take_files)(draft, folder, step)
    return path.stem, source


def _download(source: Source, address: str, fetcher: Fetcher, scratch: Path) -> Path:
    fetched = fetcher.get(address)
    name = Path(unquote(urlsplit(fetched.url).path)).name.strip(". ") or "document"
    stem = Path(name).stem[:_LONGEST_NAME] or "document"
    path = scratch / f"{stem}{_ENDINGS.get(source, '')}"
    path.write_bytes(fetched.content)
    return path


def _take_file(draft: FolderDraft, path: Path, step: Callable[[int, int], None]) -> None:
    """Write a page, and the pictures and files that it links to, if they are beside or below it."""
    beside = draft.top.parent / "beside"
    beside.mkdir()
    shutil.copyfile(path, beside / path.name)
    take_files(draft, list_folder(beside), step)
    top = path.parent.resolve()
    named: set[str] = set()
    for page in list(draft.top.rglob("*.md")):
        named.update(_files_named(page.read_text("utf-8", "replace")))
    for place in sorted(named)[:_MOST_BESIDE]:
        file = (top / place).resolve()
        if file.is_relative_to(top) and file.is_file() and not (draft.top / place).exists():
            draft.write_bytes(place, file.read_bytes())


def _files_named(text: str) -> Iterator[str]:
    for target in addresses_in(text):
        link = read_link(target)
        if link.kind is LinkKind.FILE and (place := resolve(link, "page.md")) is not None:
            yield place


def _unpack_parts(draft: FolderDraft, top: Path, parts: Sequence[Path], work: Work) -> None:
    """Unpack the parts in which Notion packs a large export; archives in them stay files."""
    for part in parts:
        inner = top / part.stem
        inner.mkdir()
        draft.left_out.extend(unpack(part, inner, work.progress, work.is_cancelled))
        part.unlink()
        for found in inner.iterdir():
            if not (top / found.name).exists():
                shutil.move(found, top / found.name)
