"""From the tree of blocks to the leaves of a page, in reading order; text is read only when a leaf is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recto.document.markdown.blocks import Block
from recto.tui.render import blocks_named, blocks_of_platform, blocks_of_text, operations, swagger
from recto.tui.render.leaf import BARE, Frame, Leaf
from recto.tui.render.surroundings import ALONE, Surroundings
from recto.tui.render.unfolding import Inlines, Unfolding

_DRAWN = {**blocks_of_text.DRAWN, **blocks_of_platform.DRAWN, **blocks_named.DRAWN, **operations.DRAWN, **swagger.DRAWN}


def unfold(
    blocks: Iterable[Block],
    inlines: Inlines,
    *,
    surroundings: Surroundings = ALONE,
    chosen: Mapping[str, int] | None = None,
    whole: bool = False,
) -> list[Leaf]:
    """Return the leaves of some blocks; ``chosen`` says of folds, by key, what of them is shown.

    With ``whole`` nothing folds: tabs stand below each other, and expandables are open.
    """
    unfolding = Unfolding(_draw, inlines, surroundings, chosen or {}, whole=whole)
    unfolding.all(blocks, BARE, BARE, gap=1)
    if unfolding.leaves:
        unfolding.leaves[0].gap = 0
    return unfolding.leaves


def _draw(page: Unfolding, block: Block, frame: Frame) -> None:
    _DRAWN.get(block.kind, blocks_named.named)(page, block, frame)
