"""Which fonts set Chinese, Japanese, Korean and emoji."""

from __future__ import annotations

import asyncio
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import pytest
from pypdf import PdfReader

from recto.contract.addresses import Main
from recto.server.exchange import import_folder
from recto.server.pdf.fonts import HanVariant, find_free_fonts, keep_installed, order_fonts, writing_of
from recto.server.pdf.making import Part, pdf_task
from support.folders import write_folder
from support.platform import Speaker, make_platform
from support.tiny_font import tiny_font

TRADITIONAL, SIMPLIFIED = "資料庫的備份與還原", "数据库的备份与还原"
JAPANESE, KOREAN = "データベースの復元をする", "데이터베이스 復元"


@pytest.mark.parametrize(
    ("text", "language", "writing"),
    [
        (TRADITIONAL, None, HanVariant.TRADITIONAL),
        (SIMPLIFIED, "en", HanVariant.SIMPLIFIED),
        (JAPANESE, None, HanVariant.JAPANESE),
        (KOREAN, None, HanVariant.KOREAN),
        ("中文", "zh-tw", HanVariant.TRADITIONAL),
        ("中文", "yue", HanVariant.HONG_KONG),
        ("中文", "ja", HanVariant.JAPANESE),
        ("Прописью", "ru", None),
    ],
)
def test_han_characters_are_written_as_the_space_says_or_else_its_text(
    text: str, language: str | None, writing: HanVariant | None
) -> None:
    assert writing_of(language, Counter(text)) is writing


def test_families_of_the_writing_come_first_and_those_that_are_not_installed_are_dropped() -> None:
    installed = ("Noto Serif CJK JP", "Noto Sans TC", "Noto Emoji", "Source Han Serif TW", "Noto Sans Mono CJK TC")
    fonts = keep_installed(order_fonts(None, Counter(TRADITIONAL + "✅")), installed)
    assert fonts == {
        "text": ["Libertinus Serif", "Noto Sans TC", "Source Han Serif TW", "Noto Serif CJK JP", "Noto Emoji"],
        "code": [
            *("DejaVu Sans Mono", "Noto Sans Mono CJK TC", "Noto Sans TC", "Source Han Serif TW"),
            *("Noto Serif CJK JP", "Noto Emoji"),
        ],
        "language": "en",
        "region": None,
    }
    brazilian, hong_kong = order_fonts("pt-br", Counter("ção")), order_fonts("yue", Counter())
    assert brazilian == {"text": ["Libertinus Serif"], "code": ["DejaVu Sans Mono"], "language": "pt", "region": "BR"}
    assert (hong_kong["language"], hong_kong["region"]) == ("zh", "HK")


def test_free_fonts_are_named_for_what_is_missing() -> None:
    assert list(find_free_fonts("資。✅กข\U00013080", HanVariant.TRADITIONAL)) == [
        "Noto Color Emoji, for emoji",
        "Noto Sans Thai, for Thai",
        "Noto Serif CJK TC, for traditional Chinese",
    ]


async def test_a_text_is_set_in_the_fonts_of_its_language_and_of_the_folder(tmp_path: Path) -> None:
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    for family, characters in (
        ("Noto Serif CJK JP", "".join({*TRADITIONAL, *SIMPLIFIED})),
        ("Noto Serif CJK TC", TRADITIONAL),
        ("Noto Color Emoji", "✅"),
    ):
        (fonts / f"{family}.ttf").write_bytes(tiny_font(family, characters))
    platform = make_platform(tmp_path)
    try:
        folder = write_folder(tmp_path / "docs", {"README.md": f"# {TRADITIONAL[:3]}\n\n{TRADITIONAL} ✅\n"})
        (imported,) = import_folder(platform, folder).spaces

        def used() -> tuple[set[str], list[str]]:
            made: list[bytes] = []
            task = pdf_task(Main(imported.space), Part(), "b.pdf", lambda file: made.append(file.read_bytes()), fonts)
            report = platform.jobs.run(task)
            resources = [cast(Any, page["/Resources"]) for page in PdfReader(BytesIO(made[0])).pages]
            held = [font.get_object() for each in resources for font in each.get("/Font", {}).values()]
            names = {str(font["/BaseFont"]).partition("+")[2].casefold() for font in held}
            return {name[:15] for name in names if "cjk" in name}, [finding.message for finding in report.left_out]

        assert await asyncio.to_thread(used) == ({"notoserifcjktc"}, [])
        await Speaker(platform).send("PATCH", f"/spaces/{imported.space}", {"language": "ja"})
        assert (await asyncio.to_thread(used))[0] == {"notoserifcjkjp"}
    finally:
        platform.close()
