"""Export of a space of another platform: the layout written from the pages and files that its API gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recto.contract.content import File, Page, ReusableContent, Revision
from recto.contract.export_report import ExportReport, FetchedSpace
from recto.contract.import_report import Finding
from recto.server.content.objects import text_hash
from recto.server.content.page_serializers import LAYOUT
from recto.server.content.page_text import part_title
from recto.server.content.revisions import Content
from recto.server.content.tree import Node, digest, make_node, root_node
from recto.server.exchange.findings import make_finding
from recto.server.exchange.folder import Progress
from recto.server.exchange.folder_writer import FolderWriter, load_names
from recto.server.exchange.written_layout import write_layout


def check_folder(folder: Path, records: Path, *, force: bool) -> None:
    """Raise ``ExportError`` where a folder cannot be written to, before anything is fetched for it."""
    FolderWriter(folder, {}, lambda path: b"", records, force).check()


def write_fetched(
    space: FetchedSpace,
    folder: Path,
    records: Path,
    *,
    force: bool,
    progress: Progress,
    stop_if_cancelled: Callable[[], None],
) -> ExportReport:
    """Write a space into a folder, which ``records`` remember; not for the event loop's thread.

    Raises ``ExportError`` where the folder cannot be written, and what ``stop_if_cancelled`` raises; nothing in the
    folder is changed then.
    """
    given = _Given(space)
    content = given.content()
    names = load_names(folder, records)
    layout = write_layout(content, None, names, given.texts_of, given.read_blob)

    def read(path: str) -> bytes:
        file = layout.files[path]
        return given.read_blob(file.blob) if file.blob is not None else file.content

    lost = [file for file in space.revision.files if file.id not in space.files]
    kept = {path for file in lost for path in (names.get(file.id), _path_of(file).get("path")) if path}
    writer = FolderWriter(folder, layout.hashes(), read, records, force, kept=kept, names={**names, **layout.new_paths})
    written = writer.write(progress, stop_if_cancelled, stop_if_cancelled)
    return ExportReport(
        str(writer.folder),
        len(space.texts),
        written.written,
        written.deleted,
        written.unchanged,
        (*_find_left_out(space.revision), *layout.left_out),
    )


@dataclass
class _Given:
    """A space as a workspace holds it; texts and files are known by their hashes."""

    space: FetchedSpace
    texts: dict[str, str] = field(default_factory=dict)
    blobs: dict[str, Path] = field(default_factory=dict)

    def content(self) -> Content:
        """Return the content."""
        revision = self.space.revision
        reusables = [
            {"id": each.id, "title": each.title, "text": self._keep(each.markdown), **_path_of(each)}
            for each in revision.reusable_contents
            if each.markdown is not None
        ]
        files = [{"id": each.id, "name": each.name, **_path_of(each), **self._blob_of(each)} for each in revision.files]
        extras: dict[str, Any] = {"variables": dict(revision.variables), "reusableContents": reusables}
        return Content(root_node(tuple(self._node(page) for page in revision.pages)), files, extras)

    def texts_of(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return texts by their hashes."""
        return {name: self.texts[name] for name in names}

    def read_blob(self, name: str) -> bytes:
        """Return the bytes of a file by their hash."""
        return self.blobs[name].read_bytes()

    def _keep(self, text: str) -> str:
        name = text_hash(text)
        self.texts[name] = text
        return name

    def _blob_of(self, file: File) -> dict[str, str]:
        copy = self.space.files.get(file.id)
        if copy is None:
            return {}
        name = digest(copy.read_bytes())
        self.blobs[name] = copy
        return {"blob": name}

    def _node(self, page: Page) -> Node:
        children = tuple(self._node(child) for child in page.pages)
        kind = page.type if page.type in ("document", "group", "link", "computed") else "group"
        text = part_title(self.space.texts.get(page.id, "")).text
        return make_node(page.id, kind, _attributes(page), self._keep(text) if text else None, "", "", children)


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
    if path := _path_of(page):
        attributes["git"] = path
    if isinstance(wire.get("layout"), dict):
        layout = {name: value for name, value in wire["layout"].items() if LAYOUT.get(name) != value}
        attributes |= {"layout": layout} if layout else {}
    return attributes


def _path_of(each: Page | File | ReusableContent) -> dict[str, str]:
    return {"path": each.git.path} if each.git is not None and each.git.path else {}


def _find_left_out(revision: Revision) -> tuple[Finding, ...]:
    """Return what the API did not give."""
    texts = [each.title for each in revision.reusable_contents if each.markdown is None]
    tagged = [page.title for page in _walk(revision.pages) if page.tags]
    found = (
        make_finding(
            len(texts),
            ("{} reusable content", "has a text that the platform does not give:"),
            ("{} reusable contents", "have texts that the platform does not give:"),
            texts,
        ),
        make_finding(
            len(tagged),
            ("{} page", "has tags, which the platform does not give as they are written:"),
            ("{} pages", "have tags, which the platform does not give as they are written:"),
            tagged,
        ),
    )
    return tuple(finding for finding in found if finding is not None)


def _walk(pages: Iterable[Page]) -> Iterator[Page]:
    for page in pages:
        yield page
        yield from _walk(page.pages)
