"""The pages of a space as the tree that is walked: where each is, and how it shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from recto.tui import signs
from recto.tui.icons import icon
from recto.tui.lines import Line, Span
from recto.tui.widgets.tree_list import TreeItem

if TYPE_CHECKING:
    from recto.contract.content import Page

LINK_SIGN = "↗"
"""Stands before pages that are links."""

_NO_TEXT = ("group", "link")


@dataclass(frozen=True)
class PageIndex:
    """The pages of a tree by id, by path and by the file they come from; ``parents`` has the id of the page above."""

    roots: tuple[Page, ...] = ()
    pages: dict[str, Page] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, roots: Sequence[Page]) -> PageIndex:
        """Read a page tree."""
        index = cls(tuple(roots))
        for page, parent in _walk(roots):
            index.pages[page.id] = page
            index.parents[page.id] = parent
            if page.path:
                index.paths.setdefault(page.path, page.id)
            if page.git is not None and page.git.path:
                index.files.setdefault(page.git.path, page.id)
        return index

    def __contains__(self, page: object) -> bool:
        return page in self.pages

    @property
    def count(self) -> int:
        """How many pages there are to read; groups and links are none."""
        return sum(page.type not in _NO_TEXT for page in self.pages.values())

    @property
    def landing(self) -> str | None:
        """The page that a reader of the space sees first."""
        shown = [page for page in self.pages.values() if page.type not in _NO_TEXT]
        return next((page.id for page in shown if not page.hidden), shown[0].id if shown else None)

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


def title_of(page: Page) -> str:
    """Return a page's title, or a word in its place."""
    return page.title.strip() or "Untitled"


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands beside the names of pages, by id."""

    comments: Mapping[str, int] = field(default_factory=dict)
    """How many open comments each has."""
    changed: Collection[str] = ()
    """Pages changed in the change request that edits go to."""
    new: Collection[str] = ()
    """Those of them that were not there before."""
    drafts: Collection[str] = ()
    """Pages with a text that is not sent yet."""
    broken: Mapping[str, int] = field(default_factory=dict)
    """How many broken links each has."""


def tree_items(pages: Iterable[Page]) -> list[TreeItem]:
    """Return the items of the tree."""
    return [_item(page, tree_items(page.pages) if page.pages else ()) for page in pages]


def _item(page: Page, children: Sequence[TreeItem]) -> TreeItem:
    return TreeItem(
        page.id,
        title_of(page),
        sign=LINK_SIGN if page.type == "link" else signs.emoji(page.emoji) or icon(page.icon),
        role=_role(page),
        inside=len(children) + sum(child.inside for child in children),
        children=children,
        note=signs.HIDDEN.word if page.hidden else "",
    )


def _role(page: Page) -> str:
    if page.type == "group":
        return "strong"
    return "muted" if page.hidden else ""


def details(marks: Marks) -> dict[str, Line]:
    """Return what stands at the right edge of the pages that have a mark, by id."""
    return {page: _detail(page, marks) for page in {*marks.comments, *marks.changed, *marks.drafts, *marks.broken}}


def _detail(page: str, marks: Marks) -> list[Span]:
    detail: list[Span] = []
    if page in marks.drafts:
        detail.append(signs.PENDING.span)
    if page in marks.changed:
        detail.append(signs.CHANGE["new" if page in marks.new else "edited"].span)
    if count := marks.broken.get(page):
        detail.append((f"{signs.BROKEN.sign}{count}", signs.BROKEN.role))
    if count := marks.comments.get(page):
        comment = signs.COMMENT["open"]
        detail.append((f"{comment.sign}{count}", comment.role))
    return [span for part in detail for span in ((" ", ""), part)][1:]


def _walk(roots: Sequence[Page]) -> Iterator[tuple[Page, str | None]]:
    stack: list[tuple[Page, str | None]] = [(page, None) for page in reversed(roots)]
    while stack:
        page, parent = stack.pop()
        yield page, parent
        stack.extend((child, page.id) for child in reversed(page.pages))
