"""Exports to folders, with the interface that the store expects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recto import paths
from recto.store.workspace import FilesInTheWay, WorkspaceError

if TYPE_CHECKING:
    from recto.contract.export_report import ExportReport, FetchedSpace


def check_folder(folder: Path, *, force: bool) -> None:
    """Check that a folder can be written to; errors are those of the store."""
    from recto.server.exchange import fetched_space

    with export_refusals(folder):
        fetched_space.check_folder(folder, paths.exports_dir(), force=force)


def write_fetched(
    space: FetchedSpace,
    folder: Path,
    *,
    force: bool,
    progress: Callable[[str, int, int | None], None],
    stop_if_cancelled: Callable[[], None],
) -> ExportReport:
    """Write a space of a hosted platform into a folder, as the store wants it."""
    from recto.server.exchange import fetched_space

    with export_refusals(folder):
        return fetched_space.write_fetched(
            space, folder, paths.exports_dir(), force=force, progress=progress, stop_if_cancelled=stop_if_cancelled
        )


@contextmanager
def export_refusals(folder: Path) -> Iterator[None]:
    """Raise errors of writing a folder as errors of the store."""
    from recto.server.exchange import ExportError, InTheWayError

    what = f"Nothing was written to {folder}."
    try:
        yield
    except InTheWayError as error:
        raise FilesInTheWay(what, str(error), "Choose another folder, or replace what is in the way.") from error
    except ExportError as error:
        raise WorkspaceError(what, str(error)) from error
