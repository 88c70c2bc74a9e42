from __future__ import annotations

import pytest

from recto.document.markdown.page import parse_page
from recto.tui.render.block_leaves import leaves_of
from recto.tui.render.code import CHUNK, highlight
from recto.tui.render.leaf import Leaf, Row


def leaves(markdown: str) -> list[Leaf]:
    page = parse_page(markdown)
    return leaves_of(page.blocks, page.inline)


def text(row: Row) -> str:
    return "".join(part.text for part in row.parts)


def test_parts_of_code_have_roles() -> None:
    prose = highlight([], ["def f():", "    return 'x'  # why"], "python")
    roles = {}
    begin = 0
    for run in prose.runs:
        roles[prose.text[begin : run.end].strip()] = run.role
        begin = run.end
    assert roles["def"] == roles["return"] == "accent"
    assert (roles["'x'"], roles["# why"], roles["f"]) == ("success", "muted italic", "strong")
    assert prose.runs[-1].end == len(prose.text)


def test_a_comment_on_the_last_line_is_known_for_one() -> None:
    assert [run.role for run in highlight([], ["run it", "# why"], "bash").runs] == ["", "muted italic"]


def parts(lead: list[str], lines: list[str], language: str) -> list[tuple[str, str]]:
    prose = highlight(lead, lines, language)
    begins = [0, *(run.end for run in prose.runs)]
    assert begins[-1] == len(prose.text)
    return [(prose.text[begin : run.end], run.role) for begin, run in zip(begins, prose.runs, strict=False)]


@pytest.mark.parametrize(
    "prompt", ["$ ", "ncs# ", "admin@ncs(config)# ", "root@host:~# ", "[ada@host ~]$ ", "ada@ncs> ", "mydb=> "]
)
def test_what_is_typed_in_a_session_is_no_comment(prompt: str) -> None:
    assert parts([], [f"{prompt}show run", "says # this"], "bash") == [
        (prompt, "muted"),
        ("show run", "strong"),
        ("\nsays # this", ""),
    ]


def test_a_command_goes_on_below_also_where_it_began_in_the_lines_before() -> None:
    assert parts(["$ run \\"], ["> it", "says", ""], "sh") == [("> ", "muted"), ("it", "strong"), ("\nsays\n", "")]


def test_a_script_is_no_session() -> None:
    assert ("# why", "muted italic") in parts([], ["echo > x", "5% of $VAR", "# why"], "bash")


def test_an_unknown_language_is_plain() -> None:
    assert [run.role for run in highlight([], ["def f():"], "no-such-language").runs] == [""]


def test_a_string_that_began_above_is_known_for_one() -> None:
    (run,) = highlight(["x = '''"], ["def not_code():"], "python").runs
    assert run.role == "success"


def test_long_code_is_cut_into_leaves_that_know_their_source_lines() -> None:
    found = leaves("text\n\n```\n" + "".join(f"line {number}\n" for number in range(250)) + "```\n")[1:]
    assert [len(leaf.rows(80)) for leaf in found] == [CHUNK, CHUNK, 50]
    assert [leaf.line for leaf in found] == [3, 103, 203]
    assert text(found[2].rows(80)[0]).strip() == "line 200"


def test_code_keeps_its_columns_and_tabs_become_blanks() -> None:
    (leaf,) = leaves("```\na\tb\n\n  c\n```\n")
    assert [text(row) for row in leaf.rows(20)] == [" a   b", " ", "   c"]


def test_code_that_asks_for_it_wraps_and_is_numbered() -> None:
    tag = '{% code title="a.txt" overflow="wrap" lineNumbers="true" %}'
    title, code = leaves(f"{tag}\n```\none two three four\nfive\n```\n{{% endcode %}}\n")
    assert title.text() == "a.txt"
    rows = code.rows(20)
    assert [(row.before[-1][0], text(row)) for row in rows] == [
        (" 1 ", " one two three"),
        ("   ", " four"),
        (" 2 ", " five"),
    ]
