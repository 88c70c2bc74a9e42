from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.document.markdown.math_text import math_text, shifted_letters, subscript, superscript


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"E = mc^2", "E = mc²"),
        (r"\alpha^2 + \beta_{ij} \leq \sqrt{2}", "α² + βᵢⱼ ≤ √2"),
        (r"\frac{a+b}{c} = \sum_{i=0}^{n} x_i", "(a+b)/c = ∑ᵢ₌₀ⁿ xᵢ"),
        (r"\int_0^\infty e^{-x^2} \, dx", "∫₀^∞ e^(-x²) dx"),
        (r"\begin{aligned} a &= b \\ c &= \text{if } d \end{aligned}", "a = b\nc = if d"),
        (r"f: \mathbb{R}^n \to \mathbb{R}", "f: ℝⁿ → ℝ"),
        (r"\left( \frac12 \right)", "( 1/2 )"),
        (r"\operatorname{rank}(A) \ge \unheardof{x}", "rank(A) ≥ unheardofx"),
        ("no formula at all", "no formula at all"),
        ("", ""),
    ],
)
def test_formulas_are_text_that_can_be_read(formula: str, text: str) -> None:
    assert math_text(formula) == text


@pytest.mark.parametrize("formula", ["}", "{" * 200 + "x", "^", "_", "\\", r"\frac", r"\sqrt{", "x^" * 200, "a}b{c"])
def test_what_is_no_formula_is_text_all_the_same(formula: str) -> None:
    letters = [letter for letter in formula if letter in "xabc"]
    shown = unicodedata.normalize("NFKC", math_text(formula))
    assert [letter for letter in shown if letter in "xabc"] == letters or formula.startswith("\\")


@given(st.text(st.sampled_from("ab12{}^_\\&$ \n") | st.characters(), max_size=60))
def test_no_formula_is_too_much(formula: str) -> None:
    math_text(formula)


def test_only_what_has_letters_of_its_own_throughout_is_raised_and_lowered() -> None:
    assert [superscript(text) for text in ("2", "th", "T", "−3", "Q", "a b")] == ["²", "ᵗʰ", "ᵀ", "⁻³", None, None]
    assert [subscript(text) for text in ("2", "max", "β", "b", "T")] == ["₂", "ₘₐₓ", "ᵦ", None, None]


def test_what_has_no_letter_of_its_own_stands_behind_a_mark() -> None:
    assert math_text("x^Q + x^{a b} + x_b") == "x^Q + x^(a b) + x_b"


@pytest.mark.parametrize("letter", "2nNt-βx")
def test_the_letters_above_and_below_the_line_are_known_whatever_the_case(letter: str) -> None:
    known = {shifted(case) for shifted in (superscript, subscript) for case in (letter.lower(), letter.upper())}
    assert set(shifted_letters(letter)) == known - {None}
    assert known != {None}
