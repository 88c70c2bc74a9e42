"""The memory that an import of 5,000 pages takes, against the size of its text.

uv run python tests/benchmarks/import_content.py
"""

from __future__ import annotations

import resource
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from recto.contract.addresses import Main
from recto.contract.imports import ImportContent
from recto.server.exchange.content_import import content_import
from support.content import make_space
from support.platform import make_platform

PAGES, IN_A_FOLDER = 4_950, 100
"""The folders are pages as well."""


def main() -> None:
    """Import an archive of so many pages, and print how much more memory the process took at most."""
    with tempfile.TemporaryDirectory() as folder:
        archive, letters = Path(folder) / "docs.zip", 0
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for number in range(PAGES):
                text = f"# Page {number}\n\nSee [next]({number + 1}.md).\n\n" + f"Words of page {number}. " * 120
                letters += len(text)
                packed.writestr(f"{number // IN_A_FOLDER}/{number}.md", text)
        platform = make_platform(Path(folder))
        space = make_space(platform, ())
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        platform.jobs.run(content_import(Main(space), ImportContent(url=archive.as_uri(), source="zip")))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        platform.close()
    print(
        f"{PAGES:,} pages, {letters / 1e6:.1f} MB of text: {grown / 1e6:.0f} MB, {grown / letters:.1f} times the text"
    )


if __name__ == "__main__":
    main()
