"""Tokens of expressions, with their positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NoReturn

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


@dataclass(frozen=True, slots=True)
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
        value, end = quoted(text, start + 1, text[start])
        return Token("text", value, start, end + 1)
    if match := _NUMERAL.match(text, start) or _NUMBER.match(text, start):
        if _NAME.match(text, match.end()) or text[match.end() : match.end() + 1].isdigit():
            raise ExpressionError("A number goes on with what is no digit", match.end())
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


def quoted(text: str, place: int, quote: str) -> tuple[str, int]:
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
            return _joined(pieces, start), place
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
    raise ExpressionError("A text holds an escape that is not part of the language", place - 1)


def _joined(pieces: list[str], start: int) -> str:
    """Return a text with the halves of characters that escapes wrote put together."""
    text = "".join(pieces)
    if not _HALF.search(text):
        return text
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    if _HALF.search(whole):
        raise ExpressionError("A text holds half a character", start - 1)
    return whole
