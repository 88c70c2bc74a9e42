"""The history of changes to undo and to redo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.store.mutation import Mutation

DEPTH = 200
"""How many changes are remembered."""


@frozen
class Done:
    """A change that was made, and its inverse."""

    mutation: Mutation[Any]
    inverse: Mutation[Any]


class History:
    """Two stacks: changes to undo, and changes to redo."""

    def __init__(self) -> None:
        self._undo: list[Done] = []
        self._redo: list[Mutation[Any]] = []

    @property
    def undoable(self) -> Mutation[Any] | None:
        """The change that an undo would revert."""
        return self._undo[-1].mutation if self._undo else None

    @property
    def newest(self) -> Done | None:
        """The newest change, and its inverse."""
        return self._undo[-1] if self._undo else None

    @property
    def redoable(self) -> Mutation[Any] | None:
        """The change that a redo would make again."""
        return self._redo[-1] if self._redo else None

    def record(self, mutation: Mutation[Any], response: Any, *, again: bool = False) -> None:
        """Remember a change; it clears what could be redone."""
        if not again:
            self._redo.clear()
        inverse = mutation.inverse(response) if mutation.inverse is not None else None
        if inverse is not None:
            self._undo.append(Done(mutation, inverse))
            del self._undo[:-DEPTH]

    def take_undo(self) -> Done | None:
        """Take the newest change off its stack."""
        return self._undo.pop() if self._undo else None

    def undone(self, done: Done, response: Any) -> None:
        """Record a change that was undone, with what undoing it answered."""
        back = done.inverse.inverse(response) if done.mutation.once and done.inverse.inverse is not None else None
        self._redo.append(back or done.mutation)

    def put_back(self, done: Done) -> None:
        """Put back a change whose undo did not succeed but may yet."""
        self._undo.append(done)

    def take_redo(self) -> Mutation[Any] | None:
        """Take the newest change to redo off its stack."""
        return self._redo.pop() if self._redo else None

    def put_back_redo(self, mutation: Mutation[Any]) -> None:
        """Put back a change whose redo did not succeed but may yet."""
        self._redo.append(mutation)
