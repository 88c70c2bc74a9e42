"""Time from a page's text to its first frame, against Rich's Markdown rendered to strips.

Run by hand: ``python tests/benchmarks/page_first_frame.py [PAGE.md]``. Without a file it takes the 216 KB page of the
samples beside the repository, where they are. Both are measured in this one process, in turns; medians are printed.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from recto.tui.look.text_roles import Roles
from recto.tui.page.sheet import Sheet
from recto.tui.render.brush import Brush
from recto.tui.render.rendered_page import read

SAMPLE = Path(__file__).parents[3] / "shared/samples/nso/resources/man/confd_lib_dp.3.md"
WIDTH, HEIGHT = 100, 48
ROUNDS = 7


def first_frame(markdown: str) -> list[Strip]:
    """Parse a page and draw what a screen shows of it first."""
    reading = read("", markdown)
    sheet = Sheet(reading.leaves, WIDTH)
    sheet.lay_out_lines(0, HEIGHT)
    brush = Brush(Roles({}), Style.null())
    strips: list[Strip] = []
    for line in range(min(HEIGHT, sheet.total)):
        index, within = sheet.at(line) or (0, 0)
        row = within - sheet.leaves[index].gap
        strips.append(Strip(brush.row(sheet.rows(index)[row], WIDTH) if row >= 0 else [Segment(" " * WIDTH)], WIDTH))
    return strips


def rich_strips(markdown: str) -> list[Strip]:
    """Render a page whole, as Rich does."""
    console = Console(width=WIDTH, force_terminal=True, color_system="truecolor")
    lines = console.render_lines(Markdown(markdown), console.options)
    return [Strip(line) for line in lines]


def milliseconds(work: Callable[[str], object], text: str) -> float:
    """Time one run of some work."""
    gc.collect()
    begin = time.perf_counter()
    work(text)
    return (time.perf_counter() - begin) * 1000


def main() -> int:
    """Measure one page and print the ratio."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    if not file.is_file():
        print(f"{file} is not there: give a Markdown file, or put the samples beside the repository.")
        return 2
    text = file.read_text(encoding="utf-8")
    first_frame(text)
    rich_strips(text[:2000])
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        ours.append(milliseconds(first_frame, text))
        theirs.append(milliseconds(rich_strips, text))
    mine, rich = statistics.median(ours), statistics.median(theirs)
    print(f"{file.name}, {len(text.encode()) / 1024:.0f} KB, {WIDTH}x{HEIGHT}, median of {ROUNDS}")
    print(f"first frame {mine:.1f} ms, Rich's Markdown to strips {rich:.1f} ms: {rich / mine:.1f} times faster")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
