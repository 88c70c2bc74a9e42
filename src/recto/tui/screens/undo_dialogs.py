"""The screen's side of undoing: the questions, and whether the undone change can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.store.undoing import undo
from recto.tui.dialogs.confirm import UNDO, Confirm
from recto.tui.navigation.messages import HasPages
from recto.tui.screens.view_port import ViewPort

if TYPE_CHECKING:
    from recto.store.drafts import DraftPlace


class UndoDialogs(ViewPort):
    """The dialogs of undoing, on a screen."""

    async def undo(self) -> None:
        """Take the last change back."""
        await undo(self._view.store, self)

    def shows_place(self, place: DraftPlace) -> bool:
        """Whether what a change was about is on the screen."""
        return isinstance(self._view, HasPages) and self._view.shows_place(place)

    async def confirm_undo(self, done: str) -> bool:
        """Ask whether to undo a change whose subject is not on the screen."""
        says = f"The last change is not on the screen: {done}."
        question = Confirm("Undo", says, does="takes it back", undo="‹change.redo› makes it again.")
        return await self._view.ask(question) is True

    async def confirm_archive(self, name: str) -> bool:
        """Ask whether a change request that holds no changes any more is to be archived."""
        says = f"{name} contains no changes any more."
        question = Confirm(
            "Archive the change request", says, does="archives it", keeps="leaves it as it is", undo=UNDO
        )
        return await self._view.ask(question) is True

    async def wants_again(self, error: Exception | None) -> bool:
        """Where a change may have arrived, ask whether to send it again."""
        return await self._view.wants_again(error)
