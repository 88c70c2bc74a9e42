"""Cleaning text from outside: what may be shown on a terminal, byte-order marks and line ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from unicodedata import category, east_asian_width

_TAB, _NEWLINE, _DELETE = 0x09, 0x0A, 0x7F

# Marks that reverse or isolate the direction of what follows, and invisible operators that draw nothing.
_INVISIBLE = [
    *(0x00AD, 0x061C, 0x180E, 0xFEFF),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFFF9, 0xFFFC),  # what stands between them is a note that is not to be drawn
    *range(0xE0000, 0xE0080),  # letters that nobody sees
]
_JOINERS = (0x200C, 0x200D)  # letters of some scripts and composed emoji need them; they move no cursor
_LINE_SEPARATORS = (0x2028, 0x2029)

_SHOWN: dict[int, str | None] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if code not in (_TAB, _NEWLINE)},
    _DELETE: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"),
    **{code: None for code in _INVISIBLE if code not in _JOINERS},
    **dict.fromkeys(_LINE_SEPARATORS, " "),
}

_SHOWN_IN_PLACE = {code: shown or "\N{REPLACEMENT CHARACTER}" for code, shown in _SHOWN.items()}


def _runs(codes: Iterable[int]) -> Iterator[str]:
    """Give the ranges of a character class: one of thousands of single characters takes long to compile."""
    for _, run in groupby(enumerate(sorted(codes)), key=lambda place: place[1] - place[0]):
        first, *rest = (code for _, code in run)
        yield f"{re.escape(chr(first))}-{re.escape(chr(rest[-1]))}" if rest else re.escape(chr(first))


_UNSHOWABLE = re.compile(f"[{''.join(_runs(_SHOWN))}]")
_NO_SPACES = re.compile(
    "[\u2e80-\u302d\u3030-\u3130\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff9f\uffe0-\uffe6\U00020000-\U0003fffd]"
)
_LINE_WITHOUT_SPACE = re.compile(f"(?<={_NO_SPACES.pattern})[ \\t]*\n[ \\t]*(?={_NO_SPACES.pattern})")
_LINE_END = re.compile(r"\r\n?")


def printable(text: str) -> str:
    """Return the text with nothing in it that a terminal would act on.

    Control characters become the pictures Unicode has for them (escape is ``␛``), C1 controls the replacement
    character; marks that turn the direction of text or draw nothing are left out. Newline and tab stay.
    """
    if _UNSHOWABLE.search(text) is None:
        return text
    return text.translate(_SHOWN)


def printable_in_place(text: str) -> str:
    """Return the text as :func:`printable` does, but with a character for each one, as who changes it has to see it."""
    return text.translate(_SHOWN_IN_PLACE) if _UNSHOWABLE.search(text) else text


def has_no_spaces(character: str) -> bool:
    """Whether a character is of a script without spaces between words, so that no end of a line stands for one.

    Chinese and Japanese are; Korean has spaces between its words, and a line that ends there ends a word.
    """
    return _NO_SPACES.match(character) is not None


def is_cjk(character: str) -> bool:
    """Whether a character is Chinese, Japanese or Korean, punctuation and full-width letters included; no emoji."""
    if character < "\u1100" or east_asian_width(character) not in "WFH":
        return False
    return category(character) != "So" or "\u3000" <= character <= "\u33ff"


def joined_lines(text: str) -> str:
    """Return a text whose lines are joined without a space between two characters that have none between them."""
    return _LINE_WITHOUT_SPACE.sub("", text) if "\n" in text and not text.isascii() else text


def strip_bom(text: str) -> str:
    """Return the text without a byte-order mark at its start."""
    return text.removeprefix("\ufeff")


def normalise_line_ends(text: str) -> str:
    """Return the text with ``\\n`` at the end of each line, whatever it had (``\\r\\n`` or ``\\r``)."""
    return _LINE_END.sub("\n", text) if "\r" in text else text
