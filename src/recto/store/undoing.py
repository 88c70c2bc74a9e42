"""Undoing the last change: confirmed if its subject is not on the screen; an empty change request is archived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from recto.client.errors import NotFound, Unsupported
from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import ContentChanges
from recto.store.batch import BatchResult
from recto.store.content_writes import EDITABLE, request_name
from recto.store.port import Port
from recto.store.request_changes import RequestChanges

if TYPE_CHECKING:
    from recto.store.drafts import DraftPlace
    from recto.store.mutation import Mutation, Run
    from recto.store.store import Store
    from recto.store.undo_history import Done


class UndoPort(Port, Protocol):
    """The questions and messages of undoing, on the screen."""

    async def confirm_undo(self, done: str) -> bool:
        """Ask whether to undo a change whose subject is not on the screen."""
        ...

    async def confirm_archive(self, name: str) -> bool:
        """Ask whether a change request that holds no changes any more is to be archived."""
        ...

    def shows_place(self, place: DraftPlace) -> bool:
        """Whether what a change was about is on the screen."""
        ...

    async def wants_again(self, error: Exception | None) -> bool:
        """Where a change may have arrived, ask whether to send it again."""
        ...


async def undo(store: Store, port: UndoPort) -> None:
    """Undo the last change, and name it; offer to archive a change request that is left empty."""
    accepted: Mutation[Any] | None = None
    while (newest := await store.newest_change()) is not None:
        if newest.mutation is not accepted and not await _may_undo(port, newest):
            return
        accepted = newest.mutation
        run = await store.undo(accepted)
        # Without a run another change has become the newest while the person was asked.
        if run is not None and not await port.wants_again(run.error):
            await _report(store, port, run)
            return


async def _may_undo(port: UndoPort, newest: Done) -> bool:
    place = newest.inverse.place
    return place is None or port.shows_place(place) or await port.confirm_undo(newest.mutation.done)


async def _report(store: Store, port: UndoPort, run: Run[Any]) -> None:
    if run.error is not None:
        port.say_failed(run.error)
        return
    failed = run.value.failed if isinstance(run.value, BatchResult) else ()
    rest = f", but {failed[0].part.name}: {failed[0].error}" if failed else "."
    more = f" {len(failed) - 1:,} more could not be undone." if len(failed) > 1 else ""
    port.say(f"{run.mutation.done} (undo){rest}{more}")
    place = run.mutation.place
    if place is not None and place.space is not None and place.change_request is not None:
        await _offer_archiving(store, port, place.space, place.change_request)


async def _offer_archiving(store: Store, port: UndoPort, space: str, id: str) -> None:
    try:
        changes = await store.fetch(ContentChanges.list_changes, InChangeRequest(space, id), limit=1)
        request = await store.fetch(ChangeRequests.get_change_request, space, id)
    except (NotFound, Unsupported):
        return
    if changes.changes or changes.more or request.status not in EDITABLE:
        return
    name = request_name(request)
    if await port.confirm_archive(name):
        outcome = await port.send(RequestChanges(space, id, lambda: name).set_status("archived", request.status))
        if outcome.error is not None:
            port.say_failed(outcome.error)
        else:
            port.say(f"Archived {name}.")
