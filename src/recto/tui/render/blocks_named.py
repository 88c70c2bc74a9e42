"""How blocks are drawn that say first what they are: conditions, changes, and what nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from recto.document.markdown.blocks import Block, BlockKind
from recto.tui.render.beside import BesideLeaf, Cell
from recto.tui.render.leaf import BARE, Frame, Leaf, TextLeaf
from recto.tui.render.unfolding import BAR, Draw, Label, Unfolding

# The attributes that stand in a label's words already, or say only how a web page sets the block.
_TOLD = frozenset(("title", "url", "src", "path", "alt", "caption", "expression", "open", "style"))
_DASHED = ("┊ ", "line")


def named(page: Unfolding, block: Block, frame: Frame) -> None:
    """Show a block by its name and attributes, and what it holds below, behind a bar."""
    attributes = block.attributes
    label = Label(block.name or str(block.kind)).title(attributes.get("title", ""))
    label.target(next((attributes[key] for key in ("url", "src") if attributes.get(key)), ""))
    label.words(attributes.get("caption", ""))
    label.rest({key: value for key, value in attributes.items() if key not in _TOLD})
    page.label(block, frame, label.prose())
    _held(page, block, frame.below.within(BAR, BAR))


def _held(page: Unfolding, block: Block, frame: Frame) -> None:
    if block.text and not block.text.startswith("{%"):
        page.text(block, frame)
    page.inner(block.children, frame)


def _tag(page: Unfolding, block: Block, frame: Frame) -> None:
    if block.children or not block.text:
        named(page, block, frame)
    else:
        page.source(block, frame)


def _condition(page: Unfolding, block: Block, frame: Frame) -> None:
    expression = block.attributes.get("expression", "")
    page.label(block, frame, Label("shown only if").words(expression, "code changed").prose())
    _held(page, block, frame.below.within(_DASHED, _DASHED))


def _include(page: Unfolding, block: Block, frame: Frame) -> None:
    path = block.attributes.get("path", "") or block.attributes.get("url", "")
    known = page.surroundings.included(path)
    label = Label("included text")
    if known is not None:
        label.words(known.title)
    else:
        label.target(path)
    words = label.prose()
    leaves: list[Leaf] = [TextLeaf(block, BARE, words.text, lambda: words)]
    if known is not None and known.text is not None:
        leaves += page.included(path, known, BARE.within(_DASHED, _DASHED))
    # One leaf whatever is known of the text: the places of those below stay what they are when it comes.
    page.add(BesideLeaf(block, frame, [Cell(leaves)], most=1, least=1))
    _held(page, block, frame.below.within(_DASHED, _DASHED))


def _update(page: Unfolding, block: Block, frame: Frame) -> None:
    attributes = dict(block.attributes)
    day, tags = attributes.pop("date", ""), attributes.pop("tags", "")
    label = Label(_day(day) or "Update", role="accent strong")
    label.words(" · ".join(tag.strip() for tag in tags.split(",") if tag.strip()))
    page.label(block, frame, label.rest(attributes).prose())
    page.inner(block.children, frame.below.within(BAR, BAR))


def _day(written: str) -> str:
    try:
        day = date.fromisoformat(written.strip()[:10])
    except ValueError:
        return written
    return f"{day.day} {day:%b %Y}"


def _prompt(page: Unfolding, block: Block, frame: Frame) -> None:
    attributes = dict(block.attributes)
    label = Label("prompt").title(attributes.pop("description", ""))
    page.label(block, frame, label.rest(attributes).prose())
    _held(page, block, frame.below.within(_DASHED, _DASHED))


def _updates(page: Unfolding, block: Block, frame: Frame) -> None:
    page.inner(block.children, frame)


DRAWN: Mapping[BlockKind, Draw] = {
    BlockKind.TAG: _tag,
    BlockKind.IF: _condition,
    BlockKind.INCLUDE: _include,
    BlockKind.UPDATES: _updates,
    BlockKind.UPDATE: _update,
    BlockKind.PROMPT: _prompt,
}
