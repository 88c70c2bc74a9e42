"""Staged moves: the arrangement they lead to, and the steps that make them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from recto.frozen import frozen
from recto.store.arrangement import Arrangement, ChangedAddress, find_changed_addresses
from recto.store.move_plan import PutInCollection, PutInto, Step, plan
from recto.store.moves import Move, Refusal, apply_move, destination, names


@frozen
class StagedMove:
    """A staged move, and the resulting arrangement."""

    move: Move
    sentence: str
    """What it does, without a full stop, in the words of the arrangement it was made in."""
    result: Arrangement


@dataclass(frozen=True)
class Staging:
    """The arrangement on the server and the moves on top of it."""

    base: Arrangement
    moves: tuple[StagedMove, ...] = ()

    @property
    def arrangement(self) -> Arrangement:
        """The arrangement with the staged moves."""
        return self.moves[-1].result if self.moves else self.base

    @property
    def count(self) -> int:
        """How many moves of single items these are; items that are moved together count each."""
        return sum(len(staged.move.items) for staged in self.moves)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The fewest steps on the server with the same result."""
        lifted = {id for staged in self.moves for id in staged.move.items}
        return plan(self.base, self.arrangement, lifted)

    @cached_property
    def new_addresses(self) -> tuple[ChangedAddress, ...]:
        """The site spaces that the moves give another address."""
        return find_changed_addresses(self.base, self.arrangement) if self.moves else ()

    def add(self, move: Move) -> Staging | Refusal:
        """Add a move; without a change, return the staging itself."""
        before = self.arrangement
        result = apply_move(before, move)
        if isinstance(result, Refusal):
            return result
        if result.children == before.children:
            return self
        sentence = f"Move {names(before, move.items)} {destination(before, move)}"
        return replace(self, moves=(*self.moves, StagedMove(move, sentence, result)))

    def without_last(self) -> Staging:
        """Undo the last move."""
        return replace(self, moves=self.moves[:-1])

    def onto(self, base: Arrangement) -> tuple[Staging, tuple[str, ...]]:
        """Stage the moves again on the server's current state; gives also the sentences of those that no longer fit."""
        staging = Staging(base)
        lost: list[str] = []
        for staged in self.moves:
            added = staging.add(staged.move)
            if isinstance(added, Refusal):
                lost.append(f"{staged.sentence}: {added.reason}")
            else:
                staging = added
        return staging, tuple(lost)

    @cached_property
    def origins(self) -> dict[str, str]:
        """Return where each moved item comes from, by its id."""
        found: dict[str, str] = {}
        for step in self.steps:
            if isinstance(step, PutInto):
                found[step.item.id] = f"from “{step.before.name}”" if step.before else "from the top level"
            elif isinstance(step, PutInCollection) and step.before is not None:
                found[step.item.id] = f"from “{step.before.name}”"
            elif step.item.id not in found:
                found[step.item.id] = self._old_place(step.item.id)
        return found

    def _old_place(self, id: str) -> str:
        siblings = self.base.peers(self.base.parents[id], (id,))
        index = siblings.index(id)
        return f"was after “{self.base.items[siblings[index - 1]].name}”" if index else "was first"


def stage(base: Arrangement, steps: Iterable[Step]) -> Staging | Refusal:
    """Stage steps as moves; refused where a step does not fit."""
    staging = Staging(base)
    for step in steps:
        added = staging.add(step.move)
        if isinstance(added, Refusal):
            return Refusal(f"{step.sentence}: {added.reason}")
        staging = added
    return staging
