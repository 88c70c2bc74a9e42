"""Translation engines for tests: small programs that read JSON and write JSON, as one of the owner's does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from recto.server.translations.engine import Engine

UPPER = """
import json, sys
request = json.loads(sys.stdin.buffer.read())
with open(sys.argv[0] + ".log", "a") as log:
    log.write(json.dumps(request) + "\\n")
texts = [text.upper() for text in request["texts"]]
sys.stdout.buffer.write(json.dumps({"texts": texts}).encode())
"""
"""Puts all words into capitals, and notes what it was asked."""

HANGING = """
import os, signal, subprocess, sys
from pathlib import Path
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
Path(sys.argv[0]).with_suffix(".pid").write_text(str(child.pid))
signal.pause()
"""
"""Starts another program, notes its number, and never ends; nor does the other."""


def write_engine(folder: Path, program: str = UPPER, glossary: Path | None = None) -> Engine:
    """Return an engine whose program is a file in a folder."""
    file = folder / "engine.py"
    file.write_text(program)
    return Engine((sys.executable, "-S", str(file)), glossary)  # without what is installed, it starts sooner


def requests_of(engine: Engine) -> list[Any]:
    """Return what an engine that notes it was asked, and forget it."""
    log = Path(f"{engine.command[-1]}.log")
    found = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    log.unlink(missing_ok=True)
    return found
