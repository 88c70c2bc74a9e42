"""Cleaning text from outside: what may be shown on a terminal, byte-order marks and line ends."""

from __future__ import annotations

from unicodedata import category, east_asian_width

from recto.pattern import pattern

_TAB, _NEWLINE, _DELETE = 0x09, 0x0A, 0x7F

# Marks that reverse or isolate the direction of what follows, and invisible operators that draw nothing.
_INVISIBLE = [
    *(0x00AD, 0x061C, 0x180E, 0xFEFF),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFFF9, 0xFFFC),  # what stands between them is a note that is not to be drawn
    *range(0xE0000, 0xE0080),  # invisible letters
]
_JOINERS = (0x200C, 0x200D)  # letters of some scripts and composed emoji need them; they move no cursor
_LINE_SEPARATORS = (0x2028, 0x2029)

_MARKS = "#>*-+ "
"""What the source of a block may begin with that is not its words."""

_SHOWN: dict[int, str | None] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if code not in (_TAB, _NEWLINE)},
    _DELETE: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"),
    **{code: None for code in _INVISIBLE if code not in _JOINERS},
    **dict.fromkeys(_LINE_SEPARATORS, " "),
}

_SHOWN_IN_PLACE = {code: shown or "\N{REPLACEMENT CHARACTER}" for code, shown in _SHOWN.items()}


# Written out: to find the ranges among thousands of single characters takes longer than a first frame has time for.
_UNSHOWABLE = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_NO_SPACES = (
    "[\u2e80-\u302d\u3030-\u3130\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff9f\uffe0-\uffe6\U00020000-\U0003fffd]"
)
_NO_SPACE = pattern(_NO_SPACES)
_LINE_WITHOUT_SPACE = pattern(f"(?<={_NO_SPACES})[ \\t]*\n[ \\t]*(?={_NO_SPACES})")
_FIRST_WITHOUT_SPACES = "\u2e80"

_LINE_END = pattern(r"\r\n?")


def _is_showable(text: str) -> bool:
    return text.replace("\n", " ").isprintable() or _UNSHOWABLE.search(text) is None


def printable(text: str) -> str:
    """Return the text without terminal control characters.

    Control characters become the pictures Unicode has for them (escape is ``␛``), C1 controls the replacement
    character; marks that turn the direction of text or draw nothing are left out. Newline and tab stay.
    """
    return text if _is_showable(text) else text.translate(_SHOWN)


def printable_in_place(text: str) -> str:
    """Return the text as :func:`printable` does, but with a character for each character, for editors."""
    return text if _is_showable(text) else text.translate(_SHOWN_IN_PLACE)


def has_no_spaces(character: str) -> bool:
    """Whether a character is of a script without spaces between words, where line ends are no spaces.

    Chinese and Japanese are; Korean has spaces between its words, and a line that ends there ends a word.
    """
    return character >= _FIRST_WITHOUT_SPACES and _NO_SPACE.match(character) is not None


def is_cjk(character: str) -> bool:
    """Whether a character is Chinese, Japanese or Korean, punctuation and full-width letters included; no emoji."""
    if character < "\u1100" or east_asian_width(character) not in "WFH":
        return False
    return category(character) != "So" or "\u3000" <= character <= "\u33ff"


def join_lines(text: str) -> str:
    """Return a text whose lines are joined without a space between two characters that have none between them."""
    return _LINE_WITHOUT_SPACE.sub("", text) if "\n" in text and not text.isascii() else text


def on_one_line(text: str) -> str:
    """Return a text on one line: its white space is single spaces, and its lines are joined as they read."""
    return " ".join(join_lines(text).split())


def strip_bom(text: str) -> str:
    """Return the text without a byte-order mark at its start."""
    return text.removeprefix("\ufeff")


def normalise_line_ends(text: str) -> str:
    """Return the text with ``\\n`` at the end of each line, whatever it had (``\\r\\n`` or ``\\r``)."""
    return _LINE_END.sub("\n", text) if "\r" in text else text


def count(number: int, one: str, many: str | None = None) -> str:
    """Count things in words: ``1 page``, ``12 pages``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def strip_marks(beginning: str) -> str:
    """Return how a block begins without the marks of a heading, a quote or a list."""
    return beginning.lstrip(_MARKS)
