"""The command line as a person runs it: in a process of its own, with a home of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

RECTO = (sys.executable, "-m", "recto")
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    errors: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a command whose settings, workspace, drafts and log are in ``home``."""
    left_out = ("COLUMNS", "LINES")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RECTO_") and name not in left_out}
    return kept | {"RECTO_HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull} | more


def recto(home: Path, *arguments: str, **more: str) -> CommandResult:
    """Run a command to its end; ``more`` are further variables of its environment."""
    ended = subprocess.run(
        [*RECTO, *arguments],
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return CommandResult(ended.returncode, ended.stdout, ended.stderr)


class Server:
    """``recto serve`` on a port of its own."""

    def __init__(self, process: subprocess.Popen[str], announcement: str, token: str) -> None:
        self._process = process
        self.announcement = announcement
        """What it printed when it was open."""
        self.address = announcement.partition(" at ")[2].partition(";")[0]
        """The address of the API, with ``/v1``."""
        self.token = token
        self.pid = process.pid

    def stop(self, number: int) -> CommandResult:
        """Send it a signal, and return what it printed from then on."""
        self._process.send_signal(number)
        out, errors = self._process.communicate(timeout=PATIENCE)
        return CommandResult(self._process.returncode, out, errors)


@contextmanager
def serving(home: Path, *arguments: str, token: str | None = None) -> Iterator[Server]:
    """Serve a workspace as long as the context lasts; without a token the server makes one."""
    process = subprocess.Popen(
        [*RECTO, "serve", "--port", "0", *arguments],
        env=environment(home, **({"RECTO_TOKEN": token} if token else {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        if token is None:
            token = process.stdout.readline().strip().removeprefix("RECTO_TOKEN=")
        announcement = process.stderr.readline()
        try:
            yield Server(process, announcement, token)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)


def free_port() -> int:
    """Return a port without a server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def files_with(secret: str, folder: Path) -> list[Path]:
    """Return the files under a folder in which something stands that should stand nowhere."""
    return [file for file in folder.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]
