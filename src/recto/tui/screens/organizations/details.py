"""The pane of an item of a list, which takes the place of the list until the person goes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.store.query import Query
    from recto.tui.screens.list_pane import ListPane


class Detail(Vertical):
    """The lists of an item, such as the spaces and the teams of a member."""

    @dataclass
    class Wanted(Message):
        """The person goes into an item of a list."""

        detail: Detail

    def __init__(self, title: str, *lists: ListPane[Any]) -> None:
        super().__init__()
        self.title = title
        """The item's name in the breadcrumb."""
        self._lists = lists

    def compose(self) -> ComposeResult:
        """Put the lists below each other."""
        yield from self._lists

    def take_focus(self) -> None:
        """Put the person into the first list."""
        self._lists[0].take_focus()

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The list that has the focus, else the first."""
        return next((each for each in self._lists if each.has_focus_within), self._lists[0]).in_focus

    def reload(self) -> None:
        """Request everything again."""
        for each in self._lists:
            each.reload()
