"""Importing a branch over HTTP, against ``git clone`` and reading; again with one page changed, against ``git pull``.

    uv run python tests/benchmarks/import_git.py FOLDER ...

Prints the medians in milliseconds and their ratios; the aim is within 4 for both.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from recto.contract.git import ImportGit
from recto.server.git.branch_import import import_branch
from recto.server.jobs import Task
from recto.server.platform import Owner, Platform
from support.content import make_space
from support.git_server import Clone, GitServer, git

RUNS = 3
AIM = 4.0


def main() -> None:
    """Measure each folder given."""
    for argument in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            measure(Path(argument).resolve(), Path(scratch))


def measure(folder: Path, scratch: Path) -> None:
    """Print a line about a folder."""
    (scratch / "served").mkdir()
    with GitServer(scratch / "served").running() as server:
        clone = Clone(scratch / "clone", server.make("docs.git"))
        clone.commit({str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()})
        page = next(clone.folder.rglob("SUMMARY.md")).with_name("README.md").relative_to(clone.folder)
        rows = [run(server, clone, str(page), scratch / str(number)) for number in range(RUNS)]
    cloning, importing, pulling, again = (statistics.median(each) for each in zip(*rows, strict=True))
    print(
        f"{folder.name}: git clone and reading {cloning:.0f} ms, import {importing:.0f} ms, ratio "
        f"{importing / cloning:.1f}; git pull {pulling:.0f} ms, import of one page {again:.0f} ms, ratio "
        f"{again / pulling:.1f} (aim: within {AIM:.0f})"
    )


def run(server: GitServer, clone: Clone, page: str, scratch: Path) -> tuple[float, float, float, float]:
    """Return the milliseconds of a clone, an import, a pull and an import of one page."""
    scratch.mkdir()
    address = f"{server.address}/docs.git"
    started = time.perf_counter()
    git(scratch, "clone", "-q", address, "clone")
    for file in (scratch / "clone").rglob("*.md"):
        file.read_bytes()
    cloned = time.perf_counter()
    platform = Platform.open(scratch / "workspace.recto", owner=Owner("Ada"))
    platform.database.on_left_over = lambda: None
    try:
        space, body = make_space(platform, ()), ImportGit(url=address, ref="refs/heads/main")
        task = Task("import", "docs", lambda job: import_branch(job, space, body), space)
        begun = time.perf_counter()
        platform.jobs.run(task)
        imported = time.perf_counter()
        text = clone.show(page).decode()
        clone.commit({page: f"{text}\nOne more line, {time.time()}.\n"})
        changed = time.perf_counter()
        git(scratch / "clone", "pull", "-q")
        pulled = time.perf_counter()
        platform.jobs.run(task)
        ended = time.perf_counter()
    finally:
        platform.close()
    pairs = ((started, cloned), (begun, imported), (changed, pulled), (pulled, ended))
    first, second, third, fourth = ((end - start) * 1000 for start, end in pairs)
    return first, second, third, fourth


if __name__ == "__main__":
    main()
