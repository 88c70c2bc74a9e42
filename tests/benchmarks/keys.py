"""From a key to what it draws, in short lists and in long ones, in the same run.

    uv run python tests/benchmarks/keys.py [SPACES]

Opens the real program on workspaces with 50 and with 5,000 spaces and presses ``j`` and ctrl+d in the tree, then
types in the jump dialog. Prints the medians in milliseconds and their ratios: a key costs what is on the screen, so
the ratios of the tree are to stay near 1; finding by letters looks through all there is.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from recto.server.platform import Owner, Platform
from recto.server.spaces.spaces import add_space
from support.platform import own_organization
from support.terminal import Terminal

FEW = 50
DOWN, HALF_PAGE_DOWN, HALF_PAGE_UP = "j", "\x04", "\x15"


def make_workspace(home: Path, spaces: int) -> None:
    """Make a workspace with this many empty spaces."""
    platform = Platform.open(home / "workspace.db", owner=Owner("Ada"), fill=lambda _: None)
    organization = own_organization(platform)

    def work(connection: Any) -> None:
        context = platform.context(connection)
        for number in range(spaces):
            add_space(context, organization, f"Space {number:05}")

    platform.database.write_now(work)
    platform.close()


def measure(spaces: int) -> list[float]:
    """Return the milliseconds of a step, of half a page and of a letter in the jump dialog."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        make_workspace(home, spaces)
        with Terminal([sys.executable, "-m", "recto"], environment={"RECTO_HOME": folder}) as terminal:
            terminal.wait_for("Space 00001", "jump")
            steps = terminal.time_keys([DOWN] * 40)
            pages = terminal.time_keys([HALF_PAGE_DOWN, HALF_PAGE_UP] * 10)
            terminal.press("f")
            terminal.wait_for("Go to")
            letters = terminal.time_keys("space" + "0004" + "2")
            return [steps, pages, letters]


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    few = measure(FEW)
    long = measure(many)
    print(f"{'':12}{FEW:>10,} spaces{many:>10,} spaces   ratio")
    for name, short, much in zip(("j", "ctrl+d", "a letter"), few, long, strict=True):
        print(f"{name:12}{short:14.1f} ms{much:14.1f} ms   {much / short:5.2f}")


if __name__ == "__main__":
    main()
