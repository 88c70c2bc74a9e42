from __future__ import annotations

import os
from pathlib import Path

import pytest

from recto.cli.main import run


def test_a_machine_without_a_workspace_is_well(own_world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    told = capsys.readouterr().out
    for part in ("Versions", "Paths", "Terminal", "Platform"):
        assert part in told.splitlines()
    assert str(own_world / "log" / "recto.log") in told
    assert "is made at the first start" in told
    assert not (own_world / "workspace.db").exists()


def test_the_editor_in_use_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("VISUAL", "ed -p:")
    run(["doctor"])
    assert "ed -p: (from VISUAL)" in capsys.readouterr().out


def test_the_editor_of_the_settings_comes_before_that_of_the_environment(
    own_world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDITOR", "nano")
    (own_world / "settings.toml").write_text('editor = "hx"')
    run(["doctor"])
    assert "hx (from the settings)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"TERM": "xterm-kitty", "COLORTERM": "truecolor"}, "drawn by the terminal"),
        ({"TERM": "xterm-kitty", "COLORTERM": "truecolor", "TMUX": "/tmp/tmux"}, "coloured blocks"),
        ({"TERM": "xterm-256color"}, "coloured blocks"),
        ({"TERM": "xterm"}, "none: there are too few colours"),
        ({"TERM": "xterm-kitty", "COLORTERM": "truecolor", "NO_COLOR": "1"}, "none: there are too few colours"),
    ],
)
def test_the_means_for_pictures_is_printed(
    variables: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("TERM", "COLORTERM", "TMUX", "STY", "ZELLIJ", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    run(["doctor"])
    assert f"pictures       {told}" in capsys.readouterr().out


def test_a_folder_without_write_permission_is_reported_before_the_first_start(
    own_world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda folder, _mode: Path(folder) != own_world)
    assert run(["doctor", "--workspace", str(own_world / "mine" / "workspace.db")]) == 1
    assert f"cannot be made: {own_world} cannot be written to." in capsys.readouterr().out


def test_a_workspace_that_is_none_is_not_well_and_stays_as_it_is(
    own_world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_world / "workspace.db"
    file.write_bytes(b"dear diary" * 500)
    assert run(["doctor"]) == 1
    assert f"{file} is not a workspace of Recto" in capsys.readouterr().out
    assert file.read_bytes() == b"dear diary" * 500


def test_a_platform_that_is_not_served_is_not_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECTO_TOKEN", "s3cret-value")
    assert run(["doctor", "--base-url", "http://127.0.0.1:9"]) == 1
    told = capsys.readouterr().out
    assert "http://127.0.0.1:9" in told
    assert "s3cret" not in told


def test_a_password_in_an_address_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--base-url", "https://me:s3cret@docs.example/v1?key=s3cret#s3cret"]) == 1
    told = capsys.readouterr().out
    assert "https://docs.example/v1\n" in told
    assert "s3cret" not in told


def test_a_password_in_an_address_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--base-url", "http://ada:s3cret@127.0.0.1:9/v1"]) == 1
    told = capsys.readouterr().out
    assert "http://127.0.0.1:9/v1" in told
    assert "s3cret" not in told
