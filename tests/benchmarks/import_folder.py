"""Importing a folder of documentation, against ``git clone`` of the same files plus reading them.

    uv run python tests/benchmarks/import_folder.py [FOLDER ...]

Without a folder a repository of 5,000 pages is generated. Prints the medians in milliseconds until the pages can be
read, their ratio (the aim is within 2 for 5,000 pages), and until the index behind them is built as well.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recto.server.content.indexing import Indexer
from recto.server.exchange import import_folder
from recto.server.platform import Owner, Platform

RUNS = 3
PAGES = 5_000
AIM = 2.0


def main() -> None:
    """Measure each folder given, or the generated one."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(argument) for argument in sys.argv[1:]] or [generate(Path(scratch) / "generated", PAGES)]
        for number, folder in enumerate(folders):
            measure(folder, Path(scratch) / str(number))


def measure(folder: Path, scratch: Path) -> None:
    """Print a line about a folder."""
    (repository := scratch / "repository").mkdir(parents=True)
    as_repository(folder, repository)
    # In turn, so that both have as much of the machine.
    runs = [
        (time_clone(repository, scratch / f"clone-{run}"), time_import(folder, scratch / f"workspace-{run}.db"))
        for run in range(RUNS)
    ]
    clones, imports = zip(*runs, strict=True)
    floor = statistics.median(clones)
    readable, indexed = (statistics.median(each[place] for each in imports) for place in (0, 1))
    print(
        f"{folder.name}: {imports[0][2]} pages; git clone and reading {floor:.0f} ms; readable after "
        f"{readable:.0f} ms, ratio {readable / floor:.1f} (aim: within {AIM:.0f}); indexed after {indexed:.0f} ms more"
    )


def time_clone(repository: Path, target: Path) -> float:
    """Return the milliseconds that cloning a repository and reading every Markdown file in it take."""
    started = time.perf_counter()
    subprocess.run(["git", "clone", "--quiet", str(repository), str(target)], check=True)
    for file in target.rglob("*.md"):
        file.read_bytes()
    return (time.perf_counter() - started) * 1000


def time_import(folder: Path, workspace: Path) -> tuple[float, float, int]:
    """Return the milliseconds until the pages can be read, those for the index after them, and the number of pages."""
    platform = Platform.open(workspace, owner=Owner("Ada"))
    platform.database.on_left_over = lambda: None
    try:
        started = time.perf_counter()
        report = import_folder(platform, folder)
        readable = time.perf_counter()
        Indexer(platform.database).run()
        indexed = time.perf_counter()
    finally:
        platform.close()
    return (readable - started) * 1000, (indexed - readable) * 1000, sum(space.pages for space in report.spaces)


def as_repository(folder: Path, target: Path) -> None:
    """Copy a folder into a new repository with one commit."""
    subprocess.run(["cp", "-r", f"{folder}/.", str(target)], check=True)
    git = ["git", "-C", str(target), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "-m", "all"]):
        subprocess.run([*git, *command], check=True)


def generate(folder: Path, pages: int) -> Path:
    """Write a book of so many pages of some 5 KB, with front matter, headings, code and links to one another."""
    chance = random.Random(1)
    words = [
        f"{start}{end}" for start in ("con", "re", "in", "de", "trans") for end in ("figure", "form", "late", "port")
    ]
    summary = ["# Summary", ""]
    for number in range(pages):
        chapter, place = divmod(number, 50)
        name = f"chapter-{chapter:03}/page-{number:05}.md"
        text = ["---", f"description: About {chance.choice(words)}", "---", "", f"# Page {number}", ""]
        for section in range(6):
            text += [f"## {chance.choice(words).title()} {section}", ""]
            text += [" ".join(chance.choices(words, k=90)) + ".", "", f"See [there](page-{chapter * 50:05}.md).", ""]
            text += ["```python", "print('x')", "```", ""] if section % 2 else []
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(text), encoding="utf-8")
        summary.append(f"{'  ' if place else ''}* [Page {number}]({name})")
    (folder / "SUMMARY.md").write_text("\n".join(summary) + "\n", encoding="utf-8")
    return folder


if __name__ == "__main__":
    main()
