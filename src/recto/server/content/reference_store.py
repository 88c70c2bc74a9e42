"""Keeps what texts point at beside the texts, because reading it takes longer than all else about links."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from recto.document.markdown.links import Link, LinkKind, References
from recto.server.storage.database import Connection

READER: Final = 2
"""The number of the reader of links; it grows when the same text would be read otherwise than before."""


def save_references(connection: Connection, found: Mapping[str, References]) -> None:
    """Keep what texts point at, by their hashes."""
    connection.execute_many(
        "INSERT OR REPLACE INTO text_references (text, reader, body) VALUES (?, ?, ?)",
        [(text, READER, _written(each)) for text, each in found.items()],
    )


def load_references(connection: Connection, texts: Iterable[str]) -> dict[str, References]:
    """Return what this reader has kept of these texts."""
    rows = connection.all(
        "SELECT text, body FROM text_references WHERE reader = ? AND text IN (SELECT value FROM json_each(?))",
        READER,
        json.dumps(list(texts)),
    )
    return {row["text"]: _read(row["body"]) for row in rows}


def _written(found: References) -> str:
    links = [
        [link.kind, link.target, link.text, link.line, link.path, link.anchor, link.needed] for link in found.links
    ]
    return json.dumps([links, sorted(found.anchors)])


def _read(body: str) -> References:
    links, anchors = json.loads(body)
    return References(tuple(Link(LinkKind(kind), *rest) for kind, *rest in links), frozenset(anchors))
