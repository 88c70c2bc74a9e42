"""The screen's side of taking back what was merged: the question, and where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from recto.document.text import count
from recto.store.locations import ChangeRequestLocation
from recto.store.reverting import Reverting
from recto.tui.dialogs.merge import Weigh
from recto.tui.look import signs
from recto.tui.look.lines import Line, plain

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.store.mutation import Mutation, Outcome
    from recto.store.revert_plan import RevertPlan
    from recto.tui.screens.view import View

R = TypeVar("R")

_SHOWN = 8
"""How many pages are named."""


class RevertDialogs:
    """Asks and tells for taking back, on a screen."""

    def __init__(self, view: View, space: str) -> None:
        self._view = view
        self._reverting = Reverting(view.store, space, self)

    def revert(self, revision: str) -> None:
        """Take a revision of main back."""
        self._view.work(self._reverting.revert(revision), "revert", group="revert")

    def say(self, text: str) -> None:
        """Show a passing message."""
        self._view.say(text)

    def say_failed(self, error: Exception) -> None:
        """Show what failed, why, and what to do next."""
        self._view.say_failed(error)

    async def send(self, mutation: Mutation[R]) -> Outcome[R]:
        """Run a change; while it cannot be decided whether it has arrived, ask whether to send it again."""
        return await self._view.send(mutation)

    async def confirm_revert(self, name: str, plan: RevertPlan, unfinished: ChangeRequest | None) -> bool:
        """Show what will not be taken back, then what will, and ask."""
        lines: list[Line] = []
        if plan.lost:
            lines.append([("The platform has no operation to take back:", "strong")])
            lines += [[("! ", "warning"), (plain(one), "")] for one in plan.lost]
            lines.append([])
        if plan.kept:
            lines.append([("Changed since, so it stays:", "strong")])
            lines += [[("· ", "faint"), (plain(one), "")] for one in plan.kept]
            lines.append([])
        pages = len({step.page for step in plan.steps})
        lines.append([(f"{count(pages, 'page')} will be as before, with what came later.", "")])
        back = list(plan.returning.values())
        if back:
            named = ", ".join(f"“{title}”" for title in back[:_SHOWN])
            more = f" and {len(back) - _SHOWN} more" if len(back) > _SHOWN else ""
            lines.append([(f"{signs.CHANGE['new'].sign} ", "added"), (f"comes back: {plain(named)}{more}", "")])
        for page in plan.conflicts:
            conflicts = count(len(page.conflicts), "conflict")
            lines.append([signs.CONFLICTING.span, (f" {plain(page.title)}", ""), (f"  {conflicts}", "muted")])
        if unfinished is not None:
            does = f"goes on with #{unfinished.number}, where it was left"
        elif plan.steps:
            does = "makes a change request that takes it back; conflicts are resolved there"
        else:
            does = ""
        obstacle = None if plan.steps else "nothing is left to take back"
        says = "Nothing is left to take back."
        return await self._view.ask(Weigh(f"Take back {name}", lines, does=does, obstacle=obstacle, says=says)) is True

    def open_request(self, request: ChangeRequest) -> None:
        """Go to a change request."""
        self._view.go(ChangeRequestLocation(request.space, request.id))
