"""Typesetting of a book in a process of its own, whose time and memory are bounded: the one place that uses Typst.

The process gets a folder with the template and its data, and nothing else: no packages, no environment, no network.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from recto.frozen import frozen
from recto.server.jobs import JobFailed, Work
from recto.server.pdf.fonts import keep_installed

MOST_MEMORY: Final = 6 * 1024**3
"""The most memory that typesetting may reserve, in bytes; a book of 1,000 pages takes about half of it."""

LONGEST_S: Final = 1800.0
"""How many seconds typesetting may take."""

_ENVIRONMENT = ("HOME", "USERPROFILE", "LOCALAPPDATA", "SYSTEMROOT", "WINDIR")
"""Variables by which the fonts of the system and of the person are found."""

_TURN = threading.Lock()
"""One book is set at a time: a large one takes gigabytes."""

_UNEXPECTED = 1
"""The exit code of an exception; where memory ends, the process is aborted or ends with another code."""

_OUT_OF_MEMORY = 2
_BETWEEN_LOOKS_S = 0.05
_TEMPLATE = "book.typ"
_BOOK = "book.pdf"
_OUTCOME = "outcome.json"
_CHARACTERS = "characters.json"
_FONTS = "fonts.json"
_STANDARD: Final = "a-2b"
_PLACE = re.compile(r"\.typ:(\d+):\d+")
_MOST_ATTEMPTS = 3
_NO_GLYPH = "could not be displayed with"
_TEXT_WITHOUT_GLYPH = re.compile(rf"the text `\"(.*?)\"` {_NO_GLYPH}")
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")


@frozen
class Typeset:
    """A PDF, the characters that no font has, and the pictures that could not be read, by their files."""

    pdf: Path
    missing: tuple[str, ...]
    broken: tuple[str, ...]


def typeset(
    folder: Path, characters: Iterable[str], pictures: Iterable[str], fonts: Path | None, work: Work
) -> Typeset:
    """Set the book whose data is in ``folder``; ``characters`` are those in it beyond ASCII.

    Raises :class:`JobFailed` where it takes too much time or memory, and ``JobCancelled``.
    """
    template = files("recto.document.pdf").joinpath(_TEMPLATE)
    (folder / _TEMPLATE).write_bytes(template.read_bytes())
    (folder / _CHARACTERS).write_text(json.dumps([sorted(map(ord, characters)), list(pictures)]), encoding="ascii")
    command = [sys.executable, "-I", "-m", __name__, str(folder), str(MOST_MEMORY)]
    command += [str(fonts)] if fonts is not None else []
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    with _turn(work):
        code = _run(command, folder, environment, work)
    if code == _UNEXPECTED:
        raise JobFailed("The PDF could not be set: the typesetter failed. Choose a part of the space.")
    if code != 0:
        raise JobFailed("The PDF needs more memory than it may use. Choose a part of the space.")
    outcome = json.loads((folder / _OUTCOME).read_text(encoding="utf-8"))
    if "error" in outcome:
        raise JobFailed(f"The PDF could not be set: {outcome['error']}")
    return Typeset(folder / _BOOK, tuple(map(chr, outcome["missing"])), tuple(outcome["broken"]))


@contextmanager
def _turn(work: Work) -> Iterator[None]:
    while not _TURN.acquire(timeout=_BETWEEN_LOOKS_S):
        work.stop_if_cancelled()
    try:
        yield
    finally:
        _TURN.release()


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str], work: Work) -> int:
    """Run a command to its end, or until it takes too long or is cancelled, and return its exit code."""
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=nothing)
    deadline = time.monotonic() + LONGEST_S
    try:
        while True:
            try:
                return process.wait(_BETWEEN_LOOKS_S)
            except subprocess.TimeoutExpired:
                work.stop_if_cancelled()
                if time.monotonic() > deadline:
                    raise JobFailed("Setting the PDF took too long. Choose a part of the space.") from None
    finally:
        process.kill()
        process.wait()


def _main(folder: Path, most_memory: int, fonts: Path | None) -> None:
    """Set a book; the process that :func:`typeset` starts."""
    _bound_memory(most_memory)
    import typst

    characters, pictures = json.loads((folder / _CHARACTERS).read_text(encoding="ascii"))
    all_fonts = typst.Fonts(font_paths=[fonts] if fonts is not None else [])
    wanted = json.loads((folder / _FONTS).read_text(encoding="ascii"))
    _write(folder / _FONTS, keep_installed(wanted, all_fonts.families()))
    packages = folder / "packages"

    def compile(source: Any, *, standard: bool = True, output: Path | None = None) -> None:
        compiler = typst.Compiler(
            source, root=folder, font_paths=all_fonts, package_path=packages, package_cache_path=packages
        )
        # Without tags a large book takes far less memory.
        compiler.compile(output=output, format="pdf", pdf_standards=[_STANDARD] if standard else [], pdf_tags=False)

    def find_missing() -> set[int]:
        lines = [f'#"\\u{{{code:x}}}"' for code in characters]
        try:
            compile("\n".join([_PROBE, *lines]).encode())
        except typst.TypstError as error:
            return {characters[int(line) - 2] for line in _PLACE.findall(error.diagnostic) if int(line) >= 2}
        return set()

    def is_broken(picture: str) -> bool:
        try:
            compile(f'{_PROBE}\n#image("/{picture}", width: 1cm)'.encode(), standard=False)
        except typst.TypstError:
            return True
        return False

    missing, broken = find_missing(), [each for each in pictures if is_broken(each)]
    standard = True
    for _ in range(_MOST_ATTEMPTS):
        _write_checked(folder, missing, broken)
        try:
            compile(folder / _TEMPLATE, standard=standard, output=folder / _BOOK)
        except typst.TypstError as error:
            unset = {code for text in _TEXT_WITHOUT_GLYPH.findall(error.diagnostic) for code in _codes(text)}
            failed = str(error.message)
            if not unset - missing:
                if not standard:
                    break
                standard = False  # a picture holds what an archive may not, such as colours without a profile
            missing |= unset
        else:
            _write(folder / _OUTCOME, {"missing": sorted(missing), "broken": broken})
            return
    _write(folder / _OUTCOME, {"error": failed})


_PROBE = "#set document(date: datetime(year: 2000, month: 1, day: 1)); #set page(height: auto)"


def _write_checked(folder: Path, missing: set[int], broken: list[str]) -> None:
    pattern = "".join(f"\\x{{{code:x}}}" for code in sorted(missing))
    _write(
        folder / "checked.json",
        {
            "missing": f"[{pattern}]" if missing else "",
            "broken": broken,
            "names": [f"U+{code:04X}" for code in sorted(missing)],
        },
    )


def _codes(text: str) -> set[int]:
    """Return the characters beyond ASCII of a text as Typst quotes it."""
    escaped = {int(code, 16) for code in _ESCAPED.findall(text)}
    return escaped | {ord(each) for each in text if not each.isascii()}


def _bound_memory(most: int) -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _write(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, ensure_ascii=True), encoding="ascii")


if __name__ == "__main__":
    try:
        _main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
    except MemoryError:
        sys.exit(_OUT_OF_MEMORY)
