"""The links of a page: where they lead, which of them are broken, and what points at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from recto.client.errors import Unsupported
from recto.contract.addresses import Address, AtRevision
from recto.document.markdown.page_links import Link, LinkKind, links
from recto.document.text import count
from recto.frozen import frozen
from recto.store.links import (
    BrokenPlaces,
    backlinks_of_page,
    broken_links,
    broken_places,
    by_writing,
    links_of_page,
)
from recto.store.query import QueryState
from recto.tui.lists.rows import WrappedRows, unread_line
from recto.tui.look import lines, signs
from recto.tui.look.lines import Line, Span, plain
from recto.tui.screens.reading.destinations import (
    Destination,
    Nowhere,
    ToAddress,
    ToFile,
    ToPage,
    ToSpace,
    ToWeb,
    destination,
    destination_of,
)
from recto.tui.screens.reading.page_index import ONLY_HERE, title_of

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.contract.links import ContentLink, LinkList, ReferencedContent
    from recto.store.query import Listing, Query
    from recto.tui.screens.interactive import Interactive
    from recto.tui.screens.reading.reading_pane import ReadingPane

_MOST_LINKS = 500
"""How many links of a page are listed."""

_MOST_LINES = 2
"""How many lines an address or a reason may take."""


@frozen
class Neighbour:
    """A line of the list of neighbours; ``leads`` is where it leads, ``None`` for text only."""

    number: int
    line: Line
    leads: Destination | None = None


@frozen
class OutLink:
    """A link of the page: how it is written and shown, where it leads, and whether it is broken."""

    written: str
    text: str
    leads: Destination
    broken: bool
    name: str = ""


class Neighbours:
    """Follows the links of the page in sight, and the broken ones of the space.

    ``changed`` is called when more is known of them. Of a past revision it is only known what its pages say.
    """

    def __init__(
        self,
        owner: Interactive,
        at: Address,
        reading: ReadingPane,
        changed: Callable[[], None],
    ) -> None:
        self._owner = owner
        self._at = at
        self._reading = reading
        self._changed = changed
        self.broken = BrokenPlaces()
        self._of_space: Query[LinkList] | None = None
        self._of_page: Query[LinkList] | None = None
        self._back: Query[Listing[ReferencedContent]] | None = None
        self._page: str | None = None
        self._known: dict[str, ContentLink] = {}
        self._out: tuple[tuple[object, ...], list[OutLink]] | None = None

    # Following

    def begin(self) -> None:
        """Follow the broken links of the space."""
        if isinstance(self._at, AtRevision):
            return
        self._of_space = broken_links(self._owner.store, self._at)
        self._owner.follow(self._of_space, self._take_of_space)

    def _take_of_space(self, query: Query[LinkList]) -> None:
        if query.value is not None:
            self.broken = broken_places(query.value)
            self._changed()

    def look_at(self, page: Page) -> None:
        """Ask for what the page is linked with."""
        if page.id == self._page or isinstance(self._at, AtRevision):
            return
        self._page, self._known, self._of_page, self._back = page.id, {}, None, None
        if page.type not in ONLY_HERE:
            self._of_page = links_of_page(self._owner.store, self._at, page.id)
            self._back = backlinks_of_page(self._owner.store, self._at, page.id)
        asked = [query for query in (self._of_page, self._back) if query is not None]
        self._owner.follow_instead("neighbours", self._take_of_page, *asked)

    def _take_of_page(self, _query: Query[Any]) -> None:
        if self._of_page is not None:
            self._known = by_writing(self._of_page.value)
            self._out = None
        self._changed()

    def reload(self) -> None:
        """Ask again."""
        for query in (self._of_space, self._of_page, self._back):
            if query is not None:
                query.refresh()

    # Links out

    def is_broken(self, href: str) -> bool:
        """Whether a link of the page in sight leads nowhere, as far as that is known."""
        page = self._reading.shown
        if page is None:
            return False
        if page.id == self._page and href in self._known:
            return self._known[href].status == "broken"
        if page.id in self.broken.written:
            return href in self.broken.written[page.id]
        found = self._reading.destination(href)
        return isinstance(found, Nowhere) and found.broken

    def leads(self, href: str) -> Destination:
        """Return where a link of the page leads: by the page tree, else by what the platform says of its target."""
        found, page = self._reading.destination(href), self._reading.shown
        known = self._known.get(href) if page is not None and page.id == self._page else None
        if known is None or not isinstance(found, Nowhere):
            return found
        return destination_of(known.target_reference, self._at.space, self._reading.index) or found

    async def ask(self, href: str) -> Destination:
        """Return where a link of the page leads, after asking the platform for the links of the page."""
        page = self._reading.shown
        if page is not None and not isinstance(self._at, AtRevision):
            query = await links_of_page(self._owner.store, self._at, page.id).wait()
            known = by_writing(query.value).get(href)
            target = known.target_reference if known is not None and known.status != "broken" else None
            found = destination_of(target, self._at.space, self._reading.index) if target is not None else None
            if found is not None:
                return found
        return self.leads(href)

    def out(self, page: Page) -> list[OutLink]:
        """Return each thing that the page links to, the broken ones first."""
        parsed = self._reading.parsed
        key = (page, parsed, self._reading.index, self.broken, self._known)
        if self._out is None or any(one is not other for one, other in zip(self._out[0], key, strict=True)):
            seen: dict[str, OutLink] = {}
            for link in links(parsed) if parsed is not None else ():
                if link.kind is not LinkKind.INCLUDE and link.target not in seen:
                    seen[link.target] = self._out_link(link, page)
                if len(seen) == _MOST_LINKS:
                    break
            self._out = (key, sorted(seen.values(), key=lambda one: not one.broken))
        return self._out[1]

    def _out_link(self, link: Link, page: Page) -> OutLink:
        index, written = self._reading.index, link.target
        if link.kind is LinkKind.OPENAPI:
            leads: Destination = Nowhere(f"This space has no file of the specification {link.path}.")
        else:
            leads = destination(written, page, index)
        known = self._known.get(written)
        if known is not None and isinstance(leads, Nowhere):
            leads = destination_of(known.target_reference, self._at.space, index) or leads
        broken = known.status == "broken" if known is not None else isinstance(leads, Nowhere) and leads.broken
        broken = broken or written in self.broken.written.get(page.id, ())
        return OutLink(written, link.text, leads, broken, self._name(leads, known))

    def _name(self, leads: Destination, known: ContentLink | None) -> str:
        target = known.target_reference if known is not None else None
        if isinstance(leads, ToPage) and leads.page in self._reading.index:
            return title_of(self._reading.index.pages[leads.page]) + (f" #{leads.anchor}" if leads.anchor else "")
        if isinstance(leads, ToSpace) and target is not None and target.space is not None:
            page = f" › {target.page.title}" if target.page is not None and target.page.title else ""
            return f"{target.space.title}{page}"
        if isinstance(leads, ToFile) and target is not None and target.file is not None:
            return target.file.name
        return ""

    # Rows

    def summary(self, page: Page) -> str:
        """How many links lead out, and how many of them are broken, in a few words."""
        out = self.out(page)
        broken = sum(one.broken for one in out)
        return f"{len(out)}" + (f", {count(broken, 'broken link')}" if broken else "")

    @property
    def pointed_at(self) -> str:
        """How many things point at the page, in a few words; empty where that is not known."""
        query = self._back
        if query is None or query.value is None:
            return ""
        return f"{len(query.value.items)}" + ("" if query.value.complete else " so far")

    @property
    def why_back_unknown(self) -> str:
        """Message for a server that does not tell what points at the page."""
        is_lacking = self._back is not None and isinstance(self._back.error, Unsupported)
        return "not offered by this server" if is_lacking else ""

    def rows(self, page: Page) -> WrappedRows[Neighbour]:
        """Return the links out and what points at the page."""
        found: list[Neighbour] = []
        for line, leads in (*self._out_lines(page), *self._back_lines()):
            found.append(Neighbour(len(found), line, leads))

        def draw(one: Neighbour, width: int) -> Sequence[Line]:
            drawn = lines.wrap(one.line, width, 2)
            if len(drawn) <= _MOST_LINES:
                return drawn
            last = [*drawn[_MOST_LINES - 1], (lines.ELLIPSIS, "muted")]
            return [*drawn[: _MOST_LINES - 1], lines.fit(last, width)]

        return WrappedRows(found, draw, key=lambda one: one.number)

    def _out_lines(self, page: Page) -> Iterator[tuple[Line, Destination | None]]:
        out = self.out(page)
        yield _heading("Links", self.summary(page) if out else "none"), None
        for one in out:
            yield _out_line(one), one.leads
        if self._of_page is not None and self._of_page.state is QueryState.FAILED:
            yield _remark(f"Read from the text alone: {_why(self._of_page)}"), None

    def _back_lines(self) -> Iterator[tuple[Line, Destination | None]]:
        query = self._back
        if query is None:
            return
        yield [], None
        yield _heading("Backlinks", self.pointed_at or ""), None
        if query.value is None and query.state is QueryState.LOADING:
            yield _remark("… loading"), None
            return
        for one in query.value.items if query.value is not None else ():
            yield self._back_line(one), destination_of(one, self._at.space, self._reading.index)
        for note in query.value.unread if query.value is not None else ():
            yield unread_line(note), None
        if query.state is QueryState.FAILED:
            yield _remark(_why(query)), None
        elif query.value is not None and not query.value.items:
            yield _remark("No backlinks."), None

    def _back_line(self, one: ReferencedContent) -> Line:
        elsewhere = one.space is not None and one.space.id != self._at.space
        title = one.page.title if one.page is not None else getattr(one.reusable_content, "title", "")
        line: list[Span] = [("← ", "muted"), (plain(title or "Untitled"), "")]
        if elsewhere and one.space is not None:
            line.append((f"  in {plain(one.space.title)}", "muted"))
        elif one.page is None:
            line.append(("  a text that pages include", "muted"))
        return line


def _out_line(one: OutLink) -> Line:
    text = plain(one.text).strip()
    if one.broken:
        why = one.leads.why if isinstance(one.leads, Nowhere) else "It has no target."
        return [(f"{signs.BROKEN.sign} ", "error"), (plain(one.written), ""), (f"  {plain(why)}", "muted")]
    match one.leads:
        case ToPage() | ToSpace():
            return [("→ ", "muted"), (plain(one.name or one.written), "")]
        case ToFile():
            return [("· ", "muted"), (plain(one.name or one.written), "")]
        case ToWeb() | ToAddress():
            shown = text if text and text != one.written else ""
            return [("↗ ", "muted"), *([(f"{shown}  ", "")] if shown else []), (plain(one.written), "muted")]
        case _:
            return [("· ", "muted"), (plain(one.written), "muted")]


def _heading(text: str, beside: str) -> Line:
    return [(text, "strong"), (f"  {beside}" if beside else "", "muted")]


def _remark(text: str) -> Line:
    return [(plain(text), "muted")]


def _why(query: Query[Any]) -> str:
    error = query.error
    return f"{getattr(error, 'what', '')} {getattr(error, 'why', '')}".strip() if error is not None else ""
