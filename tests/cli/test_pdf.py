"""``recto pdf``."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader

from recto import paths
from recto.cli import embedded_platform
from recto.cli.main import run
from recto.server.exchange import import_folder
from recto.server.platform import Owner, Platform
from support.folders import write_folder
from support.shell import recto, serving

Capture = pytest.CaptureFixture[str]
BOOK = {
    "SUMMARY.md": "* [Home](README.md)\n  * [Below](below.md)\n",
    "README.md": "# Home\n\nWelcome. ![A](gone.png)\n",
    "below.md": "# Below\n\nFurther on.\n",
}


@pytest.fixture(autouse=True)
def manual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace with a space that was imported from a folder called “manual”."""
    monkeypatch.setattr(embedded_platform, "_fill", lambda platform: None)
    monkeypatch.setattr(embedded_platform, "owner", lambda: Owner("Ada Lovelace", "ada@example.org"))
    paths.workspace_file().parent.mkdir(parents=True, exist_ok=True)
    platform = Platform.open(paths.workspace_file(), owner=Owner("Ada Lovelace", "ada@example.org"))
    import_folder(platform, write_folder(tmp_path / "manual", BOOK))
    platform.close()


def save(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    code = run(["pdf", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def words(file: Path) -> str:
    return " ".join(page.extract_text() for page in PdfReader(file).pages)


def test_a_space_or_a_page_is_saved_and_a_file_replaced_only_when_asked(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "book.pdf"
    code, said, _ = save(capsys, "Manual", str(file))
    assert code == 0
    assert said.startswith(f"Saved “manual” to {file}: ")
    assert said.endswith("1 picture is not shown:\n  gone.png: it is not in the space\n")
    assert "Welcome." in words(file) and "Further on." in words(file)
    code, _, said = save(capsys, "manual", str(file))
    assert code == 1 and "is there already. Choose another file, or add --force" in said
    paths.settings_file().parent.mkdir(parents=True, exist_ok=True)
    paths.settings_file().write_text('fonts = "gone"\n', encoding="utf-8")
    code, said, _ = save(capsys, "manual", str(file), "--force", "--page", "readme", "--only")
    assert code == 0 and said.endswith("The folder with fonts that the settings name is not there.\n")
    assert "Welcome." in words(file) and "Further on." not in words(file)
    assert save(capsys, "manual", str(file), "--force", "--only")[0] == 2
    code, _, said = save(capsys, "manual", str(file), "--force", "--page", "nowhere")
    assert (code, said) == (1, "recto: There is no page “nowhere” in “manual”. Name it by its path or its id.\n")


@pytest.mark.slow
def test_a_space_of_a_served_workspace_is_saved(own_world: Path, tmp_path: Path) -> None:
    file, home = tmp_path / "book.pdf", tmp_path / "home"
    home.mkdir()
    with serving(own_world, token="t0k3n") as server:
        base_url = server.address.removesuffix("/v1")
        arguments = ("--base-url", base_url, "pdf", "manual", str(file), "--page", "readme/below")
        ended = recto(home, *arguments, RECTO_TOKEN=server.token)
    assert ended.code == 0, ended.errors
    assert "Further on." in words(file) and "Welcome." not in words(file)


def test_a_folder_is_no_place_for_a_pdf(tmp_path: Path, capsys: Capture) -> None:
    for force in ((), ("--force",)):
        code, _, said = save(capsys, "Manual", str(tmp_path), *force)
        assert code == 1 and "is not a file. Choose another file." in said
