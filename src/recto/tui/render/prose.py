"""Text with roles and links by offset, shared by wrapping, searching and linking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recto.document.text import printable
from recto.frozen import frozen
from recto.tui.look.lines import plain


class Run(NamedTuple):
    """A stretch of text with the same role. ``link`` is its target as written on the page."""

    end: int
    role: str
    link: str | None


class Link(NamedTuple):
    """A link in a text: the offsets of its words, and its target as written on the page."""

    start: int
    end: int
    href: str


@frozen
class Prose:
    """A text without terminal control characters, and its runs in order, which cover all of it."""

    text: str
    runs: tuple[Run, ...]

    @property
    def links(self) -> list[Link]:
        """The links in order; neighbouring runs of a link (its words are partly bold) are joined."""
        found: list[Link] = []
        begin = 0
        for run in self.runs:
            if run.link is not None:
                if found and found[-1].end == begin and found[-1].href == run.link:
                    found[-1] = Link(found[-1].start, run.end, run.link)
                else:
                    found.append(Link(begin, run.end, run.link))
            begin = run.end
        return found


EMPTY = Prose("", ())


class ProseBuilder:
    """Builds a text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._runs: list[Run] = []
        self._length = 0
        self._breaks = ""

    @property
    def last(self) -> str:
        """The last character written, or nothing."""
        return self._breaks[-1:] or (self._parts[-1][-1] if self._parts else "")

    def break_line(self) -> None:
        """Begin a new line, unless there is no text before or after it."""
        if self._parts:
            self._breaks += "\n"

    def write(self, text: str, role: str = "", link: str | None = None) -> None:
        """Add text from outside: control characters become visible signs, and ``\\n`` begins a new line."""
        self._add("\n".join(map(clean, text.split("\n"))) if "\n" in text else clean(text), role, link)

    def _add(self, text: str, role: str, link: str | None) -> None:
        if not text:
            return
        text = self._breaks + text
        self._breaks = ""
        self._parts.append(text)
        self._length += len(text)
        run = Run(self._length, role, link)
        if self._runs and self._runs[-1][1:] == run[1:]:
            self._runs[-1] = run
        else:
            self._runs.append(run)

    def prose(self) -> Prose:
        """Return the text."""
        return Prose("".join(self._parts), tuple(self._runs))


def clean(text: str) -> str:
    """Return a line of outside text without control characters and characters of uncertain width."""
    return plain(printable(text))


def prose_of(text: str, role: str = "", link: str | None = None) -> Prose:
    """Return a text in a role."""
    writing = ProseBuilder()
    writing.write(text, role, link)
    return writing.prose()


def stack(proses: Sequence[Prose]) -> Prose:
    """Join texts below each other, each beginning a new line."""
    if not proses:
        return EMPTY
    runs: list[Run] = []
    start = 0
    for index, prose in enumerate(proses):
        if index:
            runs.append(Run(start, "", None))
        runs += (Run(run.end + start, run.role, run.link) for run in prose.runs)
        start += len(prose.text) + 1
    return Prose("\n".join(prose.text for prose in proses), tuple(runs))
