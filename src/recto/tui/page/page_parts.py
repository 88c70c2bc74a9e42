"""The headings, folds and margin marks of a page, and its operations whose API descriptions are not fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from recto.tui.look import signs
from recto.tui.look.lines import Span
from recto.tui.page.cursor import PageCursor
from recto.tui.page.hyperlinks import Links
from recto.tui.page.sheet import Sheet
from recto.tui.render.folds import CLOSED, Fold, Switch

if TYPE_CHECKING:
    from recto.document.markdown.outline import Heading
    from recto.tui.render.contents import OutlineEntry
    from recto.tui.render.leaf import Leaf


class Headings:
    """The headings of a page and its operations of APIs, which keys go to like headings."""

    def __init__(self, cursor: PageCursor) -> None:
        self.chosen: tuple[int, int] | None = None
        """The chosen heading, while the cursor stays there: its leaf, and the offset in its text."""
        self._cursor = cursor

    @property
    def outline(self) -> tuple[Heading, ...]:
        """The headings."""
        return self._cursor.reading.outline if self._cursor.reading is not None else ()

    @property
    def contents(self) -> tuple[OutlineEntry, ...]:
        """Entries of an outline of the page."""
        return self._cursor.reading.contents if self._cursor.reading is not None else ()

    def go_to_next(self) -> None:
        """Go to the next heading or operation."""
        if self._cursor.reading is not None:
            self._go_to(self._cursor.reading.heading_after(*self._here()))

    def go_to_previous(self) -> None:
        """Go to the previous heading or operation."""
        if self._cursor.reading is not None:
            self._go_to(self._cursor.reading.heading_before(*self._here()))

    def _here(self) -> tuple[int, int]:
        """Return the chosen heading, since a row may show several, else the beginning of the cursor's row."""
        return self.chosen or (self._cursor.stop.leaf, self._cursor.offsets[0])

    def _go_to(self, place: tuple[int, int] | None) -> None:
        if place is not None:
            self._cursor.go_to_offset(*place)
            self.chosen = place

    def anchor_above(self, line: int) -> str | None:
        """Return the anchor of the last heading at or above a source line."""
        return next((heading.anchor for heading in reversed(self.outline) if heading.line <= line), None)

    def section_at(self, line: int) -> tuple[int, int | None, str, str | None]:
        """Return the section of a source line: its first line, the line after its last, title and anchor."""
        above = [heading for heading in self.outline if heading.line <= line]
        if not above:
            return 0, None, "", None
        here = above[-1]
        after = (one.line for one in self.outline if one.line > here.line and one.level <= here.level)
        return here.line, next(after, None), here.text, here.anchor

    def why_none(self) -> str | None:
        """Return why there is no heading to go to."""
        return None if self.contents else "this page has no headings"


class Folds:
    """Expandables and tabs of a page."""

    def __init__(self, cursor: PageCursor, links: Links) -> None:
        self._cursor = cursor
        self._links = links

    def here(self) -> Fold | None:
        """Return the fold on the cursor's line, else the innermost around it."""
        cursor = self._cursor
        leaf = cursor.leaf
        switches = (link.href for link in self._links.here() if isinstance(link.href, Switch))
        if leaf is None or leaf.fold is not None:
            return leaf.fold if leaf is not None else None
        if (switch := next(switches, None)) is not None:
            return switch.fold
        option = leaf.option_at(cursor.offsets[0]) if cursor.sheet is not None else leaf.option
        return option.fold if option is not None else None

    @property
    def is_switch_here(self) -> bool:
        """Whether the cursor's line is the summary of an expandable or the titles of tabs."""
        leaf = self._cursor.leaf
        # A summary within something that is drawn as a whole is a link that switches.
        return bool(self._links.here()) or (leaf is not None and leaf.fold is not None)

    def turn_here(self) -> None:
        """Open or close the expandable, or show the next tab, under the cursor."""
        if (fold := self.here()) is not None:
            self._cursor.fold(fold.turn)
            self._links.chosen = None

    def open_all(self) -> None:
        """Open all expandables; tabs stay as they are."""
        self._turn_all(opened=False)

    def close_all(self) -> None:
        """Close all expandables."""
        self._turn_all(opened=True)

    def why_none(self) -> str | None:
        """Return why there is nothing to open or close."""
        return None if self._expandables else "nothing opens and closes on this page"

    @property
    def _expandables(self) -> list[Fold]:
        folds = self._cursor.reading.folds if self._cursor.reading is not None else ()
        return [fold for fold in folds if fold.count == 1]

    def _turn_all(self, *, opened: bool) -> None:
        folds = self._expandables

        def turn() -> None:
            for fold in folds:
                if (fold.chosen != CLOSED) is opened:
                    fold.turn()

        self._cursor.fold(turn)


def _first(leaf: Leaf, marks: Mapping[int, Span]) -> Span:
    return next(iter(marks.values()))


def change_of(leaf: Leaf, marks: Mapping[int, Span]) -> Span:
    """Return the mark of a leaf whose lines were changed: a leaf of which only some are new is edited."""
    new, edited = signs.CHANGE["new"].span, signs.CHANGE["edited"].span
    kinds = set(marks.values())
    if len(kinds) > 1 or (kinds == {new} and leaf.line not in marks):
        return edited
    return next(iter(kinds))


class Marks:
    """Marks of at most two cells in the margin, given by source line; ``choose`` combines those of a leaf."""

    def __init__(self, cursor: PageCursor, choose: Callable[[Leaf, Mapping[int, Span]], Span] = _first) -> None:
        self._cursor = cursor
        self._choose = choose
        self._by_line: Mapping[int, Span] = {}
        self._by_leaf: dict[int, Span] = {}
        self._sheet: Sheet | None = None
        """The page that ``_by_leaf`` was derived from; folding makes another."""

    def put(self, marks: Mapping[int, Span]) -> bool:
        """Replace the marks; return whether they changed."""
        before, self._by_line = self._by_line, marks
        self._sheet = None
        return marks != before

    def sign(self, leaf: int) -> Span | None:
        """Return the mark of a leaf."""
        if self._sheet is None or self._sheet is not self._cursor.sheet:
            self._place()
        return self._by_leaf.get(leaf)

    def _place(self) -> None:
        reading, self._sheet = self._cursor.reading, self._cursor.sheet
        self._by_leaf = {}
        if reading is not None and reading.leaves:
            found: dict[int, dict[int, Span]] = {}
            for line, span in sorted(self._by_line.items()):
                leaf = reading.leaf_at(line)
                # Folded parts are marked where they can be opened.
                while leaf and reading.leaves[leaf].is_hidden:
                    leaf -= 1
                found.setdefault(leaf, {})[line] = span
            self._by_leaf = {leaf: self._choose(reading.leaves[leaf], marks) for leaf, marks in found.items()}


class Descriptions:
    """Operations of APIs on a page whose descriptions are fetched only when a person asks for it."""

    def __init__(self, cursor: PageCursor) -> None:
        self._cursor = cursor

    def here(self) -> str:
        """Return the address of the description of the operation under the cursor; nothing where there is none."""
        leaf = self._cursor.leaf
        return leaf.described_at if leaf is not None else ""
