"""Links of a page: the chosen link, its target, and the broken links."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recto.tui.look.lines import Span
from recto.tui.look.signs import BROKEN
from recto.tui.page.cursor import PageCursor
from recto.tui.page.page_lines import Stretch
from recto.tui.render.folds import Switch
from recto.tui.render.leaf import Leaf
from recto.tui.render.prose import Link


class Links:
    """The links of a page, and the chosen link."""

    def __init__(self, cursor: PageCursor) -> None:
        self.chosen: Link | None = None
        """The link that keys went to, while the cursor stays on its row."""
        self._cursor = cursor
        self._is_broken: Callable[[str], bool] = lambda _: False
        self._leaves: Sequence[Leaf] = ()
        self._broken: dict[int, tuple[Stretch, ...]] = {}
        """Broken links of the leaves that were drawn."""

    def here(self) -> Sequence[Link]:
        """Return the chosen link, else those on the cursor's line."""
        if self.chosen is not None:
            return (self.chosen,)
        return self._cursor.sheet.links_at(self._cursor.stop) if self._cursor.sheet is not None else ()

    @property
    def current(self) -> str | None:
        """Address of the chosen link, else of the first on the cursor's line."""
        hrefs = (link.href for link in self.here())
        return next((href for href in hrefs if not isinstance(href, Switch)), None)

    @property
    def current_text(self) -> str | None:
        """Words of the link whose address is ``current``."""
        leaf, href = self._cursor.leaf, self.current
        if leaf is None or href is None:
            return None
        links = [self.chosen] if self.chosen is not None else [one for one in leaf.prose().links if one.href == href]
        return leaf.text()[links[0].start : links[0].end] if links else None

    # Choosing

    def choose_next(self) -> None:
        """Go to the next link."""
        if self._cursor.reading is not None and self._cursor.sheet is not None:
            offset = self.chosen.start + 1 if self.chosen is not None else self._cursor.offsets[0]
            self._choose(self._cursor.reading.link_after(self._cursor.stop.leaf, offset))

    def choose_previous(self) -> None:
        """Go to the previous link."""
        if self._cursor.reading is not None and self._cursor.sheet is not None:
            offset = self.chosen.start if self.chosen is not None else self._cursor.offsets[0]
            self._choose(self._cursor.reading.link_before(self._cursor.stop.leaf, offset))

    def _choose(self, found: tuple[int, Link] | None) -> None:
        if found is not None:
            leaf, link = found
            self._cursor.reveal(leaf, link.start)
            self.chosen = link
            self._cursor.view.refresh()

    def choose_again(self, chosen: Link) -> None:
        """Choose the link with the same number as the chosen link before the page was parsed again."""
        leaf = self._cursor.leaf
        if leaf is not None:
            self.chosen = next((link for link in leaf.prose().links if link.start == chosen.start), None)

    def why_none(self) -> str | None:
        """Return why there is no link to go to."""
        cursor = self._cursor
        if self.chosen is not None:
            return None
        if cursor.reading is None:
            return "no page is shown"
        leaf, end = cursor.stop.leaf, cursor.offsets[1]
        found = cursor.reading.link_after(leaf, 0) or cursor.reading.link_before(leaf, end)
        return None if found else "this page has no links"

    # Broken links

    def mark_broken(self, is_broken: Callable[[str], bool]) -> None:
        """Mark the links for which ``is_broken`` holds; it is given addresses as they are written on the page."""
        before, self._is_broken, self._broken = self._broken, is_broken, {}
        if self._cursor.leaves is self._leaves and any(
            self._broken_in(leaf) != known for leaf, known in before.items()
        ):
            self._cursor.view.refresh()

    def _broken_in(self, leaf: int) -> tuple[Stretch, ...]:
        leaves = self._cursor.leaves
        if leaves is not self._leaves:
            self._leaves, self._broken = leaves, {}
        known = self._broken.get(leaf)
        if known is None:
            links = leaves[leaf].prose().links if leaves[leaf].may_link else ()
            known = tuple((link.start, link.end, BROKEN.role) for link in links if self._leads_nowhere(link.href))
            self._broken[leaf] = known
        return known

    def _leads_nowhere(self, href: str) -> bool:
        # What shows another tab is a link to the keys and the mouse alone.
        return not isinstance(href, Switch) and self._is_broken(href)

    # Looks

    def overlays(self, leaf: int, over: Sequence[Stretch]) -> Sequence[Stretch]:
        """Return what lies over a leaf's text with the chosen link added, and under all of it the broken links."""
        if self.chosen is not None and leaf == self._cursor.stop.leaf:
            over = [(self.chosen.start, self.chosen.end, "reverse"), *over]
        broken = self._broken_in(leaf)
        return sorted([*over, *_find_uncovered(broken, over)]) if broken else over

    def sign(self, leaf: int) -> Span | None:
        """Return the mark of a leaf with a broken link."""
        return BROKEN.span if self._broken_in(leaf) else None


def _find_uncovered(stretches: Sequence[Stretch], over: Sequence[Stretch]) -> list[Stretch]:
    """Return the parts of stretches that no others cover."""
    left: list[Stretch] = []
    for start, end, role in stretches:
        begin = start
        for first, last, _role in sorted(over):
            if last <= begin or first >= end:
                continue
            if first > begin:
                left.append((begin, first, role))
            begin = max(begin, last)
        if begin < end:
            left.append((begin, end, role))
    return left
