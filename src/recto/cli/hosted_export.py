"""Export of a space of a hosted platform: the layout written from the pages that its API gives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from recto.client.call import Call
from recto.client.errors import ClientError
from recto.client.sender import Sender
from recto.contract.addresses import Address
from recto.contract.content import Content as ContentOperations
from recto.contract.content import File, Page, Revision
from recto.contract.export_report import ExportReport
from recto.document.text import count
from recto.server.content.objects import text_hash
from recto.server.content.page_text import part_title
from recto.server.content.revisions import Content
from recto.server.content.tree import Node, digest, make_node, root_node
from recto.server.content.views import LAYOUT
from recto.server.exchange.folder import MAX_FILE_BYTES
from recto.server.exchange.folder_writer import FolderWriter, load_names
from recto.server.exchange.writing import write_layout

_AT_ONCE = 6
"""So many pages or files are asked for at once."""

_MOST_NAMED = 5

Progress = Callable[[str, int, int | None], None]


async def export_hosted(
    sender: Sender, base_url: str, at: Address, folder: Path, records: Path, *, force: bool, progress: Progress
) -> ExportReport:
    """Write what a platform gives of a space into a folder.

    Files are fetched from the platform's own host alone. Raises a ``ClientError`` where a page cannot be read, and
    ``ExportError`` where the folder cannot be written: nothing in it is changed then.
    """
    with TemporaryDirectory(prefix="recto-") as scratch:
        taking = _Taking(sender, urlsplit(base_url).hostname or "", at, Path(scratch), progress)
        content = await taking.run()
        names = load_names(folder, records)
        layout = write_layout(content, None, names, taking.texts_of, taking.read_blob)

        def read(path: str) -> bytes:
            file = layout.files[path]
            return taking.read_blob(file.blob) if file.blob is not None else file.content

        kept = {path for item in taking.lost for path in (names.get(item), taking.paths.get(item)) if path}
        writer = FolderWriter(
            folder, layout.hashes(), read, records, force, kept=kept, names={**names, **layout.new_paths}
        )
        # On this thread: interrupted, it stops between two files, before any is put in its place.
        written = writer.write(progress, lambda: None)
        left_out = (
            *taking.left_out(),
            *(each for each in layout.left_out if not taking.lost or "elsewhere" not in each),
        )
        return ExportReport(
            str(writer.folder),
            len(taking.documents),
            written.written,
            written.deleted,
            written.unchanged,
            left_out,
        )


@dataclass
class _Taking:
    """Asks for the tree, the pages and the files of a space."""

    sender: Sender
    host: str
    at: Address
    scratch: Path
    progress: Progress
    texts: dict[str, str] = field(default_factory=dict)
    documents: list[Page] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    _has_tags: int = 0
    _lost_texts: int = 0

    async def run(self) -> Content:
        """Return the content; its texts and files are kept by their hashes."""
        self.progress("Reading the page tree", 0, None)
        revision: Revision = await Call(self.sender)(ContentOperations.get_revision, self.at, computed=False)
        waiting = list(revision.pages)
        while waiting:
            page = waiting.pop()
            waiting += page.pages
            self._has_tags += bool(page.tags)
            if page.type == "document":
                self.documents.append(page)
        texts = await self._each("Reading pages", self.documents, self._take_page)
        by_page = {page.id: name for page, name in zip(self.documents, texts, strict=True)}
        blobs = await self._each("Fetching files", revision.files, self._take_file)
        files = [_file(file, blob) for file, blob in zip(revision.files, blobs, strict=True)]
        extras: dict[str, Any] = {"variables": dict(revision.variables), "reusableContents": []}
        for each in revision.reusable_contents:
            if each.markdown is None:
                self._lost_texts += 1
                continue
            name = self._keep(each.markdown)
            path = {"path": each.git.path} if each.git is not None and each.git.path else {}
            extras["reusableContents"].append({"id": each.id, "title": each.title, "text": name, **path})
        return Content(root_node(tuple(self._node(page, by_page) for page in revision.pages)), files, extras)

    def texts_of(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return texts by their hashes."""
        return {name: self.texts[name] for name in names}

    def read_blob(self, name: str) -> bytes:
        """Return the bytes of a file by their hash."""
        return (self.scratch / name).read_bytes()

    def left_out(self) -> tuple[str, ...]:
        """Return what the platform did not give, in sentences."""
        said = []
        if self.lost:
            named = ", ".join(list(self.lost.values())[:_MOST_NAMED])
            more = f" and {len(self.lost) - _MOST_NAMED:,} more" if len(self.lost) > _MOST_NAMED else ""
            said.append(f"{count(len(self.lost), 'file')} that could not be fetched from {self.host}: {named}{more}.")
        if self._lost_texts:
            said.append(f"{count(self._lost_texts, 'reusable content')} whose text the platform does not give.")
        if self._has_tags:
            said.append(f"the tags of {count(self._has_tags, 'page')}.")
        return tuple(said)

    async def _each(self, step: str, items: Iterable[Any], take: Callable[[Any], Any]) -> list[Any]:
        """Take several things at once, with progress; the first failure stops all."""
        slots, every, done = asyncio.Semaphore(_AT_ONCE), list(items), 0

        async def take_one(item: Any) -> Any:
            nonlocal done
            async with slots:
                result = await take(item)
            done += 1
            self.progress(step, done, len(every))
            return result

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(take_one(item)) for item in every]
        except* ClientError as failures:
            raise failures.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _take_page(self, page: Page) -> str | None:
        answer = await Call(self.sender)(
            ContentOperations.get_page, self.at, page.id, format="markdown", computed=False
        )
        text = part_title(answer.markdown or "").text
        return self._keep(text) if text else None

    def _keep(self, text: str) -> str:
        name = text_hash(text)
        self.texts[name] = text
        return name

    async def _take_file(self, file: File) -> str | None:
        try:
            if urlsplit(file.download_url).hostname != self.host:
                raise ValueError
            content = await self.sender.download(file.download_url, MAX_FILE_BYTES)
        except (ClientError, ValueError):
            self.lost[file.id] = file.name
            if file.git is not None and file.git.path:
                self.paths[file.id] = file.git.path
            return None
        name = digest(content)
        await asyncio.to_thread((self.scratch / name).write_bytes, content)
        return name

    def _node(self, page: Page, texts: Mapping[str, str | None]) -> Node:
        children = tuple(self._node(child, texts) for child in page.pages)
        kind = page.type if page.type in ("document", "group", "link", "computed") else "group"
        return make_node(page.id, kind, _attributes(page), texts.get(page.id), "", "", children)


def _attributes(page: Page) -> dict[str, Any]:
    """Return the attributes of a page as a workspace stores them."""
    wire = page.model_dump(mode="json", by_alias=True, exclude_none=True)
    attributes: dict[str, Any] = {
        name: value
        for name in ("title", "slug", "link_title", "emoji", "icon", "description", "condition", "href")
        if (value := getattr(page, name))
    }
    attributes |= {name: True for name in ("hidden", "no_index", "no_robots_index") if getattr(page, name)}
    attributes |= {name: wire[name] for name in ("target", "cover", "computed") if wire.get(name)}
    if page.variables:
        attributes["variables"] = dict(page.variables)
    if page.git is not None and page.git.path:
        attributes["git"] = {"path": page.git.path}
    if isinstance(wire.get("layout"), dict):
        layout = {name: value for name, value in wire["layout"].items() if LAYOUT.get(name) != value}
        attributes |= {"layout": layout} if layout else {}
    return attributes


def _file(file: File, blob: str | None) -> dict[str, Any]:
    path = {"path": file.git.path} if file.git is not None and file.git.path else {}
    return {"id": file.id, "name": file.name, **path, **({"blob": blob} if blob else {})}
