"""A page that was read, as it is moved about in: by line, by heading, by anchor, and by what one looks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recto.tui.render.sheet import Stop
from recto.tui.widgets.sheet_view import CONTEXT, Position, SheetView

if TYPE_CHECKING:
    from recto.document.markdown.blocks import Block
    from recto.document.markdown.outline import Heading
    from recto.tui.render.contents import Entry
    from recto.tui.render.finding import Finding, Place
    from recto.tui.render.prose import Link
    from recto.tui.render.reading import Reading


class ReadingView(SheetView, inherit_bindings=False):
    """The leaves of a page, of which it is known what they are."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._reading: Reading | None = None
        self._link: Link | None = None
        """The link that was gone to."""
        self._finding: Finding | None = None
        self._place: Place | None = None
        self._heading: tuple[int, int] | None = None
        """The heading that was gone to: its leaf, and the offset in its text."""
        self._begun: tuple[Position, Mapping[str, int]] | None = None
        """Where one was, and what was open, when one began to type what to find."""

    # Where one is

    @property
    def outline(self) -> tuple[Heading, ...]:
        """The page's headings."""
        return self._reading.outline if self._reading is not None else ()

    @property
    def contents(self) -> tuple[Entry, ...]:
        """What an outline of the page lists."""
        return self._reading.contents if self._reading is not None else ()

    @property
    def comments(self) -> int:
        """How many comments the source of the page has, none of which is shown."""
        return self._reading.comments if self._reading is not None else 0

    @property
    def cursor_block(self) -> Block | None:
        """The block the cursor stands in; its ``start`` and ``end`` are lines of the source."""
        leaf = self.cursor_leaf
        return leaf.block if leaf is not None else None

    @property
    def cursor_line(self) -> int:
        """The source line, from 0, at which the piece of text under the cursor begins."""
        leaf = self.cursor_leaf
        return leaf.line if leaf is not None else 0

    def go_to_line(self, line: int) -> None:
        """Go to the block in which a source line stands, counted from 0."""
        if self._reading is not None and self._reading.leaves:
            self._go_to_offset(self._reading.place_at(line))

    def _go_to_offset(self, place: tuple[int, int]) -> None:
        """Go to an offset in the text of a leaf, with a little of what is above in sight."""
        leaf, offset = place
        if self._sheet is None:
            self.go_to(Stop(leaf, 0), above=CONTEXT)
        else:
            self.uncover(leaf, offset)
            self.go_to(self._sheet.row_of(leaf, offset), above=CONTEXT)

    def go_to_anchor(self, anchor: str) -> bool:
        """Go to the heading or anchor that ``#anchor`` names; says whether there is one."""
        line = self._reading.line_of_anchor(anchor) if self._reading is not None else None
        if line is None:
            return False
        self.go_to_line(line)
        return True

    def overlays(self, leaf: int) -> Sequence[tuple[int, int, str]]:
        """Mark what is found, and the chosen link."""
        places = self._finding.within(leaf) if self._finding is not None else ()
        over = [(at.start, at.end, "found reverse" if at is self._place else "found") for at in places]
        if self._link is not None and leaf == self._cursor.leaf:
            over.insert(0, (self._link.start, self._link.end, "reverse"))
        return over

    # By heading

    def action_page_next_heading(self) -> None:
        """Go to the next heading or operation of an API."""
        if self._reading is not None:
            self._go_to_heading(self._reading.heading_after(*self._heading_here()))

    def action_page_previous_heading(self) -> None:
        """Go to the heading or operation above."""
        if self._reading is not None:
            self._go_to_heading(self._reading.heading_before(*self._heading_here()))

    def _heading_here(self) -> tuple[int, int]:
        """Return the heading that was gone to, for a row may show several, else where the cursor's row begins."""
        begun = self._sheet.offsets(self._cursor)[0] if self._sheet is not None else 0
        return self._heading or (self._cursor.leaf, begun)

    def _go_to_heading(self, place: tuple[int, int] | None) -> None:
        if place is not None:
            self._go_to_offset(place)
            self._heading = place

    # Finding

    @property
    def needle(self) -> str:
        """What is being looked for, or nothing."""
        return self._finding.needle if self._finding is not None else ""

    @property
    def found(self) -> tuple[int, int]:
        """Which of the places found one has come to, from 1 on (0 for none), and how many there are."""
        places = self._finding.places if self._finding is not None else []
        return places.index(self._place) + 1 if self._place is not None else 0, len(places)

    def find(self, text: str) -> int:
        """Look for a text, mark its places and go to the nearest from here on; gives how many there are.

        While one types, each letter is looked for from where one began; where nothing is found one is there again.
        """
        self._go_where_begun()
        self._look_for(text)
        self.refresh()
        self.refresh_bindings()
        if self._finding is None:
            return 0
        if self._sheet is not None:
            self._go_to_place(self._finding.after(self._cursor.leaf, self._sheet.offsets(self._cursor)[0]))
        return len(self._finding.places)

    def action_list_find(self) -> None:
        """Begin to look for what is about to be typed."""
        folds = self._reading.folds if self._reading is not None else ()
        self._begun = self.position, {fold.key: fold.chosen for fold in folds}

    def _go_where_begun(self) -> None:
        if self._begun is None or self._reading is None:
            return
        position, chosen = self._begun
        other = [fold for fold in self._reading.folds if chosen.get(fold.key, fold.chosen) != fold.chosen]
        for fold in other:
            fold.chosen = chosen[fold.key]
        if other:
            self.folded()
        self.position = position

    def on_focus(self) -> None:
        """Take what was typed for found: one is where it led."""
        super().on_focus()
        self._begun = None

    def _look_for(self, text: str) -> None:
        self._finding = self._place = None
        if text:
            from recto.tui.render.finding import Finding

            self._finding = Finding(text, self._reading)

    def _go_to_place(self, place: Place | None) -> None:
        if place is not None:
            self.reveal(place.leaf, place.start)
            self._place = place
            self.refresh()

    def action_list_find_next(self) -> None:
        """Go to the next place found, after the last to the first."""
        if self._finding is not None and self._sheet is not None:
            begin = self._place.start + 1 if self._place is not None else self._sheet.offsets(self._cursor)[0]
            self._go_to_place(self._finding.after(self._cursor.leaf, begin))

    def action_list_find_previous(self) -> None:
        """Go to the place found before, before the first to the last."""
        if self._finding is not None and self._sheet is not None:
            begin = self._place.start if self._place is not None else self._sheet.offsets(self._cursor)[0]
            self._go_to_place(self._finding.before(self._cursor.leaf, begin))

    def action_list_clear(self) -> None:
        """Forget what is being looked for."""
        self.find("")
