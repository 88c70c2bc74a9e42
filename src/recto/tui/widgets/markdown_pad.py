"""A field for the text of a page, in which headings, code, links and tags stand out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text

from recto.tui.look.roles import roles
from recto.tui.widgets.text_pad import TextPad

if TYPE_CHECKING:
    from recto.store.keeper import TypedText

MOST = 200 * 1024
"""Characters up to which a text is highlighted; in a longer one keys would have to wait for it."""

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_LINES = (
    (re.compile(r" {0,3}#{1,6}[ \t].*"), "strong accent"),
    (re.compile(r" {0,3}>.*"), "muted"),
)
_PIECES = (
    (re.compile(r"^\s*(?:[-*+]|\d+[.)])(?=\s)"), "accent"),
    (re.compile(r"\*\*[^*\n]+\*\*"), "strong"),
    (re.compile(r"\[[^\]\n]*\]\([^)\n]*\)"), "accent"),
    (re.compile(r"\{%.*?%\}"), "changed"),
    (re.compile(r"`[^`\n]+`"), "code"),
)


class MarkdownPad(TextPad):
    """A text area for Markdown."""

    def __init__(self, text: str = "", *, typed: TypedText | None = None) -> None:
        self._highlights_markdown = len(typed.text if typed is not None else text) < MOST
        self._fenced: frozenset[int] = frozenset()
        super().__init__(text, typed=typed)
        self._fenced = self._find_fenced()

    def on_text_area_changed(self) -> None:
        """Find anew what is code: one fence changes all that follows."""
        self._highlights_markdown = len(self.text) < MOST
        fenced = self._find_fenced()
        if fenced != self._fenced:
            self._fenced = fenced
            self.notify_style_update()

    def _find_fenced(self) -> frozenset[int]:
        if not self._highlights_markdown:
            return frozenset()
        fenced: list[int] = []
        fence = ""
        for index, line in enumerate(self.document.lines):
            found = _FENCE.match(line)
            if fence:
                fenced.append(index)
                if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                    fence = ""
            elif found:
                fenced.append(index)
                fence = found[1]
        return frozenset(fenced)

    def get_line(self, line_index: int) -> Text:
        """Return a line with what it is made of in its style."""
        line = super().get_line(line_index)
        if self._highlights_markdown:
            self._style(line, line_index)
        return line

    def _style(self, line: Text, index: int) -> None:
        own = roles(self.app)
        if index in self._fenced:
            line.stylize(own.style("code"))
            return
        for pattern, role in _LINES:
            if pattern.match(line.plain):
                line.stylize(own.style(role))
                return
        for pattern, role in _PIECES:
            for found in pattern.finditer(line.plain):
                line.stylize(own.style(role), found.start(), found.end())
