"""Limits of time and memory of typesetting, and content that is made to exceed them."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader

from recto.contract.addresses import Main
from recto.server.exchange import import_folder
from recto.server.jobs import JobFailed
from recto.server.pdf import typesetting
from recto.server.pdf.making import Part, pdf_task
from support.folders import write_folder
from support.platform import make_platform

pytestmark = pytest.mark.slow
Make = Callable[[str], PdfReader]
ROW = "|" + " cell |" * 100 + "\n"
HOSTILE = {
    "nested quotations": "> " * 10_000 + "Inmost.",
    "nested hints": '{% hint style="info" %}\n' * 10_000 + "Inmost.\n" + "{% endhint %}\n" * 10_000,
    "nested marks": "**_" * 5_000 + "Inmost." + "_**" * 5_000,
    "a table of 100,000 cells": ROW + "|" + "-|" * 100 + "\n" + ROW * 1_000,
    "a word of 1 MB": "x" * 1_000_000,
    "a word of 1 MB in Cyrillic": "б" * 500_000,
    "a letter with 60,000 marks": "e" + "\u0301" * 60_000,
    "addresses that are none": '<img src="http://[docs">\n\n'
    + "\n\n".join(f'{{% {block}="http://[docs" %}}' for block in ("embed url", "file src", "content-ref url")),
    "a picture of 400 megapixels": "![Bomb](bomb.png)",
}


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make a PDF of a page."""

    def make(text: str) -> PdfReader:
        platform = make_platform(tmp_path)
        try:
            folder = write_folder(tmp_path / "docs", {"README.md": f"# Title\n\n{text}\n\nThe end.\n"})
            if "bomb.png" in text:
                Image.new("1", (20_000, 20_000)).save(folder / "bomb.png")
            (imported,) = import_folder(platform, folder).spaces
            platform.indexer.run()  # else the book would read the links at the same time as the index
            made: list[bytes] = []
            platform.jobs.run(
                pdf_task(Main(imported.space), Part(), "b.pdf", lambda file: made.append(file.read_bytes()), None)
            )
            return PdfReader(BytesIO(made[0]))
        finally:
            platform.close()

    return make


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_content_is_set_with_half_of_the_memory(make: Make, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(typesetting, "MOST_MEMORY", typesetting.MOST_MEMORY // 2)
    reader = make(text)
    assert "The end." in reader.pages[-1].extract_text()


@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        ("LONGEST_S", 0.0, "Setting the PDF took too long. Choose a part of the space."),
        ("MOST_MEMORY", 300 * 1024**2, "The PDF needs more memory than it may use. Choose a part of the space."),
    ],
)
def test_time_and_memory_end_at_their_limits(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: str, value: float, says: str
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.setattr(typesetting, limit, value)
    with pytest.raises(JobFailed, match=says):
        make("Words. " * 100_000)
    assert not any(scratch.iterdir())
