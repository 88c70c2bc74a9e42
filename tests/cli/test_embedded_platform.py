from __future__ import annotations

import getpass
import shutil
import subprocess
from pathlib import Path

import pytest

from recto.cli.embedded_platform import owner


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to ask")
def test_git_says_who_the_owner_is(empty_home: Path) -> None:
    for key, value in (("user.name", "Ada Lovelace"), ("user.email", "ada@example.org")):
        subprocess.run(["git", "config", "--global", key, value], check=True)
    found = owner()
    assert (found.name, found.email) == ("Ada Lovelace", "ada@example.org")


def test_without_git_the_system_says_who_the_owner_is(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(empty_home))
    monkeypatch.setenv("LOGNAME", "somebody-without-an-account")
    assert getpass.getuser() == "somebody-without-an-account"
    found = owner()
    assert (found.name, found.email) == ("somebody-without-an-account", "")
