"""Lifting pages in a large tree."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.twice.cases import case
from recto.contract.content import Page
from recto.store.arrangement import Arrangement
from recto.store.landing import Landings
from recto.store.move_plan import page_moves
from recto.store.moves import Move, Where
from recto.store.staging import Staging


def _tree(pages: int) -> Arrangement:
    """Return that many pages, a tenth of them at the top level and nine in each of those."""
    tops = (
        Page(id=f"p{top}", title=f"Part {top}", pages=tuple(Page(id=f"p{top}-{n}", title=f"{n}") for n in range(9)))
        for top in range(pages // 10)
    )
    return Arrangement.of_pages(tuple(tops))


@case("lift a page among all others", size=2_500)
def _(pages: int) -> Callable[[], object]:
    """Prepare an open tree of that many pages, of which the last page is lifted and carried past all places."""
    tree = _tree(pages)
    last = (f"p{pages // 10 - 1}-8",)

    def lift() -> object:
        return [*Landings(tree, last, tree.items.keys())]

    return lift


@case("lift a page among siblings", size=2_500)
def _(pages: int) -> Callable[[], object]:
    """Prepare that many pages side by side, of which the last page is lifted and carried past all places."""
    tree = Arrangement.of_pages(tuple(Page(id=f"p{n}", title=f"{n}") for n in range(pages)))
    last = (f"p{pages - 1}",)
    return lambda: [*Landings(tree, last, ())]


@case("drop fifty pages among siblings", size=2_500)
def _(pages: int) -> Callable[[], object]:
    """Prepare that many pages side by side, of which the last fifty go before the first one, the last one first."""
    tree = Arrangement.of_pages(tuple(Page(id=f"p{n}", title=f"{n}") for n in range(pages)))
    moved = [f"p{n}" for n in range(pages - 50, pages)]

    def drop() -> object:
        staging = Staging(tree)
        for id in moved:
            added = staging.add(Move((id,), "p0", Where.BEFORE))
            assert isinstance(added, Staging)
            staging = added
        return page_moves(tree, staging.arrangement, moved)

    return drop
