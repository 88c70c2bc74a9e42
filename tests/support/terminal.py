"""A real program in a real terminal: a pseudo-terminal with a screen in memory behind it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import pyte

# What a terminal is asked or told that the screen in memory does not know and would print, and how text looks: that is
# not seen here, but takes most of the time to read.
_LEFT_OUT = re.compile(
    rb"\x1b\[[<=>][0-9;]*[a-zA-Z]|\x1bP[^\x1b]*\x1b\\|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[\?[0-9;]*\$p|\x1b\[[0-9;]*m"
)
# COLUMNS and LINES, which a test runner may set, would count for more than the size of the terminal.
_CLEARED = (
    "PYTHONDONTWRITEBYTECODE",
    "NO_COLOR",
    "TEXTUAL_THEME",
    "EDITOR",
    "VISUAL",
    "TMUX",
    "SSH_CONNECTION",
    "COLUMNS",
    "LINES",
)


# What moves on the screen is gone from one place a moment before it is seen in another.
_REDRAWN_WITHIN = 0.05


class Terminal:
    """A program on a pseudo-terminal; use it as a context manager."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 120,
        rows: int = 40,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.written = bytearray()
        """x the program has written to the terminal."""
        self.started = time.perf_counter()
        self.exit_code: int | None = None
        environ = {name: value for name, value in os.environ.items() if name not in _CLEARED}
        environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            self._become(command, environ, folder, columns, rows)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @staticmethod
    def _become(
        command: Sequence[str], environ: Mapping[str, str], folder: Path | None, columns: int, rows: int
    ) -> None:
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            if folder is not None:
                os.chdir(folder)
            os.execvpe(command[0], list(command), dict(environ))
        finally:
            os._exit(127)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.exit_code is None:
            os.kill(self._pid, signal.SIGKILL)
            self._reap()
        os.close(self._fd)

    @property
    def pid(self) -> int:
        """The number of the program's process."""
        return self._pid

    @property
    def cpu_seconds(self) -> float:
        """The seconds that all threads of the program have computed; only on Linux."""
        spent = 0
        for file in Path(f"/proc/{self._pid}/task").glob("*/schedstat"):
            with suppress(OSError):  # the thread has ended meanwhile
                spent += int(file.read_text().split()[0])
        return spent / 1e9

    @property
    def text(self) -> str:
        """What one sees, line by line."""
        # The cell after a wide character holds nothing. pyte's own ``display`` fails where that cell has outlived it.
        lines = ("".join(cells[x].data for x in range(self._screen.columns)) for cells in self._lines())
        return "\n".join(line.rstrip() for line in lines)

    def _lines(self) -> Iterator[Mapping[int, pyte.screens.Char]]:
        return (self._screen.buffer[y] for y in range(self._screen.lines))

    def press(self, keys: str) -> None:
        """Type keys, as the bytes that a terminal sends for them."""
        os.write(self._fd, keys.encode())

    def wait_for(self, *texts: str, patience: float = 60.0) -> float:
        """Wait until all the texts are on the screen; return the seconds since the start of the program."""
        deadline = time.perf_counter() + patience
        while not _holds_all(self.text, texts):
            if not self._read(deadline):
                raise AssertionError(f"{texts} did not appear; the screen is:\n{self.text}")
        return time.perf_counter() - self.started

    def wait_until_gone(self, text: str, patience: float = 60.0) -> None:
        """Wait until a text is no longer on the screen, nor comes back in another place of it."""
        deadline = time.perf_counter() + patience
        while text in self.text or self._read(time.perf_counter() + _REDRAWN_WITHIN):
            if text in self.text and not self._read(deadline):
                raise AssertionError(f"{text!r} did not go away; the screen is:\n{self.text}")

    def wait_for_more(self, patience: float = 60.0) -> None:
        """Wait until the program writes anything."""
        if not self._read(time.perf_counter() + patience):
            raise AssertionError(f"nothing more was written; the screen is:\n{self.text}")

    def wait_until_still(self, stillness: float = 0.15) -> None:
        """Take in what the program writes until it has written nothing for a while; only for measuring."""
        while self._read(time.perf_counter() + stillness):
            pass

    def time_keys(self, keys: Sequence[str]) -> float:
        """Return the median milliseconds from a key to the first output after it."""
        times = []
        for key in keys:
            self.wait_until_still()
            begun = time.perf_counter()
            self.press(key)
            self.wait_for_more()
            times.append((time.perf_counter() - begun) * 1000)
        return statistics.median(times)

    def wait_for_end(self, patience: float = 60.0) -> int:
        """Wait until the program has ended and return its exit code."""
        deadline = time.perf_counter() + patience
        while self._read(deadline):
            pass
        if self.exit_code is None:
            raise AssertionError(f"the program did not end; the screen is:\n{self.text}")
        return self.exit_code

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the program a signal."""
        os.kill(self._pid, number)

    def _read(self, deadline: float) -> bool:
        """Take in what the program writes next; ``False`` where it has ended or the time is over."""
        if self.exit_code is not None:
            return False
        ready, _, _ = select.select([self._fd], [], [], max(0.0, deadline - time.perf_counter()))
        if not ready:
            return False
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            self._reap()
            return False
        self.written += data
        if b"\x1b[c" in data or b"\x1b[>c" in data:
            os.write(self._fd, b"\x1b[?62;c")
        self._stream.feed(_LEFT_OUT.sub(b"", data))
        return True

    def _reap(self) -> None:
        _, status = os.waitpid(self._pid, 0)
        self.exit_code = os.waitstatus_to_exitcode(status)


def _holds_all(screen: str, texts: Sequence[str]) -> bool:
    return all(text in screen for text in texts)
