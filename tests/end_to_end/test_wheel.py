"""The built wheel: it holds what is not Python, and the program runs from it where there is nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from recto import __version__
from support.shell import environment
from support.terminal import Terminal

ROOT = Path(__file__).parents[2]
BUILT_FROM = ("pyproject.toml", "README.md", "src", "styles")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("uv") is None, reason="there is no uv to build and install with"),
]


@dataclass(frozen=True, slots=True)
class Installed:
    """A wheel, what it was built from, and the folder of the programs of an environment in which it is installed."""

    source: Path
    wheel: Path
    programs: Path
    home: Path

    def variables(self) -> dict[str, str]:
        """Return an environment in which the checkout cannot be seen."""
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
        return {name: value for name, value in environment(self.home).items() if name not in hidden}

    def run(self, *arguments: str) -> str:
        """Return what the installed program prints; it has to end well."""
        command = [str(self.programs / "recto"), *arguments]
        ended = subprocess.run(
            command, cwd=self.home, env=self.variables(), capture_output=True, text=True, timeout=60, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout


def uv(*arguments: str | Path) -> None:
    ended = subprocess.run(["uv", *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    top = tmp_path_factory.mktemp("wheel")
    source, home, venv = top / "source", top / "home", top / "environment"
    home.mkdir()
    source.mkdir()
    for name in BUILT_FROM:
        copied = ROOT / name
        if copied.is_dir():
            shutil.copytree(copied, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(copied, source / name)
    uv("build", "--quiet", "--wheel", "--out-dir", top / "dist", source)
    (wheel,) = (top / "dist").glob("*.whl")
    uv("venv", "--quiet", "--python", sys.executable, venv)
    # The few modules that these tests come to are compiled when they are imported.
    uv("pip", "install", "--quiet", "--no-compile-bytecode", "--python", venv, wheel)
    return Installed(source, wheel, venv / ("Scripts" if os.name == "nt" else "bin"), home)


def test_it_holds_all_that_is_in_the_package_and_the_style_sheets(installed: Installed) -> None:
    names = {name for name in zipfile.ZipFile(installed.wheel).namelist() if ".dist-info/" not in name}
    package = installed.source / "src/recto"
    expected = {f"recto/{file.relative_to(package).as_posix()}" for file in package.rglob("*") if file.is_file()}
    sheets = {f"recto/styles/{sheet.name}" for sheet in (installed.source / "styles").glob("*.tcss")}
    assert sheets
    assert {name for name in expected if name.startswith("recto/server/guide/pages/") and name.endswith(".md")}
    assert names == expected | sheets


def test_it_says_its_version(installed: Installed) -> None:
    assert installed.run("--version") == f"recto {__version__}\n"


def test_the_doctor_finds_all_well(installed: Installed) -> None:
    told = installed.run("doctor")
    assert __version__ in told
    assert str(installed.home) in told


def test_the_program_paints_what_a_new_workspace_holds(installed: Installed) -> None:
    command = [str(installed.programs / "recto")]
    with Terminal(command, environment=installed.variables(), folder=installed.home) as terminal:
        terminal.wait_for("Recto guide", "keys")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    assert "can be opened" in installed.run("doctor")
