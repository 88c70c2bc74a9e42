"""The part of the screen that every use case needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from recto.store.mutation import Mutation, Outcome

R = TypeVar("R")


class Port(Protocol):
    """The screen's side of a use case."""

    def say(self, text: str) -> None:
        """Show a passing message."""

    def say_failed(self, error: Exception) -> None:
        """Show what failed, why, and what to do next."""

    async def send(self, mutation: Mutation[R]) -> Outcome[R]:
        """Run a change; while it cannot be decided whether it has arrived, ask whether to send it again."""
        ...
