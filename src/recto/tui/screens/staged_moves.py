"""Staged moves of a site, a page tree, or collections and spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.store.moves import Move, Refusal
from recto.store.staging import Staging
from recto.tui.look.lines import plain

if TYPE_CHECKING:
    from recto.store.arrangement import Arrangement
    from recto.tui.screens.interactive import Interactive


class StagedMoves:
    """Stages moves of the items of ``whole``, such as “the site”, on behalf of a view.

    ``changed`` is called with the item to go to, or ``None``, whenever the display changes.
    """

    def __init__(self, view: Interactive, whole: str, changed: Callable[[str | None], None]) -> None:
        self._view = view
        self._whole = whole
        self._changed = changed
        self.staging: Staging | None = None
        """The staged moves; ``None`` until the items are known."""

    @property
    def count(self) -> int:
        """How many moves are staged; items that are moved together count each."""
        return self.staging.count if self.staging is not None else 0

    def begin(self, base: Arrangement) -> None:
        """Restart from the platform's arrangement, without moves."""
        self.staging = Staging(base)
        self._changed(None)

    def take_in(self, base: Arrangement) -> None:
        """Take the platform's arrangement; staged moves that still fit stay on top of it."""
        before = self.staging
        if before is None or not before.moves:
            self.begin(base)
            return
        self.staging, lost = before.onto(base)
        self._changed(None)
        if not base.same_order(before.base):
            says = f"{self._whole[0].upper()}{self._whole[1:]} has changed on the server."
            more = f"No longer staged: {' '.join(lost)}" if lost else "Your moves are staged on its new structure."
            self._view.notify(plain(f"{says} {more}"), severity="warning", timeout=10, markup=False)

    def add(self, move: Move) -> None:
        """Stage a move, or show why it is not possible."""
        if self.staging is None:
            return
        added = self.staging.add(move)
        if isinstance(added, Refusal):
            self._view.say(added.reason)
            return
        self.staging = added
        self._changed(move.items[0])

    def drop_last(self) -> None:
        """Undo the last staged move."""
        if self.staging is not None and self.staging.moves:
            last = self.staging.moves[-1]
            self.staging = self.staging.without_last()
            self._changed(last.move.items[0])
            self._view.say(f"No longer staged: {last.sentence}")
