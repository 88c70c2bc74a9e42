"""The ``{% name attribute="value" %}`` tags of page text, and which blocks they make."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from html import unescape

from recto.document.markdown.blocks import BlockKind
from recto.frozen import frozen
from recto.pattern import pattern

_NAME = pattern(r"\{%-?\s*(@?[\w./-]+)")
_END = pattern(r"%\}|=\s*(?:\"[^\"]*\"|'[^']*')")
_ATTRIBUTE = pattern(
    r"(?<![\w:@.-])([\w:@.-]++)\s*+=\s*+(?:\"((?:\\.|[^\"\\])*+)\"|'((?:\\.|[^'\\])*+)'|([^\s\"']+))", re.DOTALL
)
_QUOTED = pattern(r"\s*[\"']([^\"']*)[\"']")
_ESCAPED = pattern(r"\\([\"'\\])")

KINDS: Mapping[str, BlockKind] = {
    "hint": BlockKind.HINT,
    "tabs": BlockKind.TABS,
    "tab": BlockKind.TAB,
    "stepper": BlockKind.STEPPER,
    "step": BlockKind.STEP,
    "columns": BlockKind.COLUMNS,
    "column": BlockKind.COLUMN,
    "content-ref": BlockKind.CONTENT_REF,
    "page-ref": BlockKind.CONTENT_REF,
    "embed": BlockKind.EMBED,
    "file": BlockKind.FILE,
    "include": BlockKind.INCLUDE,
    "updates": BlockKind.UPDATES,
    "update": BlockKind.UPDATE,
    "if": BlockKind.IF,
    "prompt": BlockKind.PROMPT,
}

# Tags that end where the next one of their name begins, should their own end be missing.
ITEMS = frozenset({"tab", "step", "column", "update"})


@frozen
class Tag:
    """A tag as written. ``name`` of an end tag is that of the tag it ends; ``source`` is all of it.

    An HTML element with the attribute ``data-gb-custom-block`` is a tag, too: its ``data-tag`` is the name.
    """

    name: str
    closes: bool
    source: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> BlockKind:
        """The block that the tag makes."""
        if self.name.startswith("openapi"):
            return BlockKind.OPENAPI
        if self.name.startswith("swagger"):
            return BlockKind.SWAGGER
        return KINDS.get(self.name, BlockKind.TAG)


def read_tag(text: str, start: int = 0) -> Tag | None:
    """Return the tag at a position of a text, if any; an attribute's quotes may hold anything."""
    opening = _NAME.match(text, start)
    if opening is None:
        return None
    end = next((match.end() for match in _END.finditer(text, opening.end()) if match[0] == "%}"), None)
    if end is None:
        return None
    name, source = opening[1].rstrip("-"), text[start:end]
    if name.startswith("end") and len(name) > 3:
        return Tag(name[3:], True, source)
    return Tag(name, False, source, _attributes(name, text[opening.end() : end - 2].removesuffix("-")))


def _attributes(name: str, rest: str) -> dict[str, str]:
    if name == "if":
        return {"expression": rest.strip()}
    attributes = {
        match[1]: unescape(_ESCAPED.sub(r"\1", next(value for value in (*match.groups()[1:], "") if value is not None)))
        for match in _ATTRIBUTE.finditer(rest)
    }
    if name == "include" and (path := _QUOTED.match(rest)):
        attributes["path"] = path[1]
    return attributes
