"""News: items that others added or changed, until the person has seen them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from recto.contract.content import walk_pages
from recto.store.arrangement import Arrangement
from recto.store.query import Listing
from recto.store.signal import Signal

MOST_NEWS = 10_000
"""The most items that are marked; beyond it the oldest marks are dropped."""

_LOOK = timedelta(seconds=2)
"""How long something is on the screen before it counts as seen."""


class News:
    """The ids of new things. ``see`` notes an id that is drawn; ``forget_seen`` forgets the ids seen."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.changed: Signal[News] = Signal()
        self._clock = clock
        self._drawn: dict[Hashable, datetime | None] = {}
        """When each was first drawn; ``None`` before that."""

    def __contains__(self, id: Hashable) -> bool:
        return id in self._drawn

    def __bool__(self) -> bool:
        return bool(self._drawn)

    def has_any(self, ids: Iterable[Hashable]) -> bool:
        """Whether any of these ids is new."""
        return any(id in self._drawn for id in ids)

    def add(self, ids: Iterable[Hashable]) -> None:
        """Note new things."""
        added = dict.fromkeys(ids)
        if added:
            self._drawn.update(added)
            for id in list(self._drawn)[: max(0, len(self._drawn) - MOST_NEWS)]:
                del self._drawn[id]
            self.changed.emit(self)

    def see(self, id: Hashable) -> None:
        """Note that something new is drawn."""
        if self._drawn.get(id, self) is None:
            self._drawn[id] = self._clock()

    def forget_seen(self) -> None:
        """Forget what was on the screen long enough; called when the person does something."""
        now = self._clock()
        seen = [id for id, drawn in self._drawn.items() if drawn is not None and now - drawn >= _LOOK]
        for id in seen:
            del self._drawn[id]
        if seen:
            self.changed.emit(self)


def new_ids(before: Any, after: Any, me: str | None) -> list[str]:
    """Return the ids of items that are new or changed in a later value of a query, without those that ``me`` made."""
    old, new = _stamps(before), _stamps(after)
    if old is None or new is None:
        return []
    return [
        id for id, (stamp, maker) in new.items() if (old[id][0] != stamp if id in old else maker is None or maker != me)
    ]


def _stamps(value: Any) -> Mapping[str, tuple[Hashable, str | None]] | None:
    """Return when each item was changed and who made it; ``None`` for what has no items."""
    if isinstance(getattr(value, "structure", None), tuple):
        arrangement = Arrangement.of(value)
        return {id: ((item, arrangement.parents[id]), None) for id, item in arrangement.items.items()}
    if isinstance(value, Listing):
        return {item.id: _stamp(item) for item in value.items if hasattr(item, "id")} if value.complete else None
    pages = getattr(value, "pages", None)
    if pages is None or hasattr(value, "id"):
        return None
    return {page.id: (page.updated_at, None) for page in walk_pages(pages)}


_MAKERS = ("posted_by", "created_by", "reviewer")
"""The names of what says who made an item."""


def _stamp(item: Any) -> tuple[Hashable, str | None]:
    maker = next((made for name in _MAKERS if (made := getattr(item, name, None)) is not None), None)
    stamp = getattr(item, "updated_at", None) or getattr(item, "edited_at", None)
    return (stamp, getattr(item, "replies", None)), getattr(maker, "id", None)
