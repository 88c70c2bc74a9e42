from __future__ import annotations

from pathlib import Path

import pytest

from recto.cli.main import run


def test_a_machine_without_a_workspace_is_well(own_world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    told = capsys.readouterr().out
    for part in ("Versions", "Paths", "Terminal", "Platform"):
        assert part in told.splitlines()
    assert str(own_world / "log" / "recto.log") in told
    assert "will be made at the first start" in told
    assert not (own_world / "workspace.db").exists()


def test_the_editor_that_would_be_used_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VISUAL", "ed -p:")
    run(["doctor"])
    assert "ed -p: (from VISUAL)" in capsys.readouterr().out


def test_a_workspace_that_is_none_is_not_well_and_stays_as_it_is(
    own_world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_world / "workspace.db"
    file.write_bytes(b"dear diary" * 500)
    assert run(["doctor"]) == 1
    assert f"{file} is not a workspace of Recto" in capsys.readouterr().out
    assert file.read_bytes() == b"dear diary" * 500


def test_a_platform_that_nobody_serves_is_not_well(
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


def test_a_password_in_an_address_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--base-url", "http://ada:s3cret@127.0.0.1:9/v1"]) == 1
    told = capsys.readouterr().out
    assert "http://127.0.0.1:9/v1" in told
    assert "s3cret" not in told
