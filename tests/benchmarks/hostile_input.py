"""Time to read and draw a megabyte of hostile text to its first frame, against an ordinary page of the same size.

Run by hand: ``python tests/benchmarks/hostile_input.py [SIZE]``, in characters. Each input is measured in turns
with the ordinary page in this one process; medians are printed, with the largest ratio last.
"""

from __future__ import annotations

import re
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.page_first_frame import first_frame, milliseconds
from support.block_pages import TEXT_BLOCKS
from support.hostile import filled

SIZE = 1_000_000
ROUNDS = 3
GENEROUS = 20
"""How many times longer than the ordinary page an input may take before it is told as too slow."""


def wrap(before: str, piece: str, after: str) -> Callable[[int], str]:
    """Return what repeats a piece up to a size between a beginning and an end."""
    return lambda size: before + piece * (size // len(piece)) + after


def nest(size: int) -> str:
    """Return blocks within blocks of all kinds, chosen at random but always the same."""
    random = Random(4)
    beginnings = "{% hint %} {% tabs %} {% tab %} {% columns %} {% column %} {% stepper %} {% step %} <details>"
    pieces = [f"{tag}\n" for tag in re.findall(r"\{%.*?%\}|<\w+>", beginnings)]
    pieces += [piece.replace("{% ", "{% end").replace("<", "</") + "\n" for piece in pieces]
    pieces += [
        "> quote\n",
        "- item\n",
        "  - item\n",
        "1. one\n",
        "| a | b |\n|---|---|\n| c | d |\n\n",
        "```\n",
        "$$\n",
    ]
    pieces += ["<table><tr><td>\n", "</table>\n\n", "[^1]: note\n", "words *and **more\n", '[a](b "c\n', "\n"]
    pieces += ["<summary>s</summary>\n\n", "<figure><img src='x'>\n", "</figure>\n"]
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(random.choice(pieces))
        length += len(parts[-1])
    return "".join(parts)[:size]


INPUTS: Mapping[str, Callable[[int], str]] = {
    "brackets": filled("["),
    "emphasis": filled("*a **b"),
    "quotes": filled(">"),
    "quotes by line": filled("> > > a\n"),
    "open hints": filled("{% hint %}\n"),
    "open tags": filled('{% hint a="'),
    "open details": filled("<details>\n"),
    "open tables": filled("<table>"),
    "open elements": filled("<b>"),
    "open attributes": filled('<a "'),
    "open pictures": filled("<figure><img src='x'>\n"),
    "open formulas": filled("$$\n\n"),
    "backticks": lambda size: "".join("`" * count + " " for count in range(1, int((2 * size) ** 0.5))),
    "one word": filled("x"),
    "one line of Chinese": filled("字"),
    "combining": filled("e\u0301\u0301\u0301"),
    "bars": filled("|a"),
    "wide table": wrap("|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n", "|" + "b|" * 500 + "\n", ""),
    "tabs": wrap("{% tabs %}\n", "{% tab title='a' %}\nx\n{% endtab %}\n", "{% endtabs %}"),
    "columns": wrap("{% columns %}\n", "{% column %}\nx\n{% endcolumn %}\n", "{% endcolumns %}"),
    "cards": wrap("<table data-view='cards'>", "<tr><td>a</td><td>b</td></tr>\n", "</table>"),
    "definitions": filled("[a]: b\n"),
    "footnotes": filled("[^a]: b\n"),
    "list depth": lambda size: "".join("  " * (line % 200) + "- a\n" for line in range(size // 204)),
    "nested": nest,
}


def main() -> int:
    """Measure all inputs and print their ratios."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else SIZE
    plain = filled("\n\n".join(TEXT_BLOCKS.values()) + "\n\n")(size)
    first_frame(plain[:5000])
    worst = 0.0
    for name, make in INPUTS.items():
        text = make(size)
        times = [(milliseconds(first_frame, text), milliseconds(first_frame, plain)) for _ in range(ROUNDS)]
        mine, other = (statistics.median(each) for each in zip(*times, strict=True))
        worst = max(worst, mine / other)
        note = "  too slow" if mine > GENEROUS * other else ""
        print(
            f"{name:20} {mine:8.0f} ms, an ordinary page {other:6.0f} ms: {mine / other:5.1f} times{note}", flush=True
        )
    print(f"{size / 1000:.0f} kB of each: {worst:.1f} times as long as an ordinary page at the most")
    return int(worst > GENEROUS)


if __name__ == "__main__":
    raise SystemExit(main())
