"""Keys in a tree of 50,000 pages: a cursor step against Textual's Tree, a letter of a filter against a small tree.

    uv run python tests/benchmarks/page_tree.py [PAGES]

Each is a program in a terminal of its own that holds nothing but its tree, all of it open. Measured is the time from
the key to the first that is drawn after it; printed are the 95th percentiles and their ratios. The aims: a step no
slower than in Textual's Tree with 1,000 nodes, a letter within 15 times that of 1,000 pages.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.terminal import Terminal

FEW = 1_000
ROUNDS = 5
DOWN = "\x1b[B"

_OURS = """
import sys
from textual.app import App
from recto.tui.lists.tree_list import TreeItem, TreeList

GROUP = 50

def items(number):
    for at in range(0, number, GROUP):
        pages = [TreeItem(f"{page}", f"Page {page:06}") for page in range(at + 1, min(at + GROUP, number))]
        yield TreeItem(f"{at}", f"Group {at:06}", children=pages)

class Bench(App):
    typed = ""
    def compose(self):
        made = list(items(int(sys.argv[1])))
        yield TreeList(made, expanded=[item.id for item in made])
    def on_mount(self):
        self.animation_level = "none"
        self.query_one(TreeList).focus()
    def on_key(self, event):
        if event.character and event.character.isdigit():
            self.typed += event.character
            self.query_one(TreeList).find(self.typed)

Bench().run()
"""

_TEXTUALS = """
import sys
from textual.app import App
from textual.widgets import Tree

GROUP = 50

class Bench(App):
    def compose(self):
        tree = Tree("Pages")
        tree.show_root = False
        number = int(sys.argv[1])
        for at in range(0, number, GROUP):
            group = tree.root.add(f"Group {at:06}", expand=True)
            for page in range(at + 1, min(at + GROUP, number)):
                group.add_leaf(f"Page {page:06}")
        yield tree
    def on_mount(self):
        self.animation_level = "none"
        self.query_one(Tree).root.expand()
        self.query_one(Tree).focus()

Bench().run()
"""


def p95(times: Sequence[float]) -> float:
    """Return the value that 95 of 100 do not exceed."""
    return sorted(times)[int(len(times) * 0.95)]


def time_keys(program: str, pages: int, keys: Sequence[str]) -> list[float]:
    """Return the milliseconds from each key to what it draws, in a process of its own."""
    times = []
    command = [sys.executable, "-c", program, str(pages)]
    with tempfile.TemporaryDirectory() as home, Terminal(command, environment={"RECTO_HOME": home}) as terminal:
        terminal.wait_for("Page 000001")
        for key in keys:
            terminal.wait_until_still()
            begun = time.perf_counter()
            terminal.press(key)
            terminal.wait_for_more()
            times.append((time.perf_counter() - begun) * 1000)
    return times


def in_turns(one: tuple[str, int], other: tuple[str, int], keys: Sequence[str]) -> tuple[float, float]:
    """Return the 95th percentiles of two programs with so many pages, which take turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for mine, (program, pages) in zip(times, (one, other), strict=True):
            mine += time_keys(program, pages, keys)
    return p95(times[0]), p95(times[1])


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    ours, theirs = in_turns((_OURS, many), (_TEXTUALS, FEW), [DOWN] * 30)
    print(
        f"cursor step, p95: {ours:.1f} ms in {many:,} pages; Textual's Tree with {FEW:,} {theirs:.1f} ms; "
        f"ratio {ours / theirs:.2f} (aim: no slower)"
    )
    large, small = in_turns((_OURS, many), (_OURS, FEW), "0042")
    print(
        f"filter letter, p95: {large:.1f} ms in {many:,} pages, {small:.1f} ms in {FEW:,}; "
        f"ratio {large / small:.1f} (aim: within 15)"
    )


if __name__ == "__main__":
    main()
