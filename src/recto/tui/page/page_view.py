"""The page widget: text at a readable width, with a line cursor, links, an outline, search, and margin marks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from textual import events, work
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from recto.document.markdown.blocks import BlockKind
from recto.tui.actions import Action, bindings, get, register
from recto.tui.look import signs
from recto.tui.look.lines import Line, Span
from recto.tui.page.cursor import CONTEXT, MARGIN, PageCursor, Position
from recto.tui.page.finder import Finder
from recto.tui.page.hyperlinks import Links
from recto.tui.page.page_lines import PageLines, Stretch
from recto.tui.page.page_parts import Descriptions, Folds, Headings, Marks, change_of
from recto.tui.page.page_pictures import PagePictures
from recto.tui.render.folds import Switch
from recto.tui.render.rendered_page import read
from recto.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from recto.document.markdown.blocks import Block
    from recto.document.markdown.outline import Heading
    from recto.document.markdown.page import ParsedPage
    from recto.tui.pictures.gallery import Gallery
    from recto.tui.render.contents import OutlineEntry
    from recto.tui.render.leaf import Leaf
    from recto.tui.render.picture_source import Source
    from recto.tui.render.rendered_page import RenderedPage
    from recto.tui.render.surroundings import Surroundings

_LARGE = 48 * 1024
"""Characters from which a page is parsed beside the event loop."""

_HEAD = 16 * 1024
"""Characters of such a page that are shown at once if it is read from the top: more than fits on a screen."""

_Page = tuple[str, str, "str | None", "Surroundings", Mapping[str, int]]
"""The input of a page: its title, text, description, surroundings, and open folds."""


class _Place(NamedTuple):
    """A place to go to: a position, or the heading of an anchor."""

    position: Position | None = None
    anchor: str | None = None


_STAY = _Place()
"""Stay at the same place: it is the same page."""

_AT_TOP = (_Place(), _Place(Position()))

register(
    Action("page.picture", "Show or hide the picture", ("p",), "Page", hint="picture"),
    Action("page.pictures", "Show all pictures of this page", (), "Page"),
    Action("page.description", "Fetch the API description", ("p",), "Page", hint="fetch"),
    Action("page.next_heading", "Next heading", ("right_square_bracket",), "Page"),
    Action("page.previous_heading", "Previous heading", ("left_square_bracket",), "Page"),
    Action("page.next_link", "Next link", ("greater_than_sign",), "Page", hint="links"),
    Action("page.previous_link", "Previous link", ("less_than_sign",), "Page"),
    Action("page.fold", "Fold or unfold; next tab", ("space",), "Page"),
)


class PageView(LineView, can_focus=True, inherit_bindings=False):
    """Shows a page. It draws the visible part; the rest of the page is neither read nor laid out.

    With ``folds_with_space`` off, space is left to the screen, and enter alone opens and closes what folds.
    """

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
        """Base of a page's messages: names the view, so that handlers can select by it."""

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
        """The person wants to search this page."""

    class MatchChanged(PageMessage):
        """The searched text or the current match changed."""

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

    class PicturesRequested(PageMessage):
        """The person wants to see pictures, which are shown once they are in ``gallery``, read as ``sharp``."""

        def __init__(self, view: PageView, gallery: Gallery, wanted: Sequence[Source], *, sharp: bool) -> None:
            super().__init__(view)
            self.gallery = gallery
            self.wanted = wanted
            self.sharp = sharp

    class DescriptionRequested(PageMessage):
        """The person wants the description of an API fetched that is at an address."""

        def __init__(self, view: PageView, address: str) -> None:
            super().__init__(view)
            self.address = address

    def __init__(self, *, folds_with_space: bool = True, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.cursor = PageCursor(self, self._cursor_moved)
        self.links = Links(self.cursor)
        self.headings = Headings(self.cursor)
        self.finder = Finder(self.cursor)
        self.folds = Folds(self.cursor, self.links)
        self.marks = Marks(self.cursor)
        self.changes = Marks(self.cursor, change_of)
        self.pictures = PagePictures(self.cursor, self._request_pictures)
        self.descriptions = Descriptions(self.cursor)
        self._lines = PageLines(self.cursor, self.overlays, self.signs)
        self._folds_with_space = folds_with_space
        self._opens = False
        """Whether there was something to open under the cursor when the offered keys were last looked at."""
        self._request = 0
        self._page = ""
        """Id of the page that is shown, where it was given."""
        self._shown: tuple[str, str, str | None] = ("", "", None)
        self._fits = Size()
        """The room that the page is set for."""
        self._is_painting = False
        """Whether the page is set for the size at which it is painted next."""
        self._awaited: _Place | None = None
        """Where to go in the page that is being read beside the event loop."""

    def on_mount(self) -> None:
        """Show pictures that the session has loaded."""
        self.pictures.open()

    def on_unmount(self) -> None:
        """Free the page's pictures in the terminal."""
        self.pictures.close()

    # The page

    def show(
        self,
        title: str,
        markdown: str,
        *,
        page: str = "",
        description: str | None = None,
        surroundings: Surroundings | None = None,
        position: Position | None = None,
        anchor: str | None = None,
    ) -> None:
        """Show a page, from ``position`` or the heading ``anchor`` on, else from its top.

        ``surroundings`` look up what the page refers to. ``page`` is its id: a page shown again keeps its open folds. A
        large page is parsed in a thread: ``Shown`` says when it can be seen.
        """
        self.marks.put({})
        self.changes.put({})
        same = bool(page) and page == self._page
        self._page = page
        self._shown = (title, markdown, description)
        self._read(surroundings, _Place(position, anchor), same=same)

    def surround(self, surroundings: Surroundings) -> None:
        """Show the same page with other surroundings; the cursor stays."""
        self._read(surroundings, self._awaited or _STAY, same=True)

    def _read(self, surroundings: Surroundings | None, place: _Place, *, same: bool) -> None:
        self._request += 1
        reading = self.cursor.reading
        # What has not been looked at yet is put together to find out what of it folds.
        folds = reading.folds if reading is not None and same else ()
        around = self.pictures.around(surroundings)
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
        """Show the beginning of a large page. ``Shown`` is not posted: there is more to the page than that."""
        title, markdown, description = self._shown
        end = max(0, markdown.rfind("\n\n", 0, _HEAD)) or _HEAD
        self.finder.end()
        self._set(_read(title, markdown[:end], description, surroundings, {}), Position())

    @work(group="page", exclusive=True)
    async def _read_beside(self, request: int, page: _Page, place: _Place) -> None:
        # The present page is painted first: two busy threads slow each other down.
        painted = asyncio.Event()
        if self.call_after_refresh(painted.set):
            await painted.wait()
        reading = await asyncio.to_thread(_read, *page)
        # A thread cannot be stopped: another page may be requested by now.
        if request == self._request:
            self._take(reading, place)

    def _take(self, reading: RenderedPage, place: _Place) -> None:
        self._awaited = None
        if place is _STAY:
            link, match = self.links.chosen, self.finder.current
            self._set(reading, self.cursor.position)
            if link is not None:
                self.links.choose_again(link)
            if match is not None:
                self.finder.go_again(match)
        else:
            self.finder.end()
            line = reading.line_of_anchor(place.anchor) if place.anchor else None
            at_anchor = Position(reading.leaf_at(line), 0, CONTEXT) if line is not None else None
            self._set(reading, at_anchor or place.position or Position())
        self.post_message(self.Shown(self))
        if (block := self.cursor_block) is not None:
            self.post_message(self.BlockChanged(self, block))

    def _set(self, reading: RenderedPage, position: Position) -> None:
        self.links.chosen = self.headings.chosen = None
        self.cursor.show(reading, position)
        self.finder.look_again()
        self.pictures.request_what_is_always_shown()
        leaf = self.cursor.leaf
        opened, self._opens = self._opens, self.folds.is_switch_here
        if leaf is not None and _has_keys(leaf):
            # Whether a description can be fetched is known when it is drawn.
            self.call_after_refresh(self.refresh_bindings)
        elif opened is not self._opens:
            self.refresh_bindings()

    def mark(self, marks: Mapping[int, Span]) -> None:
        """Replace the marks in the margin, each beside the block of its source line; the text does not move.

        A mark is a sign of at most two cells, and its role.
        """
        if self.marks.put(marks):
            self.refresh()

    def mark_changes(self, kinds: Mapping[int, str]) -> None:
        """Mark changed lines of the source, by keys of ``signs.CHANGE``."""
        if self.changes.put({line: signs.sign(signs.CHANGE, kind).span for line, kind in kinds.items()}):
            self.refresh()

    def mark_broken_links(self, is_broken: Callable[[str], bool]) -> None:
        """Mark the links for which ``is_broken`` holds."""
        self.links.mark_broken(is_broken)

    # What the page holds

    @property
    def parsed(self) -> ParsedPage | None:
        """The parsed page; ``None`` before the first."""
        return self.cursor.reading.page if self.cursor.reading is not None else None

    @property
    def outline(self) -> tuple[Heading, ...]:
        """The page's headings."""
        return self.headings.outline

    @property
    def contents(self) -> tuple[OutlineEntry, ...]:
        """Entries of an outline of the page."""
        return self.headings.contents

    @property
    def comments(self) -> int:
        """Number of comments in the source of the page, none of which is shown."""
        return self.cursor.reading.comments if self.cursor.reading is not None else 0

    def has_anchor(self, name: str) -> bool:
        """Whether the page has a place of this name."""
        return self.cursor.reading is not None and self.cursor.reading.line_of_anchor(name) is not None

    def text_between(self, start: int, end: int | None) -> str:
        """Return the text as it is read from a source line on, up to another or to the end, a block to a line."""
        leaves = (one for one in self.cursor.leaves if start <= one.line and (end is None or one.line < end))
        return "\n".join(text for leaf in leaves if (text := leaf.text().rstrip()))

    # Where the cursor is

    @property
    def position(self) -> Position:
        """The place of the reader; setting it goes there."""
        return self.cursor.position

    @position.setter
    def position(self, position: Position) -> None:
        self.cursor.position = position

    @property
    def cursor_block(self) -> Block | None:
        """The block under the cursor; its ``start`` and ``end`` are lines of the source."""
        leaf = self.cursor.leaf
        return leaf.block if leaf is not None else None

    @property
    def cursor_line(self) -> int:
        """Source line, from 0, at which the piece of text under the cursor begins."""
        leaf = self.cursor.leaf
        return leaf.line if leaf is not None else 0

    @property
    def text_here(self) -> str:
        """The text of the block under the cursor: of code all its lines, of a table the row."""
        leaf = self.cursor.leaf
        if leaf is None:
            return ""
        return leaf.block.text if leaf.block.kind is BlockKind.CODE else leaf.text()

    @property
    def current_link(self) -> str | None:
        """Address of the chosen link, else of the first on the cursor's line."""
        return self.links.current

    def section(self) -> tuple[int, int | None, str, str | None]:
        """Return the section of the cursor: its first source line, the line after its last, title and anchor."""
        return self.headings.section_at(self.cursor_line)

    def go_to_line(self, line: int) -> None:
        """Go to the block in which a source line stands, counted from 0."""
        reading = self.cursor.reading
        if reading is not None and reading.leaves:
            self.cursor.go_to_offset(*reading.place_at(line))

    def go_to_anchor(self, anchor: str) -> bool:
        """Go to the heading or anchor that ``#anchor`` names; false where the page has none."""
        line = self.cursor.reading.line_of_anchor(anchor) if self.cursor.reading is not None else None
        if line is None:
            return False
        self.go_to_line(line)
        return True

    def _cursor_moved(self, before: Leaf, after: Leaf) -> None:
        """x chosen link, heading and match; offer the keys of the new place; post another block."""
        self.links.chosen = self.headings.chosen = self.finder.current = None
        opened, self._opens = self._opens, self.folds.is_switch_here
        if opened is not self._opens or (before is not after and (_has_keys(before) or _has_keys(after))):
            self.refresh_bindings()
        if before.block is not after.block:
            self.post_message(self.BlockChanged(self, after.block))

    # Drawing

    @property
    def is_blank(self) -> bool:
        """Whether there is no page."""
        return self.cursor.sheet is None

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Refresh, except for changes that the painting of the present size includes anyway."""
        repaint = repaint and not self._is_painting
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the visible lines for the present size: the resize event may come later."""
        self._is_painting = True
        try:
            self._fit()
        finally:
            self._is_painting = False
        return super().render_lines(crop)

    def draw_line(self, number: int) -> Strip:
        """Draw a line, counted from the first of the page."""
        return self._lines.draw(number)

    def text_of_line(self, number: int) -> str | None:
        """Return the words of a line without the pictures beside them; ``None`` for a row of a picture alone."""
        return self._lines.text(number)

    @property
    def text_start(self) -> int:
        """Cells before the text of a line."""
        return self.cursor.left + MARGIN

    def overlays(self, leaf: int) -> Sequence[Stretch]:
        """Return the roles laid over a leaf's text: matches, the chosen link, and under these the broken links."""
        return self.links.overlays(leaf, self.finder.overlays(leaf))

    def signs(self, leaf: int) -> Line:
        """Return the marks in the margin of a leaf: how it was changed; that of its block, else of a broken link."""
        found = (self.changes.sign(leaf), self.marks.sign(leaf) or self.links.sign(leaf))
        return [span for span in found if span is not None]

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the page for another size."""
        self._fit()

    def _fit(self) -> None:
        if self._fits != self.room or self.cursor.has_unset_page:
            self._fits = self.room
            self.pictures.resize()
            self.cursor.resize()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the wheel and the scroll bar."""
        super().watch_scroll_y(old_value, new_value)
        self.cursor.follow_scroll(round(old_value), round(new_value))

    def on_focus(self) -> None:
        """Show the cursor as active, and stay where the typed search led."""
        self.finder.end()
        self.refresh()

    def on_blur(self) -> None:
        """Dim the cursor."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was; a click on a link follows it."""
        offset = event.get_content_offset(self)
        found = self._lines.part_at(offset.x, offset.y) if offset is not None else None
        # Selecting text with the mouse ends in a click, too, which is not meant to lead away.
        if found is not None and not self.has_selected_text:
            stop, part = found
            self.cursor.go_to(stop)
            if part is not None and part.link is not None:
                self._follow(part.link)
            elif (fold := self.cursor.leaves[stop.leaf].fold) is not None and fold.count == 1:
                self.folds.turn_here()

    # Actions: moving

    def action_list_down(self) -> None:
        """Move to the next line."""
        self.cursor.step(1)

    def action_list_up(self) -> None:
        """Move to the previous line."""
        self.cursor.step(-1)

    def action_list_top(self) -> None:
        """Move to the first line."""
        self.cursor.go_to_top()

    def action_list_bottom(self) -> None:
        """Move to the last line."""
        self.cursor.go_to_bottom()

    def action_list_half_down(self) -> None:
        """Move half a page down."""
        self.cursor.move_by(self.room.height // 2)

    def action_list_half_up(self) -> None:
        """Move half a page up."""
        self.cursor.move_by(-(self.room.height // 2))

    def action_list_page_down(self) -> None:
        """Move a page down."""
        self.cursor.move_by(self.room.height - 1)

    def action_list_page_up(self) -> None:
        """Move a page up."""
        self.cursor.move_by(1 - self.room.height)

    def action_list_left(self) -> None:
        """Scroll wide code or a wide table to the left."""
        self.cursor.look_left()

    def action_list_right(self) -> None:
        """Scroll wide code or a wide table to the right."""
        self.cursor.look_right()

    def action_page_next_heading(self) -> None:
        """Go to the next heading or operation of an API."""
        self.headings.go_to_next()

    def action_page_previous_heading(self) -> None:
        """Go to the previous heading or operation of an API."""
        self.headings.go_to_previous()

    # Actions: links and folds

    def action_page_next_link(self) -> None:
        """Go to the next link."""
        self.links.choose_next()

    def action_page_previous_link(self) -> None:
        """Go to the previous link."""
        self.links.choose_previous()

    def action_list_open(self) -> None:
        """Follow the link under the cursor; on a summary or the titles of tabs, do as :meth:`action_page_fold`."""
        if self.links.chosen is not None:
            self._follow(self.links.chosen.href)
        elif (href := self.links.current) is not None:
            self.post_message(self.LinkFollowed(self, href))
        elif self.folds.is_switch_here:
            self.folds.turn_here()

    def _follow(self, href: str) -> None:
        if isinstance(href, Switch):
            self.cursor.fold(href.turn)
        else:
            self.post_message(self.LinkFollowed(self, href))

    def action_page_fold(self) -> None:
        """Open or close the expandable, or show the next tab, under the cursor."""
        self.folds.turn_here()

    def action_tree_expand_all(self) -> None:
        """Open all expandables; tabs stay as they are."""
        self.folds.open_all()

    def action_tree_collapse_all(self) -> None:
        """Close all expandables."""
        self.folds.close_all()

    def action_item_open_in_browser(self) -> None:
        """Open the link under the cursor, else the page, in the browser."""
        self.post_message(self.BrowseRequested(self, self.links.current))

    def action_item_copy_text(self) -> None:
        """Copy the text of the block under the cursor: of code all its lines, of a table the row."""
        if self.cursor.leaf is not None:
            self.post_message(self.CopyTextRequested(self, self.text_here))

    def action_item_copy_link(self) -> None:
        """Copy the address of the link under the cursor, else of this place in the page."""
        anchor = self.headings.anchor_above(self.cursor_line)
        self.post_message(self.CopyLinkRequested(self, self.links.current, anchor))

    # Actions: pictures and descriptions

    def action_page_picture(self) -> None:
        """Show the picture under the cursor, or hide it."""
        self.pictures.toggle()

    def action_page_pictures(self) -> None:
        """Show all pictures of the page."""
        self.pictures.show_all()

    def _request_pictures(self, wanted: Sequence[Source]) -> None:
        self.post_message(self.PicturesRequested(self, self.pictures.gallery, wanted, sharp=self.pictures.is_sharp))

    def action_page_description(self) -> None:
        """Fetch the description of the operation under the cursor."""
        if address := self.descriptions.here():
            self.post_message(self.DescriptionRequested(self, address))

    # Actions: finding

    @property
    def needle(self) -> str:
        """The text to find, or nothing."""
        return self.finder.needle

    @property
    def found(self) -> tuple[int, int]:
        """The number of the current match, from 1 on (0: none), and the number of matches."""
        return self.finder.count

    def find(self, text: str, *, by_words: bool = False) -> int:
        """Search for a text, or each of its words, and go to the next match; return the number of matches."""
        count = self.finder.find(text, by_words=by_words)
        self.refresh()
        self.refresh_bindings()
        self.post_message(self.MatchChanged(self))
        return count

    def action_list_find(self) -> None:
        """Ask for the text to search for."""
        self.finder.begin()
        self.post_message(self.FindRequested(self))

    def action_list_find_next(self) -> None:
        """Go to the next match, after the last to the first."""
        self.finder.go_to_next()
        self.post_message(self.MatchChanged(self))

    def action_list_find_previous(self) -> None:
        """Go to the previous match, before the first to the last."""
        self.finder.go_to_previous()
        self.post_message(self.MatchChanged(self))

    def action_list_clear(self) -> None:
        """Clear the search."""
        self.find("")

    # Which actions are offered

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only actions that apply here."""
        match action:
            case "list_clear" | "list_find_next" | "list_find_previous":
                return bool(self.finder.needle)
            case "page_fold":
                return self._folds_with_space and self.folds.here() is not None
            case "page_picture":
                return bool(self.pictures.here())
            case "page_description":
                return bool(self.descriptions.here())
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return why an action of the page cannot be done now."""
        match action:
            case "list.open":
                return None if self.folds.is_switch_here else "no link under the cursor"
            case "list.left" | "list.right":
                return None if self.cursor.is_wide_here else get(action).elsewhere
            case "tree.expand_all" | "tree.collapse_all":
                return self.folds.why_none()
            case "item.copy_text":
                return None if self.cursor.leaf is not None else "this page has no text yet"
            case "page.next_heading" | "page.previous_heading":
                return self.headings.why_none()
            case "page.next_link" | "page.previous_link":
                return self.links.why_none()
            case "page.picture":
                return self.pictures.why_not_here()
            case "page.pictures":
                return self.pictures.why_not_all()
            case "page.description":
                return None if self.descriptions.here() else "no operation to fetch under the cursor"
            case "page.fold":
                return None if self.folds.here() is not None else "nothing to fold under the cursor"
        return None


def _has_keys(leaf: Leaf) -> bool:
    return leaf.block.kind in (BlockKind.OPENAPI, BlockKind.SWAGGER) or PagePictures.is_in(leaf)


def _read(
    title: str,
    markdown: str,
    description: str | None,
    surroundings: Surroundings,
    chosen: Mapping[str, int],
) -> RenderedPage:
    return read(title, markdown, description, surroundings, chosen)
