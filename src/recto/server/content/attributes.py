"""Attributes of pages: their names in front matter and their defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

Attributes = dict[str, Any]

FLAGS = ("hidden", "no_index", "no_robots_index")
"""Attributes that are true or false, false where left out."""

TEXTS = ("emoji", "icon", "description", "condition")
"""Attributes that hold a text, none where left out."""

_FRONT_NAMES = {
    "title": "title",
    "description": "description",
    "icon": "icon",
    "emoji": "emoji",
    "if": "condition",
    "hidden": "hidden",
    "noIndex": "no_index",
    "noRobotsIndex": "no_robots_index",
}
_COVER_KEYS = frozenset({"cover", "coverDark", "coverY"})
_LAYOUT_PARTS = ("title", "description", "tableOfContents", "outline", "pagination", "metadata")
_FILE_LINK = re.compile(r"/files/([^/?#]+)\Z")


def put(attributes: Attributes, name: str, value: Any) -> None:
    """Set an attribute, or remove it if the value is its default."""
    if value is None or value is False or value in ("", {}):
        attributes.pop(name, None)
    else:
        attributes[name] = value


def put_front_matter(attributes: Attributes, front: Mapping[str, Any]) -> None:
    """Set the attributes in front matter; keys that are no attributes are kept unchanged under ``front``."""
    others: dict[str, Any] = dict(attributes.get("front", {}))
    for key, value in front.items():
        name = _FRONT_NAMES.get(key)
        if name in FLAGS:
            put(attributes, name, value is True)
        elif name == "title":
            if isinstance(value, str | int | float) and str(value).strip():
                attributes["title"] = _clean(" ".join(str(value).split()))
        elif name:
            put(attributes, name, _text(value))
        elif key == "layout" and isinstance(value, Mapping):
            put(attributes, "layout", _layout(value))
        elif key not in _COVER_KEYS:
            others[_clean(key)] = _plain(value)
    if front.get("cover"):
        attributes["cover"] = _cover(front)
    put(attributes, "front", others)


def source_path(attributes: Mapping[str, Any]) -> str | None:
    """Return the file that a page was imported from, from the root of its book; ``None`` where it has none."""
    path: str | None = (attributes.get("git") or {}).get("path")
    return path


def attributes_named(front: Mapping[str, Any]) -> set[str]:
    """Return the names of the attributes that front matter sets."""
    named = set()
    for key in front:
        cover = key in _COVER_KEYS
        named.add("cover" if cover else "layout" if key == "layout" else _FRONT_NAMES.get(key, "front"))
    return named


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, Mapping):
        return {_clean(str(key)): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, bool | int):
        return value
    return value if isinstance(value, float) and isfinite(value) else _clean(str(value))


def _clean(text: str) -> str:
    """Return a text without lone surrogates, which YAML can express but no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _text(value: Any) -> str | None:
    return None if value is None else _clean(str(value).strip())


def _cover(front: Mapping[str, Any]) -> Attributes:
    cover: Attributes = {"ref": _reference(str(front["cover"]))}
    if front.get("coverDark"):
        cover["refDark"] = _reference(str(front["coverDark"]))
    if isinstance(front.get("coverY"), int | float):
        cover["yPos"] = front["coverY"]
    return cover


def _reference(address: str) -> Attributes:
    address = _clean(address)
    file = _FILE_LINK.match(address)
    return {"kind": "file", "file": file[1]} if file else {"kind": "url", "url": address}


def _layout(values: Mapping[str, Any]) -> Attributes:
    """Return a page's layout from the form that front matter has: a part is on or off, or ``{visible: ...}``."""
    layout: Attributes = {}
    if values.get("width"):
        layout["width"] = _clean(str(values["width"]))
    for part in _LAYOUT_PARTS:
        visible = _visible(values.get(part))
        if visible is not None:
            layout[part] = visible
    cover = values.get("cover")
    if (visible := _visible(cover)) is not None:
        layout["cover"] = visible
    if isinstance(cover, Mapping) and cover.get("size"):
        layout["coverSize"] = _clean(str(cover["size"]))
    return layout


def _visible(value: Any) -> bool | None:
    if isinstance(value, Mapping):
        value = value.get("visible")
    return value if isinstance(value, bool) else None
