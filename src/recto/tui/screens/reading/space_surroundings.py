"""The context in which pages of a space are drawn, beside their text: titles, files, reusable contents and variables.

The same serves the main content, a change request and a past revision.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from urllib.parse import quote

from recto.contract.addresses import Address
from recto.contract.content import Content
from recto.document.markdown.page_links import LinkKind, read_include, read_link, resolve
from recto.pattern import pattern
from recto.tui.render.surroundings import FileFacts, Included, Surroundings, name_of
from recto.tui.screens.reading.described_blocks import SpaceDescriptions
from recto.tui.screens.reading.destinations import ToPage, destination, page_at
from recto.tui.screens.reading.page_index import PageIndex, title_of

if TYPE_CHECKING:
    from recto.contract.content import File, Page, ReusableContent, Revision
    from recto.document.markdown.blocks import Block
    from recto.document.markdown.page_links import Link
    from recto.document.openapi.api_model import Operation
    from recto.store.query import Listing, Query
    from recto.tui.render.surroundings import Missing, Shapes
    from recto.tui.screens.interactive import Interactive

T = TypeVar("T", "File", "ReusableContent")

_FILES = pattern(r"!\[|<img|\{%-?\s*file\b|data-card-cover|\{%-?\s*openapi")
_INCLUDE = pattern(r"\{%-?\s*include\b")
_REVISION = pattern(r"\{%-?\s*include\b|<code\b[^>]*\bexpression\b", re.IGNORECASE)


class Reads(Protocol):
    """The page that can be seen, among all pages of the content."""

    @property
    def shown(self) -> Page | None:
        """The page that can be seen."""

    @property
    def index(self) -> PageIndex:
        """All pages."""

    def surround(self, surroundings: Surroundings) -> None:
        """Draw the page again with its known surroundings."""


class SpaceSurroundings:
    """Asks for the files and the revision of a content when a page is shown that needs them, and tells the page."""

    def __init__(self, owner: Interactive, address: Address, reads: Reads) -> None:
        self._owner = owner
        self._address = address
        self._reads = reads
        self._files: Query[Listing[File]] | None = None
        self._revision: Query[Revision] | None = None
        self._descriptions = SpaceDescriptions(owner, address, self.renew)
        self._drawn_with: tuple[object, ...] = ()
        self._files_named: _Named[File] = _Named(())
        self._contents_named: _Named[ReusableContent] = _Named(())

    def of(self, page: Page, markdown: str) -> Surroundings:
        """Return the surroundings of a page as far as they are known; the page is drawn again when more is."""
        asked: list[Query[Any]] = []
        if self._revision is None and _REVISION.search(markdown):
            self._revision = self._owner.store.query(Content.get_revision, self._address)
            asked.append(self._revision)
        revision = self._known_revision
        included = revision.reusable_contents if revision is not None and _INCLUDE.search(markdown) else ()
        texts = (markdown, *(content.markdown or "" for content in included))
        if self._files is None and any(_FILES.search(text) for text in texts):
            self._files = self._owner.store.query_list(Content.list_files, self._address)
            asked.append(self._files)
        # What is known already goes with the page: a signal here would draw the previous page once more.
        self._drawn_with = self._known
        for query in asked:
            self._owner.follow(query, self._renew_if_changed)
        names = (
            {"space": {"vars": revision.variables}, "page": {"vars": page.variables}} if revision is not None else {}
        )
        around = Surroundings(
            title_of=lambda href: self._title(page, href),
            names=names,
        )
        return self._within(around, (page.git.path,) if page.git is not None and page.git.path else ())

    def _within(self, around: Surroundings, places: tuple[str, ...]) -> Surroundings:
        """Return what a text is drawn with whose paths are relative to the first of some places, else to the next."""
        return replace(
            around,
            file_at=lambda src: self._file(places, src),
            included=lambda path: self._include(around, places, path),
            described=lambda block: self._describe(places, block),
        )

    def refresh(self) -> None:
        """Ask again for what has been asked for."""
        for query in (self._files, self._revision):
            if query is not None:
                query.refresh()
        self._descriptions.refresh()

    @property
    def _known_files(self) -> tuple[File, ...] | None:
        listing = self._files.value if self._files is not None else None
        return listing.items if listing is not None and listing.complete else None

    @property
    def _named_files(self) -> _Named[File]:
        known = self._known_files or ()
        if not self._files_named.covers(known):
            self._files_named = _Named(known)
        return self._files_named

    @property
    def _named_contents(self) -> _Named[ReusableContent]:
        revision = self._known_revision
        known = revision.reusable_contents if revision is not None else ()
        if not self._contents_named.covers(known):
            self._contents_named = _Named(known)
        return self._contents_named

    @property
    def _known_revision(self) -> Revision | None:
        return self._revision.value if self._revision is not None else None

    @property
    def _known(self) -> tuple[object, ...]:
        failed = self._files is not None and self._files.state.value == "failed"
        return (self._known_files, failed, self._known_revision)

    def _renew_if_changed(self, _query: Query[Any]) -> None:
        if self._known != self._drawn_with:
            self.renew()

    def renew(self) -> None:
        """Draw the visible page again with newer values."""
        page = self._reads.shown
        if page is not None:
            self._reads.surround(self.of(page, page.markdown or ""))

    # Answers

    def _title(self, page: Page, href: str) -> str | None:
        leads = destination(href, page, self._reads.index)
        if (
            isinstance(leads, ToPage)
            and leads.page in self._reads.index
            and (leads.page != page.id or not leads.anchor)
        ):
            return title_of(self._reads.index.pages[leads.page])
        return None

    def _file(self, places: tuple[str, ...], src: str) -> FileFacts | None:
        found = self._named_files.find(places, read_link(src))
        if found is None:
            return None
        size = found.dimensions
        return FileFacts(
            found.name,
            found.size,
            int(size.width) if size is not None else 0,
            int(size.height) if size is not None else 0,
            found.download_url,
        )

    def _include(self, around: Surroundings, places: tuple[str, ...], path: str) -> Included | None:
        found = self._named_contents.find(places, read_include(path))
        if found is None:
            return None
        own = found.git.path if found.git is not None else None
        if not own:
            return Included(found.title, found.markdown, self._within(around, places))
        within = self._within(around, (own, *places))
        return Included(found.title, found.markdown, replace(within, from_page=lambda href: self._from_page(own, href)))

    def _from_page(self, place: str, href: str) -> str:
        """Return a relative address in an included text from the root of the repository, where something lies there.

        Else it is left as it is: it may be meant from the page that includes the text.
        """
        link = read_link(href)
        if link.kind not in (LinkKind.PAGE, LinkKind.FILE) or link.path.startswith("/"):
            return href
        meant = resolve(link, place)
        if meant is None or (page_at(meant, self._reads.index) is None and meant not in self._named_files.by_path):
            return href
        return f"/{quote(meant)}" + (f"#{link.anchor}" if link.anchor else "")

    def _describe(self, places: tuple[str, ...], block: Block) -> Operation | Shapes | Missing | None:
        return self._descriptions.find(block, self._files, lambda name: self._find_file(places, name))

    def _find_file(self, places: tuple[str, ...], name: str) -> File | None:
        return self._named_files.find(places, read_link(name))


class _Named(Generic[T]):
    """The files or reusable contents that texts name, by id, path and name, indexed once."""

    def __init__(self, known: tuple[T, ...]) -> None:
        self._known: tuple[T, ...] = known

    def covers(self, known: tuple[T, ...]) -> bool:
        """Whether it is made of these."""
        return self._known is known

    @cached_property
    def _by_id(self) -> dict[str, T]:
        return {one.id: one for one in reversed(self._known)}

    @cached_property
    def by_path(self) -> dict[str, T]:
        """Those that lie in the repository, by their paths."""
        return {one.git.path: one for one in reversed(self._known) if one.git is not None and one.git.path}

    @cached_property
    def _by_name(self) -> dict[str, list[T]]:
        found: dict[str, list[T]] = {}
        for one in self._known:
            for name in {getattr(one, "name", ""), _file_name(one)}:
                found.setdefault(name, []).append(one)
        return found

    def find(self, places: tuple[str, ...], link: Link) -> T | None:
        """Return what a text names by its id, by its path, or by the name of its file where that is unique.

        The path is relative to the first of the places from which it leads to something.
        """
        if (found := self._by_id.get(link.path)) is not None:
            return found
        for place in places:
            path = resolve(link, place)
            if path is not None and path in self.by_path:
                return self.by_path[path]
        name = name_of(link.target)
        called = self._by_name.get(name, []) if name else []
        return called[0] if len(called) == 1 else None


def _file_name(one: File | ReusableContent) -> str:
    return one.git.path.rpartition("/")[2] if one.git is not None and one.git.path else ""
