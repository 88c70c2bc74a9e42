"""The pane in which pages are read, at any address: main content, a change request, or a past revision.

It holds the page, the way back, and what a page is drawn with. It tells its screen which page can be seen, which link
was chosen and where a page was left; the screen decides where a link leads and goes there, by ``visit`` in the pane.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual import events
from textual.message import Message
from textual.widgets import Static

from recto.contract.addresses import Address, AtRevision
from recto.contract.content import Content, Page
from recto.document.line_edits import line_after
from recto.frozen import frozen
from recto.store.locations import SpaceLocation
from recto.store.query import QueryState
from recto.store.titled_text import body_of
from recto.tui import actions
from recto.tui.actions import Action
from recto.tui.look.lines import Span, plain
from recto.tui.navigation.messages import Block
from recto.tui.page.cursor import Position
from recto.tui.page.page_view import PageView
from recto.tui.pictures.gallery import load_pictures
from recto.tui.screens.pane import CHANGED_BY_OTHERS, DELETED_BY_OTHERS, NEWER_REVISION, Pane
from recto.tui.screens.reading.copies import copies
from recto.tui.screens.reading.destinations import Destination, Nowhere, ToPage, ToSpace, destination
from recto.tui.screens.reading.outgoing_links import OutgoingLinks
from recto.tui.screens.reading.page_index import NEW, NO_TEXT, UNREAD, PageIndex, title_of
from recto.tui.screens.reading.space_surroundings import SpaceSurroundings

if TYPE_CHECKING:
    from recto.document.markdown.page import ParsedPage
    from recto.store.locations import Location
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.render.contents import OutlineEntry
    from recto.tui.render.surroundings import Surroundings

actions.register(
    Action("page.copy", "Copy the page, a section, a block or a link", ("x",), "Page"),
)

_PATIENCE = 0.25
"""Seconds for which the page before stays in sight until the next is there; a flash of a notice reads as a fault."""

_NO_PAGE = "No page is loaded."
_PAGE_GONE = Nowhere("The page is no longer in this space.", broken=True)


class ReadingPane(Pane):
    """Shows the pages at an address. ``page`` is the requested page, ``shown`` the visible page.

    ``beside`` stands beside the page's title. Where places in the pages have no address of their own
    (``addressed`` is false), requests to copy or browse them are left to the screen.
    """

    class Changed(Message):
        """Another page, or another state of it, can be seen; or none."""

    class Shown(Message):
        """The page has been parsed and can be seen."""

    class CursorMoved(Message):
        """The cursor stands in another block of the page."""

    @frozen
    class Read(Message):
        """The person has gone to another page to read it, at a position."""

        page: str
        position: Position

    @frozen
    class Left(Message):
        """A page that was read is left, at a position."""

        page: str
        position: Position

    @frozen
    class LinkChosen(Message):
        """The person wants to follow a link of the page, or to see it in the browser."""

        href: str
        leads: Destination
        """Where it leads, by the page tree."""
        browse: bool

    def __init__(
        self,
        store: Store,
        address: Address,
        *,
        id: str,
        title: str = "Page",
        beside: str = "",
        addressed: bool = True,
        folds_with_space: bool = True,
    ) -> None:
        self._note, self._noted = Static(id="draft", markup=False), ""
        self._note.display = False
        self._sheet = PageView(id="page", folds_with_space=folds_with_space)
        super().__init__(store, title, self._note, self._sheet, id=id)
        self._address = address
        self._beside = beside
        self._addressed = addressed
        self.index = PageIndex()
        self.page: str | None = None
        self.shown: Page | None = None
        self._read: str | None = None
        """The page that was gone to last; the cursor of a tree may have passed others since."""
        self.is_deleted = False
        """Whether others have deleted the page while it was read."""
        self._positions: dict[str, Position] = {}
        self._wanted = Position()
        self._anchor = ""
        self._line: int | None = None
        """The source line to go to in the page, counted from 0."""
        self._block: Block | None = None
        """The block to go to, as it stands in the same page elsewhere."""
        self._sought = ""
        """The place in the page that was gone to by its name, until it is known whether there is one."""
        self._query: Query[Page] | None = None
        self._newer: Page | None = None
        """The page in sight as others changed it; it is shown when the person asks for it."""
        self._titled = ""
        """The remark that stands beside the title."""
        self._says_failed = False
        """Whether the border says that the page could not be refreshed, in place of where the page is."""
        self._is_broken: Callable[[str], bool] = self._is_broken_here
        self._out = OutgoingLinks(self, address)
        self._surroundings = SpaceSurroundings(self, address, self)

    # The page in sight

    @property
    def position(self) -> Position:
        """The position in the page."""
        return self._sheet.position if self._in_sight else self._wanted

    @property
    def _in_sight(self) -> bool:
        return self.shown is not None and self.shown.id == self.page

    @property
    def contents(self) -> tuple[OutlineEntry, ...]:
        """The headings and operations of the page."""
        return self._sheet.contents

    @property
    def parsed(self) -> ParsedPage | None:
        """The page as it was parsed, or ``None`` before that."""
        return self._sheet.parsed

    @property
    def hidden_comments(self) -> int:
        """How many HTML comments the page has, which are not shown."""
        return self._sheet.comments

    @property
    def cursor_line(self) -> int:
        """The line of the page's source under the cursor, counted from 0."""
        return self._sheet.cursor_line

    @property
    def block_text(self) -> str:
        """The text under the cursor, as it is read."""
        return self._sheet.text_here

    @property
    def has_failed(self) -> bool:
        """Whether the page could not be loaded."""
        return self._query is not None and self._query.value is None and self._query.state is QueryState.FAILED

    def go_to_line(self, line: int) -> None:
        """Go to a line of the page's source."""
        self._sheet.go_to_line(line)

    def mark(self, signs: Mapping[int, Span]) -> None:
        """Put signs into the margin, by the source line of their block."""
        self._sheet.mark(signs)

    def describe(self, beside: str) -> None:
        """Show a word about the page beside its title."""
        if beside != self._beside:
            self._beside = beside
            if self.shown is not None:
                self._entitle(self.shown)

    def mark_changes(self, kinds: Mapping[int, str]) -> None:
        """Mark changed lines of the source, as ``changed_lines`` returns them."""
        self._sheet.mark_changes(kinds)

    def mark_links(self, is_broken: Callable[[str], bool]) -> None:
        """Mark the broken links of this page and of later pages; ``is_broken`` takes a link as written."""
        self._is_broken = is_broken
        self._sheet.mark_broken_links(is_broken)

    def note(self, text: str) -> None:
        """Show a line above the page; none for an empty text."""
        if text != self._noted:
            self._noted = text
            self._note.display = bool(text)
            self._note.update(plain(actions.name_keys(self, text)))

    def surround(self, surroundings: Surroundings) -> None:
        """Draw the page again with its known surroundings."""
        self._sheet.surround(surroundings)

    def why_not(self, action: str) -> str | None:
        """Return why an action of the page cannot be done now, in a few words; ``None`` where it can."""
        if action == "page.copy" and self.shown is None:
            return "no page is shown"
        return self._sheet.why_not(action) if action == "page.pictures" else None

    def show_pictures(self) -> None:
        """Show all pictures of the page."""
        self._sheet.action_page_pictures()

    # Showing a page

    def know(self, index: PageIndex) -> None:
        """Take over the page tree."""
        self.index = index
        # The page in sight may name some of them.
        self._surroundings.renew()
        self._sheet.mark_broken_links(self._is_broken)

    def recall(self, locations: Sequence[Location], subject: tuple[str, ...]) -> None:
        """Take over where each page was left, from recent locations of the same subject, newest first."""
        for location in reversed(locations):
            if isinstance(location, SpaceLocation) and location.page and location.subject == subject:
                self._positions[location.page] = position_of(location) or Position()

    def open(self, page: str, *, anchor: str = "", position: Position | None = None) -> None:
        """Show a page: at a heading, at a position, else where it was left."""
        self._keep_position()
        self._anchor = anchor
        self._wanted = position or (Position() if anchor else self._positions.get(page, Position()))
        in_sight = self.shown is not None and self.shown.id == page
        if not in_sight or self.page != page:
            self._ask_for(page)
        if in_sight:
            self._go_within()
            self._go_to_sought_line()

    def mark_deleted(self) -> None:
        """Say beside the title that others have deleted the page, which stays as it is for its reader."""
        self.is_deleted = True
        self.follow_instead("page", self._take)
        self._query = None
        if self.shown is not None:
            self._entitle(self.shown)

    def clear(self) -> None:
        """Show no page."""
        self.page = self.shown = self._query = None
        self.is_deleted = False
        self.entitle(self._page_title, below="")
        self.follow_instead("page", self._take)
        self.post_message(self.Changed())

    def reload(self) -> None:
        """Show the page as others changed it, and ask again for it and for what it is drawn with."""
        newer, self._newer = self._newer, None
        if newer is not None:
            self._show_value(newer)
        if self._query is not None:
            self._query.refresh()
        self._surroundings.refresh()

    def _ask_for(self, page: str) -> None:
        self.page, self._newer, self.is_deleted = page, None, False
        known = self.index.pages.get(page)
        if known is not None and known.type in NO_TEXT:
            self.follow_instead("page", self._take)
            self._query = None
            self._show(known, _stand_in(known))
            return
        self._query = self.store.query(Content.get_page, self._address, page, format="markdown")
        self.follow_instead("page", self._take, self._query)
        if self._query.value is None:
            self.set_timer(_PATIENCE, self._say_loading)

    def _keep_position(self) -> None:
        if self.shown is not None and self._in_sight:
            self._positions[self.shown.id] = self._sheet.position
            if self.page == self._read:
                self.post_message(self.Left(self.shown.id, self._sheet.position))

    def _take(self, query: Query[Page]) -> None:
        if query is not self._query:
            return
        page, failed = query.value, query.state is QueryState.FAILED
        if page is not None:
            was_titled = self._titled
            self._newer = page if query.is_news and self._differs(page) else None
            if self._newer is None:
                self._show_value(page)
            if was_titled != self._remark:
                self._entitle(self.shown or page)
            if failed:
                self.show_state(query, "the page")
            elif self._says_failed:
                self._entitle(page)
            self._says_failed = failed
        elif failed:
            self._show_missing()
            self.show_state(query, "the page")

    def _differs(self, page: Page) -> bool:
        """Whether a page is another than the person reads of it now."""
        return self.shown is not None and self.shown.id == page.id and not _reads_alike(self.shown, page)

    def _show_value(self, page: Page) -> None:
        is_generated = page.type == "computed" and not body_of(page).strip()
        self._show(page, _stand_in(page) if is_generated else page.markdown or "")

    def _say_loading(self) -> None:
        query = self._query
        if query is not None and query.value is None and query.state is QueryState.LOADING:
            self._show_missing()
            self.show_loading(f"“{self._page_title}”")

    def _show_missing(self) -> None:
        self.entitle(self._page_title, self._beside)
        self.shown = None
        self.post_message(self.Changed())

    @property
    def _page_title(self) -> str:
        return title_of(self.index.pages[self.page]) if self.page in self.index.pages else "Page"

    def _show(self, page: Page, markdown: str) -> None:
        before, self.shown = self.shown, page
        self.show_body()
        same = before is not None and before.id == page.id
        if before is not None and same and _reads_alike(before, page):
            return
        position = self._sheet.position if same else self._wanted
        anchor, self._anchor = ("" if same else self._anchor), ""
        self._sought = anchor
        self._sheet.show(
            page.title,
            markdown,
            page=page.id,
            description=page.description or None,
            surroundings=self._surroundings.of(page, markdown),
            position=position,
            anchor=anchor or None,
        )
        self._entitle(page)

    @property
    def _remark(self) -> str:
        """What there is to say beside the title of changes by others."""
        if self.is_deleted:
            return DELETED_BY_OTHERS
        if self._newer is not None:
            return CHANGED_BY_OTHERS
        return NEWER_REVISION if self._query is not None and self._query.is_behind else ""

    def _entitle(self, page: Page) -> None:
        trail = self.index.trail(page.id)[:-1] if page.id in self.index else ()
        self._titled = self._remark
        beside = "  ".join(part for part in (self._beside, self._titled) if part)
        self.entitle(title_of(page), beside, below=f"in {' › '.join(trail)}" if trail else "")
        self.post_message(self.Changed())

    def on_page_view_shown(self, event: PageView.Shown) -> None:
        """Go to the requested place, and mark broken links and matches."""
        event.stop()
        sought, self._sought = self._sought, ""
        if sought and not self._sheet.has_anchor(sought):
            self._say_no_place(sought)
        self._go_to_sought_line()
        self._sheet.mark_broken_links(self._is_broken)
        self._show_found()
        self.post_message(self.Shown())

    def on_page_view_block_changed(self, event: PageView.BlockChanged) -> None:
        """Post that the cursor moved."""
        event.stop()
        self.post_message(self.CursorMoved())

    def on_page_view_pictures_requested(self, event: PageView.PicturesRequested) -> None:
        """Load the pictures that the person wants to see."""
        event.stop()
        self.work(load_pictures(self.store, event.gallery, event.wanted, sharp=event.sharp), "pictures")

    def on_page_view_description_requested(self, event: PageView.DescriptionRequested) -> None:
        """Fetch the description of an API that the person wants to see."""
        event.stop()
        self.store.descriptions.ask(event.address)

    def _go_within(self) -> None:
        if not self._anchor:
            self._sheet.position = self._wanted
        elif not self._sheet.go_to_anchor(self._anchor):
            self._say_no_place(self._anchor)

    def _go_to_sought_line(self) -> None:
        line, self._line = self._line, None
        block, self._block = self._block, None
        if line is not None:
            self._sheet.go_to_line(line)
        elif block is not None and self.shown is not None:
            self.work(self._go_to_block(block, self.shown), "block", instead_of="block")

    async def _go_to_block(self, block: Block, page: Page) -> None:
        line = await asyncio.to_thread(line_after, block.source, page.markdown or "", block.line)
        if page is self.shown and line != self.cursor_line:
            self._sheet.go_to_line(line)

    def _say_no_place(self, anchor: str) -> None:
        self.say(f"This page has no place called #{anchor}.")

    # Going

    def visit(
        self,
        page: str,
        *,
        anchor: str = "",
        line: int | None = None,
        position: Position | None = None,
        block: Block | None = None,
    ) -> str:
        """Go to a page to read it; ``-`` leads back to the page before. Returns the page's id."""
        self.mark_read()
        self._line, self._block = line, block
        self.open(page, anchor=anchor, position=position)
        self.mark_read()
        return page

    def mark_read(self) -> None:
        """Count the page that is shown as read; those that the cursor of a tree merely passes do not count."""
        if self.page is not None and self.page != self._read:
            self._read = self.page
            self.post_message(self.Read(self.page, self.position))

    # Links

    def destination(self, href: str) -> Destination:
        """Return where a link of the page leads, by the page tree."""
        return destination(href, self.shown, self.index) if self.shown is not None else Nowhere(_NO_PAGE)

    def target_of(self, page: Page) -> Destination:
        """Return where a page that is a link leads."""
        target: Any = page.target
        if getattr(target, "kind", "") == "page" and target.page in self.index:
            return ToPage(target.page)
        if getattr(target, "kind", "") == "page" and target.space:
            return ToSpace(target.space, target.page)
        href = page.href or getattr(target, "url", None)
        return destination(href, page, self.index) if href else Nowhere("This link has no target.")

    def follow_link(self, leads: Destination) -> str | None:
        """Go where a link leads; returns the page if it is read here."""
        if not isinstance(leads, ToPage):
            self.leave_by(leads)
        elif leads.page in self.index:
            return self.visit(leads.page, anchor=leads.anchor)
        else:
            # It was listed before the page tree came again.
            self.leave_by(_PAGE_GONE)
        return None

    def leave_by(self, leads: Destination) -> None:
        """Go where a link leads outside of these pages; for these pages, to the space as it is now."""
        self._out.follow(leads)

    def browse(self, leads: Destination) -> None:
        """Open in the browser where a link leads."""
        self._out.browse(leads, self.index)

    def _is_broken_here(self, href: str) -> bool:
        """Whether a link leads nowhere, by the page tree."""
        found = self.destination(href) if self.index.roots else None
        return isinstance(found, Nowhere) and found.broken

    def on_page_view_link_followed(self, event: PageView.LinkFollowed) -> None:
        """Post a link to follow."""
        event.stop()
        self.post_message(self.LinkChosen(event.href, self.destination(event.href), browse=False))

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Post a link to open in the browser, or open the page there."""
        if event.href is not None:
            event.stop()
            self.post_message(self.LinkChosen(event.href, self.destination(event.href), browse=True))
        elif self._addressed:
            event.stop()
            if self.shown is not None:
                self.browse(ToPage(self.shown.id))
            else:
                self.say(_NO_PAGE)

    # Finding

    def on_page_view_match_changed(self, event: PageView.MatchChanged) -> None:
        """Show which of the matches the cursor is at."""
        event.stop()
        self._show_found(always=True)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the matches again when the text to find has been typed."""
        self._show_found()

    def mark_words(self, words: str) -> None:
        """Mark words that a search found, each by itself, until the search is cleared."""
        self._sheet.find(words, by_words=True)

    def _show_found(self, *, always: bool = False) -> None:
        needle = self._sheet.needle
        if needle or always:
            place, count = self._sheet.found
            found = f"{place:,} of {count:,} found" if count else "no matches" if needle else ""
            self.post_message(self.News(found))

    # Copying

    def on_page_view_copy_text_requested(self, event: PageView.CopyTextRequested) -> None:
        """Copy a block."""
        event.stop()
        self._copy_text(event.text, "the text")

    def on_page_view_copy_link_requested(self, event: PageView.CopyLinkRequested) -> None:
        """Copy a link, or the address of this place."""
        if event.href is None and not self._addressed:
            return
        event.stop()
        if self.shown is None:
            self.say(_NO_PAGE)
            return
        self._copy_address(self._url_here(event.anchor) if event.href is None else self._url_of_link(event.href))

    def copy_address(self, page: str) -> None:
        """Copy the address of a page or group."""
        if page in self.index:
            self._copy_address(self._url_of(self.index.pages[page], None))
        else:
            self.leave_by(_PAGE_GONE)

    def _copy_address(self, address: str) -> None:
        if address:
            self._copy_text(address, address)
        else:
            self.say("The platform gives the pages of a past revision no address.")

    def _url_here(self, anchor: str | None) -> str:
        """Return the address of a place in the page, as a jump and the command line take it."""
        return self._url_of(self.shown, anchor) if self.shown is not None else ""

    def _url_of_link(self, href: str) -> str:
        """Return the address of the page that a link leads to; the link itself where it leads elsewhere."""
        leads = self.destination(href)
        page = self.index.pages.get(leads.page) if isinstance(leads, ToPage) else None
        return self._url_of(page, leads.anchor) if page is not None and isinstance(leads, ToPage) else href

    def _url_of(self, page: Page, anchor: str | None) -> str:
        """Return the address of a place in a page; its path where it has no address, empty for a past revision then."""
        past = isinstance(self._address, AtRevision)
        address = page.urls.app or ("" if past else page.urls.published or f"/{page.path}")
        return f"{address}#{anchor}" if address and anchor else address

    def _copy_text(self, text: str, what: str) -> None:
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {what}.")

    def offer_copies(self) -> None:
        """Ask what of the page to copy."""
        self.work(self._offer_copies(), "copy", instead_of="copy")

    async def _offer_copies(self) -> None:
        from recto.tui.dialogs.choose import Choice, Choose

        page = self.shown
        if page is None:
            return
        found = copies(self._sheet, page, self._url_here)
        choices = [Choice(str(index), each.label) for index, each in enumerate(found)]
        answer = await self.ask(Choose("Copy", choices))
        if answer is not None:
            chosen = found[int(answer)]
            self._copy_text(chosen.text, chosen.what)


def position_of(location: SpaceLocation) -> Position | None:
    """Return the position in the page of a location."""
    return Position(*location.position) if location.position is not None else None


def _reads_alike(one: Page, other: Page) -> bool:
    return (one.title, one.description, one.markdown, one.type) == (
        other.title,
        other.description,
        other.markdown,
        other.type,
    )


def _stand_in(page: Page) -> str:
    """Return a text for a page that has none of its own."""
    if page.type == NEW:
        return page.markdown or ""
    if page.type == UNREAD:
        return "The response for this page could not be read."
    if page.type == "link":
        address = page.href or getattr(page.target, "url", None)
        return f"This page is a link to <{plain(address)}>." if address else "This page is a link to another page."
    below = "\n".join(f"- [{_escape(title_of(one))}](/pages/{one.id})" for one in page.pages)
    if page.type == "computed":
        return f"{_describe_computed(page)}\n\n{below}"
    return below or "This group has no pages."


def _describe_computed(page: Page) -> str:
    computed = page.computed
    kind = f" ({_escape(computed.type)})" if computed is not None and computed.type else ""
    words = f"The pages here are generated by the platform{kind}; they have no text in this space."
    if computed is None or not computed.specification or page.pages:
        return words
    name = _escape(computed.specification)
    return f"{words}\n\nThere are none: the specification “{name}” is missing, or has no operations."


def _escape(title: str) -> str:
    return "".join(f"\\{character}" if character in "\\[]<>*_`&!" else character for character in plain(title))
