"""Process start to first painted frame and to first content, against a bare Textual app in the same run.

    uv run python tests/benchmarks/start_up.py [RUNS]

Prints the medians in milliseconds and their ratios; the aim is a first frame within 1.6. The content is the tree of
organizations with the spaces in them, asked from the workspace.
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


def time_to(text: str, command: Sequence[str], home: Path) -> float:
    """Return the milliseconds from the start of a process to a text on its screen."""
    with Terminal(command, environment={"RECTO_HOME": str(home)}) as terminal:
        return terminal.wait_for(text) * 1000


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    program = [sys.executable, "-m", "recto"]
    bare = [sys.executable, "-c", BARE]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with Terminal(program, environment={"RECTO_HOME": str(home)}) as terminal:
            terminal.wait_for(CONTENT)  # the first start of all makes the workspace
        rounds = [
            (time_to("bare and ready", bare, home), time_to("Recto", program, home), time_to(CONTENT, program, home))
            for _ in range(runs)
        ]
    floor, frame, content = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"bare Textual app   {floor:7.0f} ms")
    print(f"first frame        {frame:7.0f} ms   ratio {frame / floor:5.2f}   (aim: within 1.6)")
    print(f"first content      {content:7.0f} ms   ratio {content / floor:5.2f}")


if __name__ == "__main__":
    main()
