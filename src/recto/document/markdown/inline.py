"""Inline text of a block as a tree: from Markdown, with the HTML in it, or from HTML alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from html import unescape
from typing import TYPE_CHECKING
from unicodedata import category

from recto.document.markdown.blocks import Inline, InlineKind, plain_text
from recto.document.markdown.html_tags import HtmlTag, read_html_tag, tags
from recto.document.text import has_no_spaces, is_cjk, join_lines
from recto.frozen import record
from recto.pattern import pattern

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEEPEST = 50

EXPRESSION = pattern(
    r"<code\b(?=[^<>]*?\bclass\s*=\s*[\"'][^\"'<>]*\bexpression\b)[^<>]*>((?:(?!</?code\b).)*)</code\s*>",
    re.IGNORECASE | re.DOTALL,
)
"""An expression in a text; its content has HTML entities and is never Markdown."""

EMOJI = pattern(
    r"(?<![\w:]):([A-Za-z][\w+-]*|[+-]1|(?:1f[0-9a-f]{3}|2[1-9ab][0-9a-f]{2})(?:-[0-9a-f]{2,6})*):(?![\w:])"
)
"""Emoji in a text: short codes, two of which have no letter, and code points in hexadecimal."""

# Text without any of these is nothing but text: most cells of tables are, and parsing them costs the most.
_MARKS = pattern(r"[^\w ,.;()/=+\"'-]|  $|__|_\b|\b_")
_SPACE = pattern(r"\s+")
_HEADING_ANCHOR = pattern(r"(?<!\\)\{#([^\s{}#]{1,200})\}\Z")

_MARKDOWN = {
    "strong": InlineKind.STRONG,
    "em": InlineKind.EMPHASIS,
    "s": InlineKind.STRIKETHROUGH,
    "link": InlineKind.LINK,
}
_ELEMENTS = {
    "strong": InlineKind.STRONG,
    "b": InlineKind.STRONG,
    "em": InlineKind.EMPHASIS,
    "i": InlineKind.EMPHASIS,
    "del": InlineKind.STRIKETHROUGH,
    "s": InlineKind.STRIKETHROUGH,
    "strike": InlineKind.STRIKETHROUGH,
    "mark": InlineKind.HIGHLIGHT,
    "sub": InlineKind.SUBSCRIPT,
    "sup": InlineKind.SUPERSCRIPT,
    "code": InlineKind.CODE,
    "kbd": InlineKind.CODE,
    "tt": InlineKind.CODE,
    "a": InlineKind.LINK,
}
_LINES = frozenset({"p", "div", "ul", "ol", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"})


def inline_markdown(source: str, parser: MarkdownIt, env: dict[str, object]) -> tuple[Inline, ...]:
    """Parse inline Markdown; ``env`` is that of the page, which knows its link references and footnotes."""
    if not _MARKS.search(source):
        return (Inline(InlineKind.TEXT, source),) if source else ()
    tokens: list[Token] = []
    parser.inline.parse(source, parser, env, tokens)
    builder = _Builder()
    for place, token in enumerate(tokens):
        if token.type != "softbreak" or not _within_cjk(tokens, place):
            builder.token(token)
    return builder.result()


def part_anchor(text: str) -> tuple[str, tuple[Inline, ...]]:
    """Part the text of a heading from the anchor that it ends with, ``{#id}``, where it does."""
    found = _HEADING_ANCHOR.search(text)
    return (text[: found.start()].rstrip(), (Inline(InlineKind.ANCHOR, "", found[1]),)) if found else (text, ())


def inline_html(source: str) -> tuple[Inline, ...]:
    """Parse HTML as inline text: paragraphs and list items become lines."""
    builder = _Builder()
    reached = 0
    for match in tags(source):
        builder.text(_SPACE.sub(" ", join_lines(unescape(source[reached : match.start()]))))
        builder.html(match[0])
        reached = match.end()
    builder.text(_SPACE.sub(" ", join_lines(unescape(source[reached:]))))
    return builder.result()


def flanks(before: str, after: str) -> tuple[bool, bool]:
    """Whether marks between two characters are left-flanking, and whether they are right-flanking."""
    stops = [is_cjk(each) or each.isspace() or is_punctuation(each) for each in (before, after)]
    left = not after.isspace() and (is_cjk(after) or not is_punctuation(after) or stops[0])
    right = not before.isspace() and (is_cjk(before) or not is_punctuation(before) or stops[1])
    return left, right


def is_punctuation(character: str) -> bool:
    """Whether a character is punctuation or a symbol."""
    return category(character)[0] in "PS"


def _within_cjk(tokens: Sequence[Token], place: int) -> bool:
    """Whether a line ends between two characters that have no space between them, marks left aside."""
    before = _next_text(tokens, range(place - 1, -1, -1))
    after = _next_text(tokens, range(place + 1, len(tokens)))
    return has_no_spaces(before[-1:]) and has_no_spaces(after[:1])


def _next_text(tokens: Sequence[Token], places: range) -> str:
    """Return the first text at some places, empty where anything else that is seen comes before it."""
    for place in places:
        token = tokens[place]
        if token.content or token.type in ("softbreak", "hardbreak", "image"):
            return token.content if token.type in ("text", "text_special") else ""
    return ""


@record
class _Frame:
    """An open element: ``name`` says what ends it, ``source`` is its text, restored if nothing does."""

    name: str
    source: str = ""
    kind: InlineKind = InlineKind.HTML
    target: str = ""
    title: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: list[Inline] = field(default_factory=list)


class _Builder:
    def __init__(self) -> None:
        self._frames = [_Frame("")]

    def result(self) -> tuple[Inline, ...]:
        while len(self._frames) > 1:
            self._dissolve()
        children = self._frames[0].children
        while children and children[-1].kind in (InlineKind.BREAK, InlineKind.SOFT_BREAK):
            children.pop()
        return _join(children)

    def token(self, token: Token) -> None:
        """Add an inline token of markdown-it."""
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in _MARKDOWN:
            self._emphasis(token, name)
        elif token.type in ("text", "text_special"):
            self.text(token.content)
        elif token.type == "html_inline":
            self.html(token.content)
        elif token.type == "code_inline":
            self._add(Inline(InlineKind.CODE, token.content))
        elif token.type == "math":
            self._add(Inline(InlineKind.MATH, token.content))
        elif token.type == "expression":
            self._add(Inline(InlineKind.EXPRESSION, token.content))
        elif token.type == "image":
            title = str(token.attrGet("title") or "")
            self._add(Inline(InlineKind.IMAGE, _alternative(token), str(token.attrGet("src") or ""), title))
        elif token.type == "softbreak":
            self._add(Inline(InlineKind.SOFT_BREAK))
        elif token.type == "hardbreak":
            self._add(Inline(InlineKind.BREAK))
        elif token.type == "footnote_ref":
            self._add(Inline(InlineKind.FOOTNOTE, str(token.meta.get("label", ""))))
        elif token.content:
            self.text(token.content)

    def text(self, text: str) -> None:
        """Take plain text, with short codes of emoji in it."""
        reached = 0
        for match in EMOJI.finditer(text) if ":" in text else ():
            if match.start() > reached:
                self._add(Inline(InlineKind.TEXT, text[reached : match.start()]))
            self._add(Inline(InlineKind.EMOJI, match[1]))
            reached = match.end()
        if reached < len(text):
            self._add(Inline(InlineKind.TEXT, text[reached:]))

    def html(self, source: str) -> None:
        """Take an HTML tag as written."""
        tag = read_html_tag(source)
        if tag is None:
            self._add(Inline(InlineKind.HTML, source))
        elif tag.name == "br":
            self._add(Inline(InlineKind.BREAK))
        elif tag.name == "img" and not tag.closes:
            attributes = tag.attributes
            image = Inline(
                InlineKind.IMAGE, attributes.get("alt", ""), attributes.get("src", ""), attributes=attributes
            )
            self._add(image)
        elif tag.name in _LINES:
            self._line(tag)
        elif tag.closes:
            self._close(f"<{tag.name}>", source)
        elif tag.void or tag.name not in _ELEMENTS or len(self._frames) > DEEPEST:
            self._add(Inline(InlineKind.HTML, source))
        else:
            frame = _Frame(f"<{tag.name}>", source, _ELEMENTS[tag.name], tag.attributes.get("href", ""))
            frame.attributes = tag.attributes
            self._frames.append(frame)

    def _add(self, inline: Inline) -> None:
        self._frames[-1].children.append(inline)

    def _line(self, tag: HtmlTag) -> None:
        """Begin a new line, unless this line is empty."""
        children = self._frames[-1].children
        if children and children[-1].kind is not InlineKind.BREAK and (not tag.closes or tag.name not in ("ul", "ol")):
            self._add(Inline(InlineKind.BREAK))
        if tag.name == "li" and not tag.closes:
            self._add(Inline(InlineKind.TEXT, "• "))

    def _emphasis(self, token: Token, name: str) -> None:
        if token.nesting < 0:
            self._close(name, "")
            return
        target, title = str(token.attrGet("href") or ""), str(token.attrGet("title") or "")
        self._frames.append(_Frame(name, "", _MARKDOWN[name], target, title))

    def _close(self, name: str, source: str) -> None:
        """Close the innermost open element of this name. HTML never closes beyond a mark of Markdown."""
        for place in range(len(self._frames) - 1, 0, -1):
            if self._frames[place].name == name:
                while len(self._frames) - 1 > place:
                    self._dissolve()
                frame = self._frames.pop()
                self._add(_finish(frame))
                return
            if source and not self._frames[place].name.startswith("<"):
                break
        if source:
            self._add(Inline(InlineKind.HTML, source))

    def _dissolve(self) -> None:
        """Restore the innermost element, which never ended, as its source."""
        frame = self._frames.pop()
        if frame.source:
            self._add(Inline(InlineKind.HTML, frame.source))
        self._frames[-1].children.extend(frame.children)


def _alternative(image: Token) -> str:
    """Return the alternative text of a picture, on a single line, with that of pictures within."""
    words = []
    children = image.children or []
    for place, token in enumerate(children):
        if token.type == "softbreak" and _within_cjk(children, place):
            continue
        if token.type in ("softbreak", "hardbreak"):
            words.append(" ")
        else:
            words.append(_alternative(token) if token.type == "image" else token.content)
    return "".join(words)


def _finish(frame: _Frame) -> Inline:
    children = _join(frame.children)
    words = frame.attributes.get("class", "").split()
    kind, target = frame.kind, frame.target
    if kind is InlineKind.CODE:
        text = plain_text(children)
        if "expression" in words:
            return Inline(InlineKind.EXPRESSION, text, attributes=frame.attributes)
        element = {} if frame.name == "<code>" else {"element": frame.name.strip("<>")}
        return Inline(kind, text, attributes={**frame.attributes, **element})
    if kind is InlineKind.EMPHASIS and any(word.startswith("fa-") for word in words):
        name = next(word for word in words if word.startswith("fa-")).removeprefix("fa-")
        return Inline(InlineKind.ICON, name, attributes=frame.attributes)
    if kind is InlineKind.LINK and "data-footnote-ref" in frame.attributes:
        return Inline(InlineKind.FOOTNOTE, plain_text(children), attributes=frame.attributes)
    if kind is InlineKind.LINK and frame.source and not children:
        target = frame.attributes.get("id") or frame.attributes.get("name") or target.removeprefix("#")
        return Inline(InlineKind.ANCHOR, "", target, attributes=frame.attributes)
    if kind is InlineKind.LINK and "button" in words:
        kind = InlineKind.BUTTON
    elif kind is InlineKind.LINK and (frame.title == "mention" or "data-mention" in frame.attributes):
        kind = InlineKind.MENTION
    return Inline(kind, "", target, frame.title, children, frame.attributes)


def _join(inlines: list[Inline]) -> tuple[Inline, ...]:
    """Join neighbouring texts."""
    joined: list[Inline] = []
    for inline in inlines:
        if joined and inline.kind is InlineKind.TEXT is joined[-1].kind:
            joined[-1] = Inline(InlineKind.TEXT, joined[-1].text + inline.text)
        else:
            joined.append(inline)
    return tuple(joined)
