"""The API descriptions that blocks of a page name.

A name means a file of the space, else a specification of its organization: its newest version, or in a past revision
the one that was the newest when that was made. Both are read at once; what lies on the web is fetched only on request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from recto.contract.addresses import AtRevision
from recto.contract.content import Content
from recto.contract.spaces import Spaces
from recto.document.markdown.page_links import SPECIFICATIONS, links_within
from recto.store.query import QueryState
from recto.tui import actions
from recto.tui.render.surroundings import Missing, Shapes

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.contract.content import File, Revision
    from recto.contract.specifications import SpecificationVersion
    from recto.document.markdown.blocks import Block
    from recto.document.openapi.api_model import Operation
    from recto.document.openapi.description import Description
    from recto.store.query import Listing, Query
    from recto.tui.screens.interactive import Interactive

FindFile = Callable[[str], "File | None"]
"""Finds the file of the space that a page names."""

T = TypeVar("T")

_SEARCHING = "Searching for the API description…"


class SpaceDescriptions:
    """Looks up blocks in the descriptions; ``changed`` is called when the result for a block changes."""

    def __init__(self, owner: Interactive, address: Address, changed: Callable[[], None]) -> None:
        self._owner = owner
        self._address = address
        self._changed = changed
        self._followed: dict[int, Query[Description]] = {}
        self._asked: dict[int, tuple[Query[Any], object]] = {}
        """The queries for specifications of the organization, each with what it came to last."""
        self._awaited: set[int] = set()
        """The descriptions that are shown as loading."""
        self._offered: set[str] = set()
        """The addresses on the web that are offered for fetching."""

    def find(
        self, block: Block, files: Query[Listing[File]] | None, find: FindFile
    ) -> Operation | Shapes | Missing | None:
        """Return what a description says of a block, else why nothing is shown; ``None`` where it names none."""
        named = list(_names_in(block))
        if not named:
            return None
        inside = [name for name in named if not _is_elsewhere(name)]
        elsewhere = [name for name in named if _is_elsewhere(name)]
        unknown = files is None or files.value is None or not files.value.complete
        if inside and unknown and not elsewhere:
            if files is not None and files.state is QueryState.FAILED:
                return Missing(f"The API description could not be loaded. {files.error}", failed=True)
            return Missing(_SEARCHING)
        for name in inside:
            file = next((file for each in _file_names_of(name, block) if (file := find(each)) is not None), None)
            if file is not None and file.download_url:
                place = file.download_url.partition("?")[0]
                oid = file.git.oid if file.git is not None else None
                query = self._owner.store.descriptions.at(file.download_url, f"{file.id} {place} {file.size} {oid}")
                return self._follow_and_show(block, query)
        held = self._in_organization(block, block.attributes.get("spec", ""))
        if held is not None:
            return held
        return self._elsewhere(block, elsewhere[0]) if elsewhere else _make_missing(block, inside[0])

    def refresh(self) -> None:
        """Ask again which version of a specification is the newest."""
        for query, _result in self._asked.values():
            query.refresh()

    def _in_organization(self, block: Block, slug: str) -> Operation | Shapes | Missing | None:
        """Return what a specification of the organization says; ``None`` where it has none of this name."""
        from recto.contract.specifications import SLUG, Specifications

        if not re.fullmatch(SLUG, slug):
            return None
        store = self._owner.store
        space = self._ask_for(store.query(Spaces.get_space, self._address.space))
        if space.value is None:
            return None if space.error is not None else Missing(_SEARCHING)
        asked: tuple[Query[Any], ...]
        if isinstance(self._address, AtRevision):
            versions = self._ask_for(store.query_list(Specifications.list_versions, space.value.organization, slug))
            revision = self._ask_for(store.query(Content.get_revision, self._address))
            asked, version = (versions, revision), _version_at(versions.value, revision.value)
        else:
            newest = self._ask_for(store.query(Specifications.get_latest_version, space.value.organization, slug))
            asked, version = (newest,), newest.value
        if version is None:
            is_known = all(query.value is not None for query in asked)
            return None if is_known or any(query.error is not None for query in asked) else Missing(_SEARCHING)
        return self._follow_and_show(block, store.descriptions.at(version.url, version.id))

    def _ask_for(self, query: Query[T]) -> Query[T]:
        """Follow a query; once it has come to something else, the blocks are looked up again."""
        if id(query) not in self._asked:
            self._asked[id(query)] = query, _result_of(query)
            self._owner.follow(query, self._follow_asked)
        return query

    def _follow_asked(self, query: Query[T]) -> None:
        result = _result_of(query)
        if result != self._asked[id(query)][1]:
            self._asked[id(query)] = query, result
            self._changed()

    def _elsewhere(self, block: Block, address: str) -> Operation | Shapes | Missing:
        """Return what a description on the web says, where the person has asked for it."""
        descriptions = self._owner.store.descriptions
        if not self._offered:
            self._owner.listen(descriptions.asked, self._ask)
        self._offered.add(address)
        query = descriptions.find(address)
        if query is not None:
            return self._follow_and_show(block, query, address)
        words = f"Its description is at {address} and is fetched only when you ask for it: press ‹page.description›."
        return Missing(actions.name_keys(self._owner, words), address=address)

    def _follow_and_show(
        self, block: Block, query: Query[Description], address: str = ""
    ) -> Operation | Shapes | Missing:
        if id(query) not in self._followed:
            self._followed[id(query)] = query
            self._owner.follow(query, self._follow_query)
        if query.value is not None:
            return _part_shown(block, query.value)
        if query.error is not None:
            again = actions.name_keys(self._owner, " Press ‹page.description› to fetch it again.") if address else ""
            return Missing(f"{query.error}{again}", failed=True, address=address)
        self._awaited.add(id(query))
        return Missing("Loading the API description…")

    def _follow_query(self, query: Query[Description]) -> None:
        if id(query) in self._awaited and (query.value is not None or query.error is not None):
            self._awaited.discard(id(query))
            self._changed()

    def _ask(self, address: str) -> None:
        if address in self._offered:
            self._changed()


def _result_of(query: Query[Any]) -> object:
    return query.value, query.error is not None


def _version_at(
    versions: Listing[SpecificationVersion] | None, revision: Revision | None
) -> SpecificationVersion | None:
    """Return the newest version at the time of a revision, else the oldest; ``None`` until all is known."""
    if versions is None or not versions.complete or revision is None or revision.created_at is None:
        return None
    made = revision.created_at
    before = (each for each in versions.items if each.created_at is not None and each.created_at <= made)
    return next(before, versions.items[-1] if versions.items else None)


def _part_shown(block: Block, description: Description) -> Operation | Shapes | Missing:
    """Return what a description says of a block."""
    from recto.document.openapi.source import Unreadable

    attributes = block.attributes
    method, path = attributes.get("method", ""), attributes.get("path", "")
    try:
        if block.name == "openapi-schemas":
            names = attributes.get("schemas", "").split(",")
            return Shapes(description.schemas(tuple(name.strip() for name in names if name.strip())))
        if block.name == "openapi-webhook":
            return description.webhook(attributes.get("name") or attributes.get("webhook") or path, method)
        return description.operation(path, method)
    except Unreadable as error:
        return Missing(str(error), failed=True)


def _names_in(block: Block) -> Iterator[str]:
    """Yield what a block may mean: its attributes, then the links it holds."""
    yield from filter(None, (block.attributes.get("src"), block.attributes.get("spec")))
    yield from links_within(block)


def _file_names_of(name: str, block: Block) -> Sequence[str]:
    """Return the names of files that may be meant: a specification is named without the end of its file."""
    return [name + ending for ending in SPECIFICATIONS] if name == block.attributes.get("spec") else [name]


def _make_missing(block: Block, name: str) -> Missing:
    if name == block.attributes.get("spec"):
        names = ", ".join(_file_names_of(name, block))
        where = f"the space has none of the files {names}, and its organization no specification of this name."
        return Missing(f"The description “{name}” could not be loaded: {where}")
    return Missing(f"The description {name} is not among the files of the space.", failed=True)


def _is_elsewhere(name: str) -> bool:
    return name.lower().startswith(("https://", "http://"))
