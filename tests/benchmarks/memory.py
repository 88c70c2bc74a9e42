"""The memory of the program with a folder of documentation open, against a bare Textual app.

    uv run python tests/benchmarks/memory.py FOLDER

Imports the folder into a workspace, opens the program there in a terminal, goes to its first page and down it. Printed
is the resident size as ``ps`` tells it, with the embedded server within; the aim is under 3 times the bare app's.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
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


def megabytes(terminal: Terminal) -> float:
    """Return the resident size of the program in the terminal."""
    terminal.wait_until_still(1.0)
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(terminal.pid)], check=True, capture_output=True, text=True)
    return int(told.stdout) / 1024


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = [sys.executable, "-m", "recto"]
    with tempfile.TemporaryDirectory() as home:
        environment = {"RECTO_HOME": home}
        with Terminal([sys.executable, "-c", BARE], environment=environment) as terminal:
            terminal.wait_for("bare and ready")
            bare = megabytes(terminal)
        with Terminal([*program, "open", sys.argv[1]], environment=environment) as terminal:
            terminal.wait_for("jump", patience=120)
            imported = megabytes(terminal)
            terminal.press("\x1b")  # the report, where there is one
            terminal.wait_until_still(1.0)
            terminal.press("\x11")
            terminal.wait_until_still(1.0)
        with Terminal(program, environment=environment) as terminal:
            terminal.wait_for("jump", patience=60)
            terminal.press("\x04" * 20)
            reading = megabytes(terminal)
    print(f"bare Textual app {bare:.0f} MB")
    print(f"the folder open  {reading:.0f} MB, {reading / bare:.2f} times (aim: under 3)")
    print(f"just imported    {imported:.0f} MB, {imported / bare:.2f} times")


if __name__ == "__main__":
    main()
