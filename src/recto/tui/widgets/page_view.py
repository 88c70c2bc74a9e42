"""A page to read: set at a good width, with a line cursor, links, an outline, finding, and marks in the margin."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual import events, work
from textual.message import Message

from recto.collector import collector_paused
from recto.tui.actions import Action, bindings, register
from recto.tui.lines import Span
from recto.tui.render.folding import CLOSED, Switch
from recto.tui.widgets.described_view import DescribedView
from recto.tui.widgets.sheet_view import CONTEXT, Position

if TYPE_CHECKING:
    from recto.document.markdown.blocks import Block
    from recto.tui.render.folding import Fold
    from recto.tui.render.leaf import Leaf
    from recto.tui.render.prose import Link
    from recto.tui.render.reading import Reading
    from recto.tui.render.surroundings import Surroundings

_LARGE = 48 * 1024
"""Characters from which a page is parsed beside the event loop."""

_HEAD = 16 * 1024
"""Characters of such a page that are shown at once to who reads it from the top: more than fits on a screen."""

_Page = tuple[str, str, "str | None", "Surroundings", Mapping[str, int]]
"""What a page is read from: its title, text, description, surroundings, and what of it is open."""


class _Place(NamedTuple):
    """Where to go in a page: a position, or the heading of an anchor."""

    position: Position | None = None
    anchor: str | None = None


_STAY = _Place()
"""Stay where one is: it is the same page."""

_AT_TOP = (_Place(), _Place(Position()))

register(
    Action("page.next_heading", "Next heading", ("right_square_bracket",), "Page"),
    Action("page.previous_heading", "Heading before", ("left_square_bracket",), "Page"),
    Action("page.next_link", "Next link", ("greater_than_sign",), "Page", hint="links"),
    Action("page.previous_link", "Link before", ("less_than_sign",), "Page"),
    Action("page.fold", "Open or close; the next tab", ("space",), "Page"),
)


class PageView(DescribedView, inherit_bindings=False):
    """Shows one page. It draws what is visible; the rest of the page is neither read nor laid out."""

    BINDINGS = bindings(
        "list.down",
        "list.up",
        "list.top",
        "list.bottom",
        "list.half_down",
        "list.half_up",
        "list.page_down",
        "list.page_up",
        "list.open",
        "list.clear",
        "list.find",
        "list.find_next",
        "list.find_previous",
        "list.left",
        "list.right",
        "page.next_heading",
        "page.previous_heading",
        "page.next_link",
        "page.previous_link",
        "page.fold",
        "tree.expand_all",
        "tree.collapse_all",
        "page.picture",
        "page.pictures",
        "page.description",
        "item.open_in_browser",
        "item.copy_text",
        "item.copy_link",
    )

    class PageMessage(Message):
        """What all messages of a page have: the view, so that handlers can select by it."""

        def __init__(self, view: PageView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> PageView:
            """The view."""
            return self.view

    class Shown(PageMessage):
        """A page has been parsed and can be seen."""

    class FindRequested(PageMessage):
        """The person wants to type what to find in this page."""

    class BlockChanged(PageMessage):
        """The cursor stands in another block."""

        def __init__(self, view: PageView, block: Block) -> None:
            super().__init__(view)
            self.block = block

    class LinkFollowed(PageMessage):
        """The person wants to go where a link leads; ``href`` is as written on the page."""

        def __init__(self, view: PageView, href: str) -> None:
            super().__init__(view)
            self.href = href

    class BrowseRequested(PageMessage):
        """The person wants to see a link, or the page itself (``href`` is ``None``), in the browser."""

        def __init__(self, view: PageView, href: str | None) -> None:
            super().__init__(view)
            self.href = href

    class CopyTextRequested(PageMessage):
        """The person wants the text of the block under the cursor."""

        def __init__(self, view: PageView, text: str) -> None:
            super().__init__(view)
            self.text = text

    class CopyLinkRequested(PageMessage):
        """The person wants an address: the link's under the cursor, else that of the page at the heading ``anchor``."""

        def __init__(self, view: PageView, href: str | None, anchor: str | None) -> None:
            super().__init__(view)
            self.href = href
            self.anchor = anchor

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._marks: Mapping[int, Span] = {}
        self._marked: dict[int, Span] = {}
        self._request = 0
        self._page = ""
        """The page that is shown, where its id was told."""
        self._shown: tuple[str, str, str | None] = ("", "", None)
        self._awaited: _Place | None = None
        """Where to go in the page that is being read beside the event loop."""

    # What is shown

    def show(
        self,
        title: str,
        markdown: str,
        *,
        page: str = "",
        description: str | None = None,
        surroundings: Surroundings | None = None,
        marks: Mapping[int, Span] | None = None,
        position: Position | None = None,
        anchor: str | None = None,
    ) -> None:
        """Show a page, from ``position`` or the heading ``anchor`` on, else from its top.

        ``marks`` are signs of at most two cells and their roles by source line; they stand in the margin of the block
        to which the line belongs. ``surroundings`` tell about what the page names. ``page`` tells it from others, which
        may have the same title: shown anew it keeps open what was opened. A large page is parsed beside the event loop:
        ``Shown`` tells when it can be seen.
        """
        self._marks = marks or {}
        same = bool(page) and page == self._page
        self._page = page
        self._shown = (title, markdown, description)
        self._read(surroundings, _Place(position, anchor), same=same)

    def surround(self, surroundings: Surroundings) -> None:
        """Show the same page again, now that more is known about what it names; one stays where one is."""
        self._read(surroundings, self._awaited or _STAY, same=True)

    def _read(self, surroundings: Surroundings | None, place: _Place, *, same: bool) -> None:
        self._request += 1
        with collector_paused():
            # What has not been looked at yet is put together to find out what of it folds.
            folds = self._reading.folds if self._reading is not None and same else ()
        around = self._illustrated(surroundings)
        page = (*self._shown, around, {fold.key: fold.chosen for fold in folds})
        if len(self._shown[1]) < _LARGE or not self.is_attached:
            self._take(_read(*page), place)
            return
        if place in _AT_TOP and not same:
            self._show_head(around)
            place = _STAY
        self._awaited = place
        self._read_beside(self._request, page, place)

    def _show_head(self, surroundings: Surroundings) -> None:
        """Show the beginning of a large page. Nobody is told: there is more to a page than that."""
        title, markdown, description = self._shown
        end = max(0, markdown.rfind("\n\n", 0, _HEAD)) or _HEAD
        self._reading = _read(title, markdown[:end], description, surroundings, {})
        self._link = self._heading = self._begun = None
        self._look_for(self.needle)
        self._place_marks()
        self.show_leaves(self._reading.leaves, Position())

    @work(group="page", exclusive=True)
    async def _read_beside(self, request: int, page: _Page, place: _Place) -> None:
        # What is there already is painted first, for two threads at work hold each other up.
        painted = asyncio.Event()
        if self.call_after_refresh(painted.set):
            await painted.wait()
        reading = await asyncio.to_thread(_read, *page)
        # A thread cannot be stopped: what it read may not be what is asked for any more.
        if request == self._request:
            self._take(reading, place)

    def _take(self, reading: Reading, place: _Place) -> None:
        self._awaited = None
        position, anchor = (self.position, None) if place is _STAY else place
        link, found = (self._link, self._place) if place is _STAY else (None, None)
        self._reading = reading
        self._link = self._heading = None
        if place is not _STAY:
            self._begun = None
        self._look_for(self.needle)
        self._place_marks()
        line = reading.line_of_anchor(anchor) if anchor else None
        if line is not None:
            position = Position(reading.leaf_at(line), 0, CONTEXT)
        self.show_leaves(reading.leaves, position or Position())
        if link is not None and (leaf := self.cursor_leaf) is not None:
            self._link = next((one for one in leaf.prose().links if one.start == link.start), None)
        if found is not None and self._finding is not None:
            self._place = next((at for at in self._finding.within(self._cursor.leaf) if at.start == found.start), None)
        self.post_message(self.Shown(self))
        if (block := self.cursor_block) is not None:
            self.post_message(self.BlockChanged(self, block))

    def mark(self, marks: Mapping[int, Span]) -> None:
        """Put other signs into the margin; the text stays where it is."""
        self._marks = marks
        self._place_marks()
        self.refresh()

    def _place_marks(self) -> None:
        self._marked = {}
        if self._reading is not None and self._reading.leaves:
            for line, span in sorted(self._marks.items()):
                leaf = self._reading.leaf_at(line)
                # What is folded away is marked where it can be opened.
                while leaf and self._reading.leaves[leaf].is_hidden:
                    leaf -= 1
                self._marked.setdefault(leaf, span)

    def folded(self, here: Position | None = None) -> None:
        """Set the page anew after something was folded or opened."""
        self._place_marks()
        super().folded(here)

    # Where one is

    @property
    def current_link(self) -> str | None:
        """Where the chosen link leads, else the first link on the cursor's line."""
        hrefs = (link.href for link in self._links_here())
        return next((href for href in hrefs if not isinstance(href, Switch)), None)

    def _links_here(self) -> Sequence[Link]:
        if self._link is not None:
            return (self._link,)
        return self._sheet.links_at(self._cursor) if self._sheet is not None else ()

    # Hooks of the sheet

    def sign(self, leaf: int) -> Span | None:
        """Return the mark of the block that begins here."""
        return self._marked.get(leaf)

    def cursor_moved(self, before: Leaf, after: Leaf) -> None:
        """Tell about another block; a chosen link is no longer chosen, nor a place found the one come to."""
        super().cursor_moved(before, after)
        self._link = self._place = self._heading = None
        if before.block is not after.block:
            self.post_message(self.BlockChanged(self, after.block))

    # Links

    def action_page_next_link(self) -> None:
        """Go to the next link."""
        if self._reading is not None and self._sheet is not None:
            offset = self._link.start + 1 if self._link is not None else self._sheet.offsets(self._cursor)[0]
            self._choose(self._reading.link_after(self._cursor.leaf, offset))

    def action_page_previous_link(self) -> None:
        """Go to the link before."""
        if self._reading is not None and self._sheet is not None:
            offset = self._link.start if self._link is not None else self._sheet.offsets(self._cursor)[0]
            self._choose(self._reading.link_before(self._cursor.leaf, offset))

    def _choose(self, found: tuple[int, Link] | None) -> None:
        if found is not None:
            leaf, link = found
            self.reveal(leaf, link.start)
            self._link = link
            self.refresh()

    def action_list_open(self) -> None:
        """Follow the link under the cursor; on a summary or the titles of tabs, do as :meth:`action_page_fold`."""
        if self._link is not None:
            self._follow(self._link.href)
        elif (href := self.current_link) is not None:
            self.post_message(self.LinkFollowed(self, href))
        elif self._links_here() or (self.cursor_leaf is not None and self.cursor_leaf.fold is not None):
            # What is left of links switches: a summary within something that is drawn as a whole.
            self.action_page_fold()

    def _follow(self, href: str) -> None:
        if isinstance(href, Switch):
            self.fold(href.turn)
        else:
            self.post_message(self.LinkFollowed(self, href))

    # What folds

    def _fold_here(self) -> Fold | None:
        """Return what folds on the cursor's line, else the innermost that it stands in."""
        leaf = self.cursor_leaf
        switches = (link.href for link in self._links_here() if isinstance(link.href, Switch))
        if leaf is None or leaf.fold is not None:
            return leaf.fold if leaf is not None else None
        if (switch := next(switches, None)) is not None:
            return switch.fold
        option = leaf.option_at(self._sheet.offsets(self._cursor)[0]) if self._sheet is not None else leaf.option
        return option.fold if option is not None else None

    def action_page_fold(self) -> None:
        """Open or close the expandable, or show the next tab, that the cursor stands on or in."""
        if (fold := self._fold_here()) is not None:
            self.fold(fold.turn)
            self._link = None

    def action_tree_expand_all(self) -> None:
        """Open all that opens and closes; tabs stay as they are."""
        self._turn_all(opened=False)

    def action_tree_collapse_all(self) -> None:
        """Close all that opens and closes."""
        self._turn_all(opened=True)

    def _turn_all(self, *, opened: bool) -> None:
        """Turn all expandables that are open, or all that are closed."""
        folds = self._reading.folds if self._reading is not None else ()

        def turn() -> None:
            for fold in folds:
                if fold.count == 1 and (fold.chosen != CLOSED) is opened:
                    fold.turn()

        self.fold(turn)

    def action_item_open_in_browser(self) -> None:
        """Open the link under the cursor, else the page, in the browser."""
        self.post_message(self.BrowseRequested(self, self.current_link))

    def action_item_copy_text(self) -> None:
        """Copy the text of the block under the cursor: of code all its lines, of a table the row."""
        if self._reading is not None and (block := self.cursor_block) is not None:
            from recto.document.markdown.blocks import BlockKind

            text = block.text if block.kind is BlockKind.CODE else self._reading.leaves[self._cursor.leaf].text()
            self.post_message(self.CopyTextRequested(self, text))

    def action_item_copy_link(self) -> None:
        """Copy the address of the link under the cursor, else of this place in the page."""
        line = self.cursor_line
        anchor = next((heading.anchor for heading in reversed(self.outline) if heading.line <= line), None)
        self.post_message(self.CopyLinkRequested(self, self.current_link, anchor))

    # Finding

    def action_list_find(self) -> None:
        """Ask for a text to find."""
        super().action_list_find()
        self.post_message(self.FindRequested(self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer going through what was found only while something is looked for."""
        if action in ("list_clear", "list_find_next", "list_find_previous"):
            return bool(self.needle)
        if action == "page_fold":
            return self._fold_here() is not None
        return super().check_action(action, parameters)

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was; a click on a link follows it."""
        offset = event.get_content_offset(self)
        found = self.part_at(offset.x, offset.y) if offset is not None else None
        # Marking text with the mouse ends in a click, too, which is not meant to lead away.
        if found is not None and not self.is_marked:
            stop, part = found
            self.go_to(stop)
            if part is not None and part.link is not None:
                self._follow(part.link)
            elif (fold := self._leaves[stop.leaf].fold) is not None and fold.count == 1:
                self.action_page_fold()


def _read(
    title: str,
    markdown: str,
    description: str | None,
    surroundings: Surroundings,
    chosen: Mapping[str, int],
) -> Reading:
    from recto.tui.render.reading import read

    with collector_paused():
        return read(title, markdown, description, surroundings, chosen)
