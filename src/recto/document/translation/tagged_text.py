"""Texts in which marks, links, code and the like are numbered tags: ``See <1>the guide</1> and <2/>.``

``<``, ``>`` and ``&`` of the text itself are ``&lt;``, ``&gt;`` and ``&amp;``. A translation may put tags in another
order, but each must come once, in the same tag as before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Final

from recto.document.markdown.html_tags import HtmlTag, read_html_tag, tags
from recto.document.markdown.inline import EMOJI
from recto.document.markdown.inline_places import Place, PlaceKind
from recto.document.rich_text.inline_writer import escape_line_starts, escape_markdown
from recto.document.text import has_no_spaces, join_lines
from recto.frozen import frozen

Escape = Callable[[str], str]
"""How text is written so that all of it reads as text."""

BLOCKS: Final = frozenset(
    ["address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "div", "dl", "dt", "figcaption",
     "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p",
     "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"]
)  # fmt: skip
"""Elements of HTML at which a text ends."""

UNREAD: Final = frozenset({"iframe", "object", "pre", "script", "select", "style", "svg", "textarea"})
"""Elements of HTML in which nothing is text."""

_CODE = frozenset({"code", "kbd", "samp", "tt", "var", *UNREAD})
_WHOLE = re.compile(rf"(?P<emoji>{EMOJI.pattern})|https?://[^\s<>\"'`（）、。，]*[\w/#=&]")
_ALTERNATIVE = re.compile(r"(?<![\w:@.-])alt\s*=\s*(?:\"(?P<text>[^\"]*)\"|'(?P<other>[^']*)')", re.IGNORECASE)
_TAG = re.compile(r"<(?P<close>/?)(?P<number>\d{1,9})\s?(?P<void>/?)>")
_ENTITY = re.compile(r"&(lt|gt|amp);", re.IGNORECASE)
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&"}
_UNWRITABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
# Begun at the first space of a run alone: tried at each of them, it would take time that grows with their square.
_LINES = re.compile(r"(?<![^\S\n\r])[^\S\n\r]*[\n\r\v\f\x85\u2028\u2029]\s*|\t+")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_MARKS: Mapping[str, tuple[str, str]] = {
    "**": ("<strong>", "</strong>"),
    "__": ("<strong>", "</strong>"),
    "*": ("<em>", "</em>"),
    "_": ("<em>", "</em>"),
    "~~": ("<del>", "</del>"),
}


class Broken(ValueError):
    """A translated text that cannot be put into its page; the message says which, and why."""


@frozen
class NumberedTag:
    """A numbered tag: what it begins and ends with in the source, and the number of the tag around it, or 0.

    ``closing`` is ``None`` for a tag that holds nothing.
    """

    opening: str
    closing: str | None
    within: int
    escape: Escape


@frozen
class TaggedText:
    """A text that stands from ``start`` to ``end`` of a page's source, as it is ``sent`` to a translator."""

    start: int
    end: int
    sent: str
    escape: Escape
    tags: tuple[NumberedTag, ...] = ()

    def write(self, translated: str, *, html: bool = False) -> str:
        """Return the source of a translated text; with ``html``, marks are written as HTML.

        Raise :class:`Broken` with the reason if it is empty, or its tags are not those of the text that was sent.
        """
        writer = _Writer(self, html=html)
        text = _LINES.sub(" ", _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", translated)).strip("\ufeff \xa0\u3000")
        reached = 0
        for match in _TAG.finditer(text):
            writer.text(text[reached : match.start()])
            writer.tag(match)
            reached = match.end()
        writer.text(text[reached:])
        return writer.result()


def count_words(texts: Iterable[str]) -> int:
    """Count the words of tagged texts; where a script has no spaces between words, each character counts."""
    return sum(
        sum(map(has_no_spaces, word)) + (not all(map(has_no_spaces, word)))
        for text in texts
        for word in _WORD.findall(_decode(_TAG.sub(" ", text)))
    )


def write_html(text: str) -> str:
    """Write a text, in HTML or in the quotes of an attribute."""
    return escape(text).replace("{", "&#123;").replace("}", "&#125;").replace("\\", "&#92;").replace("$$", "&#36;$")


def write_markdown(text: str) -> str:
    """Write a text in Markdown."""
    return escape_markdown(text)


def in_plain_text(start: int, end: int, text: str, escape: Escape = write_html) -> Iterator[TaggedText]:
    """Yield a text without marks, such as the value of an attribute, if it holds words."""
    if _has_words(text):
        yield TaggedText(start, end, _encode(text), escape)


def in_markdown(source: str, places: Sequence[Place], origin: Callable[[int], int], page: str) -> Iterator[TaggedText]:
    """Yield the text of inline Markdown, if it holds words.

    ``origin`` returns where a place of it stands in the source of the ``page``.
    """
    reader = _Reader(source, write_markdown)
    reader.read(places, 0, len(source))
    yield from reader.result(origin, page)


def in_html(page: str, start: int, end: int) -> Iterator[TaggedText]:
    """Yield the texts of HTML that stands in a page: one for each paragraph, item, cell and the like that has words."""
    source = page[start:end]
    places: list[Place] = []
    reached = 0
    unread = ""
    for match in tags(source):
        tag = read_html_tag(match[0])
        name = tag.name if tag else ""
        if unread:
            if name == unread and tag is not None and tag.closes:
                unread, reached = "", match.end()
        elif tag is not None and (name in BLOCKS or name in UNREAD):
            yield from _segment(page, start, source, places, reached, match.start())
            places, reached = [], match.end()
            unread = name if name in UNREAD and not tag.closes and not tag.void else ""
        else:
            places.append(Place(PlaceKind.TAG, match.start(), match.end(), match[0]))
    if not unread:
        yield from _segment(page, start, source, places, reached, len(source))


def _segment(
    page: str, offset: int, source: str, places: Sequence[Place], start: int, end: int
) -> Iterator[TaggedText]:
    reader = _Reader(source, write_html)
    reader.read(places, start, end)
    yield from reader.result(lambda place: place + offset, page)


# Reading


@dataclass(slots=True)
class _Event:
    """A piece of a source: plain ``text``, or where a tag begins (1), ends (-1) or is whole (0) by its ``nesting``.

    ``silent`` marks what a reader does not read as a part of the sentence.
    """

    start: int
    end: int
    text: str | None = None
    nesting: int = 0
    silent: bool = False
    place: Place | None = None
    html: HtmlTag | None = None
    escape: Escape | None = None


class _Reader:
    """Makes a tagged text of the places of a source."""

    def __init__(self, source: str, escape: Escape) -> None:
        self._source = source
        self._escape = escape
        self._events: list[_Event] = []
        self._open: list[int] = []

    def read(self, places: Iterable[Place], start: int, end: int) -> None:
        """Read the source between two places."""
        for place in places:
            self._gap(start, place.start)
            self._place(place)
            start = place.end
        self._gap(start, end)
        while self._open:
            self._dissolve()

    def result(self, origin: Callable[[int], int], page: str) -> Iterator[TaggedText]:
        """Yield the text without the silent pieces at its ends, if it holds words."""
        events = self._trim()
        if not any(_has_words(event.text) for event in events if event.text is not None):
            return
        parts: list[str] = []
        made: list[NumberedTag] = []
        around = [0]
        for event in events:
            if event.text is not None:
                parts.append(_encode(event.text))
            elif event.nesting < 0:
                number = around.pop()
                tag = made[number - 1]
                closing = page[origin(event.start) : origin(event.end)]
                made[number - 1] = NumberedTag(tag.opening, closing, tag.within, tag.escape)
                parts.append(f"</{number}>")
            else:
                opening = page[origin(event.start) : origin(event.end)]
                made.append(NumberedTag(opening, None, around[-1], event.escape or self._escape))
                number = len(made)
                if event.nesting:
                    around.append(number)
                parts.append(f"<{number}>" if event.nesting else f"<{number}/>")
        sent = join_lines("".join(parts)).replace("\n", " ")
        yield TaggedText(origin(events[0].start), origin(events[-1].end), sent, self._escape, tuple(made))

    def _trim(self) -> list[_Event]:
        events = self._events
        first, last = 0, len(events)
        while first < last and _is_outside(events[first]):
            first += 1
        while last > first and _is_outside(events[last - 1]):
            last -= 1
        events = events[first:last]
        for end, strip in ((0, str.lstrip), (-1, str.rstrip)):
            if events and events[end].text is not None:
                event = events[end]
                written = self._source[event.start : event.end]
                spaces = len(written) - len(strip(written))
                event.text = strip(event.text or "")
                event.start += spaces if end == 0 else 0
                event.end -= spaces if end else 0
        return events

    def _gap(self, start: int, end: int) -> None:
        """Take plain text, in which emoji and addresses stay as they are."""
        for found in _WHOLE.finditer(self._source, start, end):
            self._text(start, found.start())
            self._events.append(_Event(found.start(), found.end(), silent=found["emoji"] is not None))
            start = found.end()
        self._text(start, end)

    def _text(self, start: int, end: int) -> None:
        if start < end:
            text = self._source[start:end]
            if self._escape is write_html:
                text = re.sub(r"\s+", " ", join_lines(unescape(text)))
            self._events.append(_Event(start, end, text))

    def _place(self, place: Place) -> None:
        start, end = place.start, place.end
        if place.kind is PlaceKind.TEXT:
            self._events.append(_Event(start, end, place.text))
        elif place.kind is PlaceKind.BEGIN:
            self._begin(_Event(start, end, nesting=1, place=place))
        elif place.kind is PlaceKind.END:
            self._end("", start, end)
        elif place.kind is PlaceKind.TAG:
            self._html(start, end)
        elif place.kind is PlaceKind.PICTURE:
            self._picture(place)
        else:
            self._events.append(_Event(start, end, silent=place.kind is PlaceKind.BREAK))

    def _picture(self, place: Place) -> None:
        start, end = place.start + 2, place.start + 2 + len(place.text)
        if _has_words(place.text) and not re.search(r"[\\\[\]`*_~<&:!$]", place.text):
            self._around(place.start, start, place.text, end, place.end, self._escape)
        else:
            self._events.append(_Event(place.start, place.end, silent=True))

    def _around(self, start: int, begin: int, text: str, end: int, after: int, escape: Escape) -> None:
        self._events += [
            _Event(start, begin, nesting=1, escape=escape),
            _Event(begin, end, text),
            _Event(end, after, nesting=-1),
        ]

    def _html(self, start: int, end: int) -> None:
        source = self._source[start:end]
        tag = read_html_tag(source)
        if tag is not None and tag.closes:
            self._end(tag.name, start, end)
        elif tag is not None and tag.name == "img" and (alternative := _ALTERNATIVE.search(source)):
            group = "text" if alternative["text"] is not None else "other"
            text = unescape(alternative[group])
            if _has_words(text):
                begin, stop = (start + place for place in alternative.span(group))
                self._around(start, begin, text, stop, end, write_html)
            else:
                self._events.append(_Event(start, end, silent=True))
        elif tag is None or tag.void:
            self._events.append(_Event(start, end, silent=True))
        else:
            self._begin(_Event(start, end, nesting=1, html=tag))

    def _begin(self, event: _Event) -> None:
        self._open.append(len(self._events))
        self._events.append(event)

    def _end(self, name: str, start: int, end: int) -> None:
        """End what was begun last under a name of HTML, or by Markdown, across which HTML never ends."""
        for depth in range(len(self._open) - 1, -1, -1):
            html = self._events[self._open[depth]].html
            if (html.name if html else "") == name:
                while len(self._open) > depth + 1:
                    self._dissolve()
                self._close(self._open.pop(), start, end)
                return
            if name and html is None:
                break
        self._events.append(_Event(start, end, silent=True))

    def _close(self, place: int, start: int, end: int) -> None:
        opened = self._events[place]
        silent = (
            True
            if all(map(_is_outside, self._events[place + 1 :]))
            else _is_whole(opened, self._source[opened.end : start])
        )
        if silent is not None:
            self._events[place:] = [_Event(opened.start, end, silent=silent)]
        else:
            self._events.append(_Event(start, end, nesting=-1))

    def _dissolve(self) -> None:
        opened = self._events[self._open.pop()]
        opened.nesting, opened.silent = 0, True


def _is_whole(opened: _Event, held: str) -> bool | None:
    """Whether an element that is never split is silent; ``None`` for an element whose text is translated."""
    if opened.html is None:
        place = opened.place
        return False if place and place.target and (place.title == "mention" or held == place.target) else None
    attributes = opened.html.attributes
    if opened.html.name in _CODE:
        return False
    if opened.html.name == "i" and "fa-" in attributes.get("class", ""):
        return True
    is_label = opened.html.name == "a" and unescape(held) == attributes.get("href")
    return False if is_label or attributes.keys() & {"data-footnote-ref", "data-mention"} else None


def _is_outside(event: _Event) -> bool:
    return event.silent if event.text is None else not event.text.strip()


def _has_words(text: str) -> bool:
    return any(map(str.isalpha, text))


def _encode(text: str) -> str:
    return escape(text, quote=False)


def _decode(text: str) -> str:
    return _ENTITY.sub(lambda found: _ENTITIES[found[1].lower()], text)


# Writing


class _Writer:
    """Writes a translated text piece by piece."""

    def __init__(self, text: TaggedText, *, html: bool) -> None:
        self._text = text
        self._html = html
        self._parts: list[str] = []
        self._open: list[tuple[int, int]] = []  # the number of a tag, and how many parts came before what it holds
        self._seen: set[int] = set()
        self._line_start = True

    def text(self, text: str) -> None:
        """Add text between tags."""
        if not text:
            return
        escape = self._text.tags[self._open[-1][0] - 1].escape if self._open else self._text.escape
        written = escape(_decode(text))
        self._parts.append(escape_line_starts(written) if self._line_start and escape is write_markdown else written)
        self._line_start = False

    def tag(self, match: re.Match[str]) -> None:
        """Add a tag."""
        number = int(match["number"])
        if not 0 < number <= len(self._text.tags):
            raise Broken(f"tag {number} is not in the source")
        tag = self._text.tags[number - 1]
        if match["close"]:
            self._close(number, tag)
            return
        if number in self._seen:
            raise Broken(f"tag {number} comes twice")
        if tag.within != (self._open[-1][0] if self._open else 0):
            raise Broken(f"tag {number} is not where it was, {_where(tag.within)}")
        self._seen.add(number)
        self._add(self._opening(tag))
        if not match["void"]:
            self._open.append((number, len(self._parts)))
        elif tag.closing is not None:
            raise Broken(f"tag {number} has become empty")

    def result(self) -> str:
        """Return the source of the text."""
        if self._open:
            raise Broken(f"tag {self._open[-1][0]} does not end")
        missing = next((number for number in range(1, len(self._text.tags) + 1) if number not in self._seen), None)
        if missing is not None:
            raise Broken(f"tag {missing} is missing")
        written = "".join(self._parts)
        if not written.strip():
            raise Broken("it has become empty")
        return written

    def _close(self, number: int, tag: NumberedTag) -> None:
        if not self._open or self._open[-1][0] != number:
            raise Broken(f"tag {number} ends where it does not begin")
        held = "".join(self._parts[self._open.pop()[1] :])
        if tag.closing is None:
            if held:
                raise Broken(f"tag {number} holds a text")
        elif not held.strip():
            raise Broken(f"tag {number} has become empty")
        else:
            self._add(_MARKS[tag.opening][1] if self._html and tag.opening in _MARKS else tag.closing)

    def _opening(self, tag: NumberedTag) -> str:
        marked = self._html and tag.closing is not None and tag.opening in _MARKS
        return _MARKS[tag.opening][0] if marked else tag.opening

    def _add(self, source: str) -> None:
        self._parts.append(source)
        _, newline, last = source.rpartition("\n")
        self._line_start = bool(newline) and not last.replace(">", " ").strip()


def _where(number: int) -> str:
    return f"in tag {number}" if number else "in no other tag"
