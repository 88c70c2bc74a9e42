"""Moves that are staged, confirmed, applied step by step, and undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from recto.document.text import count
from recto.store.move_plan import Step, plan
from recto.store.mutation import Mutation, Run, RunState
from recto.store.rearranging import Arranged, StepControl, Stopped, rearrange, rearrangement
from recto.store.staging import Staging, stage
from recto.tui.dialogs.confirm import REDO, UNDO
from recto.tui.dialogs.confirm_moves import GO_ON, TAKE_BACK, ConfirmMoves, MovesStopped
from recto.tui.screens.staged_moves import StagedMoves

if TYPE_CHECKING:
    from recto.store.arrangement import Arrangement
    from recto.store.moves import Move
    from recto.tui.look.lines import Line
    from recto.tui.screens.interactive import Interactive

Consequences = Callable[["Arrangement", "Arrangement"], "Sequence[Line] | None"]
"""Returns what changes along with the order, to be shown before it is applied; ``None`` where nothing can."""

_CHANGED_SINCE = "Something else was changed after these moves; undo that first."


class AppliedMoves:
    """Staged moves and their steps; asks and reports on behalf of a view.

    ``changed`` is called with the item to go to, or ``None``, whenever the display changes.
    """

    def __init__(
        self,
        view: Interactive,
        arranged: Arranged,
        changed: Callable[[str | None], None],
        consequences: Consequences = lambda _before, _after: None,
    ) -> None:
        self._view = view
        self._arranged = arranged
        self._changed = changed
        self._consequences = consequences
        self._staged = StagedMoves(view, arranged.name, changed)
        self.run: Run[Any] | None = None
        """The moves that are being made or taken back."""

    @property
    def step_control(self) -> StepControl | None:
        """The progress of the moves being made."""
        return _find_step_control(self.run)

    @property
    def staging(self) -> Staging | None:
        """The staged moves; ``None`` until the server has answered for the first time."""
        return self._staged.staging

    @property
    def staged(self) -> int:
        """How many moves are staged and not being made."""
        return self._staged.count if self.run is None else 0

    def begin(self, base: Arrangement) -> None:
        """Restart from the platform's arrangement, without moves."""
        self._staged.staging = Staging(base)

    def forget(self) -> None:
        """Drop all moves: the platform's arrangement includes them."""
        self._staged.staging = None

    def take_in(self, base: Arrangement) -> None:
        """Take the platform's arrangement; staged moves that still fit stay on top of it."""
        self._staged.take_in(base)

    def add(self, move: Move) -> None:
        """Stage a move, or show why it is not possible."""
        if self.run is None:
            self._staged.add(move)

    def drop_last(self) -> None:
        """Undo the last staged move."""
        self._staged.drop_last()

    # Making

    async def apply(self) -> None:
        """Check that nothing has changed, show what will be done, and do it."""
        base = await self._arranged.read(self._view.store.call)
        if self.staging is not None and not base.same_order(self.staging.base):
            self.take_in(base)
        staging = self.staging
        if staging is None or not staging.steps:
            self._view.say("Nothing left to apply.")
        elif await self._may("Apply", staging.steps, staging.base, staging.arrangement, UNDO):
            await self._make(staging)

    async def _may(
        self, title: str, steps: tuple[Step, ...], before: Arrangement, after: Arrangement, undo: str
    ) -> bool:
        dialog = ConfirmMoves(
            f"{title}: {count(len(steps), 'step')}",
            [step.sentence for step in steps],
            self._consequences(before, after),
            does="applies them in this order",
            undo=undo,
        )
        return await self._view.ask(dialog) is True

    async def _make(self, staging: Staging) -> None:
        mutation = rearrangement(
            self._arranged,
            staging.base,
            staging.arrangement,
            doing=f"Arranging {self._arranged.name}",
            done=f"Arranged {self._arranged.name}",
            moving={step.item.id for step in staging.steps},
            step_control=StepControl(),
        )
        run = rearrange(self._view.store, mutation)
        self.follow(run)
        outcome = await run
        self.run = None
        if outcome.value is not None:
            self._staged.begin(outcome.value.after)
            self._view.say(
                f"Arranged {self._arranged.name} in {count(len(staging.steps), 'step')}. ‹change.undo› undoes them."
            )
        elif isinstance(outcome.error, Stopped):
            await self._ask_after_stop(outcome.error)
        elif outcome.error is not None:
            self._changed(None)
            self._view.say_failed(outcome.error)

    async def _ask_after_stop(self, stopped: Stopped) -> None:
        """Stage the remaining steps, and ask whether to continue or to undo."""
        again = stage(stopped.after, stopped.left)
        staging = again if isinstance(again, Staging) else Staging(stopped.after)
        self._staged.staging = staging
        self._changed(None)
        done, left = ([step.sentence for step in steps] for steps in (stopped.done, stopped.left))
        answer = await self._view.ask(MovesStopped(str(stopped), done, left))
        if answer == GO_ON:
            await self._make(staging)
        elif answer == TAKE_BACK:
            self._staged.staging = Staging(stopped.after)
            await self.take_back()

    def follow(self, run: Run[Any]) -> None:
        """Follow a run that makes, undoes or redoes these moves."""
        if run.mutation.lane != self._arranged.lane or _find_step_control(run) is None:
            return
        if run.state is RunState.RUNNING:
            self.run = run
        elif self.run is run:
            self.run = None
        self._changed(None)

    def stop_steps(self) -> bool:
        """Stop after the current move; false if none is being made."""
        step_control = self.step_control
        if step_control is not None:
            step_control.stop_steps()
        return step_control is not None

    # Taking back

    @property
    def undoable(self) -> StepControl | None:
        """The last moves, if nothing else was changed after them."""
        return self._moves_of(self._view.store.history.undoable)

    def _moves_of(self, change: Mutation[Any] | None) -> StepControl | None:
        if change is None or change.lane != self._arranged.lane:
            return None
        return change.progress if isinstance(change.progress, StepControl) else None

    async def take_back(self) -> None:
        """Show what undoing the last moves does, and do it, unless something else is changed meanwhile."""
        newest = await self._view.store.newest_change()
        moves = self._moves_of(newest.mutation) if newest is not None else None
        if newest is None or moves is None:
            self._view.say(_CHANGED_SINCE)
            return
        made = moves.came_of_it
        if made is None or not made.after.same_items(made.before):
            return
        steps = plan(made.after, made.before)
        if not await self._may("Undo", steps, made.after, made.before, REDO):
            return
        run = await self._view.store.undo(newest.mutation)
        if run is None:
            self._view.say(_CHANGED_SINCE)
        elif run.error is not None:
            self._view.say_failed(run.error)
        else:
            self._view.say(f"{run.mutation.done}.")


def _find_step_control(run: Run[Any] | None) -> StepControl | None:
    progress = run.mutation.progress if run is not None else None
    return progress if isinstance(progress, StepControl) else None
