"""Which parts of a space stand beside each other at a width."""

from __future__ import annotations

TREE, PAGE, SIDE = "tree", "reader", "side"
"""The page tree, the page, and the side panel, by the ids of their panels."""

PARTS = (TREE, PAGE, SIDE)

BROAD, NARROW = 140, 80
"""Columns from which all three have room, and below which there is room for one."""


def arrange(width: int, part: str, *, side: bool) -> tuple[str, ...]:
    """Return the parts that are shown; ``part`` is the one a person is in, ``side`` whether the side panel is open."""
    if width < NARROW:
        return (part,)
    if not side:
        return (TREE, PAGE)
    if width >= BROAD:
        return (TREE, PAGE, SIDE)
    # There is room for one beside the page: the tree while one walks it, else what was opened last.
    return (TREE, PAGE) if part == TREE else (PAGE, SIDE)


def reachable(side: bool) -> tuple[str, ...]:
    """Return the parts in the order in which tab goes round them."""
    return (TREE, PAGE, SIDE) if side else (TREE, PAGE)
