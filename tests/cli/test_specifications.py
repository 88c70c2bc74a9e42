"""``recto spec``."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from recto import paths
from recto.cli import embedded_platform, specifications
from recto.cli.main import run
from recto.client.errors import NotAllowed
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Owner, Platform
from support.content import make_space
from support.folders import write_folder
from support.shell import serving

Capture = pytest.CaptureFixture[str]
PETS = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      tags: [Pets]
      summary: List pets
      responses: {"200": {description: Pets, content: {application/json: {schema: {$ref: "pet.yaml"}}}}}
"""
PET = "type: object\nproperties: {name: {type: string}, age: {type: integer}}\n"


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace without the guide; a page names a specification."""
    monkeypatch.setattr(embedded_platform, "_fill", lambda platform: None)
    monkeypatch.setattr(embedded_platform, "owner", lambda: Owner("Ada Lovelace", "ada@example.org"))
    paths.workspace_file().parent.mkdir(parents=True, exist_ok=True)
    platform = Platform.open(paths.workspace_file(), owner=Owner("Ada Lovelace", "ada@example.org"))
    block = '{% openapi-operation spec="pets" path="/pets" method="get" %}\n{% endopenapi-operation %}\n'
    make_space(platform, [ImportedPage("home", "Home", text=block)])
    platform.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "api", {"openapi.yaml": PETS, "pet.yaml": PET})


def spec(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    code = run(["spec", *arguments])
    for handler in logging.getLogger("recto").handlers:  # the next run has a log of its own
        handler.close()
    out, err = capsys.readouterr()
    return code, out, err


def test_a_file_is_stored_with_its_references_and_changes_are_listed(folder: Path, capsys: Capture) -> None:
    source = str(folder / "openapi.yaml")
    code, out, _ = spec(capsys, "add", "pets", source)
    assert (code, out.startswith("“pets” has a new version: ")) == (0, True)
    first = out.rsplit(" ", 1)[1].strip(".\n")
    assert spec(capsys, "update", "pets", source)[1] == f"“pets” has not changed since version {first}.\n"
    assert spec(capsys, "diff", "pets")[2].endswith(
        "is the first version of “pets”: there is none to compare it with.\n"
    )
    (folder / "pet.yaml").write_text(PET.replace(", age: {type: integer}", ""))
    second = spec(capsys, "update", "pets", source)[1].rsplit(" ", 1)[1].strip(".\n")
    breaking = "1 breaking change\n  pet: field “age” removed\n"
    assert spec(capsys, "diff", "pets") == (0, breaking, "")
    assert spec(capsys, "diff", "pets", second)[1] == breaking
    assert spec(capsys, "diff", "pets", second, first)[1] == "1 other change\n  pet: field “age” added\n"
    _, out, _ = spec(capsys, "versions", "pets")
    assert [line.split("  ")[0] for line in out.splitlines()[1:]] == [second, first]
    _, out, _ = spec(capsys, "show", "pets")
    assert (
        out.startswith("pets: complete, processed ")
        and "Source: sent as text\nUsed on “Home” in “Guide”: 1 block\n" in out
    )
    assert out.endswith("\nPets\n  GET    /pets  List pets\n")
    _, out, _ = spec(capsys, "show", "pets", first, "--json")
    assert json.loads(out)["x-bundled"]["pet.yaml"]["properties"]["age"] == {"type": "integer"}
    served = "It has an address while `recto serve` serves the workspace."
    assert spec(capsys, "publish", "pets")[1] == f"“pets” is public. {served}\n"
    assert "recto.invalid" not in spec(capsys, "show", "pets")[1] + spec(capsys, "versions", "pets")[1]
    assert spec(capsys, "publish", "pets", "--private")[1] == "“pets” is private.\n"
    assert [line.split()[:3] for line in spec(capsys, "list")[1].splitlines()[1:]] == [["pets", "complete", "private"]]
    assert spec(capsys, "delete", "pets")[1] == "Deleted “pets”.\n"
    assert "“Ada's documentation” has no specifications." in spec(capsys, "list")[2]


def test_a_specification_is_shown_where_its_uses_could_not_all_be_loaded(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert spec(capsys, "add", "pets", str(folder / "openapi.yaml"))[0] == 0

    async def refuse(*_: object) -> None:
        raise NotAllowed("Could not load the links of all pages of a space.", "You may not read them.", status=403)

    monkeypatch.setattr(specifications, "load_uses", refuse)
    code, out, _ = spec(capsys, "show", "pets")
    assert code == 0
    unknown = "Could not load the links of all pages of a space. You may not read them."
    assert f"Not all pages that use it are known. {unknown}\n" in out
    assert out.endswith("\nPets\n  GET    /pets  List pets\n")


def test_failures_are_reported(folder: Path, capsys: Capture) -> None:
    source = str(folder / "openapi.yaml")
    assert spec(capsys, "add", "pets", source)[0] == 0
    (folder / "broken.yaml").write_text("openapi: 3.1.0\ninfo: {}\n")
    for arguments, code, why in (
        (("add", "pets", source), 1, "There is a specification “pets” already. `recto spec update pets SOURCE`"),
        (("add", "Pets", source), 2, "“Pets” is no slug"),
        (("add", "cats", str(folder / "none.yaml")), 1, "There is no file none.yaml"),
        (("update", "pets"), 2, "came from a file. Name the file again, or an address."),
        (("show", "dogs"), 1, "There is no specification “dogs” in “Ada's documentation”. `recto spec list` lists"),
        (("delete", "dogs"), 1, "There is no specification “dogs” in"),
        (("diff", "dogs"), 1, "There is no specification “dogs” in"),
        (("diff", "dogs", "a", "b"), 1, "There is no specification “dogs” in"),
        (("publish", "dogs"), 1, "There is no specification “dogs” in"),
        (("versions", "dogs"), 1, "There is no specification “dogs” in"),
        (("show", "pets", "none"), 1, "“pets” has no version none. `recto spec versions pets` lists them.\n"),
        (("diff", "pets", "none"), 1, "“pets” has no version none."),
        (("diff", "pets", "none", "nor"), 1, "“pets” has no version none. `recto spec versions pets`"),
        (("diff", "pets", "a", "b", "c"), 2, "diff compares two versions."),
        (("list", "--organization", "Nobody's"), 1, "There is no organization “Nobody's”. There are “Ada's"),
        (("delete", "pets", "--read-only"), 2, "Recto is read-only now."),
        (("add", "cats", str(folder / "broken.yaml")), 1, "“cats”: not valid.\n"),
    ):
        ended, out, err = spec(capsys, *arguments)
        assert (ended, out, why in err, "Refresh" in err) == (code, "", True, False), err


@pytest.mark.slow
def test_the_specifications_of_a_served_workspace(
    own_world: Path, folder: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(own_world, token="t0k3n") as server:
        monkeypatch.setenv("RECTO_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("RECTO_TOKEN", server.token)
        there = ("--organization", "Ada's documentation", "--base-url", server.address.removesuffix("/v1"))
        code, said, errors = spec(capsys, "add", "pets", str(folder / "openapi.yaml"), *there)
        assert (code, "has a new version" in said) == (0, True), errors
        _, shown, _ = spec(capsys, "show", "pets", *there)
    assert "GET    /pets  List pets" in shown
