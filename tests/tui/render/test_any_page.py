"""Whatever a page holds, it is drawn without an error, in its width, and nothing in it acts on a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.style import Style
from textual.strip import Strip

from recto.tui.look.text_roles import Roles
from recto.tui.render.brush import Brush
from recto.tui.render.line_breaks import cells
from recto.tui.render.rendered_page import RenderedPage, read
from support.block_pages import BLOCKS
from support.hostile import hostile_pages

BATCHES, BATCH = 20, 500
"""10,000 hostile pages in all."""

WIDTH = 60
TERMINAL = Console(force_terminal=True, color_system="truecolor", width=WIDTH, legacy_windows=False)
BRUSH = Brush(Roles({"accent": "#7aa2f7", "code": "#222222", "error": "#ff0000"}), Style.null())
# What the program itself writes: colours, and links to addresses without anything but visible characters.
OWN = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;(?:id=[0-9-]+)?;[!-~]*\x1b\\")
ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def output_of(reading: RenderedPage, width: int = WIDTH) -> str:
    """Return what goes to the terminal for a page of which everything is open, line after line."""
    for fold in reading.folds:
        fold.chosen = fold.count - 1
    lines: list[str] = []
    for leaf in reading.leaves:
        for row in leaf.rows(width) if not leaf.is_hidden else ():
            segments = BRUSH.row(row, width)
            assert sum(cells(segment.text) for segment in segments) == width
            lines.append(Strip(segments, width).render(TERMINAL))
    return "".join(lines)


def assert_only_letters(text: str) -> None:
    found = ACTING.search(OWN.sub("", text))
    assert found is None, ascii(text[max(0, found.start() - 60) : found.end() + 60])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(BATCHES))
def test_hostile_pages_send_nothing_but_letters_to_the_terminal(seed: int) -> None:
    for page in hostile_pages(BATCH, seed):
        assert_only_letters(output_of(read("", page)))


def test_the_test_would_see_what_acts() -> None:
    with pytest.raises(AssertionError):
        assert_only_letters("\x1b[31mred\x1b[0m \x1b[2J")
    with pytest.raises(AssertionError):
        assert_only_letters("\x1b]8;;https://e.com/\x07x\x1b\\")


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.integers(2, 120))
def test_any_bytes_can_be_drawn(content: bytes, width: int) -> None:
    for text in (content.decode("utf-8", "replace"), content.decode("latin-1"), content.decode("utf-16", "replace")):
        assert_only_letters(output_of(read("", text), width))


def _within(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=3).map("\n\n".join)
    named = st.sampled_from(
        ["hint", "tabs", "tab", "stepper", "step", "columns", "column", "code", "updates", "update"]
    )
    return st.one_of(
        st.tuples(named, several).map(lambda each: f"{{% {each[0]} %}}\n{each[1]}\n{{% end{each[0]} %}}"),
        st.tuples(named, several).map(lambda each: f"{{% {each[0]} %}}\n{each[1]}"),
        several.map(lambda text: f"<details><summary>s</summary>\n\n{text}\n\n</details>"),
        several.map(lambda text: "\n".join(f"> {line}" for line in text.split("\n"))),
        several.map(lambda text: "- " + text.replace("\n", "\n  ")),
        several.map(lambda text: "9. " + text.replace("\n", "\n   ")),
        several.map(lambda text: f"[^1]: {text}".replace("\n", "\n    ")),
        several.map(lambda text: f"<table><tr><td>{text}</td></tr></table>"),
        several.map(lambda text: f"{{% tabs %}}{{% tab title='a' %}}\n{text}\n{{% endtab %}}{{% endtabs %}}"),
    )


NESTED = st.recursive(st.sampled_from(["word", *BLOCKS.values()]), _within, max_leaves=12)


@pytest.mark.slow
@settings(derandomize=True, max_examples=200, deadline=None)
@given(NESTED, st.sampled_from([7, 40, 100]))
def test_any_nesting_can_be_drawn(page: str, width: int) -> None:
    assert_only_letters(output_of(read("", page), width))
