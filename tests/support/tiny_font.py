"""Fonts of a few square glyphs, for tests of which font is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack

_EM = 1000
_VERSION = 0x10000
_MAGIC = 0x5F0F3CF5
_SQUARE = pack(">5h", 1, 0, 0, 800, 800) + pack(">HH4B8h", 3, 0, 1, 1, 1, 1, 0, 0, 800, 0, 0, 800, 0, -800)


def tiny_font(family: str, characters: str) -> bytes:
    """Return a TrueType font of a family in which the characters are squares."""
    codes = sorted(map(ord, characters))
    count = len(codes) + 1
    return _file(
        {
            b"cmap": _character_map(codes),
            b"glyf": _SQUARE * count,
            b"head": pack(">4I2H2Q4h2H3h", _VERSION, 0, 0, _MAGIC, 0, _EM, 0, 0, 0, 0, 800, 800, 0, 8, 2, 1, 0),
            b"hhea": pack(">I3hH11hH", _VERSION, 800, -200, 0, _EM, 0, 0, 800, *[0] * 8, count),
            b"hmtx": pack(">Hh", _EM, 0) * count,
            b"loca": b"".join(pack(">I", len(_SQUARE) * at) for at in range(count + 1)),
            b"maxp": pack(">I14H", _VERSION, count, 4, 1, *[0] * 11),
            b"name": _names(family),
            b"post": pack(">2I2h5I", 0x30000, *[0] * 8),
        }
    )


def _character_map(codes: Sequence[int]) -> bytes:
    groups = b"".join(pack(">3I", code, code, glyph) for glyph, code in enumerate(codes, 1))
    table = pack(">2H3I", 12, 0, 16 + len(groups), 0, len(codes)) + groups
    return pack(">4HI", 0, 1, 3, 10, 12) + table


def _names(family: str) -> bytes:
    names = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    texts = {each: name.encode("utf-16-be") for each, name in names.items()}
    records, reached = b"", 0
    for each, text in texts.items():
        records += pack(">6H", 3, 1, 0x409, each, len(text), reached)
        reached += len(text)
    return pack(">3H", 0, len(texts), 6 + len(records)) + records + b"".join(texts.values())


def _file(tables: Mapping[bytes, bytes]) -> bytes:
    directory, content = b"", b""
    start = 12 + 16 * len(tables)
    for name, table in tables.items():
        directory += pack(">4s3I", name, 0, start + len(content), len(table))
        content += table + b"\0" * (-len(table) % 4)
    return pack(">I4H", _VERSION, len(tables), 0, 0, 0) + directory + content
