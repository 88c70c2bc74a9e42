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
