"""The conflicts of a change request with main, found from the pages of three revisions."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError, NotFound
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.content import Content, Page
from recto.contract.spaces import Spaces
from recto.contract.unread import all_unread
from recto.document.merge.page_tree import DocumentTree, TreeEntry
from recto.document.merge.text_merge import ConflictHunk, MergedText, Side, find_conflicts, merge_text
from recto.document.merge.tree_merge import ConflictKind, TreeConflict, merge_trees
from recto.store.resolution import Conflict, ConflictingPage, Matter, Resolution, rebase_page
from recto.store.titled_text import body_of

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.store.store import Store

ATTRIBUTES = (
    *("title", "slug", "emoji", "icon", "description"),
    *("hidden", "no_index", "no_robots_index", "condition"),
)
"""The attributes of a page that can be written."""

_AT_ONCE = 4


@dataclass(frozen=True)
class Examination:
    """A comparison with main: how many pages main changed, which pages both sides changed, and the conflicts."""

    moved_on: int
    both: tuple[str, ...]
    resolution: Resolution


@dataclass(frozen=True)
class _Side:
    pages: Mapping[str, Page]
    parents: Mapping[str, str | None]
    places: Mapping[str, int]

    @classmethod
    def of(cls, tree: Sequence[Page]) -> _Side:
        pages: dict[str, Page] = {}
        parents: dict[str, str | None] = {}
        places: dict[str, int] = {}
        ahead: list[tuple[Sequence[Page], str | None]] = [(tree, None)]
        while ahead:
            siblings, parent = ahead.pop(0)
            for index, page in enumerate(siblings):
                pages[page.id], parents[page.id], places[page.id] = page, parent, index
                ahead.append((page.pages, page.id))
        return cls(pages, parents, places)

    def tree(self, side: str, changed: Collection[str] = ()) -> DocumentTree:
        """Return it for merging; texts differ where they were updated at other times or the side ``changed`` them."""
        return DocumentTree.of(
            TreeEntry(
                page.id,
                self.parents[page.id],
                {name: getattr(page, name) for name in ATTRIBUTES},
                (side if page.id in changed else "", page.updated_at),
            )
            for page in self.pages.values()
        )


async def examine(store: Store, request: ChangeRequest, key: str, changed: Collection[str] = ()) -> Examination:
    """Find what would conflict in an update from main; raises :class:`ClientError`.

    ``changed`` are the pages whose text the change request changes.
    """
    space = request.space
    main, old, own, new = await asyncio.gather(
        store.fetch(Spaces.get_space, space),
        store.fetch(Content.list_pages, AtRevision(space, request.base)),
        store.fetch(Content.list_pages, InChangeRequest(space, key)),
        store.fetch(Content.list_pages, Main(space)),
    )
    if (unread := next(all_unread((old, own, new)), None)) is not None:
        # An unknown page would count as deleted.
        raise ClientError("The change request cannot be compared with main.", f"There is an {unread.words}.", "")
    base, ours, theirs = _Side.of(old.pages), _Side.of(own.pages), _Side.of(new.pages)
    undated = {id for id in changed if id in theirs.pages and theirs.pages[id].updated_at is None}
    trees = [base.tree("base"), ours.tree("ours", set(changed)), theirs.tree("theirs", undated)]
    merged = merge_trees(*trees)
    conflicting: dict[str, list[TreeConflict]] = {}
    for conflict in merged.conflicts:
        conflicting.setdefault(conflict.id, []).append(conflict)
    reading = asyncio.Semaphore(_AT_ONCE)

    async def page_of(id: str, conflicts: list[TreeConflict]) -> ConflictingPage:
        async with reading:
            return await _make_conflicting_page(store, request, key, id, conflicts, (base, ours, theirs))

    found = await asyncio.gather(*(page_of(id, conflicts) for id, conflicts in conflicting.items()))
    before, after = trees[0].entries, trees[2].entries
    moved_on = sum(1 for id in {**before, **after} if before.get(id) != after.get(id))
    pages = tuple(page for page in found if page.conflicts)
    both = tuple(page.title for page in found)
    return Examination(moved_on, both, Resolution(pages, request.revision, main.revision))


async def _make_conflicting_page(
    store: Store,
    request: ChangeRequest,
    key: str,
    id: str,
    conflicts: list[TreeConflict],
    sides: tuple[_Side, _Side, _Side],
) -> ConflictingPage:
    _, ours, theirs = sides
    page = ours.pages.get(id) or theirs.pages[id]
    others = []
    text = None
    for conflict in conflicts:
        if conflict.kind is ConflictKind.TEXT:
            was, own, new = await asyncio.gather(
                store.fetch(Content.get_page, AtRevision(request.space, request.base), id, format="markdown"),
                store.fetch(Content.get_page, InChangeRequest(request.space, key), id, format="markdown"),
                store.fetch(Content.get_page, Main(request.space), id, format="markdown"),
            )
            merged = merge_text(body_of(was), body_of(own), body_of(new))
            text = None if merged.clean else merged
        else:
            others.append(_conflict(conflict, page.title, sides))
    return ConflictingPage(id, page.title, text, tuple(others), id in ours.pages)


def _conflict(conflict: TreeConflict, title: str, sides: tuple[_Side, _Side, _Side]) -> Conflict:
    if conflict.kind is ConflictKind.ATTRIBUTE:
        name = conflict.attribute or ""
        return Conflict(conflict.id, title, Matter.ATTRIBUTE, name, conflict.base, conflict.ours, conflict.theirs)
    if conflict.kind is ConflictKind.MOVED:
        base, ours, theirs = (_place(side, conflict.id) for side in sides)
        return Conflict(conflict.id, title, Matter.PLACE, "place", base, ours, theirs)
    was, is_ours, is_theirs = (conflict.id in side.pages for side in sides)
    return Conflict(conflict.id, title, Matter.DELETED, "page", was, is_ours, is_theirs)


def _place(side: _Side, id: str) -> list[Any]:
    parent = side.parents.get(id)
    index = side.places.get(id, 0)
    above = side.pages[parent].title if parent is not None else ""
    words = f"under “{above}”" if above else "at the top level"
    return [parent, index, f"{words}, as number {index + 1}"]


async def rebase_resolution(store: Store, request: ChangeRequest, key: str, resolution: Resolution) -> Resolution:
    """Return a resolution on the texts that the change request has now; raises :class:`ClientError`."""

    async def now(page: ConflictingPage) -> ConflictingPage:
        try:
            found = await store.fetch(Content.get_page, InChangeRequest(request.space, key), page.id, format="markdown")
        except NotFound:
            return replace(page, is_there=False)
        page = replace(page, title=found.title, is_there=True)
        return rebase_page(page, body_of(found)) if page.text is not None else page

    pages = await asyncio.gather(*(now(page) for page in resolution.pages))
    return replace(resolution, pages=tuple(pages), revision=request.revision)


async def find_left_in_texts(store: Store, request: ChangeRequest, key: str, pages: Iterable[str]) -> Resolution:
    """Find conflict markers that an update left in pages of a change request; raises :class:`ClientError`."""
    reading = asyncio.Semaphore(_AT_ONCE)

    async def look(id: str) -> ConflictingPage | None:
        async with reading:
            page = await store.fetch(Content.get_page, InChangeRequest(request.space, key), id, format="markdown")
            marked = find_conflicts(body_of(page))
            if marked.clean or set(marked.conflicts) <= await _find_examples(store, request, id):
                return None
            guess = await _restore_sides(store, request, id, marked)
            return rebase_page(ConflictingPage(id, page.title, guess), body_of(page))

    found = await asyncio.gather(*(look(id) for id in pages))
    return Resolution(tuple(page for page in found if page is not None), request.revision, request.base)


async def _restore_sides(store: Store, request: ChangeRequest, id: str, marked: MergedText) -> MergedText:
    """Merge both sides of a marked text again from where the change request began, to tell what they started from."""
    try:
        page = await store.fetch(
            Content.get_page, AtRevision(request.space, request.revision_initial), id, format="markdown"
        )
    except NotFound:
        return marked
    ours, theirs = (
        "".join(region if isinstance(region, str) else region.take(side) for region in marked.regions)
        for side in (Side.OURS, Side.THEIRS)
    )
    return merge_text(body_of(page), ours, theirs)


async def _find_examples(store: Store, request: ChangeRequest, id: str) -> set[ConflictHunk]:
    """Return the conflict markers that are part of a page of main, such as an example."""
    try:
        page = await store.fetch(Content.get_page, AtRevision(request.space, request.base), id, format="markdown")
    except NotFound:
        return set()
    return set(find_conflicts(body_of(page)).conflicts)
