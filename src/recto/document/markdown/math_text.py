"""TeX formulas as readable text: Unicode letters and signs, superscripts, subscripts and fractions.

Unknown commands stay as written, without the backslash, so no part of a formula is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from recto.pattern import pattern

_GREEK = {
    name: letter
    for names, letters in (
        (
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon "
            "phi chi psi omega varepsilon vartheta varpi varrho varsigma varphi",
            "αβγδεζηθικλμνξοπρστυφχψωεϑϖϱςϕ",
        ),
        ("Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega", "ΓΔΘΛΞΠΣΥΦΨΩ"),
    )
    for name, letter in zip(names.split(), letters, strict=True)
}
_SIGNS = {
    **dict.fromkeys(("le", "leq", "leqslant"), "≤"),
    **dict.fromkeys(("ge", "geq", "geqslant"), "≥"),
    **dict.fromkeys(("ne", "neq"), "≠"),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow"), "→"),
    **dict.fromkeys(("gets", "leftarrow"), "←"),
    **dict.fromkeys(("Rightarrow", "implies"), "⇒"),
    **dict.fromkeys(("Leftrightarrow", "iff"), "⇔"),
    **dict.fromkeys(("land", "wedge"), "∧"),
    **dict.fromkeys(("lor", "vee"), "∨"),
    **dict.fromkeys(("lnot", "neg"), "¬"),
    **dict.fromkeys(("ldots", "dots", "cdots", "dotsc", "dotsb"), "…"),
    **dict.fromkeys(("emptyset", "varnothing"), "∅"),
    **dict.fromkeys(("mid", "vert", "lvert", "rvert"), "|"),
    **dict.fromkeys(("Vert", "lVert", "rVert", "|", "parallel"), "‖"),
    **dict.fromkeys(("quad", "qquad", ",", ";", ":", " ", "enspace", "thinspace"), " "),
    **dict.fromkeys(("!", "left", "right", "big", "Big", "bigg", "Bigg", "displaystyle", "textstyle", "limits"), ""),
    "approx": "≈", "equiv": "≡", "sim": "∼", "simeq": "≃", "cong": "≅", "propto": "∝", "ll": "≪", "gg": "≫",
    "pm": "±", "mp": "∓", "times": "×", "div": "÷", "cdot": "·", "ast": "∗", "star": "⋆", "circ": "∘", "bullet": "•",
    "oplus": "⊕", "otimes": "⊗", "sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "partial": "∂",
    "nabla": "∇", "infty": "∞", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆", "supset": "⊃",
    "supseteq": "⊇", "cup": "∪", "cap": "∩", "setminus": "∖", "forall": "∀", "exists": "∃", "nexists": "∄",
    "leftrightarrow": "↔", "mapsto": "↦", "uparrow": "↑", "downarrow": "↓", "Leftarrow": "⇐", "therefore": "∴",
    "because": "∵", "perp": "⊥", "angle": "∠", "degree": "°", "prime": "′", "hbar": "ℏ", "ell": "ℓ", "Re": "ℜ",
    "Im": "ℑ", "aleph": "ℵ", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
    "vdots": "⋮", "ddots": "⋱", "dagger": "†", "top": "⊤", "bot": "⊥", "vdash": "⊢", "models": "⊨", "\\": "\n",
}  # fmt: skip
_RAISED = dict(
    zip(
        "0123456789+-−=()niabcdefghjklmoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδφχ",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᵠᵡ",
        strict=True,
    )
)
_LOWERED = dict(zip("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))
_DOUBLE = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "P": "ℙ", "H": "ℍ", "E": "𝔼"}
_ACCENTS = {"hat": "̂", "bar": "̄", "vec": "⃗", "tilde": "̃", "dot": "̇", "overline": "̅"}
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
_PLAIN = frozenset({"text", "textbf", "textit", "textrm", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathtt",
                    "operatorname", "boldsymbol", "mbox", "underline", "boxed", "tag"})  # fmt: skip
_TOKEN = pattern(r"\\(?:[A-Za-z]+\*?|.)|[{}^_&]|[^\\{}^_&]+?", re.DOTALL)
_ONE = pattern(r"[\w.]+|\W?", re.UNICODE)
_SPACES = pattern(r"[ \t]+")
_DEEPEST = 40


def math_text(formula: str) -> str:
    """Return a formula as it can be read on a terminal; its lines are those that ``\\\\`` ends."""
    reader = _Reader([token[0] for token in _TOKEN.finditer(formula)])
    text = "".join(reader.rest(0))
    return "\n".join(_SPACES.sub(" ", line).strip() for line in text.split("\n")).strip("\n")


def superscript(text: str) -> str | None:
    """Return a text in superscript letters; ``None`` if a letter has no such form."""
    return _replace_letters(text, _RAISED)


def subscript(text: str) -> str | None:
    """Return a text in subscript letters; ``None`` if a letter has no such form."""
    return _replace_letters(text, _LOWERED)


def shifted_letters(letter: str) -> str:
    """Return the letters that a raised or lowered letter stands for, in either case."""
    return "".join(
        letters[one] for one in {letter.lower(), letter.upper()} for letters in (_RAISED, _LOWERED) if one in letters
    )


def is_one(text: str) -> bool:
    """Whether a text is a single word or sign, which needs no brackets."""
    return len(text) < 2 or _ONE.fullmatch(text) is not None


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def rest(self, depth: int) -> Iterator[str]:
        """Yield the text up to the end of the group that is being read."""
        while self._at < len(self._tokens):
            token = self._take()
            if token == "}":
                if depth:
                    return
                yield token
            else:
                yield self._one(token, depth)

    def _take(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _argument(self, depth: int) -> str:
        """Return the argument of a command or a raised sign: a group, a command, or a character."""
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        if self._at == len(self._tokens) or self._tokens[self._at] == "}":
            return ""
        return self._one(self._take(), depth)

    def _one(self, token: str, depth: int) -> str:
        if token == "{":
            return "".join(self.rest(depth + 1)) if depth < _DEEPEST else ""
        if token in ("^", "_") and depth < _DEEPEST:
            return _shift(self._argument(depth + 1), token)
        if token == "&":
            return " "
        if token == "\n":
            return " "
        if token.startswith("\\") and len(token) > 1:
            return self._command(token[1:], depth)
        return token

    def _command(self, name: str, depth: int) -> str:
        if name in _GREEK or name in _SIGNS:
            return _GREEK.get(name) or _SIGNS[name]
        if depth >= _DEEPEST:
            return name
        if name in _FRACTIONS:
            above, below = self._argument(depth + 1), self._argument(depth + 1)
            return f"{_group(above)}/{_group(below)}"
        if name in ("binom", "dbinom"):
            return f"({self._argument(depth + 1)} over {self._argument(depth + 1)})"
        if name == "sqrt":
            return f"√{_group(self._argument(depth + 1))}"
        if name == "mathbb":
            return "".join(_DOUBLE.get(letter, letter) for letter in self._argument(depth + 1))
        if name in _ACCENTS:
            return _accent(self._argument(depth + 1), _ACCENTS[name])
        if name in _PLAIN:
            return self._argument(depth + 1)
        if name in ("begin", "end"):
            self._argument(depth + 1)
            return ""
        return name


def _group(text: str) -> str:
    return text if is_one(text) else f"({text})"


def _accent(text: str, accent: str) -> str:
    return text + accent if len(text) == 1 else text


def _shift(text: str, mark: str) -> str:
    """Return a superscript or subscript: in Unicode letters if they exist, else after a mark."""
    return _replace_letters(text, _RAISED if mark == "^" else _LOWERED) or mark + _group(text)


def _replace_letters(text: str, letters: Mapping[str, str]) -> str | None:
    return "".join(letters[letter] for letter in text) if all(letter in letters for letter in text) else None
