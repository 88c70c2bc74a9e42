"""Cards: a table whose rows are laid out as a grid, each a title, some words and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from recto.document.markdown.blocks import Block, Inline, InlineKind
from recto.document.markdown.inline import inline_html
from recto.pattern import pattern
from recto.tui.render.figures import PictureLeaf, source_of
from recto.tui.render.inline_prose import LINK
from recto.tui.render.leaf import Frame, Leaf, TextLeaf
from recto.tui.render.prose import Prose, ProseBuilder
from recto.tui.render.side_by_side import BesideLeaf, Cell
from recto.tui.render.surroundings import Surroundings, name_of

CHUNK = 12
"""Cards in one leaf: a number that fills rows of one, two, three and four."""

_POINTS = (InlineKind.LINK, InlineKind.MENTION, InlineKind.BUTTON, InlineKind.IMAGE)

_MOST = 3
_GROUND = "code"
_LEAST = 24

# A cell may hold nothing but an icon.
_SAYS_NOTHING = pattern(r"<(?!img\b)[^<>]*>|:[\w-]+:|\s+")

CellReader = Callable[[Block, str], Prose]


def card_leaves(table: Block, frame: Frame, read: CellReader, surroundings: Surroundings) -> Sequence[Leaf]:
    """Return the leaves of a table of cards."""
    rows = list(table.children)
    columns: tuple[Block, ...] = ()
    if rows and any(cell.attributes.get("header") == "true" for cell in rows[0].children):
        columns = rows.pop(0).children
    leaves: list[Leaf] = []
    for begin in range(0, len(rows), CHUNK):
        cells = [_card(row, columns, read, surroundings) for row in rows[begin : begin + CHUNK]]
        leaf = BesideLeaf(table, frame.below if begin else frame, cells, most=_MOST, least=_LEAST, ground=_GROUND)
        leaf.gap = 1 if begin else 0
        leaf.gap_frame = frame.below
        leaves.append(leaf)
    return leaves


def _card(row: Block, columns: Sequence[Block], read: CellReader, surroundings: Surroundings) -> Cell:
    target = ""
    shown: list[tuple[Block, Mapping[str, str], str]] = []
    for index, cell in enumerate(row.children):
        column = columns[index] if index < len(columns) else None
        attributes = column.attributes if column is not None else {}
        if "data-card-target" in attributes:
            target = target or _address(cell)
            shown.append((cell, attributes, ""))
        elif _SAYS_NOTHING.sub("", cell.text):
            name = read(column, "").text.strip() if column is not None and column.text.strip() else ""
            shown.append((cell, attributes, name))
    leaves: list[Leaf] = []
    titled = False
    for cell, attributes, name in shown:
        if "data-card-target" in attributes:
            continue
        cover = "data-card-cover" in attributes or attributes.get("data-type") == "files"
        role = "muted" if titled or cover else "strong"
        titled = titled or not cover
        words = _words(cell, read, role, name, cover)
        leaves.append(_cover(cell, words, surroundings) if cover else _leaf(cell, words))
    leaves += [
        _leaf(cell, _target(cell, read, target, surroundings))
        for cell, attributes, _name in shown
        if "data-card-target" in attributes and cell.text.strip()
    ]
    return Cell(leaves)


def _leaf(cell: Block, make: Callable[[], Prose]) -> Leaf:
    return TextLeaf(cell, Frame(), cell.text, make)


def _cover(cell: Block, make: Callable[[], Prose], surroundings: Surroundings) -> Leaf:
    src = _address(cell)
    source = source_of(cell, src, surroundings.file_at(src), name_of(src), ground=_GROUND)
    return PictureLeaf(cell, Frame(), cell.text, make, source, surroundings.pictures)


def _words(cell: Block, read: CellReader, role: str, name: str, cover: bool) -> Callable[[], Prose]:
    def make() -> Prose:
        words = read(cell, role)
        if not (name or cover):
            return words
        writing = ProseBuilder()
        writing.write("▨ " if cover else f"{name}: ", "faint")
        begin = 0
        for run in words.runs:
            writing.write(words.text[begin : run.end], run.role, run.link)
            begin = run.end
        return writing.prose()

    return make


def _target(cell: Block, read: CellReader, target: str, surroundings: Surroundings) -> Callable[[], Prose]:
    def make() -> Prose:
        words = read(cell, "").text
        writing = ProseBuilder()
        # The arrow does not stay behind where a long address goes on to the next line.
        writing.write("→\N{NO-BREAK SPACE}", "accent")
        title = surroundings.title_of(target) if target else None
        writing.write(title or words or name_of(target), LINK, target or None)
        return writing.prose()

    return make


def _address(cell: Block) -> str:
    if cell.markup != "html":
        return cell.text.strip()
    ahead: list[Inline] = list(inline_html(cell.text))
    while ahead:
        inline = ahead.pop(0)
        if inline.kind in _POINTS and inline.target:
            return inline.target
        ahead = [*inline.children, *ahead]
    return cell.text.strip()
