"""Inline text as prose: which role each piece has, and what stands for pictures, icons and line breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from recto.document.markdown.blocks import Inline, InlineKind, plain_text
from recto.document.markdown.emoji import emoji
from recto.document.markdown.html_tags import is_comment
from recto.document.markdown.math_text import is_one, math_text, subscript, superscript
from recto.document.text import on_one_line
from recto.pattern import pattern
from recto.tui.render.leaf import join_roles
from recto.tui.render.prose import Prose, ProseBuilder
from recto.tui.render.surroundings import ALONE, Surroundings

LINK = "accent underline"

_ROLES = {
    InlineKind.STRONG: "strong",
    InlineKind.EMPHASIS: "italic",
    InlineKind.STRIKETHROUGH: "strike",
    InlineKind.CODE: "code",
    InlineKind.EXPRESSION: "code changed",
    InlineKind.MATH: "italic",
    InlineKind.LINK: LINK,
    InlineKind.MENTION: LINK,
    InlineKind.BUTTON: "accent strong",
}
_SHIFTED = frozenset((InlineKind.SUPERSCRIPT, InlineKind.SUBSCRIPT))
_LINKS = frozenset((InlineKind.LINK, InlineKind.MENTION, InlineKind.BUTTON))
_WORDS = frozenset((InlineKind.TEXT, InlineKind.STRONG, InlineKind.EMPHASIS, InlineKind.LINK))
# Not in the words, or only as a sign of the web page's typography.
_SILENT = frozenset((InlineKind.ANCHOR, InlineKind.ICON))
_DEEPEST = 60
_COLOUR = pattern(r"(background-)?color\s*:\s*\$?([A-Za-z]+)", re.IGNORECASE)
_COLOURS = {
    "red": "error",
    "orange": "warning",
    "yellow": "warning",
    "green": "success",
    "blue": "accent",
    "purple": "changed",
    "pink": "changed",
    "success": "success",
    "warning": "warning",
    "danger": "error",
}
# No-break spaces: a button is not separated from its brackets.
_BUTTON = ("[\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}]")
_BUTTON_TAG = pattern(r"<(/?)button\b", re.IGNORECASE)
_SETS_ONLY = pattern(r"</?(?:span|pre|u|ins|small|big|font|center|section|nobr|wbr)\b", re.IGNORECASE)


def inline_prose(inlines: Iterable[Inline], role: str = "", surroundings: Surroundings = ALONE) -> Prose:
    """Return inline text as it is read; ``role`` is that of all of it."""
    writer = _Writer(surroundings)
    writer.all(inlines, role, None, 0)
    return writer.writing.prose()


def picture_words(alternative: str) -> str:
    """Return what stands for a picture."""
    alternative = on_one_line(alternative)
    return f"[picture: {alternative}]" if alternative else "[picture]"


class _Writer:
    def __init__(self, surroundings: Surroundings) -> None:
        self.writing = ProseBuilder()
        self._surroundings = surroundings

    def all(self, inlines: Iterable[Inline], role: str, link: str | None, depth: int) -> None:
        """Write pieces that follow each other."""
        pending_space = False
        for inline in inlines:
            if inline.kind is InlineKind.SOFT_BREAK:
                pending_space = True
                continue
            if pending_space:
                pending_space = False
                self.writing.write(" ", role, link)
            self._one(inline, role, link, depth)

    def _one(self, inline: Inline, role: str, link: str | None, depth: int) -> None:
        kind, writing = inline.kind, self.writing
        own = join_roles(role, _role_of(inline) if kind is InlineKind.HIGHLIGHT else _ROLES.get(kind, ""))
        if kind in _LINKS and inline.target:
            link = inline.target
        if kind is InlineKind.BREAK:
            writing.break_line()
        elif kind is InlineKind.IMAGE:
            writing.write(picture_words(inline.text), join_roles(role, "muted"), link or inline.target or None)
        elif kind is InlineKind.EMOJI:
            writing.write(emoji(inline.text), own, link)
        elif kind is InlineKind.FOOTNOTE:
            writing.write(f"[{inline.text}]", join_roles(role, "muted"), link)
        elif kind in _SHIFTED:
            self._shift(inline, role, link, depth)
            return
        elif kind is InlineKind.HTML:
            self._tag(inline.text, role, link)
        elif kind is InlineKind.MATH:
            writing.write(" ".join(math_text(inline.text).split()) or inline.text, own, link)
        elif kind is InlineKind.EXPRESSION:
            writing.write(*self._expression(inline.text, role), link)
        elif kind not in _SILENT:
            text = inline.text.replace("\n", " ")
            # An icon that is not shown leaves no blank at the beginning of the line.
            writing.write(text if writing.last.strip() or kind is not InlineKind.TEXT else text.lstrip(" "), own, link)
        if kind is not InlineKind.IMAGE:
            self._within(inline, own, link, depth)

    def _within(self, inline: Inline, role: str, link: str | None, depth: int) -> None:
        button = inline.kind is InlineKind.BUTTON
        title = self._surroundings.title_of(inline.target) if inline.kind is InlineKind.MENTION else None
        if button:
            # Buttons written without a blank between them are apart on the web, too.
            self.writing.write(" " if self.writing.last == "]" else "")
            self.writing.write(_BUTTON[0], role, link)
        if title:
            self.writing.write(title, role, link)
        elif inline.children and depth < _DEEPEST:
            self.all(inline.children, role, link, depth + 1)
        elif inline.kind in _LINKS and not inline.text:
            self.writing.write(inline.target, role, link)
        if button:
            self.writing.write(_BUTTON[1], role, link)

    def _tag(self, source: str, role: str, link: str | None) -> None:
        """Write HTML that is no element of its own: what only sets the text is not shown, the rest as it stands.

        Nor is a comment, unless it stands for something.
        """
        if button := _BUTTON_TAG.match(source):
            self.writing.write(_BUTTON[bool(button[1])], join_roles(role, _ROLES[InlineKind.BUTTON]), link)
        elif not _SETS_ONLY.match(source) and not is_comment(source):
            self.writing.write(source, join_roles(role, "faint"), link)

    def _shift(self, inline: Inline, role: str, link: str | None, depth: int) -> None:
        """Write a superscript or subscript: in Unicode letters if all exist, else marked."""
        above = inline.kind is InlineKind.SUPERSCRIPT
        words = plain_text((inline,))
        children = _replace_letters(inline.children, superscript if above else subscript)
        # A star or a dagger is a mark of its own, raised or not.
        if children is not None or not any(map(str.isalnum, words)):
            self._within(replace(inline, children=children or inline.children), role, link, depth)
            return
        if not self.writing.last.strip():
            # Raised or lowered text without a base is only small print.
            self._within(inline, join_roles(role, "muted"), link, depth)
            return
        first, last = ("", "") if is_one(words) and len(inline.children) == 1 else ("(", ")")
        self.writing.write(("^" if above else "_") + first, join_roles(role, "muted"), link)
        self._within(inline, role, link, depth)
        self.writing.write(last, join_roles(role, "muted"), link)

    def _expression(self, source: str, role: str) -> tuple[str, str]:
        """Return the value of an expression if it has any, else the expression as written."""
        from recto.document.expressions.language import UNDEFINED, ExpressionError, parse, text_of

        if self._surroundings.names:
            try:
                value = parse(source).evaluate(self._surroundings.names)
            except ExpressionError:
                value = None
            if value is not None and value is not UNDEFINED:
                return " ".join(text_of(value).split()), role
        return source, join_roles(role, _ROLES[InlineKind.EXPRESSION])


def _role_of(inline: Inline) -> str:
    """Return the role nearest to the colour that a mark asks for."""
    asked = _COLOUR.search(inline.attributes.get("style", ""))
    if asked is None:
        return "selected strong"
    role = _COLOURS.get(asked[2].lower(), "accent")
    return f"selected {role} strong" if asked[1] else f"{role} strong"


def _replace_letters(inlines: Sequence[Inline], letters: Callable[[str], str | None]) -> tuple[Inline, ...] | None:
    """Return inline text in other letters; ``None`` where it holds what has none."""
    found: list[Inline] = []
    for inline in inlines:
        text = letters(inline.text) if inline.kind in _WORDS else None
        children = _replace_letters(inline.children, letters)
        if text is None or children is None:
            return None
        found.append(replace(inline, text=text, children=children))
    return tuple(found)
