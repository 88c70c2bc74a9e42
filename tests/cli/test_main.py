from __future__ import annotations

import gc
from pathlib import Path

import pytest

from recto import __main__, __version__
from recto.cli import doctor, embedded_platform
from recto.cli.main import run


def ended(arguments: list[str]) -> int:
    """Run the command line and return its exit code, also where the parser ends it."""
    try:
        return run(arguments)
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["--version"]) == 0
    assert capsys.readouterr().out == f"recto {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--workspace", "a.db", "--base-url", "http://localhost"], "two different places"),
        (["--base-url", "ftp://localhost"], "must begin with http:// or https://"),
        (["serve", "--base-url", "http://localhost"], "leave --base-url out"),
        (["open", ".", "--base-url", "http://localhost"], "leave the platform's address out"),
        (["open", ".", "--read-only"], "Recto is read-only now"),
        (["--read-only", "serve"], "leave --read-only out"),
        (["token"], "create|list|revoke"),
        (["cache"], "clear"),
        (["serve", "--port", "70000"], "is not a port"),
        (["launch"], "launch"),
    ],
)
def test_what_cannot_be_meant_is_refused_as_wrong_usage(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(arguments) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["serve", "--host", "256.0.0.1"], "set read_only = false, or add --no-read-only"),
        (["git", "pull", "Guide"], "git pull changes the space, and Recto is read-only now."),
        (["git", "push", "Guide"], "git push changes the repository, and Recto is read-only now."),
    ],
)
def test_what_changes_something_is_refused_where_the_settings_are_read_only(
    arguments: list[str], says: str, own_world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own_world / "settings.toml").write_text("read_only = true\n", encoding="utf-8")
    assert ended(arguments) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "This needs a terminal"),
        (["open", "nowhere"], "There is no folder nowhere."),
        (["open", "nowhere.zip"], "There is no archive nowhere.zip."),
        (["open", "file.md"], "file.md is neither a folder nor a .zip archive."),
    ],
)
def test_a_failure_is_reported_in_a_sentence(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.md").write_text("# A page\n", encoding="utf-8")
    assert ended(arguments) == 1
    told = capsys.readouterr().err
    assert told.startswith("recto: ")
    assert says in told


def test_a_broken_settings_file_is_named(own_world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own_world / "settings.toml").write_text("theme = 'purple'\n", encoding="utf-8")
    assert ended(["doctor"]) == 2
    told = capsys.readouterr().err
    assert "settings.toml" in told
    assert "dark, light, contrast" in told


def test_an_unexpected_error_is_one_sentence_and_stands_in_the_log(
    own_world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object) -> int:
        raise ZeroDivisionError("Bearer s3cret-value")

    monkeypatch.setenv("RECTO_TOKEN", "s3cret-value")
    monkeypatch.setattr(doctor, "run", break_down)
    assert ended(["doctor"]) == 1
    log = own_world / "log" / "recto.log"
    told = capsys.readouterr().err
    assert str(log) in told
    assert "Traceback" not in told
    written = log.read_text(encoding="utf-8")
    assert "break_down" in written
    assert "s3cret" not in written


def test_no_output_acts_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["open", "no\x1b[31mwhere\x9b0m"]) == 1
    told = capsys.readouterr().err
    assert "There is no folder no␛[31mwhere" in told
    assert "\x9b" not in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["\x1b]0;gone\x07\x9b31m"],
        ["--no\x1b]0;gone\x07\x9b31m"],
        ["api", "GET", "/orgs", "more\x1b]0;gone\x07\x9b31m"],
        ["serve", "--port", "\x1b]0;gone\x07\x9b31m"],
        ["--theme", "\x1b]0;gone\x07\x9b31m"],
        ["api", "\x1b]0;gone\x07\x9b31m"],
        ["api", "GET", "/orgs\x1b]0;gone\x07\x9b31m"],
        ["api", "GET", "/orgs", "-q", "\x1b]0;gone\x07\x9b31m=1"],
        ["api", "POST", "/orgs/x/spaces", "-f", "\x1b]0;gone\x07\x9b31m=1"],
        ["api", "POST", "/orgs/x/spaces", "--input", "\x1b]0;gone\x07\x9b31m"],
        ["--base-url", "\x1b]0;gone\x07\x9b31m", "api"],
        ["--base-url", "https://x.y/\x1b]0;gone\x07\x9b31m", "api", "GET", "/orgs"],
        ["token", "revoke", "\x1b]0;gone\x07\x9b31m"],
    ],
)
def test_what_is_repeated_of_the_command_line_does_not_act_on_the_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_platform, "_fill", lambda platform: None)
    assert ended(arguments) in (1, 2)
    said = "".join(capsys.readouterr())
    assert "gone" in said
    assert not {"\x1b", "\x07", "\x9b"} & set(said)


def test_garbage_is_not_collected_while_the_program_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recto.cli.main.run", lambda _: int(gc.isenabled()))
    try:
        assert __main__.main() == 0
    finally:
        gc.enable()


def test_garbage_is_collected_in_a_command_that_does_not_open_the_program(own_world: Path) -> None:
    gc.disable()
    try:
        run(["doctor"])
        assert gc.isenabled()
    finally:
        gc.enable()
