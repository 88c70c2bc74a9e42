"""Runs the program that translates, once for each page, bounded in time and output.

It reads JSON on its standard input and writes JSON on its standard output.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

from recto.document.text import printable
from recto.frozen import frozen
from recto.server.jobs import JobFailed
from recto.server.translations.engine import Engine

LONGEST_S = 300.0
"""How many seconds the engine may take for a page."""

LEAST_BYTES = 1_000_000
"""How much the engine may always write for a page."""

MOST_TIMES: Final = 20
"""How many times the bytes of what it reads the engine may write for a page, where that is more."""

_ENVIRONMENT: Final = frozenset(
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "XDG_CONFIG_HOME",
     "XDG_CACHE_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT", "PATHEXT", "COMSPEC",
     "APPDATA", "LOCALAPPDATA", "USERPROFILE"]
)  # fmt: skip
"""The variables that the engine gets, beside those of the language; none holds a token."""

_WATCH: Final = 'read -r _; kill -s KILL -- "-$1"'
"""For a shell: wait until the standard input ends, then end a process group."""

_BETWEEN_LOOKS_S: Final = 0.05
_LAST_READ_S: Final = 5.0
"""How long the rest in the pipes is read once the engine has ended."""

_MOST_REASON_BYTES: Final = 64 * 1024
_LONGEST_REASON: Final = 300
_PIECE: Final = 64 * 1024


class EngineFailed(JobFailed):
    """The engine did not translate a page; the message says why."""


@frozen
class TranslationRequest:
    """The input of the engine: texts with their languages, instructions in Markdown, and words with translations."""

    source_language: str
    target_language: str
    instructions: str
    glossary: Mapping[str, str]
    texts: Sequence[str]

    def to_json(self) -> bytes:
        """Return the request as the engine reads it."""
        fields = {name: getattr(self, name) for name in ("source_language", "target_language", "instructions")}
        return json.dumps(
            {**fields, "glossary": dict(self.glossary), "texts": list(self.texts)}, ensure_ascii=False
        ).encode()


def read_glossary(engine: Engine, language: str) -> dict[str, str]:
    """Return the words of the glossary with their translations into a language; raises :class:`EngineFailed`."""
    file = engine.glossary
    if file is None:
        return {}
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise EngineFailed(f"The glossary {file} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise EngineFailed(f"The glossary {file} is not valid TOML: {error}.") from error
    words = tables.get(language, {})
    if not isinstance(words, dict) or not all(isinstance(each, str) for each in words.values()):
        raise EngineFailed(f"The glossary {file}: “{language}” must be a table of words and translations.")
    return words


def translate(engine: Engine, request: TranslationRequest, check: Callable[[], None]) -> list[str]:
    """Return the translations of the texts, in their order.

    ``check`` is called while the engine runs and raises once its answer is no longer wanted. Raises that and
    :class:`EngineFailed`; the engine is ended then, with the programs that it has started.
    """
    content = _Process(engine, request.to_json()).result(check)
    try:
        texts = json.loads(content)["texts"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise _failure(engine, "did not answer with JSON that holds “texts”") from error
    if not isinstance(texts, list) or not all(map(_is_text, texts)):
        raise _failure(engine, "answered with “texts” that are not all texts")
    if len(texts) != len(request.texts):
        raise _failure(engine, f"answered with {len(texts):,} texts for {len(request.texts):,}")
    return texts


def _failure(engine: Engine, why: str) -> EngineFailed:
    """Return the error of an engine; ``why`` continues a sentence that begins with its name."""
    return EngineFailed(f"The translation engine “{engine.name}” {why}.")


def _is_text(text: Any) -> bool:
    """Whether this is a text without lone surrogates, which JSON can express but no file can hold."""
    return isinstance(text, str) and not any("\ud800" <= sign <= "\udfff" for sign in text)


class _Process:
    """One start of the engine. Its pipes are served by threads, so that it is always watched."""

    def __init__(self, engine: Engine, given: bytes) -> None:
        self._engine = engine
        self._given = given
        self._most = max(LEAST_BYTES, MOST_TIMES * len(given))
        self._written = bytearray()
        self._complaints = bytearray()
        self._is_too_much = threading.Event()

    def result(self, check: Callable[[], None]) -> bytes:
        """Return what the engine has written when it has ended well."""
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(
                self._engine.command, stdin=pipe, stdout=pipe, stderr=pipe, env=_environment(), start_new_session=True
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise _failure(
                self._engine, f"cannot be started: {why}. See “translation_command” in the settings"
            ) from error
        threads = [
            threading.Thread(target=serve, args=[stream], daemon=True, name="recto-engine")
            for serve, stream in (
                (self._write, process.stdin),
                (self._read, process.stdout),
                (self._read_complaints, process.stderr),
            )
        ]
        try:
            with _end_with_this_program(process):
                for thread in threads:
                    thread.start()
                code = self._wait(process, check)
        finally:
            for thread in threads:
                thread.join(_LAST_READ_S)
        self._refuse_too_much()
        if code != 0:
            raise _failure(self._engine, f"failed{self._reason() or f' with the exit code {code}'}")
        return bytes(self._written)

    def _wait(self, process: subprocess.Popen[bytes], check: Callable[[], None]) -> int:
        deadline = time.monotonic() + LONGEST_S
        while True:
            try:
                return process.wait(_BETWEEN_LOOKS_S)
            except subprocess.TimeoutExpired:
                check()
                self._refuse_too_much()
                if time.monotonic() > deadline:
                    raise _failure(self._engine, f"took longer than {LONGEST_S:,.0f} s for a page") from None

    def _refuse_too_much(self) -> None:
        if self._is_too_much.is_set():
            raise _failure(self._engine, f"wrote more than {self._most:,} bytes for a page")

    def _reason(self) -> str:
        """Return the last line that it wrote to its standard error, after a colon."""
        lines = self._complaints.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f": {printable(last)[:_LONGEST_REASON].rstrip('.')}" if last else ""

    def _write(self, stream: IO[bytes]) -> None:
        with suppress(OSError), stream:  # it may end without having read everything
            stream.write(self._given)

    def _read(self, stream: IO[bytes]) -> None:
        with suppress(OSError), stream:
            while piece := os.read(stream.fileno(), _PIECE):
                self._written += piece
                if len(self._written) > self._most:
                    self._is_too_much.set()
                    return

    def _read_complaints(self, stream: IO[bytes]) -> None:
        with suppress(OSError), stream:
            while piece := os.read(stream.fileno(), _PIECE):
                self._complaints += piece
                del self._complaints[:-_MOST_REASON_BYTES]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in _ENVIRONMENT or name.startswith("LC_")}


@contextmanager
def _end_with_this_program(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a program, with those that it has started, at the end of the context, also where this program is killed.

    A shell waits for the end of a pipe, which the system closes however this program ends. Where there is no such
    shell, as on Windows, the engine outlives a Recto that is killed.
    """
    watcher = None
    with suppress(OSError):
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "sh", str(process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
        )
    try:
        yield
    finally:
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if watcher is not None:
            watcher.kill()
            watcher.communicate()
