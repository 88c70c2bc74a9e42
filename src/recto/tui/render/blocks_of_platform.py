"""How the blocks are drawn that the platform adds to Markdown, and that a reader acts on or looks at as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext

from recto.document.markdown.blocks import Block, BlockKind
from recto.tui.look.sizes import bytes_in_words
from recto.tui.render.beside import MOST, BesideLeaf, Cell
from recto.tui.render.folding import CLOSED
from recto.tui.render.inline import LINK
from recto.tui.render.leaf import Frame
from recto.tui.render.prose import Writing, prose_of
from recto.tui.render.strip import SummaryLeaf, TabsLeaf
from recto.tui.render.surroundings import name_of
from recto.tui.render.unfolding import BAR, Draw, Label, Unfolding

_HINTS = {
    "info": ("i", "Info", "accent"),
    "success": ("✓", "Success", "success"),
    "warning": ("!", "Warning", "warning"),
    "danger": ("×", "Danger", "error"),
}
_LEAST_COLUMN = 28


def _hint(page: Unfolding, block: Block, frame: Frame) -> None:
    style = block.attributes.get("style", "info").lower()
    sign, word, role = _HINTS.get(style, ("·", style.capitalize(), "muted"))
    inner = frame.within(("┃ ", role), ("┃ ", role))
    page.label(block, inner, prose_of(f"{sign} {word}", f"{role} strong"))
    page.inner(block.children, inner.below)


def _tabs(page: Unfolding, block: Block, frame: Frame) -> None:
    tabs = [child for child in block.children if child.kind is BlockKind.TAB]
    if page.whole or not tabs:
        page.inner(block.children, frame)
        return
    fold = page.fold(block, len(tabs), 0) if len(tabs) > 1 else None
    titles = [tab.attributes.get("title", "").strip() or f"Tab {number}" for number, tab in enumerate(tabs, 1)]
    if fold is None:
        page.label(tabs[0], frame, prose_of(titles[0], "accent strong"))
    else:
        page.add(TabsLeaf(block, frame, titles, fold))
    inner = frame.below.within(BAR, BAR)
    number = -1
    for child in block.children:
        number += child.kind is BlockKind.TAB
        with page.part(fold, number) if fold is not None and number >= 0 else nullcontext():
            page.inner(child.children if child.kind is BlockKind.TAB else (child,), inner)


def _tab(page: Unfolding, block: Block, frame: Frame) -> None:
    title = block.attributes.get("title", "")
    page.label(block, frame, Label("tab").title(title).prose())
    page.inner(block.children, frame.below.within(BAR, BAR))


def _stepper(page: Unfolding, block: Block, frame: Frame) -> None:
    number = 0
    for index, step in enumerate(block.children):
        count = len(page.leaves)
        if step.kind is not BlockKind.STEP:
            page.inner((step,), frame.within(("│  ", "line"), ("│  ", "line")))
        else:
            number += 1
            _step(page, step, number, frame)
        if index and len(page.leaves) > count:
            page.leaves[count].gap = 1
            page.leaves[count].gap_frame = frame.below.within(("│", "line"), ("│", "line"))
        frame = frame.below


def _step(page: Unfolding, step: Block, number: int, frame: Frame) -> None:
    children = step.children
    mark = f"{number}  "
    within = frame.within((mark, "accent strong"), ("│" + " " * (len(mark) - 1), "line"))
    if children and children[0].kind is BlockKind.HEADING:
        page.text(children[0], within, "strong")
        children = children[1:]
    else:
        page.label(step, within, prose_of(step.attributes.get("title", "").strip() or f"Step {number}", "strong"))
    page.inner(children, within.below)


def _columns(page: Unfolding, block: Block, frame: Frame) -> None:
    cells = [Cell(page.collected((column,)), _share(column)) for column in block.children]
    leaves = [leaf for cell in cells for leaf in cell.leaves]
    if page.whole or len(cells) < 2 or len(leaves) > MOST or not all(cell.leaves for cell in cells):
        page.inner(block.children, frame)
    else:
        page.add(BesideLeaf(block, frame, cells, most=len(cells), least=_LEAST_COLUMN))


def _share(column: Block) -> float:
    width = column.attributes.get("width", "").strip().removesuffix("%")
    return float(width) if width.isascii() and width.isdigit() and 0 < int(width) <= 100 else 50.0


def _transparent(page: Unfolding, block: Block, frame: Frame) -> None:
    page.inner(block.children, frame)


def _expandable(page: Unfolding, block: Block, frame: Frame) -> None:
    first = frame.within(("▾ ", "accent"), ("  ", ""))
    inner = frame.below.within(BAR, BAR)
    if page.whole:
        page.text(block, first, "strong", end=block.start + 1)
        page.inner(block.children, inner)
        return
    fold = page.fold(block, 1, 0 if "open" in block.attributes else CLOSED)
    read = page.reader()
    make = (lambda: read(block, "strong")) if block.text else (lambda: prose_of("More", "strong"))
    page.add(SummaryLeaf(block, first, make, fold))
    with page.part(fold, 0):
        page.inner(block.children, inner)


def _embed(page: Unfolding, block: Block, frame: Frame) -> None:
    url, caption = block.attributes.get("url", ""), " ".join(block.attributes.get("caption", "").split())
    writing = Writing()
    writing.write(caption or url, LINK, url or None)
    if caption:
        writing.write(f"  {url}", "faint")
    page.label(block, frame.within(("▶ ", "accent"), ("  ", "")), writing.prose())
    page.inner(block.children, frame.below.within(("  ", ""), ("  ", "")))


def _file(page: Unfolding, block: Block, frame: Frame) -> None:
    src = block.attributes.get("src", "")
    known = page.surroundings.file_at(src) if src else None
    name = known.name if known is not None else name_of(src)
    writing = Writing()
    writing.write(name or "file", LINK, src or None)
    if known is not None and known.size:
        writing.write(f" · {bytes_in_words(known.size)}", "muted")
    inner = frame.within(("↓ ", "accent"), ("  ", ""))
    page.label(block, inner, writing.prose())
    if caption := " ".join(block.attributes.get("caption", "").split()):
        page.label(block, inner.below, prose_of(caption, "muted italic"))
    page.inner(block.children, inner.below)


def _reference(page: Unfolding, block: Block, frame: Frame) -> None:
    arrow = frame.within(("→ ", "accent"), ("  ", ""))
    url = block.attributes.get("url", "") or block.attributes.get("page", "")
    title = page.surroundings.title_of(url) if url else None
    if title or not block.children:
        page.label(block, arrow, prose_of(title or url, LINK, url or None))
    else:
        page.all(block.children, arrow, frame, gap=0)


DRAWN: Mapping[BlockKind, Draw] = {
    BlockKind.HINT: _hint,
    BlockKind.TABS: _tabs,
    BlockKind.TAB: _tab,
    BlockKind.STEPPER: _stepper,
    BlockKind.COLUMNS: _columns,
    BlockKind.COLUMN: _transparent,
    BlockKind.EXPANDABLE: _expandable,
    BlockKind.EMBED: _embed,
    BlockKind.FILE: _file,
    BlockKind.CONTENT_REF: _reference,
}
