"""``recto export``."""

from __future__ import annotations

from pathlib import Path

import pytest

from recto import paths
from recto.cli import embedded_platform
from recto.cli.main import run
from recto.server.exchange import import_folder
from recto.server.platform import Owner, Platform
from support.folders import write_folder
from support.shell import serving

Capture = pytest.CaptureFixture[str]
BOOK = {
    "SUMMARY.md": "* [Home](README.md)\n* [One](one.md)\n",
    "README.md": "# Home\n\nWelcome. ![A](.gitbook/assets/a.png)\n",
    "one.md": "---\ndescription: 'First'\n---\n\n# One\n\nText.\n",
    ".gitbook/assets/a.png": "picture",
}


@pytest.fixture(autouse=True)
def ada(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workspace is Ada's, and without the guide made faster."""
    monkeypatch.setattr(embedded_platform, "_fill", lambda platform: None)
    monkeypatch.setattr(embedded_platform, "owner", lambda: Owner("Ada Lovelace", "ada@example.org"))


@pytest.fixture
def space(tmp_path: Path) -> str:
    """The id of a space that was imported from a folder called “manual”."""
    folder = write_folder(tmp_path / "manual", BOOK)
    paths.workspace_file().parent.mkdir(parents=True, exist_ok=True)
    platform = Platform.open(paths.workspace_file(), owner=Owner("Ada Lovelace", "ada@example.org"))
    try:
        return import_folder(platform, folder).spaces[0].space
    finally:
        platform.close()


def export(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    code = run(["export", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def files_in(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_space_is_named_by_its_title_its_id_or_its_address(space: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out"
    code, said, _ = export(capsys, "Manual", str(out))
    assert (code, said) == (0, f"Exported “manual” to {out}: 2 pages; 4 files written, 0 unchanged.\n")
    assert files_in(out) == BOOK
    for named in (space, f"http://recto.invalid/s/{space}"):
        assert export(capsys, named, str(out))[1].endswith("0 files written, 4 unchanged.\n")


def test_content_that_the_folder_lacks_is_named(tmp_path: Path, capsys: Capture) -> None:
    paths.workspace_file().parent.mkdir(parents=True, exist_ok=True)
    platform = Platform.open(paths.workspace_file(), owner=Owner("Ada Lovelace", "ada@example.org"))
    import_folder(platform, write_folder(tmp_path / "manual", {**BOOK, ".env": "SECRET=1\n"}))
    platform.close()
    said = export(capsys, "manual", str(tmp_path / "out"))[1]
    assert "1 thing of the folder that was imported is not there:\n  .env: hidden" in said


@pytest.mark.parametrize(
    ("named", "code", "why"),
    [
        ("Manul", 1, "There is no space “Manul”. There are “manual”."),
        ("http://recto.invalid/s/none", 1, "or you may not see it. Check its name: it may have been moved or deleted."),
        ("https://docs.example.org/s/abc", 2, "is not an address of the workspace on this machine"),
        ("https://docs.example.org/o/abc", 2, "is not the address of a space"),
    ],
)
def test_what_is_no_space_is_refused(
    space: str, tmp_path: Path, capsys: Capture, named: str, code: int, why: str
) -> None:
    found, _, said = export(capsys, named, str(tmp_path / "out"))
    assert found == code and why in said
    assert not (tmp_path / "out").exists()


def test_files_that_no_export_wrote_are_named_and_left_alone(space: str, tmp_path: Path, capsys: Capture) -> None:
    out = write_folder(tmp_path / "out", {"one.md": "mine\n", "notes.txt": "mine\n"})
    code, _, said = export(capsys, space, str(out))
    assert code == 1 and "is not empty, and no export has written to it: notes.txt, one.md." in said
    assert "--force" in said and files_in(out) == {"one.md": "mine\n", "notes.txt": "mine\n"}
    code, said, _ = export(capsys, space, str(out), "--force")
    assert (code, files_in(out)) == (0, {**BOOK, "notes.txt": "mine\n"})
    (out / "one.md").write_text("# Mine\n")
    code, _, said = export(capsys, space, str(out))
    assert code == 1 and "were edited since: one.md." in said


def test_an_exported_folder_is_the_same_space_again(space: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out"
    export(capsys, space, str(out))
    (out / "one.md").write_text("# One\n\nOther.\n")
    platform = Platform.open(paths.workspace_file())
    try:
        (imported,) = import_folder(platform, out).spaces
    finally:
        platform.close()
    assert (imported.space, imported.created, imported.changed) == (space, False, True)
    assert export(capsys, space, str(out))[1].endswith("0 files written, 4 unchanged.\n")


@pytest.mark.slow
def test_a_space_of_a_hosted_platform_is_written_from_its_pages(
    space: str, tmp_path: Path, own_world: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with serving(own_world, token="t0k3n") as server:
        base_url = server.address.removesuffix("/v1")
        monkeypatch.setenv("RECTO_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("RECTO_TOKEN", server.token)

        def export_hosted(named: str, folder: Path) -> tuple[int, str]:
            code, said, errors = export(capsys, named, str(folder), "--base-url", base_url)
            assert "It does not return tags, redirects" in errors.partition("\n")[0]
            return code, said or errors

        code, said = export_hosted("manual", out)
        assert (code, said) == (0, f"Exported “manual” to {out}: 2 pages; 4 files written, 0 unchanged.\n")
        again = export_hosted(space, out)
        assert again[1].endswith("0 files written, 4 unchanged.\n")
        code, said = export_hosted("nothing", out)
        assert code == 1 and "There is no space “nothing”." in said
    written = files_in(out)
    assert written["one.md"] == "---\ndescription: First\n---\n\n# One\n\nText.\n"
    assert written["README.md"] == BOOK["README.md"]
    assert written[".gitbook/assets/a.png"] == "picture"
    assert written["SUMMARY.md"] == "# Table of contents\n\n* [Home](README.md)\n* [One](one.md)\n"
