"""A page for each kind of block: it fits any width and keeps its words, and what folds shows each of its parts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import pytest
from rich.style import Style

from recto.document.markdown.blocks import Block, BlockKind, plain_text
from recto.document.markdown.page import parse_page
from recto.tui.look.text_roles import Roles
from recto.tui.render.brush import Brush
from recto.tui.render.folds import CLOSED
from recto.tui.render.leaf import Leaf
from recto.tui.render.line_breaks import cells
from recto.tui.render.prose import clean
from recto.tui.render.rendered_page import RenderedPage, read
from recto.tui.render.surroundings import FileFacts, Included, Surroundings
from support.block_pages import BLOCKS
from support.pages import SAMPLES, sample_pages

WIDTHS = (40, 80, 160)
WORD = re.compile(r"\w+")
BRUSH = Brush(Roles({}), Style.null())
TEXTS = frozenset(("paragraph", "heading", "table-cell", "expandable", "figure"))


def states(reading: RenderedPage) -> Iterator[None]:
    """Show one part of everything that folds after the other, until each has been shown."""
    for number in range(max((fold.count for fold in reading.folds), default=1)):
        for fold in reading.folds:
            fold.chosen = min(number, fold.count - 1)
        yield


def draw(leaves: list[Leaf], width: int, *, framed: bool = False) -> Iterator[str]:
    """Yield the lines that can be seen, and hold that each is as wide as the view.

    They are whole even where the view shows only a part of them; what stands before them is there if ``framed``.
    """
    for leaf in leaves:
        for row in leaf.rows(width) if not leaf.is_hidden else ():
            line = "".join(segment.text for segment in BRUSH.row(row, width))
            assert cells(line) == width, (leaf.block, line)
            yield line if framed else "".join(part.text for part in row.parts) + " "


def words(text: str) -> set[str]:
    # A formula has letters of its own for what is raised and lowered.
    return set(WORD.findall(unicodedata.normalize("NFKC", text)))


def letters(text: str) -> str:
    return "".join(WORD.findall(unicodedata.normalize("NFKC", text)))


def words_of(reading: RenderedPage) -> set[str]:
    """Return the words of all blocks that hold text."""

    def text(block: Block) -> str:
        if block.kind in TEXTS:
            return plain_text(reading.page.inline(block))
        return block.text if block.kind is BlockKind.CODE else ""

    return words("\n".join(clean(line) for block in reading.page.walk() for line in text(block).split("\n")))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", BLOCKS)
def test_each_kind_fits_and_keeps_its_words(kind: str, width: int) -> None:
    reading = read("", BLOCKS[kind])
    seen: set[str] = set()
    run_together = ""
    for _ in states(reading):
        lines = list(draw(list(reading.leaves), width))
        seen |= words("\n".join(lines))
        run_together += letters("".join(lines))
    missing = {word for word in words_of(reading) - seen if word not in run_together}
    # Codes of emoji and icons become signs, which are not words, and so do names of letters in formulas.
    assert missing - {"smile", "1f680", "1f1e9", "1f1ea", "house", "alpha", "leq", "sqrt"} == set()


def test_the_pages_hold_every_kind_of_block() -> None:
    held = {block.kind for text in BLOCKS.values() for block in parse_page(text).walk()}
    assert set(BlockKind) - held == set()


# What folds


def visible_text(reading: RenderedPage) -> str:
    return "\n".join(line.rstrip() for line in draw(list(reading.leaves), 60, framed=True))


def test_one_tab_is_seen_at_a_time() -> None:
    reading = read("", BLOCKS["tabs"])
    (tabs,) = reading.folds
    assert "npm   pip   Tab 3" in visible_text(reading)
    assert "npm install" in visible_text(reading)
    assert "With pip instead" not in visible_text(reading)
    tabs.chosen = tabs.next
    assert "npm   pip   Tab 3" in visible_text(reading)
    assert "npm install" not in visible_text(reading)
    assert "With pip instead" in visible_text(reading)
    tabs.chosen = tabs.next
    assert tabs.next == 0


def test_expandables_are_closed_unless_they_say_otherwise() -> None:
    reading = read("", BLOCKS["expandable"])
    assert "Inside of it" not in visible_text(reading)
    assert "Inside the open one" in visible_text(reading)
    first, second = reading.folds
    first.chosen, second.chosen = first.next, second.next
    assert "Inside of it" in visible_text(reading)
    assert "Inside the open one" not in visible_text(reading)
    assert second.chosen == CLOSED


def test_what_was_opened_stays_open_where_a_page_is_read_again() -> None:
    chosen = {fold.key: 0 for fold in read("", BLOCKS["expandable"]).folds}
    assert "Inside of it" in visible_text(read("", BLOCKS["expandable"], chosen=chosen))


def test_what_is_found_is_found_in_what_is_folded_away_too() -> None:
    reading = read("", "<details><summary>Words</summary>\n\n" + BLOCKS["tabs"] + "\n</details>\n")
    ((leaf, _start, _end),) = reading.find("with pip instead")
    hidden = reading.leaves[leaf]
    assert hidden.is_hidden
    assert hidden.option is not None
    hidden.option.choose()
    assert "With pip instead" in visible_text(reading)


# What is beside each other


def test_columns_stand_beside_each_other_where_there_is_room() -> None:
    leaves = list(read("", BLOCKS["columns"]).leaves)
    wide, narrow = list(draw(leaves, 80)), list(draw(leaves, 40))
    assert "### Left" in wide[0] or "Left" in wide[0]
    assert "right" in wide[0]
    assert not any("Left" in line and "right" in line for line in narrow)


@pytest.mark.parametrize("width", ["²", "0%", "101%", "-1%", "half"])
def test_columns_whose_width_is_no_share_are_of_the_same_width(width: str) -> None:
    page = (
        f'{{% columns %}}\n{{% column width="{width}" %}}\nLeft\n{{% endcolumn %}}\n'
        "{% column %}\nright\n{% endcolumn %}\n{% endcolumns %}"
    )
    plain = page.replace(f' width="{width}"', "")
    assert list(draw(list(read("", page).leaves), 80)) == list(draw(list(read("", plain).leaves), 80))


def test_cards_are_a_grid_with_as_many_in_a_row_as_there_is_room_for() -> None:
    leaves = list(read("", BLOCKS["cards"]).leaves)
    for width, abreast in ((30, 1), (60, 2), (90, 3)):
        first = next(line for line in draw(leaves, width) if "First card" in line)
        assert sum(title in first for title in ("First card", "Second card", "Third")) == abreast


def test_columns_that_do_not_all_fit_stand_in_rows_of_the_same_length() -> None:
    page = (
        "{% columns %}\n"
        + "".join(f"{{% column %}}\nNo{n}\n{{% endcolumn %}}\n" for n in range(4))
        + "{% endcolumns %}"
    )
    lines = [line.split() for line in draw(list(read("", page).leaves), 100)]
    assert lines == [["No0", "No1"], [], ["No2", "No3"]]


def test_tabs_within_columns_fold_too() -> None:
    page = (
        "{% columns %}\n{% column %}\n"
        + BLOCKS["tabs"]
        + "{% endcolumn %}\n{% column %}\nBeside.\n{% endcolumn %}\n{% endcolumns %}\n"
    )
    reading = read("", page)
    assert "npm install" in visible_text(reading)
    leaf = reading.leaves[0]
    switches = [link.href for link in leaf.prose().links]
    assert len(switches) == 3
    assert [fold.count for fold in reading.folds] == [3]
    switches[1].turn()  # type: ignore[attr-defined]
    assert "With pip instead" in visible_text(reading)
    assert "npm install" not in visible_text(reading)


# What the page is drawn with


def test_titles_files_included_texts_and_variables_come_from_around_the_page() -> None:
    around = Surroundings(
        title_of={"foo.md": "The title of foo", "other.md": "Another"}.get,
        file_at={"a/report.pdf": FileFacts("report.pdf", 34_000), "b.png": FileFacts("b.png", 12, 640, 480)}.get,
        included={"/reusable-content/abc": Included("Notice", "Kept in **one** place.")}.get,
        names={"space": {"vars": {"version": "4.2"}}},
    )
    page = "\n\n".join(BLOCKS[kind] for kind in ("content-ref", "file", "figure", "include", "paragraph"))
    shown = visible_text(read("", page, surroundings=around))
    for told in (
        "→ The title of foo",
        "↓ report.pdf · 34.0 KB",
        "▨ Plain · b.png · 640 x 480 · 12 B",
        "included text  Notice",
        "Kept in one place.",
        "Another and 4.2",
    ):
        assert told in shown


def test_a_text_that_includes_itself_ends() -> None:
    around = Surroundings(included=lambda _: Included("Round", 'Again\n\n{% include "/reusable-content/abc" %}'))
    assert visible_text(read("", BLOCKS["include"], surroundings=around)).count("Again") == 1


def test_what_an_included_text_includes_is_looked_for_from_there() -> None:
    there = Surroundings(included={"inner.md": Included("Inner", "Innermost words.")}.get)
    around = Surroundings(included={"../outer.md": Included("Outer", '{% include "inner.md" %}', there)}.get)
    shown = visible_text(read("", '{% include "../outer.md" %}\n\n{% include "inner.md" %}\n', surroundings=around))
    assert shown.count("Innermost words.") == 1
    assert "included text  inner.md" in shown


def test_what_is_included_belongs_to_the_block_that_includes_it_and_moves_no_other() -> None:
    around = Surroundings(included=lambda _: Included("Notice", "# One\n\ntwo\n"))
    page = "Before\n\n" + BLOCKS["include"] + "\nAfter\n"
    reading = read("", page, surroundings=around)
    assert [leaf.line for leaf in reading.leaves] == [leaf.line for leaf in read("", page).leaves] == [0, 2, 4]
    assert reading.leaves[1].block.kind is BlockKind.INCLUDE
    assert reading.outline == ()


def spans(leaf: Leaf, width: int) -> Iterator[tuple[int, int]]:
    """Yield which stretches of a leaf's text its rows show, and hold that only what is looked at sideways is too wide.

    A row that is cut is as wide as the view all the same.
    """
    for row in leaf.rows(width):
        if row.cells > width:
            assert leaf.wide, (leaf.block, row)
            assert sum(cells(segment.text) for segment in BRUSH.row(row, width)) == width, (leaf.block, row)
        yield from ((part.start, part.start + len(part.text)) for part in row.parts if part.start >= 0)


def beyond(text: str, shown: list[tuple[int, int]]) -> str:
    """Return what of a text is in none of its stretches, but for blanks and ends of lines."""
    left = ""
    reached = 0
    for start, end in sorted(shown):
        left += text[reached:start] if start > reached else ""
        reached = max(reached, end)
    return "".join((left + text[reached:]).split())


@pytest.mark.slow
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample documentation is not beside the repository")
def test_every_page_of_the_samples_fits_and_keeps_its_words() -> None:
    for file in sample_pages():
        reading = read("", file.read_text(encoding="utf-8"))
        texts = [leaf.text() for leaf in reading.leaves]
        for width in WIDTHS:
            shown: list[list[tuple[int, int]]] = [[] for _ in texts]
            for _ in states(reading):
                for index, leaf in enumerate(reading.leaves):
                    if not leaf.is_hidden:
                        shown[index] += spans(leaf, width)
            assert "".join(map(beyond, texts, shown)) == "", (file, width)
        missing = words_of(reading) - words("\n".join(texts))
        assert not missing or {word for word in missing if word not in letters("".join(texts))} == set(), file


def test_html_that_only_sets_text_is_not_shown_and_buttons_are() -> None:
    page = 'A <span style="x">word</span> <button type="button" class="button">Ask</button> <blink>b</blink>'
    assert visible_text(read("", page)).replace("\xa0", " ") == "A word [ Ask ] <blink>b</blink>"


def test_buttons_stand_apart() -> None:
    one = '<a href="https://a.example" class="button primary">{}</a>'
    shown = visible_text(read("", one.format("Go") + one.format("Stay")))
    assert shown.replace("\xa0", " ") == "[ Go ] [ Stay ]"


def test_a_card_begins_with_its_words_not_with_its_icon() -> None:
    icon = '<table data-view="cards"><tr><td><i class="fa-x">:x:</i></td><td>Title</td></tr></table>'
    assert [line.strip() for line in draw(list(read("", icon).leaves), 40)] == ["Title"]


def test_columns_that_the_author_hides_are_not_shown_but_for_where_a_card_leads_and_its_cover() -> None:
    head = "<th>One</th>" + "".join(
        f"<th data-hidden {what}></th>" for what in ("", "data-card-target", "data-card-cover")
    )
    cells = '<td>first</td><td>second</td><td><a href="t.md">target</a></td><td><a href="c.png">cover</a></td>'
    rows = f"<thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table>"
    table, cards = visible_text(read("", f"<table>{rows}")), visible_text(read("", f'<table data-view="cards">{rows}'))
    assert [word for word in ("first", "second", "target", "cover") if word in table] == ["first"]
    assert [word for word in ("first", "second", "target", "cover") if word in cards] == ["first", "target", "cover"]


@pytest.mark.parametrize(
    "code",
    [
        '{% code lineNumbers="true" %}\n```\na\nb\n```\n{% endcode %}',
        '<pre class="language-js" data-line-numbers><code class="lang-js">a\nb\n</code></pre>',
    ],
)
def test_lines_of_code_are_numbered_however_that_is_written(code: str) -> None:
    assert [line.split() for line in visible_text(read("", code)).split("\n")] == [["1", "a"], ["2", "b"]]


def test_comments_are_counted_and_not_shown() -> None:
    page = "Before <!-- one\nof them --> it.\n\n<!-- a\n\nb -->\n\n<!-- c --> and after\n\n```\n<!-- code -->\n```\n"
    reading = read("", page + '\n<!-- strange-one: {"a": 1} -->\n')
    shown = visible_text(reading)
    assert "Before it." in " ".join(shown.split())
    assert "and after" in shown
    assert [word for word in ("one\nof", "-- a", " c ", "code", "strange-one") if word in shown] == [
        "code",
        "strange-one",
    ]
    assert reading.comments == 3


def test_an_anchor_and_the_ends_of_chinese_lines_leave_nothing_on_the_screen() -> None:
    shown = visible_text(read("", "## 标题 {#own}\n\n**重要，**其中\n换行\n"))
    assert "own" not in shown
    assert "重要，其中换行" in shown
