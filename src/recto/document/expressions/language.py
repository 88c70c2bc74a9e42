"""The language of expressions: conditions, merge rules and the values that a text shows.

It is a small part of JavaScript: literals, names, members (``a.b``, ``a["b"]``, ``a?.b``), comparison, ``&&``, ``||``,
``!``, ``??``, ``a ? b : c``, ``+``, templates in backticks, and the harmless functions of ``expressions.values``. A
name that nothing was given for is undefined, and undefined is false. Anything else is an error, never true. Reading
and evaluating take time in proportion to the text, and both are bounded: ``LONGEST`` and ``DEEPEST``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NoReturn

from recto.document.expressions.values import (
    FUNCTIONS,
    UNDEFINED,
    add,
    at_most,
    call,
    join,
    less,
    loosely_equal,
    member,
    plain,
    strictly_equal,
    text_of,
    truth,
)
from recto.frozen import frozen

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
_NUMERAL = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_NUMBER = re.compile(r"(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# A question mark and a point before a digit are the beginning of a choice: ``a?.5:1``.
_SIGN = re.compile(r"===|!==|\?\.(?![0-9])|==|!=|<=|>=|&&|\|\||\?\?|[<>!+\-?:.,()\[\]`}]")
_PLAIN = re.compile(r"[^\\'\"`$\n\r\u2028\u2029]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_UNIT = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")
_LINE_ENDS = "\n\r\u2028\u2029"


class ExpressionError(ValueError):
    """An expression cannot be read; the message names the fault and the character, counted from 1."""

    def __init__(self, problem: str, place: int) -> None:
        super().__init__(f"{problem} (character {place + 1})")
        self.place = place
        """Where in the text, counted from 0."""


@frozen
class Token:
    """A word or sign at ``text[start:end]``; ``value`` is the sign or name itself, or what a literal stands for."""

    kind: Literal["name", "number", "text", "sign", "end"]
    value: str | float
    start: int
    end: int

    @property
    def described(self) -> str:
        """How a message names it."""
        if self.kind in ("end", "text", "number"):
            return {"end": "the end", "text": "a text", "number": "a number"}[self.kind]
        return f"“{self.value}”"


def token_at(text: str, place: int) -> Token:
    """Return the first token at or after a place of the text; ``ExpressionError`` where there is none."""
    start = _end(_SPACE, text, place)
    if start == len(text):
        return Token("end", "", start, start)
    if text[start] in "'\"":
        value, end = read_quoted(text, start + 1, text[start])
        return Token("text", value, start, end + 1)
    if match := _NUMERAL.match(text, start) or _NUMBER.match(text, start):
        if _NAME.match(text, match.end()) or text[match.end() : match.end() + 1].isdigit():
            raise ExpressionError("Unexpected character in a number", match.end())
        return Token("number", _value(match[0]), start, match.end())
    if match := _NAME.match(text, start):
        return Token("name", match[0], start, match.end())
    if match := _SIGN.match(text, start):
        return Token("sign", match[0], start, match.end())
    raise ExpressionError(f"{text[start]!r} is not part of the language", start)


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _value(numeral: str) -> float:
    base = {"x": 16, "o": 8, "b": 2}.get(numeral[1:2].lower())
    if base is None:
        return float(numeral)
    try:
        return float(int(numeral[2:], base))
    except OverflowError:
        return float("inf")


def read_quoted(text: str, place: int, quote: str) -> tuple[str, int]:
    """Return the text from a place on, its escapes resolved, and where what ends it stands.

    It ends with its closing quote; in backticks with a ``${`` too.
    """
    pieces: list[str] = []
    start = place
    while place < len(text):
        if match := _PLAIN.match(text, place):
            pieces.append(match[0])
            place = match.end()
            continue
        sign = text[place]
        if sign == quote or (quote == "`" and text.startswith("${", place)):
            return _join_surrogates(pieces, start), place
        if sign == "\\":
            piece, place = _escape(text, place + 1)
            pieces.append(piece)
        elif sign in _LINE_ENDS and quote != "`":
            break
        else:
            pieces.append(sign)
            place += 1
    raise ExpressionError("A text is not closed", start - 1)


def _escape(text: str, place: int) -> tuple[str, int]:
    if match := _UNIT.match(text, place):
        code = int(match[1] or match[2] or match[3], 16)
        if code > 0x10FFFF:
            raise ExpressionError("There is no character of this number", place - 1)
        return chr(code), match.end()
    sign = text[place : place + 1]
    if not sign or sign in "ux" or sign in _LINE_ENDS or (sign.isdigit() and (sign != "0" or _digit(text, place + 1))):
        _refuse_escape(place)
    return "\0" if sign == "0" else _ESCAPES.get(sign, sign), place + 1


def _digit(text: str, place: int) -> bool:
    return text[place : place + 1].isdigit()


def _refuse_escape(place: int) -> NoReturn:
    raise ExpressionError("Unknown escape in a text", place - 1)


def _join_surrogates(pieces: list[str], start: int) -> str:
    """Return a text with the halves of characters that escapes wrote put together."""
    text = "".join(pieces)
    if not _HALF.search(text):
        return text
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    if _HALF.search(whole):
        raise ExpressionError("A text contains half a character", start - 1)
    return whole


__all__ = ["DEEPEST", "LONGEST", "UNDEFINED", "Expression", "ExpressionError", "parse", "text_of", "truth"]

LONGEST: Final = 10_000
"""The most characters of an expression."""

DEEPEST: Final = 40
"""How deep parts of an expression may stand in each other."""

_LITERALS: Mapping[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": UNDEFINED,
    "NaN": float("nan"),
    "Infinity": float("inf"),
}
_RESERVED = re.compile(
    r"await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|"
    r"export|extends|finally|for|function|if|import|in|instanceof|let|new|return|static|"
    r"super|switch|this|throw|try|typeof|var|void|while|with|yield"
)
# How tightly each sign binds what stands to its two sides.
_BINDING = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "===", "!=="), 3),
    **dict.fromkeys(("<", "<=", ">", ">="), 4),
    "+": 5,
}
_COMPUTED: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": loosely_equal,
    "!=": lambda left, right: not loosely_equal(left, right),
    "===": strictly_equal,
    "!==": lambda left, right: not strictly_equal(left, right),
    "<": less,
    "<=": at_most,
    ">": lambda left, right: less(right, left),
    ">=": lambda left, right: at_most(right, left),
    "+": add,
}


@frozen
class _Literal:
    value: object

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        return self.value


@frozen
class _Name:
    name: str

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        return plain(names.get(self.name, UNDEFINED))


@frozen
class _Many:
    """A list, or a template, whose parts are put together by ``build``."""

    parts: tuple[_Node, ...]
    build: Callable[[list[Any]], Any]

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        return self.build([part.evaluate(names) for part in self.parts])


@frozen
class _Call:
    """A function called on a value, as the last of a chain of members or between two of them."""

    function: str
    arguments: tuple[_Node, ...]


@frozen
class _Chain:
    """A value and a chain of members and functions on it."""

    first: _Node
    steps: tuple[_Node | _Call, ...]

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        value = self.first.evaluate(names)
        for step in self.steps:
            if isinstance(step, _Call):
                value = call(value, step.function, [argument.evaluate(names) for argument in step.arguments])
            else:
                value = member(value, step.evaluate(names))
        return value


@frozen
class _Not:
    operand: _Node

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        return not truth(self.operand.evaluate(names))


@frozen
class _Binary:
    """Operands joined by signs that bind equally tightly, from the left: ``first (sign operand)…``."""

    first: _Node
    rest: tuple[tuple[str, _Node], ...]

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        value = self.first.evaluate(names)
        for sign, operand in self.rest:
            if sign in _COMPUTED:
                value = _COMPUTED[sign](value, operand.evaluate(names))
            elif _needs_right_side(sign, value):
                value = operand.evaluate(names)
        return value


@frozen
class _Choice:
    condition: _Node
    then: _Node
    otherwise: _Node

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        chosen = self.then if truth(self.condition.evaluate(names)) else self.otherwise
        return chosen.evaluate(names)


_Node = _Literal | _Name | _Many | _Chain | _Not | _Binary | _Choice


def _needs_right_side(sign: str, value: object) -> bool:
    if sign == "??":
        return value is None or value is UNDEFINED
    return truth(value) == (sign == "&&")


@frozen
class Expression:
    """An expression that has been read; ``text`` is how it is written."""

    text: str
    _root: _Node

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        """Return its value for what the names stand for; ``UNDEFINED`` where it depends on a missing name."""
        return self._root.evaluate(names)

    def names(self) -> frozenset[tuple[str, ...]]:
        """Return the paths of members it depends on, each as far as it is written out: ``("space", "vars", "x")``."""
        return frozenset(_paths(self._root))


def parse(text: str) -> Expression:
    """Parse an expression; raises ``ExpressionError``."""
    if not text.strip():
        raise ExpressionError("There is no expression", 0)
    if len(text) > LONGEST:
        raise ExpressionError(f"An expression has at most {LONGEST} characters; this one goes on", LONGEST)
    return Expression(text, _Parser(text).whole())


def _paths(node: _Node) -> Iterator[tuple[str, ...]]:
    match node:
        case _Name(name):
            yield (name,)
        case _Many(parts):
            for part in parts:
                yield from _paths(part)
        case _Not(operand):
            yield from _paths(operand)
        case _Binary(first, rest):
            yield from _paths(first)
            for _, operand in rest:
                yield from _paths(operand)
        case _Choice(condition, then, otherwise):
            for part in (condition, then, otherwise):
                yield from _paths(part)
        case _Chain():
            yield from _chain_paths(node)


def _chain_paths(chain: _Chain) -> Iterator[tuple[str, ...]]:
    path: list[str] = []
    written_out = isinstance(chain.first, _Name)
    if isinstance(chain.first, _Name):
        path.append(chain.first.name)
    else:
        yield from _paths(chain.first)
    for step in chain.steps:
        if written_out and isinstance(step, _Literal) and isinstance(step.value, str):
            path.append(step.value)
            continue
        written_out = False
        for part in step.arguments if isinstance(step, _Call) else (step,):
            yield from _paths(part)
    if path:
        yield tuple(path)


class _Parser:
    """Reads an expression by recursive descent, with a token of lookahead; the depth is bounded."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self._token = token_at(text, 0)

    def whole(self) -> _Node:
        node = self._choice()
        return node if self._token.kind == "end" else self._refuse()

    def _next(self, place: int | None = None) -> Token:
        """Return the current token and advance to the next, or to the token at a position."""
        token = self._token
        self._token = token_at(self._text, token.end if place is None else place)
        return token

    def _is_at(self, *signs: str) -> bool:
        return self._token.kind == "sign" and self._token.value in signs

    def _expect(self, sign: str) -> None:
        if not self._is_at(sign):
            raise ExpressionError(f"“{sign}” is missing before {self._token.described}", self._token.start)
        self._next()

    def _refuse(self) -> NoReturn:
        found = self._token.described
        unexpected = f"{found[:1].upper()}{found[1:]} is not expected here"
        raise ExpressionError("It ends too early" if self._token.kind == "end" else unexpected, self._token.start)

    def _choice(self) -> _Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ExpressionError(f"Parts are nested deeper than {DEEPEST}", self._token.start)
        node = self._fallback()
        if self._is_at("?"):
            self._next()
            then = self._choice()
            self._expect(":")
            node = _Choice(node, then, self._choice())
        self._depth -= 1
        return node

    def _fallback(self) -> _Node:
        first = self._binary(1)
        rest: list[tuple[str, _Node]] = []
        while self._is_at("??"):
            self._next()
            rest.append(("??", self._binary(3)))
        return _Binary(first, tuple(rest)) if rest else first

    def _binary(self, binding: int) -> _Node:
        if binding > max(_BINDING.values()):
            return self._unary()
        first = self._binary(binding + 1)
        rest: list[tuple[str, _Node]] = []
        while self._token.kind == "sign" and _BINDING.get(str(self._token.value)) == binding:
            sign = str(self._next().value)
            rest.append((sign, self._binary(binding + 1)))
        if rest and binding <= 2 and self._is_at("??"):
            # As in JavaScript, which leaves open which of the two would come first.
            raise ExpressionError("“??” beside “&&” or “||” needs parentheses", self._token.start)
        return _Binary(first, tuple(rest)) if rest else first

    def _unary(self) -> _Node:
        negations = 0
        while self._is_at("!"):
            self._next()
            negations += 1
        node = self._chain()
        # Two negations make a truth value of a value; more than that say nothing new.
        for _ in range(2 - negations % 2 if negations else 0):
            node = _Not(node)
        return node

    def _chain(self) -> _Node:
        first = self._primary()
        steps: list[_Node | _Call] = []
        while self._is_at(".", "?.", "["):
            if self._is_at("["):
                steps.append(self._index())
                continue
            optional = self._next().value == "?."
            if optional and self._is_at("["):
                steps.append(self._index())
            else:
                steps.append(self._parse_name())
        return _Chain(first, tuple(steps)) if steps else first

    def _index(self) -> _Node:
        self._next()
        key = self._choice()
        self._expect("]")
        return key

    def _parse_name(self) -> _Node | _Call:
        if self._token.kind != "name":
            raise ExpressionError(f"A name is missing before {self._token.described}", self._token.start)
        token = self._next()
        name = str(token.value)
        if not self._is_at("("):
            return _Literal(name)
        if name not in FUNCTIONS:
            raise ExpressionError(f"“{name}” is no function of the language", token.start)
        least, most = FUNCTIONS[name]
        self._next()
        arguments = self._items(")")
        if not least <= len(arguments) <= most:
            raise ExpressionError(f"“{name}” does not take {len(arguments)} values", token.start)
        return _Call(name, arguments)

    def _items(self, closing: str) -> tuple[_Node, ...]:
        items: list[_Node] = []
        while not self._is_at(closing):
            items.append(self._choice())
            if not self._is_at(closing):
                self._expect(",")
        self._next()
        return tuple(items)

    def _primary(self) -> _Node:
        token = self._token
        if token.kind in ("number", "text"):
            return _Literal(self._next().value)
        if token.kind == "name":
            name = str(token.value)
            if _RESERVED.fullmatch(name):
                raise ExpressionError(f"“{name}” is not part of the language", token.start)
            self._next()
            return _Literal(_LITERALS[name]) if name in _LITERALS else _Name(name)
        if self._is_at("-"):
            self._next()
            if self._token.kind != "number":
                raise ExpressionError("“-” is allowed only before numbers", token.start)
            return _Literal(-float(self._next().value))
        if self._is_at("`"):
            return self._template()
        if self._is_at("["):
            self._next()
            return _Many(self._items("]"), list)
        if self._is_at("("):
            self._next()
            node = self._choice()
            self._expect(")")
            return node
        return self._refuse()

    def _template(self) -> _Node:
        parts: list[_Node] = []
        place = self._token.end
        while True:
            piece, place = read_quoted(self._text, place, "`")
            parts.append(_Literal(piece))
            if self._text[place] == "`":
                break
            self._next(place + 2)
            parts.append(self._choice())
            if not self._is_at("}"):
                raise ExpressionError(f"“}}” is missing before {self._token.described}", self._token.start)
            place = self._token.end
        self._next(place + 1)
        return _Many(tuple(parts), join)
