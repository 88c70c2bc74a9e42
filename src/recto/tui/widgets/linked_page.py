"""A page of a space: it marks links that lead nowhere before anybody follows them, and says what cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recto.tui.lines import Span
from recto.tui.render.folding import Switch
from recto.tui.signs import BROKEN
from recto.tui.widgets.page_view import PageView
from recto.tui.widgets.sheet_view import Position

if TYPE_CHECKING:
    from recto.document.markdown.page import Page
    from recto.tui.render.leaf import Leaf

Stretch = tuple[int, int, str]
"""Where in a leaf's text something begins and ends, and its role."""


class LinkedPage(PageView):
    """A page whose links are known: ``tell_links`` gives what says of one, as written, whether it is broken."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._is_broken: Callable[[str], bool] = lambda _: False
        self._broken: dict[int, tuple[Stretch, ...]] = {}

    class Sought(PageView.PageMessage):
        """Something else is looked for, or another place was gone to where it stands."""

    def find(self, text: str) -> int:
        """Look for a text; gives how often it was found."""
        count = super().find(text)
        self.post_message(self.Sought(self))
        return count

    def action_list_find_next(self) -> None:
        """Go to the next place found."""
        super().action_list_find_next()
        self.post_message(self.Sought(self))

    def action_list_find_previous(self) -> None:
        """Go to the place found before."""
        super().action_list_find_previous()
        self.post_message(self.Sought(self))

    def tell_links(self, is_broken: Callable[[str], bool]) -> None:
        """Mark the links of which this says that they are broken."""
        self._is_broken = is_broken
        self._broken = {}
        self.refresh()

    @property
    def parsed(self) -> Page | None:
        """The page as it was parsed, or ``None`` before that."""
        return self._reading.page if self._reading is not None else None

    def has_anchor(self, name: str) -> bool:
        """Say whether the page has a place of this name."""
        return self._reading is not None and self._reading.line_of_anchor(name) is not None

    @property
    def current_link_text(self) -> str | None:
        """The words of the link that ``current_link`` gives the address of."""
        leaf, href = self.cursor_leaf, self.current_link
        if leaf is None or href is None:
            return None
        links = [self._link] if self._link is not None else [one for one in leaf.prose().links if one.href == href]
        return leaf.text()[links[0].start : links[0].end] if links else None

    def section(self) -> tuple[int, int | None, str, str | None]:
        """Return the section the cursor is in: its first source line, the line after its last, title and anchor."""
        line = self.cursor_line
        above = [heading for heading in self.outline if heading.line <= line]
        if not above:
            return 0, None, "", None
        here = above[-1]
        after = (one.line for one in self.outline if one.line > here.line and one.level <= here.level)
        return here.line, next(after, None), here.text, here.anchor

    def text_between(self, start: int, end: int | None) -> str:
        """Return what is read from a source line on, up to another or to the end, a block to a line."""
        if self._reading is None:
            return ""
        leaves = (one for one in self._reading.leaves if start <= one.line and (end is None or one.line < end))
        return "\n".join(text for leaf in leaves if (text := leaf.text().rstrip()))

    def show_leaves(self, leaves: Sequence[Leaf], position: Position) -> None:
        """Show other leaves."""
        self._broken = {}
        super().show_leaves(leaves, position)

    def _broken_in(self, leaf: int) -> tuple[Stretch, ...]:
        """Return where the broken links of a leaf stand; asked only of leaves that are drawn."""
        shown = self._leaves[leaf]
        known = self._broken.get(id(shown))
        if known is None:
            links = shown.prose().links if shown.may_link else ()
            known = tuple((link.start, link.end, BROKEN.role) for link in links if self._leads_nowhere(link.href))
            self._broken[id(shown)] = known
        return known

    def _leads_nowhere(self, href: str) -> bool:
        # What shows another tab is a link to the keys and the mouse alone.
        return not isinstance(href, Switch) and self._is_broken(href)

    def overlays(self, leaf: int) -> Sequence[Stretch]:
        """Mark what is found, the chosen link, and under these the broken links."""
        over = list(super().overlays(leaf))
        broken = self._broken_in(leaf)
        return sorted([*over, *_uncovered(broken, over)]) if broken else over

    def sign(self, leaf: int) -> Span | None:
        """Return the mark of the block that begins here, else that it holds a broken link."""
        return super().sign(leaf) or (BROKEN.span if self._broken_in(leaf) else None)

    def why_not(self, action: str) -> str | None:
        """Say why an action of the page cannot be done now."""
        if action in ("page.next_heading", "page.previous_heading") and not self.contents:
            return "this page has no headings"
        if action in ("page.next_link", "page.previous_link") and self._reading is not None:
            offsets = self._sheet.offsets(self._cursor) if self._sheet is not None else (0, 0)
            if self._link is None and not (
                self._reading.link_after(self._cursor.leaf, 0)
                or self._reading.link_before(self._cursor.leaf, offsets[1])
            ):
                return "this page has no links"
        return super().why_not(action)


def _uncovered(stretches: Sequence[Stretch], over: Sequence[Stretch]) -> list[Stretch]:
    """Return the parts of stretches that nothing else lies over."""
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
