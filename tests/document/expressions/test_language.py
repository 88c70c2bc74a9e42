"""Expressions: what is part of the language, what it gives, and that nothing else gets through."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.document.expressions.language import DEEPEST, LONGEST, UNDEFINED, ExpressionError, parse, text_of, truth
from recto.document.expressions.values import LONGEST_TEXT
from support.calls import calls

NAMES = {
    "visitor": {"claims": {"plan": "growth", "groups": ["beta", "eu"], "seats": 12, "trial": False}},
    "space": {"vars": {"api-live": "https://api.example.org", "days": 30, "none": None}},
    "reviews": [{"status": "approved"}, {"status": "changes-requested"}],
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a"', "a"),
        (r"'it\'s \u0061\x62\u{1F600}\n'", "it's ab😀\n"),
        (r'"\ud83d\ude00"', "😀"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000),
        ("0x1F", 31),
        ("-2", -2),
        ("true", True),
        ("false", False),
        ("null", None),
        ("undefined", UNDEFINED),
        ('[1, "a", [true],]', [1, "a", [True]]),
        ("visitor.claims.plan", "growth"),
        ('visitor["claims"].plan', "growth"),
        ('space.vars["api-live"]', "https://api.example.org"),
        ("visitor?.claims?.['plan']", "growth"),
        ("reviews[1].status", "changes-requested"),
        ("reviews[0.5]", UNDEFINED),
        ("reviews[-1]", UNDEFINED),
        ("reviews[2]", UNDEFINED),
        ("reviews[true]", UNDEFINED),
        ("reviews.length", 2),
        ("'abc'.length", 3),
        ("space.vars.none", None),
        ("space.vars.none.deeper", UNDEFINED),
        ("nobody.knows.this", UNDEFINED),
        ("nobody.knows.includes('x')", UNDEFINED),
        ("visitor.claims.groups.includes('eu')", True),
        ("visitor.claims.groups.includes('e')", False),
        ("visitor.claims.plan.includes('row')", True),
        ("visitor.claims.plan.includes(nobody)", False),
        ("'a1'.includes(1)", True),
        ("[1, 2].includes('1')", False),
        ("[NaN].includes(NaN)", True),
        ("visitor.claims.plan.charAt(0).toUpperCase() + visitor.claims.plan.slice(1)", "Growth"),
        ("'abc'.slice(-2, -1)", "b"),
        ("'abc'.slice()", "abc"),
        ("'abc'.charAt(3)", ""),
        ("'abc'.startsWith('ab') && 'abc'.endsWith('bc')", True),
        ("' a '.trim()", "a"),
        ("`plan: ${visitor.claims.plan}${` (${1 + 1})`}.`", "plan: growth (2)."),
        ("1 + 2", 3),
        ("1 + '2'", "12"),
        ("'' + null + undefined + [1, null, 2]", "nullundefined1,,2"),
        ("visitor.claims.plan || 'none'", "growth"),
        ("nobody || 'none'", "none"),
        ("nobody && nobody.name", UNDEFINED),
        ("0 ?? 1", 0),
        ("null ?? undefined ?? 1", 1),
        ("(null || 0) ?? 1", 0),
        ("visitor.claims.trial ? 'a' : nobody ? 'b' : 'c'", "c"),
        ("a?.5:1", 1),
        ("!nobody", True),
        ("!!visitor", True),
        ("!!!!!visitor", False),
        ("1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2", True),
        ("1 + 1 == 2 == true", True),
        ("1 === 1 || nobody", True),
        ("false || true && false", False),
    ],
)
def test_what_an_expression_gives(text: str, value: object) -> None:
    result = parse(text).evaluate(NAMES)
    assert result == value
    assert type(result) is type(value) or not isinstance(value, bool)


@pytest.mark.parametrize(
    ("left", "right", "loose", "strict", "less"),
    [
        ("null", "undefined", True, False, False),
        ("null", "0", False, False, False),
        ("nobody", "undefined", True, True, False),
        ("'1'", "1", True, False, False),
        ("''", "0", True, False, False),
        ("' 0x10 '", "16", True, False, False),
        ("'a'", "0", False, False, False),
        ("true", "1", True, False, False),
        ("true", "'1'", True, False, False),
        ("false", "2", False, False, True),
        ("NaN", "NaN", False, False, False),
        ("'10'", "'9'", False, False, True),
        ("'10'", "9", False, False, False),
        ("null", "1", False, False, True),
        ("undefined", "1", False, False, False),
        ("reviews", "reviews", True, True, False),
        ("[1]", "[1]", False, False, False),
        ("[1]", "1", False, False, False),
        ("reviews", "'[object Object],[object Object]'", False, False, False),
    ],
)
def test_comparison_between_kinds_is_javascripts(left: str, right: str, loose: bool, strict: bool, less: bool) -> None:
    def holds(sign: str) -> Any:
        return parse(f"{left} {sign} {right}").evaluate(NAMES)

    assert (holds("=="), holds("==="), holds("<")) == (loose, strict, less)
    assert (holds("!="), holds("!==")) == (not loose, not strict)
    assert parse(f"{right} > {left}").evaluate(NAMES) is less


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no expression (character 1)"),
        ("  ", "There is no expression (character 1)"),
        ("a =", "'=' is not part of the language (character 3)"),
        ("a ==", "It ends too early (character 5)"),
        ("a b", "“b” is not expected here (character 3)"),
        ("a 'b'", "A text is not expected here (character 3)"),
        ("(a", "“)” is missing before the end (character 3)"),
        ("a ? b", "“:” is missing before the end (character 6)"),
        ("[a", "“,” is missing before the end (character 3)"),
        ("a.", "A name is missing before the end (character 3)"),
        ("a[]", "“]” is not expected here (character 3)"),
        ("f(1)", "“(” is not expected here (character 2)"),
        ("a.pop()", "“pop” is no function of the language (character 3)"),
        ("a.includes()", "“includes” does not take 0 values (character 3)"),
        ("a.includes(1, 2)", "“includes” does not take 2 values (character 3)"),
        ("typeof a", "“typeof” is not part of the language (character 1)"),
        ("a in b", "“in” is not expected here (character 3)"),
        ("() => true", "“)” is not expected here (character 2)"),
        ("-a", "“-” is allowed only before numbers (character 1)"),
        ("1 - 1", "“-” is not expected here (character 3)"),
        ("01", "Unexpected character in a number (character 2)"),
        ("1px", "Unexpected character in a number (character 2)"),
        ("'abc", "A text is not closed (character 1)"),
        ("'a\nb'", "A text is not closed (character 1)"),
        (r"'\u00g0'", "Unknown escape in a text (character 2)"),
        (r"'\07'", "Unknown escape in a text (character 2)"),
        (r"'\u{110000}'", "There is no character of this number (character 2)"),
        (r"'\ud83d'", "A text contains half a character (character 1)"),
        ("`a${b", "“}” is missing before the end (character 6)"),
        ("a ?? b || c", "“||” is not expected here (character 8)"),
        ("a && b ?? c", "“??” beside “&&” or “||” needs parentheses (character 8)"),
        ("a" * (LONGEST + 1), f"An expression has at most {LONGEST} characters; this one goes on (character 10001)"),
        ("(" * 1000, f"Parts are nested deeper than {DEEPEST} (character {DEEPEST + 1})"),
    ],
)
def test_what_is_not_part_of_the_language_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_a_hundred_thousand_parentheses_are_an_error() -> None:
    for text in ("(" * 100_000, "(" * 100_000 + "1" + ")" * 100_000, "[" * 100_000, "!" * 100_000):
        with pytest.raises(ExpressionError):
            parse(text)


@pytest.mark.parametrize("opening", ["(", "[", "a[", "`${", "a ? b : ", "a ? (", "[].includes("])
def test_nesting_is_bounded_however_it_is_written(opening: str) -> None:
    closing = {"(": ")", "[": "]", "a[": "]", "`${": "}`", "a ? (": ") : c", "[].includes(": ")"}.get(opening, "")
    deepest = opening * (DEEPEST // 2) + "1" + closing * (DEEPEST // 2)
    if opening != "a ? (":
        parse(deepest).evaluate({})
    with pytest.raises(ExpressionError, match="deeper"):
        parse(opening * DEEPEST + "1" + closing * DEEPEST)


def test_length_is_bounded_at_the_edge() -> None:
    assert parse("a" * LONGEST).evaluate({}) is UNDEFINED
    assert parse("!" * (LONGEST - 1) + "a").evaluate({}) is True
    assert parse("a" + ".a" * ((LONGEST - 1) // 2)).evaluate({}) is UNDEFINED


class ReadList(Sequence[str]):
    """A list of as many letters as a text may have, which counts how many of them are read."""

    read = 0

    def __len__(self) -> int:
        return LONGEST_TEXT

    def __getitem__(self, place: Any) -> Any:
        self.read += 1
        return "a"


def test_a_text_is_put_together_as_far_as_it_may_go_and_no_further() -> None:
    letters, longest = ReadList(), "a" * LONGEST_TEXT
    assert parse("`${a}`").evaluate({"a": longest}) == longest
    assert parse("`${a}b`").evaluate({"a": longest}) is UNDEFINED
    assert parse("`" + "${a}" * 20 + "`").evaluate({"a": letters}) is UNDEFINED
    assert letters.read == LONGEST_TEXT


def test_a_text_that_is_nearly_a_number_is_read_once() -> None:
    digits = "0" * 300_000  # in time that grows with the square of this, it would be half an hour
    assert parse("a == 1").evaluate({"a": f"{digits}!"}) is False
    assert parse("a == 1").evaluate({"a": f".{digits}!"}) is False
    assert parse("a == 1.5").evaluate({"a": f"{digits}1.5{digits}"}) is True


def test_nothing_of_python_is_reached() -> None:
    class Thing:
        secret = "told"

    names = {"thing": Thing(), "object": {"thing": Thing()}, "call": len, "bytes": b"abc", "text": "abc"}
    for text in (
        "thing",
        "thing.secret",
        "object.thing",
        "object.thing.secret",
        "call",
        "call.__name__",
        "bytes.length",
        "text.__class__",
        "text.upper",
        "object.keys",
        "object.__class__",
        "[].__class__",
        "[]['append']",
    ):
        assert parse(text).evaluate(names) is UNDEFINED, text
    assert truth(Thing()) is False


def test_a_text_cannot_grow_without_bound() -> None:
    names = {"long": "x" * 60_000}
    assert parse("long + ''").evaluate(names) == names["long"]
    assert parse("long + long").evaluate(names) is UNDEFINED
    assert parse("`${long}${long}`").evaluate(names) is UNDEFINED


@pytest.mark.parametrize(("piece", "joint"), [("a", "||"), ("1", "+"), ("a", "=="), ("!a", "&&"), ("'x'", "<")])
def test_sixteen_times_the_size_takes_sixteen_times_the_steps(piece: str, joint: str) -> None:
    def evaluate(count: int) -> Callable[[], object]:
        text = joint.join([piece] * count)
        return lambda: parse(text).evaluate(NAMES)

    short, long = (calls(evaluate(count)) for count in (100, 1600))
    assert long <= 17 * short


@pytest.mark.parametrize(
    ("value", "true", "text"),
    [
        (UNDEFINED, False, "undefined"),
        (None, False, "null"),
        (False, False, "false"),
        (True, True, "true"),
        (0, False, "0"),
        (-0.0, False, "0"),
        (math.nan, False, "NaN"),
        (-math.inf, True, "-Infinity"),
        (30, True, "30"),
        (0.1, True, "0.1"),
        (100.0, True, "100"),
        (1e-6, True, "0.000001"),
        (1.5e-7, True, "1.5e-7"),
        (1e21, True, "1e+21"),
        (123456789012345680000, True, "123456789012345680000"),
        (10**400, True, "Infinity"),
        ("", False, ""),
        ("0", True, "0"),
        ([], True, ""),
        ([1, [2, None], "a"], True, "1,2,,a"),
        ({}, True, "[object Object]"),
    ],
)
def test_truth_and_text_of_a_value(value: object, true: bool, text: str) -> None:
    assert truth(value) is true
    assert text_of(value) == text


def test_the_names_it_depends_on() -> None:
    expression = parse(
        "space.vars['x'].y && !page.vars[visitor.claims.key] ? `${a.b.includes(c)}` : [d, 'e'.length][0]"
    )
    assert expression.names() == {
        ("space", "vars", "x", "y"),
        ("page", "vars"),
        ("visitor", "claims", "key"),
        ("a", "b"),
        ("c",),
        ("d",),
    }
    assert parse("1 + 1 == 2").names() == frozenset()


_ALPHABET = st.sampled_from(
    [
        *".?:+-()[]{}'\"`\\$=!<,1 ab\n\u2028é",
        *("?.", "==", "&&", "||", "??", "${", "includes", "in", "0x", ".5", "e9", "null"),
    ]
)


@pytest.mark.slow
@given(st.one_of(st.text(), st.lists(_ALPHABET).map("".join), st.text(st.characters())))
def test_random_text_raises_nothing_else(text: str) -> None:
    try:
        expression = parse(text)
    except ExpressionError as error:
        assert 0 <= error.place <= len(text)
    else:
        truth(expression.evaluate(NAMES))
        text_of(expression.evaluate({}))


_Model = Callable[[dict[str, Any]], Any]
_Written = tuple[str, _Model]
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=6,
)
_LEAVES: st.SearchStrategy[_Written] = st.sampled_from(
    [
        ("null", lambda _: None),
        ("true", lambda _: True),
        ("0", lambda _: 0),
        ("2", lambda _: 2),
        ("''", lambda _: ""),
        ('"ab"', lambda _: "ab"),
        ("x", lambda names: names.get("x", UNDEFINED)),
        ("y", lambda names: names.get("y", UNDEFINED)),
        ("missing", lambda _: UNDEFINED),
    ]
)


def _model_truth(value: Any) -> bool:
    return value not in (None, UNDEFINED, False, 0, "") or isinstance(value, list | dict)


def _model_member(value: Any, key: str) -> Any:
    return value.get(key, UNDEFINED) if isinstance(value, dict) else UNDEFINED


def _model_same(left: Any, right: Any) -> bool:
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return left is right
    number = (int, float)
    numbers = type(left) in number and type(right) in number
    return (numbers or type(left) is type(right)) and bool(left == right)


def _model_less(left: Any, right: Any) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return left < right

    def number(value: Any) -> float:
        if value is UNDEFINED or isinstance(value, list | dict):
            return math.nan
        if value is None or value == "":
            return 0
        if isinstance(value, str):
            return float(value) if value.isdigit() else math.nan
        return float(value)

    return number(left) < number(right)


def _join(sign: str, model: Callable[[Any, Any], Any]) -> Callable[[tuple[_Written, _Written]], _Written]:
    return lambda pair: (
        f"({pair[0][0]} {sign} {pair[1][0]})",
        lambda names: model(pair[0][1](names), pair[1][1](names)),
    )


def _trees(inner: st.SearchStrategy[_Written]) -> st.SearchStrategy[_Written]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        inner.map(lambda one: (f"!{one[0]}", lambda names: not _model_truth(one[1](names)))),
        st.tuples(inner, st.sampled_from("ab")).map(
            lambda one: (f"({one[0][0]}).{one[1]}", lambda names: _model_member(one[0][1](names), one[1]))
        ),
        pair.map(_join("&&", lambda left, right: right if _model_truth(left) else left)),
        pair.map(_join("||", lambda left, right: left if _model_truth(left) else right)),
        pair.map(_join("??", lambda left, right: right if left in (None, UNDEFINED) else left)),
        pair.map(_join("===", _model_same)),
        pair.map(_join("!==", lambda left, right: operator.not_(_model_same(left, right)))),
        pair.map(_join("<", _model_less)),
        pair.map(_join(">", lambda left, right: _model_less(right, left))),
    )


@given(
    st.recursive(_LEAVES, _trees, max_leaves=12),
    st.dictionaries(st.sampled_from(["x", "y"]), _VALUES, max_size=2),
)
def test_random_trees_give_what_a_model_gives(tree: _Written, names: dict[str, Any]) -> None:
    text, model = tree
    assert _model_same(parse(text).evaluate(names), model(names)), text
