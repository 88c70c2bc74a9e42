"""Fonts of a PDF: the families that set Chinese, Japanese, Korean and emoji, in the order in which they are tried.

Han characters have different shapes in each language, so the families of the language that is written come first.
A book names all that may do; the process that sets it keeps those that are installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any
from unicodedata import category, name

TEXT = "Libertinus Serif"
CODE = "DejaVu Sans Mono"
"""The fonts of text and code; both come with the typesetter."""


class HanVariant(StrEnum):
    """A way to write Han characters, by its language and region."""

    SIMPLIFIED = "zh-CN"
    TRADITIONAL = "zh-TW"
    HONG_KONG = "zh-HK"
    JAPANESE = "ja-JP"
    KOREAN = "ko-KR"


_LANGUAGES = {
    "zh": HanVariant.SIMPLIFIED,
    "zh-tw": HanVariant.TRADITIONAL,
    "yue": HanVariant.HONG_KONG,
    "ja": HanVariant.JAPANESE,
    "ko": HanVariant.KOREAN,
}
_WORDS = {
    HanVariant.SIMPLIFIED: "simplified Chinese",
    HanVariant.TRADITIONAL: "traditional Chinese",
    HanVariant.HONG_KONG: "Chinese of Hong Kong",
    HanVariant.JAPANESE: "Japanese",
    HanVariant.KOREAN: "Korean",
}
_ENDINGS = {
    HanVariant.SIMPLIFIED: "SC",
    HanVariant.TRADITIONAL: "TC",
    HanVariant.HONG_KONG: "HK",
    HanVariant.JAPANESE: "JP",
    HanVariant.KOREAN: "KR",
}
"""The endings of names of Noto families."""

_FREE = ("Noto Serif CJK {}", "Noto Serif {}", "Noto Sans CJK {}", "Noto Sans {}")
_MONOSPACED = "Noto Sans Mono CJK {}"
_OTHERS = {
    HanVariant.SIMPLIFIED: (
        *("Source Han Serif SC", "Source Han Serif CN", "Source Han Sans SC", "Source Han Sans CN", "Songti SC"),
        *("WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "PingFang SC", "SimSun", "Microsoft YaHei"),
    ),
    HanVariant.TRADITIONAL: (
        *("Source Han Serif TC", "Source Han Serif TW", "Source Han Sans TC", "Source Han Sans TW", "Songti TC"),
        *("AR PL UMing TW", "PingFang TC", "PMingLiU", "Microsoft JhengHei"),
    ),
    HanVariant.HONG_KONG: ("Source Han Serif HK", "Source Han Sans HK", "PingFang HK", "MingLiU_HKSCS"),
    HanVariant.JAPANESE: (
        *("Source Han Serif", "Source Han Serif JP", "Source Han Sans", "Source Han Sans JP", "IPAexMincho"),
        *("IPAexGothic", "IPAMincho", "IPAGothic", "Hiragino Mincho ProN", "Hiragino Sans", "Yu Mincho", "MS Mincho"),
    ),
    HanVariant.KOREAN: (
        *("Source Han Serif K", "Source Han Serif KR", "Source Han Sans K", "Source Han Sans KR", "NanumMyeongjo"),
        *("NanumGothic", "AppleMyungjo", "Apple SD Gothic Neo", "Batang", "Malgun Gothic"),
    ),
}
_EMOJI = ("Noto Color Emoji", "Noto Emoji", "Twemoji Mozilla", "OpenMoji", "Apple Color Emoji", "Segoe UI Emoji")

_HAN = re.compile("[\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
_WRITTEN = re.compile(f"{_HAN.pattern}|{_KANA.pattern}|{_HANGUL.pattern}")
_SIGN = re.compile("[\u3000-\u303f\u3200-\u33ff\ufe30-\ufe4f\uff00-\uffef]")
_FIRST_PICTOGRAPH = 0x1F000
_SCRIPTS = frozenset(
    {
        *("Arabic", "Armenian", "Bengali", "Devanagari", "Ethiopic", "Georgian", "Gujarati", "Gurmukhi", "Hebrew"),
        *("Kannada", "Khmer", "Lao", "Malayalam", "Mongolian", "Myanmar", "Sinhala", "Tamil", "Telugu", "Thai"),
    }
)
"""Scripts that a family of Noto is called after, as Unicode calls them in the names of their letters."""


def writing_of(language: str | None, characters: Mapping[str, int]) -> HanVariant | None:
    """Return how Han characters are written, by the language of a space or else by how often each character stands.

    Without any character of Chinese, Japanese or Korean there is no answer.
    """
    if language in _LANGUAGES:
        return _LANGUAGES[language]
    han, kana, hangul = (_count(script, characters) for script in (_HAN, _KANA, _HANGUL))
    if not han + kana + hangul:
        return None
    if hangul > han + kana:
        return HanVariant.KOREAN
    if kana * 4 > han:  # Japanese has more kana than Han characters, Chinese hardly any
        return HanVariant.JAPANESE
    # The two national encodings hold the characters used in mainland China and in Taiwan.
    traditional = _count_only("big5", "gb2312", characters) > _count_only("gb2312", "big5", characters)
    return HanVariant.TRADITIONAL if traditional else HanVariant.SIMPLIFIED


def order_fonts(language: str | None, characters: Mapping[str, int]) -> dict[str, Any]:
    """Return the language, and the families of text and of code in order, as the template ``book.typ`` reads them.

    ``language`` is that of the space, and ``characters`` says how often each beyond ASCII stands in the book.
    """
    writing = writing_of(language, characters)
    text, code = [TEXT], [CODE]
    for each in sorted(HanVariant, key=lambda each: each is not writing) if writing is not None else ():
        ending = _ENDINGS[each]
        families = [*(family.format(ending) for family in _FREE), *_OTHERS[each]]
        text += families
        code += [_MONOSPACED.format(ending), *families]
    if any(map(_is_emoji, characters)):
        text += _EMOJI
        code += _EMOJI
    tag, _, region = str(_LANGUAGES.get(language or "", language or "en")).partition("-")
    return {"text": text, "code": code, "language": tag, "region": region.upper() or None}


def keep_installed(fonts: Mapping[str, Any], families: Iterable[str]) -> dict[str, Any]:
    """Return what :func:`order_fonts` returned without the families that are not among those installed."""
    there = {TEXT, CODE, *families}
    return {**fonts, **{use: [family for family in fonts[use] if family in there] for use in ("text", "code")}}


def find_free_fonts(missing: Iterable[str], writing: HanVariant | None) -> Iterator[str]:
    """Yield free fonts that have the characters, each with what it is for."""
    wanted = {family: use for family, use in (_free_font(each, writing) for each in missing) if family}
    for family in sorted(wanted):
        yield f"{family}, for {wanted[family]}"


def _free_font(character: str, writing: HanVariant | None) -> tuple[str, str]:
    if _WRITTEN.match(character) or _SIGN.match(character):
        wanted = writing or HanVariant.SIMPLIFIED
        return f"Noto Serif CJK {_ENDINGS[wanted]}", _WORDS[wanted]
    if _is_emoji(character):
        return "Noto Color Emoji", "emoji"
    script = name(character, "").partition(" ")[0].capitalize()
    return (f"Noto Sans {script}", script) if script in _SCRIPTS else ("", "")


def _is_emoji(character: str) -> bool:
    return category(character) == "So" and (ord(character) >= _FIRST_PICTOGRAPH or "\u2600" <= character <= "\u2bff")


def _count(script: re.Pattern[str], characters: Mapping[str, int]) -> int:
    return sum(number for each, number in characters.items() if script.match(each))


def _count_only(encoding: str, other: str, characters: Mapping[str, int]) -> int:
    """Count Han characters that only one of two encodings has."""
    return sum(
        number
        for each, number in characters.items()
        if _HAN.match(each) and _has(encoding, each) and not _has(other, each)
    )


def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
