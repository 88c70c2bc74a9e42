from __future__ import annotations

import logging
from pathlib import Path

import pytest

from recto.cli import logs


@pytest.mark.parametrize(
    "message",
    [
        "sent Authorization: Bearer s3cret-value",
        "the token=s3cret-value was refused",
        'body {"token": "s3cret-value"}',
        "s3cret-value stood in a place of its own",
    ],
)
def test_no_token_reaches_the_log(tmp_path: Path, message: str) -> None:
    file = tmp_path / "log" / "recto.log"
    logs.start(file, "s3cret-value")
    logging.getLogger("recto.client").info("%s", message)
    written = file.read_text(encoding="utf-8")
    assert "recto.client" in written
    assert "s3cret" not in written


def test_no_token_reaches_the_log_in_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "recto.log"
    logs.start(file, "s3cret-value")
    try:
        raise ValueError("Illegal header value b'Bearer s3cret-value'")
    except ValueError:
        logging.getLogger("recto.client").exception("It failed.")
    written = file.read_text(encoding="utf-8")
    assert "Illegal header value" in written
    assert "s3cret" not in written


def test_nothing_in_the_log_acts_on_a_terminal_that_shows_it(tmp_path: Path) -> None:
    file = tmp_path / "recto.log"
    logs.start(file)
    logging.getLogger("recto").warning("one \x1b]0;title\x07 two \u202e three \x9b31m\r")
    written = file.read_text(encoding="utf-8")
    assert "three" in written
    assert not set("\x1b\x07\u202e\x9b\r") & set(written)


def test_what_the_event_loop_warns_of_goes_to_the_log_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "recto.log"
    logs.start(file)
    logging.getLogger("asyncio").error("Task exception was never retrieved")
    assert "never retrieved" in file.read_text(encoding="utf-8")
    assert capsys.readouterr().err == ""


def test_a_file_that_cannot_be_written_to_does_not_speak_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "recto.log").mkdir()
    logs.start(tmp_path / "recto.log")
    logging.getLogger("recto").error("nobody hears this")
    assert capsys.readouterr().err == ""


def test_the_log_rotates(tmp_path: Path) -> None:
    file = tmp_path / "recto.log"
    logs.start(file)
    for _ in range(logs.MAX_BYTES // 50_000 * 2 + 1):
        logging.getLogger("recto").warning("x" * 50_000)
    assert file.stat().st_size <= logs.MAX_BYTES
    assert (tmp_path / "recto.log.1").exists()


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    logs.start(blocked / "recto.log")
    logging.getLogger("recto").error("nobody hears this")
    assert blocked.read_text(encoding="utf-8") == "in the way"
