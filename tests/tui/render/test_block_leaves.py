"""How each kind of block is drawn, as one sees it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from recto.tui.lists.thread_rows import render_lines
from recto.tui.render.figures import pictures_in
from recto.tui.render.leaf import Leaf
from recto.tui.render.prose import Link
from recto.tui.render.rendered_page import read
from recto.tui.render.surroundings import FileFacts, Surroundings


def draw(markdown: str, width: int = 40) -> str:
    lines = render_lines(dedent(markdown).strip("\n"), width)
    return "\n".join("".join(text for text, _role in line).rstrip() for line in lines)


def test_heading_levels_differ_without_colour() -> None:
    assert draw("# One\n## Two\n### Three\n#### Four\n", 20) == "\n".join(
        ["One", "━" * 20, "Two", "─" * 20, "### Three", "", "#### Four"]
    )


def test_headings_within_other_blocks_have_no_line_across() -> None:
    hint = '{% hint style="info" %}\n## Title\nText.\n{% endhint %}\n'
    assert draw(hint) == "┃ i Info\n┃ Title\n┃ Text."


def test_lists_are_loose_or_tight_as_written() -> None:
    assert draw("- a\n- b\n  1. c\n  2. d\n     - e\n") == "• a\n• b\n  1. c\n  2. d\n     ▪ e"
    assert draw("- a\n\n  more\n- b\n") == "• a\n\n  more\n\n• b"
    assert draw("- [ ] to do\n- [x] done\n-\n") == "[ ] to do\n[x] done\n•"


def test_numbers_of_a_list_are_aligned() -> None:
    assert draw("9. nine\n10. ten\n") == " 9. nine\n10. ten"


def test_quotes_keep_their_bar_on_each_line() -> None:
    assert draw("> one two three\n>\n> - four\n", 12) == "▎ one two\n▎ three\n▎\n▎ • four"


@pytest.mark.parametrize(
    ("style", "sign"), [("info", "i Info"), ("success", "✓ Success"), ("warning", "! Warning"), ("danger", "× Danger")]
)
def test_hints_say_what_they_are(style: str, sign: str) -> None:
    assert draw(f'{{% hint style="{style}" %}}\nText.\n{{% endhint %}}\n') == f"┃ {sign}\n┃ Text."


def test_tables_shrink_wrap_and_align() -> None:
    table = "| Name | What | No |\n|---|---|--:|\n| a | some words that wrap | 1 |\n| b | x | 22 |\n"
    assert draw(table, 30) == dedent("""\
        Name │ What               │ No
        ─────┼────────────────────┼───
        a    │ some words that    │  1
             │ wrap               │
        ─────┼────────────────────┼───
        b    │ x                  │ 22""")
    assert draw(table, 60) == dedent("""\
        Name │ What                 │ No
        ─────┼──────────────────────┼───
        a    │ some words that wrap │  1
        b    │ x                    │ 22""")


@pytest.mark.parametrize(
    "table",
    [
        "|   |   |\n|---|---|\n| a | b |\n",
        "<table data-header-hidden><thead><tr><th>A</th><th></th></tr></thead>"
        "<tbody><tr><td>a</td><td>b</td></tr></tbody></table>\n",
    ],
)
def test_a_header_that_says_nothing_takes_no_room(table: str) -> None:
    assert draw(table) == "a │ b"


@pytest.mark.parametrize("text", ["\\\nWords", "<br>Words", "Words<br>", "Words<br><br>"])
def test_line_breaks_with_nothing_before_or_after_them_take_no_room(text: str) -> None:
    assert draw(f"First\n\n{text}\n\nLast") == "First\n\nWords\n\nLast"


def test_a_drawing_in_a_figure_is_code_under_its_caption() -> None:
    drawing = "<figure>\n<pre><code>  +--&gt; A\n  |</code></pre>\n<figcaption>States</figcaption>\n</figure>\n"
    assert draw(drawing) == "States\n   +--> A\n   |"


def test_blocks_of_the_platform_are_named_with_all_they_hold() -> None:
    assert draw("""
        {% tabs %}
        {% tab title="npm" %}
        Install it.
        {% endtab %}
        {% endtabs %}

        {% stepper %}
        {% step %}
        ## Do this
        First.
        {% endstep %}
        {% step %}
        No title.
        {% endstep %}
        {% endstepper %}

        {% embed url="https://e.com" caption="Watch" %}

        {% openapi src="x.yaml" path="/pets" method="get" %}
        [x.yaml](x.yaml)
        {% endopenapi %}

        {% something new="yes" %}
        Kept.
        {% endsomething %}
    """) == dedent("""\
        tab  npm
        │ Install it.

        1  Do this
        │  First.
        │
        2  Step 2
        │  No title.

        ▶ Watch  https://e.com

         GET   /pets
        │ x.yaml

        something  new=yes
        │ Kept.""")


def test_pictures_show_their_words() -> None:
    assert draw("![](a.png) and ![A chart](b.png)") == "[picture] and [picture: A chart]"
    assert draw("![图\n片](b.png) and more") == "[picture: 图片] and more"
    assert (
        draw('<figure><img src="a.png" alt="图\n片"><figcaption>图\n注</figcaption></figure>')
        == "▨ 图片 · a.png\n  图注"
    )
    figure = '<figure><img src="a.png" alt="An image"><figcaption><p>Seen <em>here</em></p></figcaption></figure>'
    assert draw(figure) == "▨ An image · a.png\n  Seen here"


@pytest.mark.parametrize(
    "line",
    [
        "![One](a.png) ![Two](b.png)",
        "![One](a.png)\\\n![Two](b.png)",
        '![One](a.png)\n<img src="b.png" alt="Two">',
        "**[![One](a.png)](https://one.example)** ![Two](b.png)",
        '<a href="one.md"><img src="a.png" alt="One"></a> <a href="two.md"><img src="b.png" alt="Two"></a>',
        '<p align="center"><a href="one.md"><img src="a.png" alt="One"></a> <img src="b.png" alt="Two"></p>',
        '<img src="a.png" alt="One"> <img src="b.png" alt="Two">',
    ],
)
def test_pictures_of_one_line_stand_beside_each_other_where_there_is_room(line: str) -> None:
    (leaf,) = read("", line).leaves
    assert [picture.text() for picture, _offset in pictures_in(leaf)] == ["One · a.png", "Two · b.png"]
    assert [rows_of(leaf, width) for width in (60, 40)] == [
        ["▨ One · a.png                   ▨ Two · b.png"],
        ["▨ One · a.png", "▨ Two · b.png"],
    ]
    assert draw(line) == "▨ One · a.png\n▨ Two · b.png"


def rows_of(leaf: Leaf, width: int) -> list[str]:
    return ["".join(part.text for part in row.parts).rstrip() for row in leaf.rows(width)]


def test_pictures_amid_text_stay_words() -> None:
    for line in ("See ![One](a.png) ![Two](b.png)", "![One](a.png) and", '<a href="b.md">![One](a.png) b</a>'):
        (leaf,) = read("", line).leaves
        assert list(pictures_in(leaf)) == []
        assert leaf.text().count("[picture: One]") == 1


def test_a_picture_that_leads_somewhere_does_so_by_its_words() -> None:
    (leaf,) = read("", "[![Build](https://e.com/b.png)](https://e.com/ci)").leaves
    assert [link.href for link in leaf.prose().links] == ["https://e.com/ci"]
    assert [picture.source.address for picture, _offset in pictures_in(leaf)] == ["https://e.com/b.png"]


def test_a_picture_that_is_written_out_on_the_page_has_no_name() -> None:
    assert (
        draw("![Dot](data:image/png;base64,iVBOR/w0KGgo) ![](data:image/png;base64,iVBOR/w0KGgo)") == "▨ Dot\n▨ picture"
    )


def test_each_picture_of_a_line_keeps_its_caption_and_its_measures() -> None:
    text = '![One](a.png "First") ![Two](b.png)'
    around = Surroundings(file_at={"b.png": FileFacts("b.png", 12, 640, 480)}.get)
    (leaf,) = read("", text, surroundings=around).leaves
    assert rows_of(leaf, 90) == [f"{'▨ One · a.png':47}▨ Two · b.png · 640 x 480 · 12 B", "  First"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("H<sub>2</sub>O, 10<sup>−3</sup>, Na<sup>+</sup>", "H₂O, 10⁻³, Na⁺"),
        ("x<sub>*max*</sub>, A<sup>T</sup>, note<sup>[1](a.md)</sup>", "xₘₐₓ, Aᵀ, note¹"),
        (
            "x<sub>b</sub>, y<sub>a b</sub>, z<sup>a, b</sup>, w<sup>2<sup>3</sup></sup>",
            "x_b, y_(a b), z^(a, b), w^(2³)",
        ),
        ("a<sup>*</sup>, Recto<sup>®</sup>, c<sub>`2`</sub>", "a*, Recto®, c_2"),
        ("<sub>Measured in winter.</sub>", "Measured in winter."),
    ],
)
def test_what_stands_above_and_below_the_line_reads_so(text: str, shown: str) -> None:
    assert draw(text, 80) == shown


def test_what_is_raised_leads_where_it_leads() -> None:
    (leaf,) = read("", "note<sup>[1](a.md)</sup>").leaves
    assert leaf.prose().links == [Link(4, 5, "a.md")]


def test_what_stands_above_and_below_the_line_is_found_as_it_is_typed() -> None:
    reading = read("", "H<sub>2</sub>O and $$mc^2$$ and 10<sup>−3</sup> [x]")
    text = reading.leaves[0].text()
    found = {
        needle: [text[start:end] for _, start, end in reading.find(needle)] for needle in ("h2o", "H₂O", "MC2", "[x]")
    }
    assert found == {"h2o": ["H₂O"], "H₂O": ["H₂O"], "MC2": ["mc²"], "[x]": ["[x]"]}
    assert reading.find("10-3") == [(0, text.index("10"), text.index("10") + 4)]


def test_lines_of_chinese_are_joined_without_blanks_and_others_with_one() -> None:
    assert draw("一行\n二行\nand\nthree") == "一行二行 and three"


def test_deep_nesting_leaves_room_for_the_words() -> None:
    lines = draw("> " * 30 + "words that can still be read\n", 24).splitlines()
    words = [word for line in lines for word in line.replace("▎", " ").split()]
    assert " ".join(words) == "words that can still be read"
