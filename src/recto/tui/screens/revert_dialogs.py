"""The port of reverting: its dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.document.text import count
from recto.store.locations import ChangeRequestLocation
from recto.store.reverting import Reverting
from recto.tui.dialogs.confirm_merge import ConfirmMerge
from recto.tui.look import signs
from recto.tui.look.lines import Line, plain
from recto.tui.screens.view_port import ViewPort

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.store.revert_plan import RevertPlan, Step
    from recto.tui.screens.view import View

_SHOWN = 6
"""How many pages are named."""


class RevertDialogs(ViewPort):
    """The dialogs of reverting, on a screen."""

    def __init__(self, view: View, space: str) -> None:
        super().__init__(view)
        self._reverting = Reverting(view.store, space, self)

    def revert(self, revision: str) -> None:
        """Revert a revision of main."""
        self._view.work(self._reverting.revert(revision), "revert", unless_running="revert")

    async def confirm_revert(self, name: str, plan: RevertPlan, unfinished: ChangeRequest | None) -> bool:
        """Show what will not be taken back, then what will, and ask."""
        lines: list[Line] = []
        if plan.lost:
            lines.append([("The platform has no operation to revert:", "strong")])
            lines += [[("! ", "warning"), (plain(one), "")] for one in plan.lost]
            lines.append([])
        if plan.kept:
            lines.append([("Changed since, so it stays:", "strong")])
            lines += [[("· ", "faint"), (plain(one), "")] for one in plan.kept]
            lines.append([])
        lines.append([(f"{count(plan.pages, 'page')} will be as before, with what came later:", "")])
        lines += [_step(step, plan) for step in plan.steps[:_SHOWN]]
        if len(plan.steps) > _SHOWN:
            lines.append([(f"  and {len(plan.steps) - _SHOWN:,} more", "muted")])
        does = "makes a change request that reverts it"
        if unfinished is not None:
            does = f"continues #{unfinished.number} where it stopped"
        if plan.conflicts:
            does += "; conflicts are resolved there"
        obstacle = None if plan.steps else "nothing is left to revert"
        says = "Nothing is left to revert."
        undo = "Main changes only when that is merged."
        return (
            await self._view.ask(
                ConfirmMerge(f"Revert {name}", lines, does=does, undo=undo, obstacle=obstacle, says=says)
            )
            is True
        )

    def open_request(self, request: ChangeRequest) -> None:
        """Go to a change request."""
        self._view.go(ChangeRequestLocation(request.space, request.id))


def _step(step: Step, plan: RevertPlan) -> Line:
    """Return the line that says what happens to a page."""
    kind = "new" if step.page in plan.returning else "deleted" if step.deletes else "edited"
    word = {"new": "comes back", "deleted": "is deleted"}.get(kind, "")
    if step.below:
        word += f", with {count(step.below, 'page')} below"
    conflicts = next((len(page.conflicts) for page in plan.conflicts if page.id == step.page), 0)
    if conflicts:
        word = count(conflicts, "conflict")
    return [signs.CHANGE[kind].span, (f" {plain(step.title)}", ""), (f"  {word}", "muted")]
