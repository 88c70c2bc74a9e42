"""Bringing in a folder of documentation, against ``git clone`` of the same files plus reading them.

    uv run python tests/benchmarks/import_folder.py FOLDER [FOLDER ...]

Prints the medians in milliseconds and their ratio for each folder; the aim is a ratio within 20 that does not grow
with the number of pages.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recto.server.exchange import import_folder
from recto.server.platform import Owner, Platform

RUNS = 3


def time_clone(repository: Path, target: Path) -> float:
    """Return the milliseconds that cloning a repository and reading every Markdown file in it take."""
    started = time.perf_counter()
    subprocess.run(["git", "clone", "--quiet", str(repository), str(target)], check=True)
    for file in target.rglob("*.md"):
        file.read_bytes()
    return (time.perf_counter() - started) * 1000


def time_bringing_in(folder: Path, workspace: Path) -> tuple[float, int]:
    """Return the milliseconds that bringing a folder into a new workspace takes, and the number of its pages."""
    platform = Platform.open(workspace, owner=Owner("Ada"))
    try:
        started = time.perf_counter()
        brought = import_folder(platform, folder)
        elapsed = (time.perf_counter() - started) * 1000
    finally:
        platform.close()
    return elapsed, sum(space.pages for space in brought.spaces)


def as_repository(folder: Path, target: Path) -> None:
    """Copy a folder into a new repository with one commit."""
    subprocess.run(["cp", "-r", f"{folder}/.", str(target)], check=True)
    git = ["git", "-C", str(target), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "-m", "all"]):
        subprocess.run([*git, *command], check=True)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for argument in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            base = Path(scratch)
            (repository := base / "repository").mkdir()
            as_repository(Path(argument), repository)
            clones = [time_clone(repository, base / f"clone-{run}") for run in range(RUNS)]
            ours = [time_bringing_in(Path(argument), base / f"workspace-{run}.db") for run in range(RUNS)]
        floor, elapsed = statistics.median(clones), statistics.median(time for time, _ in ours)
        print(
            f"{Path(argument).name}: {ours[0][1]} pages, {elapsed:.0f} ms; git clone and reading {floor:.0f} ms; "
            f"ratio {elapsed / floor:.1f} (aim: within 20)"
        )


if __name__ == "__main__":
    main()
