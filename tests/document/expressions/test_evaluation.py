"""Evaluated pages: values for expressions, conditional blocks kept or dropped, and what stays as it is written."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document.expressions import evaluation
from recto.document.expressions.evaluation import evaluate_page
from recto.document.markdown.block_keys import carry_keys, fresh_keys
from recto.document.markdown.page import parse_page

NAMES: dict[str, Any] = {
    "space": {"vars": {"api": "https://api.example.org", "days": "30", "odd": "1. *a* <b> | `c`", "two": "a\nb"}},
    "page": {"vars": {"beta": "yes"}},
}


def expression(text: str) -> str:
    return f'<code class="expression">{text}</code>'


def both(markdown: str) -> tuple[str, str]:
    return evaluate_page(markdown, NAMES), evaluate_page(markdown, NAMES, variables_only=True)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("space.vars.api", "https://api.example.org"),
        ("space.vars.days", "30"),
        ("space.vars.odd", "1\\. \\*a\\* \\<b> \\| \\`c\\`"),
        ("space.vars.two", "a b"),
        ("space.vars.missing", ""),
        ("null", ""),
        ('page.vars.beta === "yes" ? 1 + 1 : 0', "2"),
        ("page.vars.beta &amp;&amp; 1 &lt; 2", "true"),
        ("`${space.vars.days} days`", "30 days"),
    ],
)
def test_an_expression_becomes_its_value(written: str, value: str) -> None:
    for around in ("{} after", "# {}", "- {}", "> **{}**", "| {} |\n|---|", "[{}](a.md)"):
        if "`" in written and around.startswith("|"):
            continue
        line = around.format(expression(written))
        assert both(f"{line}\n") == (f"{around.format(value)}\n",) * 2


def test_a_value_within_html_is_written_as_html() -> None:
    for html in (
        "<table><tr><td>{}</td></tr></table>\n",
        "<p>{}</p>\n",
        "<details>\n\n<summary>{}</summary>\n\nx\n\n</details>\n",
    ):
        assert both(html.format(expression("space.vars.odd")))[0] in (
            html.format("1. *a* &lt;b&gt; | `c`"),
            html.format("1\\. \\*a\\* \\<b> \\| \\`c\\`"),
        )


@pytest.mark.parametrize(
    "markdown",
    [
        f"`{expression('space.vars.api')}` and ``a ` {expression('space.vars.api')}``\n",
        f"```html\n{expression('space.vars.api')}\n{{% if true %}}\n```\n",
        f"    {expression('space.vars.api')}\n",
        f"$$\n{expression('space.vars.api')}\n$$\n",
        f"{expression('space.vars.')} {expression('')} {expression('a = 1')}\n",
        "<code>space.vars.api</code>\n",
        '<code class="expression">space.vars.api\n',
        "{% if a = 1 %}\nx\n{% endif %}\n",
        "{% if true %}\nx\n",
        "x\n{% endif %}\n",
        "{% if true %}\nx\n{% else %}\ny\n{% endif %}\n",
        "{% hint %}\nx\n{% endhint %}\n",
    ],
)
def test_what_is_no_expression_or_cannot_be_evaluated_stays(markdown: str) -> None:
    assert both(markdown) == (markdown, markdown)


def test_a_lone_backtick_hides_no_expression_in_another_block() -> None:
    assert evaluate_page(f"a ` b\n\n- c ` {expression('1')}\n", NAMES) == "a ` b\n\n- c ` 1\n"


@pytest.mark.parametrize(
    ("condition", "all_of_it", "variables"),
    [
        ("page.vars.beta", True, True),
        ("!space.vars.missing", True, True),
        ("space.vars.missing", False, False),
        ("true", True, True),
        ("visitor.claims.unsigned.plan", False, None),
        ("!visitor.claims.unsigned.plan", True, None),
        ("page.vars.beta && !visitor.claims.plan", True, None),
        ("space[visitor.claims.plan]", False, None),
        ("space.title", False, None),
    ],
)
def test_a_condition_decides_about_what_is_within(condition: str, all_of_it: bool, variables: bool | None) -> None:
    markdown = f"one\n\n{{% if {condition} %}}\ntwo {expression('space.vars.days')}\n{{% endif %}}\n\nthree\n"
    outcomes = {
        True: "one\n\ntwo 30\n\nthree\n",
        False: "one\n\nthree\n",
        None: markdown.replace(expression("space.vars.days"), "30"),
    }
    assert both(markdown) == (outcomes[all_of_it], outcomes[variables])


@pytest.mark.parametrize(
    ("markdown", "evaluated"),
    [
        ("a\n{% if true %}\nb\n{% endif %}\nc\n", "a\n\nb\n\nc\n"),
        ("a\n{% if false %}\nb\n{% endif %}\nc\n", "a\n\nc\n"),
        ("{% if false %}\na\n{% endif %}\n\nb\n", "b\n"),
        ("{% if true %}a{% endif %}\n", "a\n"),
        ("Hello {% if true %}you{% endif %}{% if false %}them{% endif %}!\n", "Hello you!\n"),
        ("> {% if true %}\n> a\n> {% endif %}\n> b\n", "> a\n>\n> b\n"),
        ("- a\n\n  {% if true %}\n  b\n  {% endif %}\n", "- a\n\n  b\n\n"),
        (
            "{% if true %}\n{% if false %}\na\n{% endif %}\nb\n{% if true %}\nc\n{% endif %}\n{% endif %}\n",
            "b\n\nc\n\n",
        ),
        ("{% if false %}\n{% if true %}\na\n{% endif %}\n{% endif %}\nb\n", "b\n"),
        ("{% if a = 1 %}\n{% if false %}\na\n{% endif %}\nb\n{% endif %}\n", "{% if a = 1 %}\n\nb\n{% endif %}\n"),
    ],
)
def test_conditions_go_with_their_lines_and_leave_blocks_apart(markdown: str, evaluated: str) -> None:
    result = evaluate_page(markdown, NAMES)
    assert result == evaluated or [block.text for block in parse_page(result).walk()] == [
        block.text for block in parse_page(evaluated).walk()
    ]
    assert result.strip("\n").split("\n") == evaluated.strip("\n").split("\n")


def test_blocks_keep_their_keys_where_a_condition_is_resolved() -> None:
    before = "{% if true %}\n# A\n\n- b\n{% endif %}\n\nc\n"
    old, new = parse_page(before), parse_page(evaluate_page(before, {}))
    keys = tuple(f"key-{place}" for place in range(len(fresh_keys(old))))
    assert carry_keys(old, keys, new) == keys[1:]


_PIECES = [
    *("{% if true %}", "{% if false %}", "{% endif %}", "{%", "%}", expression("1"), expression("(")),
    *"\n\n\nq`->\\ ",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=20).map("".join))
def test_any_text_is_evaluated_and_only_what_is_evaluated_goes(markdown: str) -> None:
    result = evaluate_page(markdown, NAMES)
    assert result.count("q") <= markdown.count("q")
    if "{% if false %}" not in markdown:
        assert (result.count("q"), result.count("`")) == (markdown.count("q"), markdown.count("`"))
        assert result.count(expression("(")) == markdown.count(expression("("))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["{% if x %}", "{%", "`", "<code class='expression'>", "``` `` `", "{% if true %}\n\n"]
)
def test_time_is_linear(piece: str) -> None:
    def measure(size: int) -> float:
        text = piece * (size // len(piece))
        begun = time.process_time()
        evaluate_page(text, NAMES)
        return time.process_time() - begun

    # Both are longer than any tag is looked for; what is over at once is not told apart from nothing.
    most = max(0.002, *(measure(16_000) for _ in range(2))) * 4 * 3
    assert any(measure(64_000) < most for _ in range(3))


def test_values_that_are_long_together_are_put_in_up_to_a_number_of_characters() -> None:
    value = '<code class="expression">space.vars.long</code>'
    text = f"{value}\n" * 300
    shown = evaluate_page(text, {"space": {"vars": {"long": "x" * 10_000}}})
    assert shown.count("x" * 10_000) == evaluation.MOST_TEXT // 10_000
    assert shown.count(value) == 300 - evaluation.MOST_TEXT // 10_000


@pytest.mark.parametrize(
    ("decision", "expected"), [("true", "{% if"), ("false", "{% if")], ids=["that hold", "that do not"]
)
def test_conditions_on_one_long_line_are_taken_out_in_their_places(decision: str, expected: str) -> None:
    text = f"a {{% if {decision} %}}x{{% endif %}} " * 500
    shown = evaluate_page(text, {})
    assert expected not in shown
    assert shown.count("x") == (500 if decision == "true" else 0)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(['{% if "a" %}', "{% if false %}", "{% endif %}", "{% else %}", "word"]), max_size=14))
def test_conditions_within_conditions_decide_from_the_inside_out(parts: list[str]) -> None:
    kept: list[list[str]] = [[]]
    opened: list[tuple[str, bool]] = []  # with whether it can be decided
    for part in parts:
        if part.startswith("{% if"):
            opened.append((part, True))
            kept.append([])
        elif part == "{% endif %}" and opened:
            inner, (begin, decided) = kept.pop(), opened.pop()
            if not decided:
                kept[-1] += [begin, *inner, part]
            elif "false" not in begin:
                kept[-1] += inner
        else:
            kept[-1].append(part)
            if part == "{% else %}" and opened:
                opened[-1] = (opened[-1][0], False)
    while opened:
        inner = kept.pop()
        kept[-1] += [opened.pop()[0], *inner]
    shown = evaluate_page("\n\n".join(parts) + "\n", {})
    assert shown.split() == " ".join(kept[0]).split()
