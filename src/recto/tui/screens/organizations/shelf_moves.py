"""The moves of collections and spaces on the shelves of organizations: staged and applied for each by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recto.store.rearranging import Conduct
from recto.store.shelving import ShelvesOf, arrange_shelves
from recto.tui.screens.applied_moves import AppliedMoves

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recto.contract.organizations import Organization
    from recto.store.arrangement import Arrangement
    from recto.store.moves import Move
    from recto.store.mutation import Run
    from recto.tui.screens.interactive import Interactive
    from recto.tui.screens.organizations.shelves import Shelf


class ShelfMoves:
    """Moves staged on the shelves of organizations, on behalf of a view.

    ``changed`` is called with the item to go to, or ``None``, whenever there is something else to show.
    """

    def __init__(self, view: Interactive, changed: Callable[[str | None], None]) -> None:
        self._view = view
        self._changed = changed
        self._moves: dict[str, AppliedMoves] = {}
        self._arranged: dict[str, tuple[Organization, Shelf, Arrangement]] = {}
        """The arrangement of a shelf, by the organization, with what it was made of."""

    @property
    def staged(self) -> int:
        """How many moves are staged and not being made, in all organizations."""
        return sum(moves.staged for moves in self._moves.values())

    def count_staged(self, organization: str) -> int:
        """Return how many moves are staged in an organization and not being made."""
        moves = self._moves.get(organization)
        return moves.staged if moves is not None else 0

    @property
    def is_running(self) -> bool:
        """Whether moves are being made or taken back."""
        return any(moves.run is not None for moves in self._moves.values())

    def on_platform(self, organization: Organization, shelf: Shelf) -> Arrangement:
        """Return a shelf of the platform as an arrangement."""
        known = self._arranged.get(organization.id)
        if known is None or known[0] is not organization or known[1] is not shelf:
            known = self._arranged[organization.id] = (organization, shelf, _arrange(organization, shelf))
        return known[2]

    async def prepare(self, organization: Organization, shelf: Shelf) -> None:
        """Arrange a shelf beside everything else, so that the first lift finds it arranged."""
        known = self._arranged.get(organization.id)
        if known is None or known[0] is not organization or known[1] is not shelf:
            arrangement = await asyncio.to_thread(_arrange, organization, shelf)
            self._arranged[organization.id] = (organization, shelf, arrangement)

    def arrangement(self, organization: Organization, shelf: Shelf) -> Arrangement:
        """Return a shelf with its staged moves."""
        return self._staged_arrangement(organization.id) or self.on_platform(organization, shelf)

    def children(self, shelf: Shelf) -> Mapping[str | None, Sequence[str]]:
        """Return the items in each item of a shelf, with its staged moves."""
        staged = self._staged_arrangement(shelf.organization)
        return staged.children if staged is not None else shelf.children

    def origins(self, organization: str) -> Mapping[str, str]:
        """Return where each item with a staged move comes from."""
        moves = self._moves.get(organization)
        return moves.staging.origins if moves is not None and moves.staging is not None else {}

    def _staged_arrangement(self, organization: str) -> Arrangement | None:
        moves = self._moves.get(organization)
        return moves.staging.arrangement if moves is not None and moves.staging is not None else None

    def take_in(self, organization: Organization, shelf: Shelf) -> None:
        """Take what the platform has; staged moves go on top of it as far as they fit."""
        moves = self._moves.get(organization.id)
        if moves is None or moves.staging is None or moves.run is not None or not shelf.complete:
            return
        if not moves.staged:
            moves.forget()
        elif (base := self.on_platform(organization, shelf)) is not moves.staging.base:
            moves.take_in(base)

    def add(self, organization: Organization, shelf: Shelf, move: Move) -> None:
        """Stage a move, or say why it cannot be."""
        moves = self._moves.get(organization.id)
        if moves is None:
            arranged = ShelvesOf(organization.id, organization.title)
            moves = self._moves[organization.id] = AppliedMoves(self._view, arranged, self._changed)
        if not moves.staged and moves.run is None:
            moves.begin(self.arrangement(organization, shelf))
        moves.add(move)

    async def apply(self, organization: str) -> None:
        """Show what will be done in an organization, and do it."""
        if (moves := self._moves.get(organization)) is not None:
            await moves.apply()

    def undo(self, organization: str) -> bool:
        """Take back the last staged move; false without a move."""
        moves = self._moves.get(organization)
        if moves is None or not moves.staged:
            return False
        moves.drop_last()
        return True

    @property
    def undoable(self) -> AppliedMoves | None:
        """The moves that were made last, where nothing else was changed after them."""
        return next((moves for moves in self._moves.values() if moves.undoable is not None), None)

    def follow(self, run: Run[Any]) -> None:
        """Follow a run that makes, takes back or repeats moves."""
        if isinstance(run.mutation.progress, Conduct):
            for moves in self._moves.values():
                moves.follow(run)

    def halt(self) -> bool:
        """Make no more moves after the current move; false without a current move."""
        return any(moves.halt() for moves in self._moves.values())


def _arrange(organization: Organization, shelf: Shelf) -> Arrangement:
    arrangement = arrange_shelves(organization, shelf.collections, shelf.spaces)
    assert arrangement.parents is not None  # found out here, and kept
    return arrangement
