"""Files of pages: written whole, or with only that changed which differs from the file that a page came from."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any

from recto.document.line_edits import edits
from recto.document.markdown.front_matter import split_front_matter
from recto.document.yaml_writing import edit_yaml, write_yaml
from recto.frozen import frozen
from recto.server.content.attributes import put_front_matter
from recto.server.exchange.book_reader import PageText, front_title, take_apart
from recto.server.exchange.summary import PLAIN, plain_title

_NAMED_BY_ATTRIBUTES = (
    ("description", "description"),
    ("icon", "icon"),
    ("emoji", "emoji"),
    ("if", "condition"),
    ("hidden", "hidden"),
    ("noIndex", "no_index"),
    ("noRobotsIndex", "no_robots_index"),
)
"""The keys of front matter whose value is an attribute as it is."""

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_HIDDEN = r"(?:[ \t]*(?:\{#[^}\n]*\}|<a\b[^<>\n]*>[ \t]*(?:</a>)?|<!--[^\n]*?-->)){0,3}[ \t]*"
"""The anchor and the comment that a heading may end with."""
_HEADING = re.compile(rf"(?P<above>(?:[ \t]*\n)* {{0,3}}#[ \t]+)(?P<title>[^\n]*?)(?P<below>{_HIDDEN}(?:\n|\Z))")
_UNDERLINED = re.compile(
    rf"(?P<above>(?:[ \t]*\n)* {{0,3}})(?P<title>[^\n]*?)(?P<below>{_HIDDEN}\n {{0,3}}=+[ \t]*(?:\n|\Z))"
)
# Longer ones are replaced: looking for the end of a heading takes time that grows with the cube of its spaces.
_LONGEST_HEADING = 500
_PUNCTUATION = re.compile(r"([\\`*_\[\]{}()#+.!|~$^\"'-])")

UNTITLED = "Untitled"
"""The title that is written in place of a blank title."""

Locate = Callable[[str], str]
"""Return an address that a page has in its front matter as its file has it."""


@frozen
class PageFile:
    """What a page's file is to say.

    ``title`` is ``None`` where the file need not say it. ``front`` is the front matter that its attributes come to,
    key by key, without the title; ``None`` leaves it as it is.
    """

    title: str | None
    text: str
    front: Mapping[str, Any] | None = None


def front_matter_of(attributes: Mapping[str, Any], locate: Locate) -> dict[str, Any]:
    """Return the front matter for a page's attributes."""
    front: dict[str, Any] = {
        key: attributes[name] for key, name in _NAMED_BY_ATTRIBUTES if attributes.get(name) not in (None, "", False)
    }
    cover = attributes.get("cover")
    if isinstance(cover, Mapping):
        front |= _cover(cover, locate)
    if attributes.get("layout"):
        front["layout"] = _layout(attributes["layout"])
    front |= attributes.get("front", {})
    if attributes.get("variables") and "vars" not in front:
        front["vars"] = dict(attributes["variables"])
    return front


def _cover(cover: Mapping[str, Any], locate: Locate) -> dict[str, Any]:
    front: dict[str, Any] = {}
    for key, part in (("cover", "ref"), ("coverDark", "refDark")):
        reference = cover.get(part) or {}
        if reference.get("kind") == "file":
            front[key] = locate(f"/files/{reference['file']}")
        elif reference.get("kind") == "url":
            front[key] = locate(str(reference["url"]))
    if "cover" in front and isinstance(place := cover.get("yPos"), int | float):
        front["coverY"] = int(place) if float(place).is_integer() else place
    return front if "cover" in front else {}


def _layout(layout: Mapping[str, Any]) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name, value in layout.items():
        if name == "width":
            written["width"] = value
        elif name == "coverSize":
            written.setdefault("cover", {})["size"] = value
        else:
            written.setdefault(name, {})["visible"] = value
    return written


def write_page(page: PageFile, source: bytes | None = None, locate: Locate = str) -> bytes:
    """Return the bytes of a page's file; of those of ``source`` all stand as they did that need not differ."""
    if source is None:
        return _encode(_whole(page))
    return encode_like(source, _edit_text(page, decode(source), locate))


def title_in_file(parts: PageText) -> str | None:
    """Return the title that a page's file says itself."""
    return parts.title or front_title(parts) or None


def _whole(page: PageFile) -> str:
    front = f"---\n{write_yaml(dict(page.front))}---\n\n" if page.front else ""
    text = front + page.text
    if page.title is None and _reads_as(text, page):
        return text
    return f"{front}# {escape_title(page.title or '')}\n\n{page.text}"


def _edit_text(page: PageFile, before: str, locate: Locate) -> str:
    """Return the text of a file with only that changed which the page does not say."""
    parts = take_apart(before)
    if not parts.readable:
        return _whole(page)
    head = before[: len(before) - len(parts.text)]
    front, rest = _split_head(head)
    front, invisible = front.lstrip(_INVISIBLE), front[: len(front) - len(front.lstrip(_INVISIBLE))]
    if page.title is not None and title_in_file(parts) != page.title:
        rest, front = _with_title(page.title, rest, front, parts)
    front = invisible + _edited_front(page, front, locate)
    if page.text and rest.strip() and not rest.endswith("\n"):
        rest += "\n"
    candidates = [f"{front}{rest}{page.text}"]
    if rest.strip():
        candidates.append(f"{front}{rest.rstrip()}\n\n{page.text}")
    title = page.title or title_in_file(parts)
    if title is not None:
        gap = "\n" if front and not front.endswith("\n\n") else ""
        candidates.append(f"{front}{gap}# {escape_title(title)}\n\n{page.text}")
    return next((text for text in candidates if _reads_as(text, page)), candidates[-1])


def _split_head(head: str) -> tuple[str, str]:
    """Split the beginning of a file into front matter and the rest."""
    shift = len(head) - len(head.lstrip(_INVISIBLE))
    found, _ = split_front_matter(head[shift:])
    end = shift + len(found.source)
    return head[:end], head[end:]


def _with_title(title: str, rest: str, front: str, parts: PageText) -> tuple[str, str]:
    """Return a heading, and front matter, that give another title."""
    named = front_title(parts)
    if named and (parts.title is None or named == parts.title):
        # The heading, if there is one, is the title: without one it is the key.
        source, opened, closed = _yaml_of(front)
        values = {**parts.front_matter, "title": title}
        front = f"{opened}{edit_yaml(source, values, {'title': title})}{closed}"
        if parts.title is None:
            return rest, front
    rest = rest.lstrip(_INVISIBLE)
    for pattern in (_HEADING, _UNDERLINED) if len(rest) <= _LONGEST_HEADING else ():
        found = pattern.match(rest)
        if found and plain_title(found["title"].rstrip("# \t")) == parts.title:
            return f"{found['above']}{escape_title(title)}{found['below']}{rest[found.end() :]}", front
    gap = "\n" if front and not front.endswith("\n\n") else ""
    return f"{gap}# {escape_title(title)}\n\n", front


def _yaml_of(front: str) -> tuple[str, str, str]:
    """Return the YAML of front matter, and the lines before and after it."""
    lines = front.splitlines(keepends=True)
    if not lines:
        return "", "---\n", "---\n"
    return "".join(lines[1:-1]), lines[0], lines[-1] if len(lines) > 1 else "---\n"


def _edited_front(page: PageFile, front: str, locate: Locate) -> str:
    """Return front matter with new values for the keys that differ from the page's attributes."""
    if page.front is None:
        return front
    values = split_front_matter(front)[0].values
    attributes: dict[str, Any] = {}
    put_front_matter(attributes, {key: value for key, value in values.items() if key != "title"})
    before = front_matter_of(attributes, locate)
    changed = {
        key: page.front.get(key)
        for key in dict.fromkeys((*page.front, *before))
        if key != "title" and page.front.get(key) != before.get(key)
    }
    if not changed:
        return front
    wanted = {key: value for key, value in values.items() if key not in changed}
    wanted |= {key: value for key, value in changed.items() if value is not None}
    source, opened, closed = _yaml_of(front)
    text = edit_yaml(source, wanted, changed)
    if not text.strip():
        return ""
    return f"{opened}{text}{closed if front else '---' + chr(10) + chr(10)}"


def _reads_as(text: str, page: PageFile) -> bool:
    """Whether a file is read back as the page's text and title, as far as the title can be written."""
    parts = take_apart(text)
    if not parts.readable or parts.text != page.text:
        return False
    return page.title is None or title_in_file(parts) == readable_title(page.title)


def readable_title(title: str) -> str:
    """Return a title as it is read back after it was written: without parts that a heading cannot hold."""
    return plain_title(escape_title(title)) or UNTITLED


def escape_title(title: str) -> str:
    """Return a title as Markdown on a line, escaped no more than it must be."""
    if PLAIN.fullmatch(title):
        return title
    plain = " ".join(title.split())
    for written in (plain, _escape(plain, r"([\\`*_\[\]#])"), escape_wholly(plain)):
        if plain_title(written) == plain and not _is_mistaken(written):
            return written
    return entities(plain)


def escape_wholly(title: str) -> str:
    """Return a title as Markdown with every sign that may mean something escaped."""
    return _escape(" ".join(title.split()), _PUNCTUATION.pattern)


def entities(title: str) -> str:
    """Return a title with every sign of ASCII by its number."""
    return re.sub(r"[!-/:-@\[-`{-~]", lambda found: f"&#{ord(found[0])};", " ".join(title.split()))


def _escape(title: str, pattern: str) -> str:
    escaped = re.sub(pattern, r"\\\1", title)
    # Tags are removed before characters are unescaped, so that a backslash would not save them.
    return re.sub(r"&(?=#?\w)", "&amp;", escaped).replace("<", "&lt;")


def _is_mistaken(written: str) -> bool:
    """Whether a title would be read as something else below the top of a page or as the text of a link."""
    heading = take_apart(f"# {written}\n").title
    return heading != plain_title(written)


def decode(source: bytes) -> str:
    """Return a file's text as the reader has it."""
    text = source.decode("utf-16" if source.startswith(_UTF_16) else "utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def encode_like(source: bytes, text: str) -> bytes:
    """Return a text as bytes; lines that a file has already have its bytes and line ends."""
    before = decode(source)
    if text == before:
        return source
    if source.startswith(_UTF_16):
        ends = "\r\n" if source.decode("utf-16", "replace").count("\r\n") else "\n"
        return codecs.BOM_UTF16_LE + text.replace("\n", ends).encode("utf-16-le", "replace")
    mark = codecs.BOM_UTF8 if source.startswith(codecs.BOM_UTF8) else b""
    body = source[len(mark) :]
    if b"\r" not in body and "\ufffd" not in before:
        return mark + _encode(text)
    old = _raw_lines(body)
    new = text.split("\n")
    line_ends = [end for _, end in old]
    usual = max((b"\n", b"\r\n", b"\r"), key=line_ends.count)
    written = [(_encode(line), usual) for line in new]
    written[-1] = (written[-1][0], b"")
    known = [line.decode("utf-8", "replace") for line, _ in old]
    reached_old = reached_new = 0
    script = edits(known, new)
    for number in range(len(script) + 1):
        edit = script[number] if number < len(script) else None
        stop = len(new) if edit is None else edit.after_start
        for offset in range(stop - reached_new):
            line, end = old[reached_old + offset]
            place = reached_new + offset
            is_last = place == len(new) - 1
            written[place] = (line, b"" if is_last else end or usual)
        if edit is not None:
            reached_old, reached_new = edit.before_end, edit.after_end
    return mark + b"".join(line + end for line, end in written)


def _raw_lines(body: bytes) -> list[tuple[bytes, bytes]]:
    """Return the lines of a file, each with its own line end; the last line has none."""
    lines: list[tuple[bytes, bytes]] = []
    reached = 0
    for found in _LINE_END.finditer(body):
        lines.append((body[reached : found.start()], found[0]))
        reached = found.end()
    return [*lines, (body[reached:], b"")]
