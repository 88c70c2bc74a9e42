"""Reading the pages of a space: which is shown and from where on, following links, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recto.contract.addresses import Address
from recto.contract.content import Content, Page
from recto.store.locations import Location, SpaceLocation
from recto.store.page_text import body_of
from recto.tui.look.lines import plain
from recto.tui.page.cursor import Position
from recto.tui.page.view import PageView
from recto.tui.screens.reading.links import Destination, Nowhere, ToPage, ToSpace, destination
from recto.tui.screens.reading.page_index import NO_TEXT, UNREAD, PageIndex, title_of
from recto.tui.screens.reading.surroundings import SpaceSurroundings
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.store.locations import Location
    from recto.store.query import Query
    from recto.tui.screens.reading.base import ReadingBase

_PATIENCE = 0.25
"""Seconds for which the page before stays in sight until the next is there; a flash of a notice reads as a fault."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A page that was read, and where in it."""

    page: str
    position: Position


class Reader:
    """The page that is read. ``page`` is the one asked for, ``shown`` the one that can be seen."""

    def __init__(self, view: ReadingBase, content: Address) -> None:
        self._view = view
        self._content = content
        self.index = PageIndex()
        self.page: str | None = None
        self.shown: Page | None = None
        self._positions: dict[str, Position] = {}
        self._here: str | None = None
        """The page read last; those that the cursor of the tree merely passed do not count."""
        self._back: list[Visit] = []
        self._forward: list[Visit] = []
        self._before: Visit | None = None
        self._wanted = Position()
        self._anchor = ""
        self._line: int | None = None
        """The source line to go to in the page, counted from 0."""
        self._sought = ""
        """The place in the page that was gone to by its name, until it is known whether there is one."""
        self._query: Query[Page] | None = None
        self._says_failed = False
        """Whether the border says that the page could not be asked for anew, in place of where the page is."""
        self._surroundings = SpaceSurroundings(view, content, self)

    @property
    def sheet(self) -> PageView:
        """Where the page is shown."""
        return self._view.sheet

    @property
    def _panel(self) -> Panel:
        return self._view.page_panel

    # Where one was

    def recall(self, locations: tuple[Location, ...]) -> None:
        """Take over from earlier sessions where in each page one was; the newest location comes first."""
        for location in reversed(locations):
            if (
                isinstance(location, SpaceLocation)
                and location.page
                and location.subject == self._view.opened_at.subject
            ):
                self._positions[location.page] = position_of(location) or Position()

    @property
    def position(self) -> Position:
        """Where in the page one is."""
        return self.sheet.position if self.shown is not None and self.shown.id == self.page else self._wanted

    # Showing

    def open(self, page: str, *, anchor: str = "", position: Position | None = None) -> None:
        """Show a page: at a heading, at a place, else where one left it."""
        self._keep_position()
        self._anchor = anchor
        self._wanted = position or (Position() if anchor else self._positions.get(page, Position()))
        in_sight = self.shown is not None and self.shown.id == page
        if not in_sight or self.page != page:
            self._ask_for(page)
        if in_sight:
            self._go_within()
            self._go_to_line()

    def _ask_for(self, page: str) -> None:
        self.page = page
        known = self.index.pages[page]
        if known.type in NO_TEXT:
            self._view.follow_instead("page", self._take)
            self._query = None
            self._show(known, _stand_in(known))
            return
        self._query = self._view.store.query(Content.get_page, self._content, page, format="markdown")
        self._view.follow_instead("page", self._take, self._query)
        if self._query.value is None:
            self._view.set_timer(_PATIENCE, self._say_loading)

    def _keep_position(self) -> None:
        if self.shown is not None and self.shown.id == self.page:
            self._positions[self.shown.id] = self.sheet.position
            if self.page == self._here:
                self._view.place_changed()

    def _go_within(self) -> None:
        if self._anchor:
            if not self.sheet.go_to_anchor(self._anchor):
                self._say_no_place(self._anchor)
        else:
            self.sheet.position = self._wanted

    def _take(self, query: Query[Page]) -> None:
        if query is not self._query:
            return
        page, failed = query.value, query.state.value == "failed"
        if page is not None:
            is_generated = page.type == "computed" and not body_of(page).strip()
            self._show(page, _stand_in(page) if is_generated else page.markdown or "")
            if failed:
                self._panel.show_state(query, "the page")
            elif self._says_failed:
                self._view.page_shown(page)
            self._says_failed = failed
        elif failed:
            self._panel.entitle(self._name)
            self._panel.show_state(query, "the page")
            self.shown = None
            self._view.page_gone()

    def _say_loading(self) -> None:
        if self._query is not None and self._query.value is None and self._query.state.value == "loading":
            self._panel.entitle(self._name)
            self._panel.show_loading(f"“{self._name}”")
            self.shown = None
            self._view.page_gone()

    @property
    def has_failed(self) -> bool:
        """Whether the page to be read could not be loaded."""
        return self._query is not None and self._query.value is None and self._query.state.value == "failed"

    @property
    def _name(self) -> str:
        return title_of(self.index.pages[self.page]) if self.page in self.index.pages else "Page"

    def _show(self, page: Page, markdown: str) -> None:
        before, self.shown = self.shown, page
        self._panel.show_body()
        same = before is not None and before.id == page.id
        if before is not None and same and _reads_alike(before, page):
            return
        position = self.sheet.position if same else self._wanted
        anchor, self._anchor = ("" if same else self._anchor), ""
        self._sought = anchor
        self.sheet.show(
            page.title,
            markdown,
            page=page.id,
            description=page.description or None,
            surroundings=self._surroundings.of(page, markdown),
            position=position,
            anchor=anchor or None,
        )
        self._view.page_shown(page)

    def landed(self) -> None:
        """Hear that a page can be seen: say so where it has no such place as was gone to."""
        sought, self._sought = self._sought, ""
        if sought and not self.sheet.has_anchor(sought):
            self._say_no_place(sought)
        self._go_to_line()

    def _go_to_line(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            self.sheet.go_to_line(line)

    def _say_no_place(self, anchor: str) -> None:
        self._view.say(f"This page has no place called #{anchor}.")

    def know(self, index: PageIndex) -> None:
        """Know other pages than before."""
        self.index = index
        # The page in sight may name some of them.
        self._surroundings.renew()

    def close(self) -> None:
        """Read nothing: there are no pages any more."""
        self.page = self.shown = self._query = None
        self.index = PageIndex()
        self._panel.entitle(self._name, below="")
        self._view.follow_instead("page", self._take)
        self._view.page_gone()

    def refresh(self) -> None:
        """Ask anew for the page and what it is drawn with."""
        if self._query is not None:
            self._query.refresh()
        self._surroundings.refresh()

    @property
    def address(self) -> str | None:
        """The address of the page that is shown, where it has one."""
        return (self.shown.urls.published or self.shown.urls.app) if self.shown is not None else None

    def address_of_place(self, anchor: str | None) -> str:
        """Return the address of a place in the page; its path where it has no address."""
        path = f"/{self.shown.path}" if self.shown is not None else ""
        return f"{self.address or path}{f'#{anchor}' if anchor else ''}"

    # Going

    def visit(self, page: str, *, anchor: str = "", line: int | None = None, position: Position | None = None) -> None:
        """Go to a page to read it; the one read before is where back leads."""
        self.settle()
        if page != self._here:
            self._push()
            self._forward.clear()
        self._here = page
        self._line = line
        self.open(page, anchor=anchor, position=position)

    def settle(self) -> None:
        """Take the page that is shown for the one that is read."""
        if self.page is not None and self.page != self._here:
            if self._here is not None:
                self._push()
                self._forward.clear()
            self._here = self.page

    def _push(self) -> None:
        if self._here is not None:
            position = self.position if self._here == self.page else self._positions.get(self._here, Position())
            self._before = Visit(self._here, position)
            self._back.append(self._before)

    def back(self) -> str | None:
        """Go back to the page read before; gives its id, or ``None`` where there is none."""
        if self._here is not None and self._here != self.page and self._here in self.index:
            return self._return_to(Visit(self._here, self._positions.get(self._here, Position())))
        return self._go_over(self._back, self._forward)

    @property
    def can_go_forward(self) -> bool:
        """Whether one has come back from another page."""
        return bool(self._forward)

    def forward(self) -> str | None:
        """Go again to the page that one came back from; gives its id, or ``None`` where there is none."""
        return self._go_over(self._forward, self._back)

    def _go_over(self, ahead: list[Visit], behind: list[Visit]) -> str | None:
        """Go to the last of the pages that lie ahead, and leave this one behind."""
        while ahead:
            visit = ahead.pop()
            if visit.page in self.index:
                if self.page is not None:
                    behind.append(Visit(self.page, self.position))
                return self._return_to(visit)
        return None

    def previous(self) -> str | None:
        """Go to the page that was seen just before, wherever it was on the way; gives its id."""
        if self._before is None or self._before.page not in self.index:
            return None
        return self._return_to(self._before)

    def _return_to(self, visit: Visit) -> str:
        if self.page is not None:
            self._before = Visit(self.page, self.position)
        self._here = visit.page
        self.open(visit.page, position=visit.position)
        return visit.page

    # Links

    def destination(self, href: str) -> Destination:
        """Tell where a link on the page that is shown leads."""
        page = self.shown
        return destination(href, page, self.index) if page is not None else Nowhere("The page is not loaded.")

    def leads_to(self, page: Page) -> Destination:
        """Tell where a page that is a link leads."""
        target: Any = page.target
        if getattr(target, "kind", "") == "page" and target.page in self.index:
            return ToPage(target.page)
        if getattr(target, "kind", "") == "page" and target.space:
            return ToSpace(target.space, target.page)
        href = page.href or getattr(target, "url", None)
        return destination(href, page, self.index) if href else Nowhere("This link leads nowhere.")

    def follow(self, found: Destination) -> str | None:
        """Go where a link leads; gives the page gone to, where it is one of those that are read here."""
        if isinstance(found, ToPage) and found.page in self.index:
            self.visit(found.page, anchor=found.anchor)
            return found.page
        if isinstance(found, ToPage):
            # It was listed before the pages came anew.
            found = Nowhere("This space has no such page any more.", broken=True)
        self._view.out.follow(found)
        return None


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
    if page.type == UNREAD:
        return "What the server answers of this page could not be read."
    if page.type == "link":
        address = page.href or getattr(page.target, "url", None)
        return f"This page is a link to <{plain(address)}>." if address else "This page is a link to another page."
    below = "\n".join(f"- [{_escaped(title_of(one))}](/pages/{one.id})" for one in page.pages)
    if page.type == "computed":
        kind = f" ({_escaped(page.computed.type)})" if page.computed is not None and page.computed.type else ""
        return f"The pages here are generated by the platform{kind}; they have no text in this space.\n\n{below}"
    return below or "This group has no pages."


def _escaped(title: str) -> str:
    return "".join(f"\\{character}" if character in "\\[]<>*_`&!" else character for character in plain(title))
