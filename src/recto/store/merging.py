"""Merging a change request: reads again what will be merged, asks, merges and reports the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from recto.client.errors import ClientError
from recto.frozen import frozen
from recto.store.checklist import obstacle
from recto.store.content_writes import request_name
from recto.store.port import Port

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.contract.change_requests import ChangeRequest
    from recto.store.checklist import Check
    from recto.store.request_changes import RequestChanges
    from recto.store.store import Store


@frozen
class Forecast:
    """What a merge will change in main, and the objections to it; ``None`` is unknown."""

    request: ChangeRequest
    checks: Sequence[Check]
    pages: int | None
    lines: tuple[int, int] | None
    """Lines added and removed."""
    others: Sequence[str]
    """The changes besides pages, each as a few words."""
    open_threads: int | None
    against: Sequence[str]
    """The names of the reviewers who have requested changes and not approved since."""

    @property
    def obstacle(self) -> str | None:
        """Why a merge is blocked; ``None`` if it can be tried."""
        return obstacle(self.checks)


class MergingPort(Port, Protocol):
    """The questions and messages of merging, on the screen."""

    async def forecast(self, request: ChangeRequest) -> Forecast:
        """Read again all that a merge depends on; raises :class:`ClientError`."""
        ...

    async def confirm_merge(self, forecast: Forecast) -> bool:
        """Show what will be merged, and ask whether to merge."""
        ...


class Merging:
    """Merges a change request."""

    def __init__(self, store: Store, changes: RequestChanges, port: MergingPort) -> None:
        self._store = store
        self._changes = changes
        self._port = port

    async def merge(self) -> bool:
        """Ask, merge and report the result; return whether something conflicts."""
        request = await self._changes.load(self._store)
        if not await self._port.confirm_merge(await self._port.forecast(request)):
            return False
        outcome = await self._port.send(self._changes.merge())
        named = request_name(request)
        # Some services apply a merge that conflicts and others refuse it: only reading it again tells.
        try:
            now = await self._changes.load(self._store)
        except ClientError:
            if outcome.value is not None and outcome.value.result != "conflicts":
                self._port.say(f"Merged {named} into main. It could not be loaded again: ‹view.refresh› tries again.")
                return False
        else:
            if now.status == "merged":
                revision = now.revision_merged or (outcome.value.revision if outcome.value is not None else "")
                made = f" as revision {revision}" if revision else ""
                self._port.say(f"Merged {named} into main{made}.")
                return False
        if outcome.error is not None:
            self._port.say_failed(outcome.error)
        else:
            self._port.say(f"{named} is not merged: it conflicts with main.")
        return outcome.error is None or getattr(outcome.error, "status", 0) == 409
