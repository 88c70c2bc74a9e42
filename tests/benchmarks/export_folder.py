"""Exporting a space to a new folder, against ``git checkout`` of the same files.

    uv run python tests/benchmarks/export_folder.py [FOLDER ...]

Without a folder the sample ``pgsql-tw`` beside the checkout is taken. Prints the medians in
milliseconds and their ratio, and the time of a second export, which finds nothing to write.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recto.server.exchange import export_folder, import_folder
from recto.server.platform import Owner, Platform

RUNS = 5
AIM = 6.0
SAMPLE = Path(__file__).parents[3] / "shared" / "samples" / "pgsql-tw" / "tw"


def main() -> None:
    """Measure each folder given, or the sample."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(argument) for argument in sys.argv[1:]] or [SAMPLE]
        for number, folder in enumerate(folders):
            measure(folder, Path(scratch) / str(number))


def measure(folder: Path, scratch: Path) -> None:
    """Print a line about a folder."""
    (repository := scratch / "repository").mkdir(parents=True)
    as_repository(folder, repository)
    checkouts = [time_checkout(repository, scratch / f"tree-{run}") for run in range(RUNS)]
    platform = Platform.open(scratch / "workspace.db", owner=Owner("Ada"))
    platform.database.on_left_over = lambda: None
    try:
        space = import_folder(platform, folder).spaces[0].space
        exports = [time_export(platform, space, scratch / f"out-{run}") for run in range(RUNS)]
    finally:
        platform.close()
    floor = statistics.median(checkouts)
    first, again = (statistics.median(each[place] for each in exports) for place in (0, 1))
    print(
        f"{folder.name}: {exports[0][2]} files; git checkout {floor:.0f} ms; export {first:.0f} ms, ratio "
        f"{first / floor:.1f} (aim: within {AIM:.0f}); exported again, nothing to write, {again:.0f} ms"
    )


def time_checkout(repository: Path, target: Path) -> float:
    """Return the milliseconds that checking a commit out into a new folder takes."""
    target.mkdir()
    started = time.perf_counter()
    git = ["git", "-C", str(repository), f"--work-tree={target}"]
    subprocess.run([*git, "checkout", "--quiet", "--force", "HEAD", "--", "."], check=True)
    return (time.perf_counter() - started) * 1000


def as_repository(folder: Path, target: Path) -> None:
    """Copy a folder into a new repository with one commit."""
    subprocess.run(["cp", "-r", f"{folder}/.", str(target)], check=True)
    git = ["git", "-C", str(target), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "-m", "all"]):
        subprocess.run([*git, *command], check=True)


def time_export(platform: Platform, space: str, target: Path) -> tuple[float, float, int]:
    """Return the milliseconds of an export and of a second, and the number of files."""
    records = target.parent / "records"
    started = time.perf_counter()
    report = export_folder(platform, space, target, records=records)
    exported = time.perf_counter()
    export_folder(platform, space, target, records=records)
    return (exported - started) * 1000, (time.perf_counter() - exported) * 1000, report.written


if __name__ == "__main__":
    main()
