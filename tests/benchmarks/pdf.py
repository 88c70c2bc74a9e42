"""Time and memory of the PDF of a space, against parsing its pages.

    uv run python tests/benchmarks/pdf.py FOLDER [FONTS]

A folder of documentation is imported and set as one PDF, with the fonts of the system and those in the folder FONTS.
Printed are the processor time of both in seconds, their ratio, the most memory that typesetting took, and the size of
the PDF.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from recto.contract.addresses import Main
from recto.document.markdown.page import parse_page
from recto.server.exchange import import_folder
from recto.server.pdf.making import Part, pdf_task
from recto.server.platform import Platform


def measure(folder: Path, fonts: Path | None) -> None:
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.md"))]
    begun = time.process_time()
    for text in texts:
        page = parse_page(text)
        for block in page.walk():
            page.inline(block)
    parsing = time.process_time() - begun
    with TemporaryDirectory() as scratch:
        platform = Platform.open(Path(scratch) / "workspace.recto")
        try:
            space = import_folder(platform, folder).spaces[0].space
            begun = time.process_time()
            report = platform.jobs.run(pdf_task(Main(space), Part(), folder.name, lambda file: None, fonts))
            writing = time.process_time() - begun
        finally:
            platform.close()
    typesetting = resource.getrusage(resource.RUSAGE_CHILDREN)
    setting = typesetting.ru_utime + typesetting.ru_stime
    print(f"{len(texts):,} pages: parsed in {parsing:.1f} s; PDF of {report.pages:,} pages, {report.size / 1e6:.1f} MB")
    print(f"written in {writing:.1f} s, set in {setting:.1f} s: {(writing + setting) / parsing:.1f} times parsing")
    print(f"most memory while setting: {typesetting.ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    measure(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
