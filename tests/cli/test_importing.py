"""``recto import``: content of other tools into a space, from the shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recto.cli.main import run
from recto.cli.own_content import Conversion, convert
from recto.contract.imports import ImportContent
from recto.server.jobs import Job, Jobs
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from recto.tui.dialogs.import_report import finding_lines
from support.documents import PNG
from support.folders import write_folder
from support.shell import serving


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
    assert "Imported 2 of 2 pages and files into “Handbook”." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "into", "code", "says"),
    [
        ("/nowhere/a.docx", "Handbook", 1, "There is no file /nowhere/a.docx"),
        ("ftp://a.example/x", "Handbook", 1, "Only addresses that begin with http"),
        ("/nowhere/a.docx", "Nothing", 1, "Nothing"),
        ("~no-such-user/a.docx", "Handbook", 1, "There is no file"),
        (" ", "Handbook", 2, "SOURCE is empty: name a file, a folder or a web address."),
    ],
)
def test_content_that_cannot_be_imported_is_named(
    workspace: Path, capsys: pytest.CaptureFixture[str], source: str, into: str, code: int, says: str
) -> None:
    assert recto(workspace, source, "--into", into) == code
    assert says in capsys.readouterr().err


def test_a_source_is_named_where_the_current_folder_is_gone(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (begun := tmp_path / "branch").mkdir()
    monkeypatch.chdir(begun)
    begun.rmdir()
    assert recto(workspace, "my docs.docx", "--into", "Handbook") == 1
    assert "There is no file my docs.docx" in capsys.readouterr().err


def test_a_cancelled_import_keeps_nothing(
    workspace: Path, docs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Jobs.run

    def run_cancelled(self: Jobs, task: Any, *, watch: Callable[[Job], None], **options: Any) -> Any:
        return inner(self, task, watch=Job.cancel, **options)

    monkeypatch.setattr(Jobs, "run", run_cancelled)
    assert recto(workspace, str(docs), "--into", "Handbook") == 130
    assert "Cancelled; nothing was imported." in capsys.readouterr().err


MIXED: dict[str, str | bytes] = {
    "SUMMARY.md": "# S\n\n* [Start](README.md)\n\n## Part\n\n* [A](a.md)\n  * [B](b.md)\n* [Web](https://x.example)\n",
    "README.md": "---\ndescription: About\ncover: a.png\n---\n\n# Start\n\n[b](b.md) ![](a.png) [big](big.bin)\n",
    "a.md": "# A\n",
    "b.md": "# B\n\n[start](README.md#x)\n",
    "lost.md": "# Lost\n",
    "a.png": PNG,
    "big.bin": b"x" * 1_100_000,
    ".gitbook/vars.yaml": "version: '2'\n",
}


def test_content_is_converted_into_what_a_write_takes_and_the_rest_is_named(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "docs", MIXED)
    content = convert(ImportContent(url=folder.as_uri(), source="zip"), Conversion())
    start, a = content.pages
    assert (start.title, start.attributes, [page.title for page in a.children]) == (
        "Start",
        {"description": "About"},
        ["B"],
    )
    assert content.title == "docs"
    (dot,) = content.files
    assert start.markdown == f"[b](/pages/{a.children[0].ref}) ![](/files/{dot.ref}) [big](big.bin)\n"
    assert a.children[0].markdown == f"[start](/pages/{start.ref}#x)\n"
    said = "\n".join(finding_lines(content.findings))
    for line in ("Groups", "  Part", "Links", "  Web", "Variables", "  version", "  Start: its cover", "  big.bin"):
        assert line in said
    assert "lost.md" in said


@pytest.mark.slow
def test_a_folder_is_converted_and_sent_to_a_change_request_of_a_hosted_platform(
    workspace: Path,
    tmp_path: Path,
    own_world: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = write_folder(tmp_path / "docs", MIXED)
    with serving(own_world, "--workspace", str(workspace), token="t0k3n") as server:
        monkeypatch.setenv("RECTO_TOKEN", server.token)
        into = ("--into", "Handbook", "--base-url", server.address.removesuffix("/v1"))
        assert run(["import", str(folder), *into]) == 0
        sent = capsys.readouterr()
        assert sent.out == "Imported 3 pages and 1 file into change request #1 of “Handbook”.\n"
        assert "Groups are not sent" in sent.err
        assert run(["import", str(tmp_path / "none.md"), *into]) == 1
