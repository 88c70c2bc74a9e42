"""``recto import``: content of other tools into a space, from the shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recto.cli.main import run
from recto.server.jobs import Job, Jobs
from recto.server.platform import Platform
from recto.server.spaces.space_changes import add_space


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    file = tmp_path / "workspace.recto"
    platform = Platform.open(file)

    def make(connection: Any) -> None:
        organization = connection.value("SELECT id FROM organizations")
        add_space(platform.context(connection), organization, "Handbook")

    platform.database.write_now(make)
    platform.close()
    return file


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Alpha\n\n[b](b.html)\n", encoding="utf-8")
    (folder / "b.html").write_text("<h1>Beta</h1><p>x</p>", encoding="utf-8")
    return folder


def recto(workspace: Path, *arguments: str) -> int:
    return run(["import", *arguments, "--workspace", str(workspace)])


def test_a_folder_is_imported_after_the_pages_of_a_space(
    workspace: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recto(workspace, str(docs), "--into", "handbook") == 0
    assert "Imported 2 of 2 into “Handbook”." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "into", "says"),
    [
        ("/nowhere/a.docx", "Handbook", "There is no file /nowhere/a.docx"),
        ("ftp://a.example/x", "Handbook", "Only addresses that begin with http"),
        ("/nowhere/a.docx", "Nothing", "Nothing"),
    ],
)
def test_what_cannot_be_imported_is_said(
    workspace: Path, capsys: pytest.CaptureFixture[str], source: str, into: str, says: str
) -> None:
    assert recto(workspace, source, "--into", into) == 1
    assert says in capsys.readouterr().err


def test_a_cancelled_import_keeps_nothing(
    workspace: Path, docs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Jobs.run

    def run_cancelled(self: Jobs, task: Any, *, watch: Callable[[Job], None], **options: Any) -> Any:
        return inner(self, task, watch=Job.cancel, **options)

    monkeypatch.setattr(Jobs, "run", run_cancelled)
    assert recto(workspace, str(docs), "--into", "Handbook") == 130
    assert "Cancelled; nothing was imported." in capsys.readouterr().err


def test_a_hosted_platform_takes_no_files(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", str(docs), "--into", "Handbook", "--base-url", "https://docs.example.org"]) == 2
    assert "imports only from web addresses" in capsys.readouterr().err
