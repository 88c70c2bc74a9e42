from __future__ import annotations

from pathlib import Path

import pytest

from recto import paths


def test_one_folder_can_hold_everything_and_nothing_is_made(own_world: Path) -> None:
    files = [
        paths.settings_file(),
        paths.workspace_file(),
        paths.drafts_dir(),
        paths.log_file(),
        paths.locations_file(),
    ]

    assert all(own_world in file.parents for file in files)
    assert list(own_world.iterdir()) == []


def test_without_it_each_kind_has_the_folder_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RECTO_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)

    folders = {paths.config_dir(), paths.data_dir(), paths.cache_dir()}

    assert len(folders) >= 2
    assert all(folder.name == "recto" for folder in folders)


def test_a_home_that_is_not_known_is_reported_and_not_made_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RECTO_HOME", "~nobody-of-that-name/recto")
    with pytest.raises(paths.NoHomeError, match="RECTO_HOME"):
        paths.log_file()

    monkeypatch.delenv("RECTO_HOME")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: Path("~/.local/share/recto"))
    with pytest.raises(paths.NoHomeError, match="Set HOME"):
        paths.workspace_file()


def test_a_path_stays_as_it_was_written_where_the_folder_of_the_program_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (begun := tmp_path / "branch").mkdir()
    monkeypatch.chdir(begun)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.written_path("out ") == begun / "out "
    begun.rmdir()
    assert (paths.written_path("out "), paths.written_path("~/out")) == (Path("out "), tmp_path / "out")
