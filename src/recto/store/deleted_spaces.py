"""The spaces deleted from here: no operation lists them, so they are remembered, and each is requested."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from recto.client.errors import NotFound
from recto.contract.spaces import Space, Spaces
from recto.frozen import frozen
from recto.store.growing_list import GrowingList, Grown
from recto.store.locations import DeletedSpace
from recto.store.query_keys import QueryKey

if TYPE_CHECKING:
    from recto.store.locations import Locations
    from recto.store.store import Store

RETENTION: Final = timedelta(days=7)
"""How long a platform keeps a deleted space."""


class DeletedSpaces:
    """The deleted spaces that the platform still keeps, as far as they were deleted from here."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def now(self) -> float:
        """Return the moment, as seconds since 1970."""
        return self._store.clock().timestamp()

    def of(self, organization: str) -> tuple[DeletedSpace, ...]:
        """Return those of an organization, the latest first."""
        return tuple(each for each in reversed(self._read_known()) if each.organization == organization)

    def remember(self, space: DeletedSpace) -> None:
        """Remember a space."""
        if self._locations is not None:
            self._locations.remember_deleted(self._store.address, space)

    def forget(self, *spaces: str) -> None:
        """Forget spaces that are restored or gone for good."""
        if self._locations is not None:
            self._locations.forget_deleted(self._store.address, *spaces)

    @property
    def _locations(self) -> Locations | None:
        return self._store.locations

    def _read_known(self) -> tuple[DeletedSpace, ...]:
        if self._locations is None:
            return ()
        oldest = self.now() - RETENTION.total_seconds()
        return tuple(each for each in self._locations.deleted_spaces(self._store.address) if each.at >= oldest)


@frozen
class Restorable:
    """A deleted space as the platform has it now; ``space`` is ``None`` where it may no longer be seen."""

    deleted: DeletedSpace
    space: Space | None

    @property
    def id(self) -> str:
        """The id of the space."""
        return self.deleted.id

    @property
    def title(self) -> str:
        """Its title."""
        return (self.space.title if self.space is not None else "") or self.deleted.title or "Untitled space"

    @property
    def deleted_at(self) -> datetime:
        """The moment at which it was deleted."""
        at = self.space.deleted_at if self.space is not None else None
        return at or datetime.fromtimestamp(self.deleted.at, UTC)


def query_deleted(store: Store, organization: str) -> GrowingList[Restorable]:
    """Return the live list of the spaces deleted from here; those that were restored meanwhile are forgotten."""
    deleted = DeletedSpaces(store)

    async def load(_: object) -> Grown[Restorable]:
        found: list[Restorable] = []
        for each in deleted.of(organization):
            try:
                space = await store.call(Spaces.get_space, each.id)
            except NotFound:
                found.append(Restorable(each, None))
                continue
            if space.deleted_at is None:
                deleted.forget(each.id)
            else:
                found.append(Restorable(each, space))
        return Grown(tuple(found), complete=True, total=len(found))

    return store.growing_list(QueryKey.of(Spaces.get_space, {"organization_id": organization}, walks=True), load)
