"""Screens that hear nothing while their widgets are not there: before they are composed, after they are dismissed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.screen import Screen

Result = TypeVar("Result")

_OURS = f"{__name__.partition('.')[0]}."


class WholeScreen(Screen[Result], inherit_bindings=False):
    """A screen whose own handlers and actions may rely on its widgets.

    Keys, answers and messages come whenever they come. Textual dispatches those that are queued also to a screen that
    was dismissed before it was composed, or whose widgets are being removed.
    """

    _is_composed = False
    _is_left = False
    _leaves_with: tuple[Result | None] | None = None
    """What the screen was left with while another lay over it."""

    @property
    def is_whole(self) -> bool:
        """Whether the widgets are there, and are to stay."""
        # A screen that is being removed, with its view or with the program, displays nothing; what it had still to
        # compose is left out.
        stays = self.display and self.is_attached and not self._is_left
        return self._is_composed and stays and bool(self.children)

    @property
    def is_on_top(self) -> bool:
        """Whether no other screen lies over this one."""
        return self.app.screen_stack[-1:] == [self]

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave the screen, once; where another lies over it, when that is left: Textual would leave that instead."""
        if self._is_left:
            return AwaitComplete()
        if not self.is_on_top:
            self._leaves_with = (result,)
            return AwaitComplete()
        self._is_left = True
        left: AwaitComplete = super().dismiss(result)
        return left

    async def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Leave, where that was put off."""
        if self._leaves_with is not None:
            self.dismiss(*self._leaves_with)

    def _get_dispatch_methods(
        self, method_name: str, message: Message
    ) -> Iterable[tuple[type, Callable[[Message], Awaitable[Any]]]]:
        # Textual's own handlers mount and remove the widgets; what followed something has to unfollow it.
        if isinstance(message, events.Mount):
            self._is_composed = True  # Textual waits for all widgets before: the outermost are there sooner
        heard = self.is_whole or isinstance(message, events.Unmount)
        for owner, method in super()._get_dispatch_methods(method_name, message):
            if heard or not owner.__module__.startswith(_OURS):
                yield owner, method
