"""The common part of the dialogs of use cases: messages on a screen, and sending changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from recto.store.mutation import Mutation, Outcome
    from recto.tui.screens.interactive import Interactive

R = TypeVar("R")


class ViewPort:
    """The part of a port (:class:`recto.store.port.Port`) that is the same for every use case."""

    def __init__(self, view: Interactive) -> None:
        self._view = view

    def say(self, text: str) -> None:
        """Show a passing message."""
        self._view.say(text)

    def say_failed(self, error: Exception) -> None:
        """Show what failed, why, and what to do next."""
        self._view.say_failed(error)

    async def send(self, mutation: Mutation[R]) -> Outcome[R]:
        """Run a change; while it cannot be decided whether it has arrived, ask whether to send it again."""
        return await self._view.send(mutation)
