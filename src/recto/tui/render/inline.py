"""Inline text as prose: which role each piece has, and what stands for pictures, icons and line breaks."""

from __future__ import annotations

from collections.abc import Iterable

from recto.document.blocks import Inline, InlineKind
from recto.tui.render.breaking import is_wide
from recto.tui.render.prose import Prose, Writing

LINK = "accent underline"

_ROLES = {
    InlineKind.STRONG: "strong",
    InlineKind.EMPHASIS: "italic",
    InlineKind.STRIKETHROUGH: "strike",
    InlineKind.HIGHLIGHT: "selected strong",
    InlineKind.CODE: "code",
    InlineKind.EXPRESSION: "code changed",
    InlineKind.MATH: "italic",
    InlineKind.LINK: LINK,
    InlineKind.MENTION: LINK,
    InlineKind.BUTTON: f"{LINK} strong",
}
_LINKS = frozenset((InlineKind.LINK, InlineKind.MENTION, InlineKind.BUTTON))
# Not in the words, or only as a sign of the web page's typography.
_SILENT = frozenset((InlineKind.ANCHOR, InlineKind.ICON))
_DEEPEST = 60


def inline_prose(inlines: Iterable[Inline], role: str = "") -> Prose:
    """Return inline text as it is read; ``role`` is that of all of it."""
    writing = Writing()
    _write(writing, inlines, role, None, 0)
    return writing.prose()


def picture_words(alternative: str) -> str:
    """Return what stands for a picture."""
    alternative = " ".join(alternative.split())
    return f"[picture: {alternative}]" if alternative else "[picture]"


def _write(writing: Writing, inlines: Iterable[Inline], role: str, link: str | None, depth: int) -> None:
    pending_space = False
    for inline in inlines:
        kind = inline.kind
        if kind is InlineKind.SOFT_BREAK:
            pending_space = True
            continue
        if pending_space:
            pending_space = False
            # Between Chinese characters the end of a source line is no space.
            if not (is_wide(writing.last or " ") and is_wide(_first(inline) or " ")):
                writing.write(" ", role, link)
        _write_one(writing, inline, role, link, depth)


def _write_one(writing: Writing, inline: Inline, role: str, link: str | None, depth: int) -> None:
    kind = inline.kind
    own = joined(role, _ROLES.get(kind, ""))
    if kind in _LINKS and inline.target:
        link = inline.target
    if kind is InlineKind.BREAK:
        writing.write("\n", role, link)
    elif kind is InlineKind.IMAGE:
        writing.write(picture_words(inline.text), joined(role, "muted"), link or inline.target or None)
    elif kind is InlineKind.EMOJI:
        writing.write(f":{inline.text}:", own, link)
    elif kind is InlineKind.FOOTNOTE:
        writing.write(f"[{inline.text}]", joined(role, "muted"), link)
    elif kind is InlineKind.SUPERSCRIPT:
        writing.write("^", joined(role, "muted"), link)
    elif kind is InlineKind.HTML:
        writing.write(inline.text, joined(role, "faint"), link)
    elif kind not in _SILENT:
        text = inline.text.replace("\n", " ")
        # An icon that is not shown leaves no blank at the beginning of the line.
        writing.write(text if writing.last.strip() or kind is not InlineKind.TEXT else text.lstrip(" "), own, link)
    if kind is InlineKind.IMAGE:
        return
    if inline.children and depth < _DEEPEST:
        _write(writing, inline.children, own, link, depth + 1)
    elif kind in _LINKS and not inline.text:
        writing.write(inline.target, own, link)


def joined(first: str, second: str) -> str:
    """Join two roles."""
    return f"{first} {second}" if first and second else first or second


def _first(inline: Inline) -> str:
    while inline.children and not inline.text:
        inline = inline.children[0]
    return inline.text[:1]
