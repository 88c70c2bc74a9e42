"""x of a space to a folder says that it leaves out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recto.contract.export_report import ExportReport
from recto.contract.import_report import Finding
from recto.contract.jobs import JobState
from recto.server.exchange import export_folder, import_folder
from recto.server.exchange.imported_files import MOST_PLACES
from recto.server.jobs import Job
from recto.server.platform import Platform
from support.folders import write_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has neither these modes nor these links")

BOOK = {"SUMMARY.md": "* [Home](README.md)\n", "README.md": "# Home\n\nWelcome.\n", ".gitignore": "*.tmp\n"}
MESSAGE = "{} of the folder that was imported are not there:"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with all that an import does not keep."""
    folder = write_folder(
        tmp_path / "docs",
        {
            **BOOK,
            ".env": "SECRET=1\n",
            ".cache/a": "a",
            ".git/config": "",
            "node_modules/a.js": "a",
            "run.sh": "#!/bin/sh\n",
            "notes.txt": "notes\n",
        },
    )
    (folder / "run.sh").chmod(0o755)
    (folder / "same.txt").symlink_to("notes.txt")
    (folder / "outside.txt").symlink_to(write_folder(tmp_path, {"other.txt": "other"}) / "other.txt")
    (folder / "nowhere").symlink_to("gone")
    (folder / "again").symlink_to(".")
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    return folder


def export(platform: Platform, space: str, out: Path) -> ExportReport:
    return export_folder(platform, space, out, records=out.parent / "records", force=True)


def test_all_that_the_imported_folder_had_is_named(platform: Platform, folder: Path, tmp_path: Path) -> None:
    (imported,) = import_folder(platform, folder).spaces
    report = export(platform, imported.space, tmp_path / "out")
    assert report.left_out == (
        Finding(
            MESSAGE.format("10 things"),
            (
                ".cache: hidden, and not a setting of a documentation tool",
                ".env: hidden, and not a setting of a documentation tool",
                "again: a link to a folder, which is read where it is",
                "empty: an empty folder",
                "node_modules: a folder that a program generates",
                "nowhere: a link that leads to no file",
                "outside.txt: a link to something outside the folder",
                "pipe: a device, a socket or a pipe",
                "run.sh: executable; this permission is not kept",
                "same.txt: a link, which is written as the file that it leads to",
            ),
        ),
    )
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*BOOK, "run.sh", "notes.txt", "same.txt"}
    (again,) = export(platform, imported.space, folder).left_out
    assert again.lines == ("same.txt: a link, which is written as the file that it leads to",)


def test_what_is_there_already_is_not_named(platform: Platform, folder: Path, tmp_path: Path) -> None:
    (imported,) = import_folder(platform, folder).spaces
    out = tmp_path / "out"
    export(platform, imported.space, out)
    (out / "run.sh").chmod(0o700)
    write_folder(out, {".env": "mine", ".cache/a": "a"})
    (finding,) = export(platform, imported.space, out).left_out
    assert finding.message == MESSAGE.format("7 things")
    assert not any(line.startswith((".env", ".cache", "run.sh")) for line in finding.lines)


def test_an_export_whose_files_are_being_put_in_place_is_no_longer_cancelled(
    platform: Platform, folder: Path, tmp_path: Path
) -> None:
    (imported,) = import_folder(platform, folder).spaces
    out = tmp_path / "out"

    def cancel_at_last(job: Job) -> None:
        if (out / "README.md").exists():
            job.cancel()

    records = tmp_path / "records"
    assert export_folder(platform, imported.space, out, records=records, watch=cancel_at_last).written > 0
    record = platform.database.read_now(platform.jobs.find)[0]
    assert (record.state, (out / "README.md").exists()) == (JobState.FINISHED, True)


def test_of_many_the_first_are_named_and_the_rest_is_counted(platform: Platform, tmp_path: Path) -> None:
    hidden = {f".hidden-{number:03}": "" for number in range(MOST_PLACES + 3)}
    (imported,) = import_folder(platform, write_folder(tmp_path / "docs", {**BOOK, **hidden})).spaces
    (finding,) = export(platform, imported.space, tmp_path / "out").left_out
    assert finding.message == MESSAGE.format("203 things")
    assert finding.lines[-1] == "and 3 more"
