"""Process start to first painted frame, to the last page, to keys and to the first content, against a bare Textual app.

    uv run python tests/benchmarks/start_up.py [RUNS]

Prints medians in milliseconds and their ratios to the bare app in the same run, by the clock and by what the processor
spent; on a machine with other work the latter counts, and the least of many runs. The program is left on a page of the
guide and started again. Keys act once a key that is typed when the page is seen has opened the outline beside it. Where
nothing was left, a notice stands until the tree of organizations is there with the spaces in it, asked from the
workspace.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.terminal import Terminal

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare and ready")
Bare().run()
"""

CONTENT = "Changelog"
"""A space of the guide."""

PAGE = "What Recto is, and what this guide is for."
"""Words of a page of the guide."""

ENTER, QUIT = "\r", "\x11"
PROGRAM = (sys.executable, "-m", "recto")


def start(home: Path, command: Sequence[str] = PROGRAM) -> Terminal:
    """Start a program."""
    return Terminal(command, environment={"RECTO_HOME": str(home)})


Times = tuple[float, float]
"""Milliseconds by the clock, and of the processor."""


def times_to(terminal: Terminal, text: str) -> Times:
    """Wait for a text on the screen, and return the times from the start of the process on."""
    return terminal.wait_for(text) * 1000, terminal.cpu_seconds * 1000


def time_to(text: str, home: Path, command: Sequence[str] = PROGRAM) -> Times:
    """Return the times from the start of a process to a text on its screen."""
    with start(home, command) as terminal:
        return times_to(terminal, text)


def times_of_page(home: Path) -> tuple[Times, Times, Times]:
    """Return the times to the first frame, to the page that was left, and to what a key does that is pressed then."""
    with start(home) as terminal:
        frame = times_to(terminal, "Recto")
        page = times_to(terminal, PAGE)
        terminal.press("t")
        return frame, page, times_to(terminal, "Outline")


def leave_on_page(home: Path) -> None:
    """Go to a page of the guide, and leave the program there."""
    with start(home) as terminal:
        terminal.wait_for(CONTENT, "jump")  # the first start of all makes the workspace
        terminal.press("f")
        terminal.wait_for("Go to")
        terminal.press("welcome")
        terminal.wait_for("Welcome  Recto guide")
        terminal.press(ENTER)
        terminal.wait_for(PAGE, "search")
        terminal.wait_until_still()
        terminal.press(QUIT)
        terminal.wait_for_end()


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with (
        tempfile.TemporaryDirectory() as new,
        tempfile.TemporaryDirectory() as left,
    ):
        leave_on_page(Path(left))
        time_to(CONTENT, Path(new))
        rounds = [
            (
                time_to("bare and ready", Path(new), [sys.executable, "-c", BARE]),
                time_to("Recto", Path(new)),
                *times_of_page(Path(left)),
                time_to(CONTENT, Path(new)),
            )
            for _ in range(runs)
        ]
    names = (
        "bare Textual app",
        "first frame, where nothing was left",
        "first frame, where a page was left",
        "that page",
        "keys act on it",
        "first content, where nothing was left",
    )
    columns = [list(zip(*column, strict=True)) for column in zip(*rounds, strict=True)]
    print(f"{'':38}   clock   ratio  of least    processor   ratio  of least")
    for name, column in zip(names, columns, strict=True):
        shown = []
        for times, floor in zip(column, columns[0], strict=True):
            median = statistics.median(times)
            shown.append(f"{median:5.0f} ms {median / statistics.median(floor):7.2f} {min(times) / min(floor):9.2f}")
        print(f"{name:38}{'    '.join(shown)}")


if __name__ == "__main__":
    main()
