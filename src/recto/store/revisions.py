"""The revisions of a space, newest first: the API lists none, so that they are found by their parents."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from recto.client.errors import ClientError, NotFound, Refused, Unsupported
from recto.contract.addresses import AtRevision, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.content import Content
from recto.frozen import frozen
from recto.store.growing_list import GrowingList, Grown
from recto.store.query_keys import QueryKey

if TYPE_CHECKING:
    from recto.contract.common import User
    from recto.contract.content import Revision
    from recto.store.store import Store

_PORTION = 12
"""How many revisions are asked for at a time: each comes with its whole page tree."""

_MOST_MERGED = 200
"""How many merged change requests are looked through for the one that a revision comes from."""


@frozen
class PastRevision:
    """A revision as it is listed: when and how it came about, and by which change request where that is known."""

    id: str
    type: str
    created_at: datetime | None
    number: int = 0
    """Its place in the list, from 0 for the newest; -1 where it is not known."""
    message: str = ""
    """What its commit says."""
    commit: str = ""
    request: ChangeRequest | None = None
    parent: str | None = None
    """The main content before it."""
    written_by: tuple[User, ...] = ()
    """The people who edited the change request, where that was requested."""

    @property
    def writers(self) -> tuple[User, ...]:
        """The author, else the author of the change request; a revision itself does not say."""
        author = self.request.created_by if self.request is not None else None
        return self.written_by or ((author,) if author is not None else ())

    @property
    def merged_by(self) -> User | None:
        """The person who merged it, where that is known."""
        return self.request.merged_by if self.request is not None else None


def revisions_of_space(store: Store, space: str) -> GrowingList[PastRevision]:
    """Return the revisions of a space's main content, as far as asked for."""
    finder = _Finder(store, space)
    return store.growing_list(QueryKey.of(Content.get_revision, {"at": Main(space)}, walks=True), finder.load)


async def past_revision(store: Store, space: str, revision: str) -> PastRevision:
    """Return a revision as it would be listed; raises ``ClientError``."""
    return await _Finder(store, space).entry(await store.call(Content.get_revision, AtRevision(space, revision)), -1)


async def with_writers(store: Store, revision: PastRevision) -> PastRevision:
    """Return a revision with its authors, if the platform tells."""
    if revision.request is None:
        return revision
    try:
        listed = await store.fetch(ChangeRequests.list_contributors, revision.request.space, revision.request.id)
    except ClientError:
        return revision
    return replace(revision, written_by=tuple(one.user for one in listed.items if one.action_type == "edit"))


class _Finder:
    """Walks from a revision to its first parent, which is the main content before it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space
        self._merged: dict[str, ChangeRequest] | None = None

    async def load(self, known: Grown[PastRevision] | None) -> Grown[PastRevision]:
        """Return the revisions with the next portion."""
        found = list(known.items) if known is not None else []
        following: str | None = known.rest if known is not None else None
        if known is None:
            self._merged = None
        for _ in range(_PORTION):
            revision = await self._revision(following, first=known is None and not found)
            if revision is None:
                return Grown(tuple(found), complete=True, total=len(found))
            found.append(await self.entry(revision, len(found)))
            seen = {one.id for one in found}
            following = next((parent for parent in revision.parents if parent not in seen), None)
            if following is None:
                return Grown(tuple(found), complete=True, total=len(found))
        return Grown(tuple(found), rest=following)

    async def _revision(self, id: str | None, *, first: bool) -> Revision | None:
        """Return a revision, first the current; ``None`` where the platform no longer has it."""
        call = self._store.call
        if first:
            return await call(Content.get_revision, Main(self._space))
        try:
            return await call(Content.get_revision, AtRevision(self._space, str(id)))
        except (NotFound, Unsupported):
            return None

    async def entry(self, revision: Revision, number: int) -> PastRevision:
        """Return a revision as it is listed."""
        git = revision.git
        message = (git.message or "").strip().partition("\n")[0] if git is not None else ""
        commit = (git.oid or "")[:8] if git is not None else ""
        request = await self._request(revision)
        parent = next(iter(revision.parents), None)
        return PastRevision(revision.id, revision.type, revision.created_at, number, message, commit, request, parent)

    async def _request(self, revision: Revision) -> ChangeRequest | None:
        """Return the change request that a revision was merged from."""
        source = revision.merged_from
        if source is None and revision.type != "merge":
            return None
        if isinstance(source, ChangeRequest):
            return source
        merged = await self._find_merged_requests()
        for request in merged.values():
            if request.revision_merged == revision.id or request.id == source:
                return request
        if source is None:
            return None
        try:
            return await self._store.fetch(ChangeRequests.get_change_request, self._space, source)
        except Refused:
            return None

    async def _find_merged_requests(self) -> dict[str, ChangeRequest]:
        if self._merged is None:
            response = await self._store.fetch(
                ChangeRequests.list_change_requests, self._space, status="merged", limit=_MOST_MERGED
            )
            self._merged = {request.id: request for request in response.items}
        return self._merged
