"""The pages of a space as the tree that is walked: where each is, and how it shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from recto.contract.content import Content, Page, PageTree
from recto.contract.unread import unread_of
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item
from recto.tui.lists.rows import SIGN, unread_key
from recto.tui.lists.tree_rows import Flat, Order, TreeItem
from recto.tui.look import signs
from recto.tui.look.icons import icon
from recto.tui.look.lines import Line, Span

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.contract.unread import Unread
    from recto.store.editing import NewPage
    from recto.store.query import Query
    from recto.tui.screens.interactive import Interactive

UNREAD = "\0unread"
"""The type of the page that stands in the tree for one that could not be read."""

NEW = "\0new"
"""The type of the page that stands in the tree for a new one that is not sent; its text is its Markdown."""

GONE = "\0gone"
"""The type of a page that stands in the tree for one that is deleted."""

ONLY_HERE = (UNREAD, NEW)
"""The types of pages that the platform knows nothing of under their id."""

NO_TEXT = ("group", "link", *ONLY_HERE, GONE)
"""The types of pages that have no text."""


class PageIndex:
    """The pages of a tree by id, by path and by the file they come from."""

    def __init__(
        self,
        order: Order[Page] | None = None,
        roots: Sequence[Page] | None = None,
        new: Sequence[NewPage] = (),
        unread: Sequence[Unread] = (),
    ) -> None:
        self.order: Order[Page] = order or Order((), lambda page: page.pages)
        self.roots = self.order.roots if roots is None else roots
        """The pages of the first level, as the platform gives them."""
        self.new = new
        """The new pages among them, which are not sent."""
        self._unread = unread
        self.ids = [page.id for page in self.order.nodes]
        self.pages: dict[str, Page] = dict(zip(self.ids, self.order.nodes, strict=True))

    @classmethod
    def of(cls, roots: Sequence[Page], unread: Sequence[Unread] = (), new: Sequence[NewPage] = ()) -> PageIndex:
        """Read a page tree; ``unread`` are those of its first level that could not be read, ``new`` are not sent."""
        if not new:
            return cls(Order((*roots, *map(_stand_in, unread)), _under), roots, (), unread)
        order = cls.of(roots, unread).order
        places = {page.id: place for place, page in enumerate(order.nodes)}
        under: dict[int, list[Page]] = {-1: list(order.roots)}
        for one in new:
            inside = places.get(one.place.into or "")
            beside = places.get(one.place.after or "")
            parent = inside if inside is not None else order.parents[beside] if beside is not None else -1
            siblings = under[parent] if parent in under else under.setdefault(parent, list(_under(order.nodes[parent])))
            at = siblings.index(order.nodes[beside]) + 1 if inside is None and beside is not None else len(siblings)
            page = Page(id=one.draft.id, type=NEW, title=one.title).model_copy(update={"markdown": one.text})
            siblings.insert(at, page)
        changed = {order.nodes[parent].id: tuple(pages) for parent, pages in under.items() if parent >= 0}
        return cls(Order(under[-1], lambda page: changed.get(page.id) or _under(page)), roots, new, unread)

    @cached_property
    def arrangement(self) -> Arrangement:
        """The pages as they are arranged on the platform."""
        return Arrangement.of_pages(self.roots, self._unread)

    @cached_property
    def parents(self) -> dict[str, str | None]:
        """The id of the page above each."""
        above = self.order.parents
        return {id: self.ids[place] if place >= 0 else None for id, place in zip(self.ids, above, strict=True)}

    @cached_property
    def paths(self) -> dict[str, str]:
        """The id of the page at each path."""
        return {page.path: page.id for page in reversed(self.order.nodes) if page.path}

    @cached_property
    def titles(self) -> dict[str, str]:
        """The title of the page at each path, and of that of each id."""
        named = {page.path: title_of(page) for page in self.order.nodes if page.path}
        return {**named, **{id: title_of(page) for id, page in self.pages.items()}}

    @cached_property
    def files(self) -> dict[str, str]:
        """The id of the page that comes from each file."""
        pages = reversed(self.order.nodes)
        return {page.git.path: page.id for page in pages if page.git is not None and page.git.path}

    def __contains__(self, page: object) -> bool:
        return page in self.pages

    @cached_property
    def count(self) -> int:
        """How many pages there are to read; groups and links are none."""
        return sum(page.type not in NO_TEXT for page in self.pages.values())

    @property
    def landing(self) -> str | None:
        """The page that a reader of the space sees first."""
        shown = (page for page in self.order.nodes if page.type not in NO_TEXT)
        hidden: str | None = None
        for page in shown:
            if not page.hidden:
                return page.id
            hidden = hidden or page.id
        return hidden

    def trail(self, page: str) -> tuple[str, ...]:
        """Return the titles from the top of the tree down to a page."""
        titles: list[str] = []
        above: str | None = page
        while above is not None:
            titles.append(title_of(self.pages[above]))
            above = self.parents[above]
        return tuple(reversed(titles))

    @cached_property
    def above(self) -> frozenset[str]:
        """The ids of the pages that have others under them."""
        return frozenset(page.id for page in self.pages.values() if page.pages)

    def groups(self) -> list[str]:
        """Return the ids of the groups, which stand open until a person closes them."""
        return [page.id for page in self.pages.values() if page.type == "group"]


def _under(page: Page) -> Sequence[Page]:
    unread = unread_of(page, "pages")
    return (*page.pages, *map(_stand_in, unread)) if unread else page.pages


def _stand_in(note: Unread) -> Page:
    return Page(id=unread_key(note), type=UNREAD, title=note.words)


def title_of(page: Page) -> str:
    """Return a page's name in the page tree, or a word in its place."""
    return (page.link_title or page.title).strip() or "Untitled"


@frozen
class PageMarks:
    """What stands beside the names of pages, by id."""

    comments: Mapping[str, int] = field(default_factory=dict)
    """How many open comments each has."""
    changes: Mapping[str, str] = field(default_factory=dict)
    """What happened to the pages that are changed where they are seen: a key of ``signs.CHANGE``."""
    drafts: Collection[str] = ()
    """Pages with a text that is not sent yet."""
    broken: Mapping[str, int] = field(default_factory=dict)
    """How many broken links each has."""


def with_deleted(pages: Sequence[Page], before: Sequence[Page], deleted: Collection[str]) -> Sequence[Page]:
    """Return a page tree with the deleted pages of the tree before: each after the page that it came after."""
    then, now = PageIndex.of(before), PageIndex.of(pages)
    gone: dict[str | None, list[str]] = {}
    for id in then.ids:
        if id in deleted and id not in now:
            gone.setdefault(then.parents[id], []).append(id)
    touched: set[str | None] = set()
    for parent in gone:
        above = parent if parent in now else None
        while above is not None:
            touched.add(above)
            above = now.parents[above]

    def stand_in(id: str) -> Page:
        page = then.pages[id]
        return page.model_copy(update={"type": GONE, "pages": tuple(map(stand_in, gone.get(id, ())))})

    def around(siblings: Sequence[Page], parent: str | None) -> tuple[Page, ...]:
        places = {page.id: place for place, page in enumerate(siblings, 1)}
        after: dict[int, list[Page]] = {}
        last = 0
        for page in then.pages[parent].pages if parent is not None and parent in then else then.roots:
            last = max(last, places.get(page.id, 0))
            if page.id in deleted and page.id not in now:
                after.setdefault(last, []).append(stand_in(page.id))
        found = list(after.get(0, ()))
        for place, page in enumerate(siblings, 1):
            is_above = page.id in touched
            found.append(page.model_copy(update={"pages": around(page.pages, page.id)}) if is_above else page)
            found += after.get(place, ())
        return tuple(found)

    return around(pages, None)


def tree_of(index: PageIndex) -> Flat:
    """Return the items of the tree, which are made when they are seen; names of siblings stand below each other."""
    order, pages, ends = index.order, index.order.nodes, index.order.ends

    @cache
    def widest_under(parent: int) -> int:
        """Return the cells that the widest sign under a page takes, at the top level under -1."""
        widest, place, end = 0, parent + 1, ends[parent] if parent >= 0 else len(pages)
        while place < end:
            widest = max(widest, cell_len(_sign(pages[place])))
            place = ends[place]
        return widest

    @cache
    def width_under(parent: int) -> int:
        levels: list[tuple[Page, int]] = []
        while parent >= 0:
            levels.append((pages[parent], widest_under(parent)))
            parent = order.parents[parent]
        return _sign_width(widest_under(-1), reversed(levels))

    def make(place: int) -> TreeItem:
        return _item(pages[place], inside=ends[place] - place - 1, sign_width=width_under(order.parents[place]))

    return Flat(order, index.ids, lambda: [title_of(page) for page in pages], make)


_SIGNS = {"link": signs.LINK_SIGN, UNREAD: SIGN}


def _sign(page: Page) -> str:
    return _SIGNS.get(page.type) or signs.emoji(page.emoji) or icon(page.icon)


def _is_heading(page: Page) -> bool:
    """Whether a page is a group without an icon: a heading over its pages, which stands where headings do."""
    return page.type == "group" and not _sign(page)


def _sign_width(at_top: int, levels: Iterable[tuple[Page, int]]) -> int:
    """Return the cells that signs take at the lowest level, so that names stand further right than the name above.

    A level is the page above it, and the cells of the widest sign at it; ``at_top`` are those of the top level.
    """
    width = at_top
    for above, widest in levels:
        width = max(widest, 0 if _is_heading(above) else width)
    return width


def _item(page: Page, inside: int, sign_width: int) -> TreeItem:
    return TreeItem(
        page.id,
        title_of(page),
        sign="" if _is_heading(page) else set_cell_size(_sign(page), sign_width),
        role=_role(page),
        inside=inside,
        note=signs.HIDDEN.word if page.hidden else "not sent" if page.type == NEW else "",
    )


def describe_in(index: PageIndex, arrangement: Callable[[], Arrangement]) -> Callable[[Item], TreeItem]:
    """Return what makes the row of a page by its item in an arrangement; names of siblings stand below each other."""

    @cache
    def widest_under(parent: str | None) -> int:
        """Return the cells that the widest sign under a page takes."""
        siblings = filter(None, map(index.pages.get, arrangement().under(parent)))
        return max((cell_len(_sign(page)) for page in siblings), default=0)

    @cache
    def width_under(parent: str | None) -> int:
        levels: list[tuple[Page, int]] = []
        while parent is not None:
            levels.append((index.pages[parent], widest_under(parent)))
            parent = arrangement().parents[parent]
        return _sign_width(widest_under(None), reversed(levels))

    def describe(item: Item) -> TreeItem:
        page = index.pages.get(item.id)
        if page is None:
            return TreeItem(item.id, item.name)
        return _item(page, inside=0, sign_width=width_under(arrangement().parents[item.id]))

    return describe


def _role(page: Page) -> str:
    if page.type == "group":
        return "strong"
    if page.type == UNREAD:
        return "faint"
    if page.type == NEW:
        return "changed"
    if page.type == GONE:
        return "removed strike"
    return "muted" if page.hidden else ""


def details(marks: PageMarks) -> dict[str, Line]:
    """Return what stands at the right edge of the pages that have a mark, by id."""
    return {page: _detail(page, marks) for page in {*marks.comments, *marks.changes, *marks.drafts, *marks.broken}}


def _detail(page: str, marks: PageMarks) -> list[Span]:
    detail: list[Span] = []
    if page in marks.drafts:
        detail.append(signs.PENDING.span)
    if page in marks.changes:
        detail.append(signs.sign(signs.CHANGE, marks.changes[page]).span)
    if count := marks.broken.get(page):
        detail.append((f"{signs.BROKEN.sign}{count}", signs.BROKEN.role))
    if count := marks.comments.get(page):
        comment = signs.COMMENT["open"]
        detail.append((f"{comment.sign}{count}", comment.role))
    return [span for part in detail for span in ((" ", ""), part)][1:]


class FollowedPages:
    """Follows a page tree for a screen.

    ``changed`` is called with each state of the query, ``known`` with the index when it is ready.
    """

    def __init__(
        self,
        owner: Interactive,
        address: Address,
        changed: Callable[[Query[PageTree]], None],
        known: Callable[[PageIndex], None],
    ) -> None:
        self._owner = owner
        self._address = address
        self._changed = changed
        self._known = known
        self._query: Query[PageTree] | None = None
        self._index = PageIndex()
        self._new: tuple[NewPage, ...] = ()

    def begin(self) -> bool:
        """Follow the page tree if it is already in the store; returns whether it is."""
        if is_known := self._owner.store.known_response(Content.list_pages, self._address) is not None:
            self.follow()
        return is_known

    def follow(self) -> Query[PageTree]:
        """Ask for the page tree, once."""
        if self._query is None:
            self._query = self._owner.store.query(Content.list_pages, self._address)
            self._owner.follow(self._query, self._take)
        return self._query

    async def ask(self) -> None:
        """Ask for the page tree and wait until it is there, or is known not to come."""
        await self.follow().wait()

    def reload(self) -> None:
        """Ask again."""
        self.follow().refresh()

    def show_new(self, new: tuple[NewPage, ...]) -> None:
        """Show new pages that are not sent where they will stand."""
        if new != self._new:
            self._new = new
            if self._query is not None:
                self._take(self._query)

    def _take(self, query: Query[PageTree]) -> None:
        self._changed(query)
        tree = query.value
        if tree is None:
            return
        index = self._index
        if tree.pages is not index.roots or self._new != index.new:
            index = PageIndex.of(tree.pages, unread_of(tree), self._new)
        self._index = index
        self._known(index)
