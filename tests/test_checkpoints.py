from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
from recto.checkpoints import checkpoint
for word in ("one", "two", "one"):
    checkpoint(word)
    print(word, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    ("order", "reached"),
    [("", "one two one"), ("one", ""), ("two", "one"), ("one:2", "one two"), ("three", "one two one")],
)
def test_the_process_ends_at_the_point_that_is_named(order: str, reached: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "RECTO_KILL_AT": order},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.split() == reached.split()
    assert ended.returncode == (0 if reached == "one two one" else -signal.SIGKILL)
