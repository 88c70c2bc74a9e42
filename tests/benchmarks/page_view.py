"""A page on the screen: opening one of 1 MB against Textual's Markdown widget, paging through one against RichLog.

    uv run python tests/benchmarks/page_view.py PAGE.md

Each is a program in a terminal of its own that holds nothing else. Opening is measured from a key to the page's first
words, of a page of 1 MB in ours and of its first 10 KB in Textual's; paging from a key to the first that is drawn after
it, of the whole page here and of Rich's Markdown of it, written into a RichLog, there. The aims: faster, and within 2.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.terminal import Terminal

LARGE, SMALL = 1024 * 1024, 10 * 1024
OPENING = "Aardvarks open this page"
ROUNDS = 5
PAGE_DOWN = "\x1b[6~"

_START = """
import sys
from pathlib import Path
from textual.app import App
text = Path(sys.argv[1]).read_text()

class Bench(App):
    def on_mount(self):
        self.title = "ready"
        self.screen.query("*").first().focus()
        self.open("A first page\\n\\n* so that all\\n* is loaded")
    def on_key(self, event):
        if event.key == "o":
            self.open(text)
"""

_OURS = (
    _START
    + """
    def compose(self):
        from recto.tui.page.page_view import PageView
        yield PageView(id="page")
    def open(self, text):
        self.query_one("#page").show("", text)

Bench().run()
"""
)

_TEXTUALS = (
    _START
    + """
    def compose(self):
        from textual.containers import VerticalScroll
        from textual.widgets import Markdown
        with VerticalScroll():
            yield Markdown()
    def open(self, text):
        from textual.widgets import Markdown
        self.run_worker(self.query_one(Markdown).update(text))

Bench().run()
"""
)

_RICH_LOG = (
    _START
    + """
    def compose(self):
        from textual.widgets import RichLog
        yield RichLog(auto_scroll=False)
    def open(self, text):
        from rich.markdown import Markdown
        from textual.widgets import RichLog
        self.query_one(RichLog).clear().write(Markdown(text), width=100)

Bench().run()
"""
)


def of_size(text: str, size: int) -> str:
    """Return a page that begins with words of its own and holds so many bytes of a text, as often as it takes."""
    whole = text * (size // len(text.encode()) + 1)
    return f"{OPENING}\n\n{whole.encode()[:size].decode(errors='ignore')}"


def open_program(terminal: Terminal) -> float:
    """Have the program open its page and return the milliseconds until its first words are seen."""
    terminal.wait_until_still()
    begun = time.perf_counter()
    terminal.press("o")
    terminal.wait_for(OPENING, patience=300)
    return (time.perf_counter() - begun) * 1000


def time_opening(program: str, file: Path) -> float:
    """Return the milliseconds from a key to the first words of a page."""
    with Terminal([sys.executable, "-c", program, str(file)]) as terminal:
        terminal.wait_until_still(0.5)
        return open_program(terminal)


def time_paging(program: str, file: Path, pages: int) -> list[float]:
    """Return the milliseconds from each of so many keys to what it draws."""
    times = []
    with Terminal([sys.executable, "-c", program, str(file)], environment={"TEXTUAL_ANIMATIONS": "none"}) as terminal:
        terminal.wait_until_still(0.5)
        open_program(terminal)
        for _ in range(pages):
            terminal.wait_until_still()
            begun = time.perf_counter()
            terminal.press(PAGE_DOWN)
            terminal.wait_for_more()
            times.append((time.perf_counter() - begun) * 1000)
    return times


def p95(times: Sequence[float]) -> float:
    """Return the value that 95 of 100 do not exceed."""
    return sorted(times)[int(len(times) * 0.95)]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        large, small, whole = (Path(folder) / name for name in ("large.md", "small.md", "whole.md"))
        large.write_text(of_size(text, LARGE), encoding="utf-8")
        small.write_text(of_size(text, SMALL), encoding="utf-8")
        whole.write_text(of_size(text, len(text.encode())), encoding="utf-8")
        rounds = [(time_opening(_OURS, large), time_opening(_TEXTUALS, small)) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"open 1 MB: {ours:.0f} ms; Textual's Markdown, 10 KB: {theirs:.0f} ms; {theirs / ours:.1f} times faster")
        paging: tuple[list[float], list[float]] = ([], [])
        for _ in range(2):
            for mine, program in zip(paging, (_OURS, _RICH_LOG), strict=True):
                mine += time_paging(program, whole, 25)
    page, log = p95(paging[0]), p95(paging[1])
    print(
        f"page down in {len(text.encode()) / 1024:.0f} KB, p95: {page:.1f} ms; RichLog {log:.1f} ms; "
        f"ratio {page / log:.2f} (aim: within 2)"
    )


if __name__ == "__main__":
    main()
