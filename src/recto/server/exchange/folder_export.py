"""Export of a space: a revision written as a folder of documentation."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from recto.contract.export_report import ExportReport
from recto.contract.import_report import Finding
from recto.server.content.revisions import StoredRevision, find_revision, main_revision, tree_of
from recto.server.context import Context
from recto.server.exchange.book import Kind
from recto.server.exchange.findings import fold_remarks, make_finding
from recto.server.exchange.folder import Reason, is_executable
from recto.server.exchange.folder_import import Import, remember_import
from recto.server.exchange.folder_writer import FolderWriter
from recto.server.exchange.imported_files import remember_paths
from recto.server.exchange.written_layout import WrittenLayout, layout_of
from recto.server.jobs import Job, JobResult, Task
from recto.server.people.access import require
from recto.server.platform import Platform


def export_folder(
    platform: Platform,
    space: str,
    folder: Path,
    *,
    records: Path,
    revision: str | None = None,
    force: bool = False,
    caller: str | None = None,
    watch: Callable[[Job], None] = lambda job: None,
) -> ExportReport:
    """Write a space's main content, or another of its revisions, into a folder.

    The folder is new or empty, or an export has written to it, as ``records`` remember; with ``force`` it is any.
    Opened later as a folder it is that space: but for those of change requests, exports are remembered as imports are.

    This is a job on this thread, which must not be the event loop's; ``watch`` is called with it at each step. Raises
    ``ExportError`` where the folder cannot be written, ``JobCancelled`` where the job was cancelled; nothing in the
    folder is changed then.
    """

    def do(job: Job) -> ExportReport:
        exported = job.read(lambda context: _find(context, space, revision))
        job.progress("Reading pages", 0, None)
        layout = job.read(lambda context: layout_of(context.database, exported))
        tree = job.read(lambda context: tree_of(context.database, exported))
        pages = sum(1 for node in tree.root.walk() if node.type == Kind.DOCUMENT)

        def read(path: str) -> bytes:
            return job.read(lambda context: layout.files[path].read(context.database))

        writer = FolderWriter(folder, layout.hashes(), read, records, force)
        written = writer.write(job.progress, job.stop_if_cancelled, job.end_cancelling)

        def remember(context: Context) -> tuple[ExportReport, JobResult]:
            remember_paths(context.database, space, layout.new_paths)
            if exported.change_request is None:
                organization = context.database.value("SELECT organization FROM spaces WHERE id = ?", space)
                remember_import(context.database, writer.folder, Import(organization, space, exported.id))
            counts = {"files written": written.written, "files deleted": written.deleted}
            left_out = (*layout.left_out, *_find_missing(layout, writer.folder))
            report = ExportReport(
                str(writer.folder), pages, written.written, written.deleted, written.unchanged, left_out
            )
            return report, JobResult(counts, findings=left_out)

        report = job.finish(remember)
        assert report is not None
        return report

    return platform.jobs.run(Task("export to a folder", str(folder), do, space), caller=caller, watch=watch)


def _find_missing(layout: WrittenLayout, folder: Path) -> tuple[Finding, ...]:
    """Return the files of the imported folder that this folder, which may be the same, lacks."""
    remarks: list[tuple[str, str]] = []
    unnamed = 0
    for each in layout.unkept:
        remarks += ((place, each.reason) for place in each.places if not _has(folder / place, each.reason))
        unnamed += each.number - len(each.places)
    lines = [*fold_remarks(remarks), *([f"and {unnamed:,} more"] if unnamed else [])]
    finding = make_finding(
        len(remarks) + unnamed,
        ("{} thing", "of the folder that was imported is not there:"),
        ("{} things", "of the folder that was imported are not there:"),
        lines,
    )
    return () if finding is None else (finding,)


def _has(place: Path, reason: str) -> bool:
    if not os.path.lexists(place):
        return False
    if reason == Reason.LINKED:
        return place.is_symlink()
    return reason != Reason.EXECUTABLE or is_executable(place.stat().st_mode)


def _find(context: Context, space: str, revision: str | None) -> StoredRevision:
    require(context, space)
    if revision is None:
        return main_revision(context.database, space)
    return find_revision(context.database, space, revision)
