"""Taking back what was sent to a change request, by a three-way merge with what was written there since.

The write that takes it back is like any other: its own inverse is the redo.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recto.contract.change_requests import ChangeRequests
from recto.store.content_writes import EDITABLE, Written, stale_after_write, write
from recto.store.drafts import DraftPlace
from recto.store.mutation import Mutation, NotUndoable

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.store.store import Store


def with_undo(store: Store, space: str, mutation: Mutation[Written], what: str, page: str | None) -> Mutation[Written]:
    """Return a write to a change request that can be taken back; ``what`` names it, such as “the page”."""

    def inverse(written: Written) -> Mutation[Written]:
        return take_back(store, space, written, what, page or written.page)

    return replace(mutation, inverse=inverse, once=True)


def take_back(
    store: Store, space: str, written: Written, what: str, page: str | None, *, again: bool = False
) -> Mutation[Written]:
    """Return the change that takes back a write; with ``again``, the redo of such a write."""
    request, where = written.request, f"{what} in #{written.request.number}"

    async def work(call: Call) -> Written:
        from recto.contract.changes import MAX_CHANGES
        from recto.store.revert_plan import plan_revert

        failed = f"{where[0].upper()}{where[1:]} was not reverted."
        now = await call(ChangeRequests.get_change_request, space, request.id)
        if now.status not in EDITABLE:
            raise NotUndoable(failed, f"The change request is {now.status}.", "")
        plan = await plan_revert(store, space, request.revision, now.revision)
        if plan.conflicts:
            titles = ", ".join(f"“{page.title}”" for page in plan.conflicts)
            raise NotUndoable(failed, f"The same lines of {titles} were changed since.", "Edit the page instead.")
        if not plan.steps:
            why = next(iter((*plan.kept, *plan.lost)), "Nothing of it is left.")
            raise NotUndoable(failed, why, "")
        changes = [change for step in plan.steps for change in step.changes]
        done = Written(now)
        for first in range(0, len(changes), MAX_CHANGES):
            done = await write(call, space, request.id, changes[first : first + MAX_CHANGES])
        return done

    return Mutation(
        doing=f"{'Making' if again else 'Reverting'} {where}{' again' if again else ''}",
        done=f"{'Made' if again else 'Reverted'} {where}{' again' if again else ''}",
        call=work,
        inverse=lambda made: take_back(store, space, made, what, page, again=not again),
        once=True,
        place=DraftPlace(space=space, change_request=request.id, page=page),
        stale=stale_after_write(space, request.id),
        lane=("write", space),
    )
