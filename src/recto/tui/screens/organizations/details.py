"""Panes of an item of a list, which replace the list until the person goes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.widget import Widget

    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.screens.list_pane import ListPane

R = TypeVar("R")


class QueryPane(Pane, Generic[R]):
    """Shows the value of a query; ``show`` is called with each new value."""

    def __init__(
        self, store: Store, title: str, body: Widget, query: Query[R], show: Callable[[R], None], *, what: str, id: str
    ) -> None:
        super().__init__(store, title, body, id=id)
        self._query = query
        self._show = show
        self._what = what

    def on_mount(self) -> None:
        """Follow the query."""
        self.follow(self._query, self._follow)

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The query."""
        return (self._query,)

    def reload(self) -> None:
        """Request it again."""
        self._query.refresh()

    def _follow(self, query: Query[R]) -> None:
        if self.show_state(query, self._what) and query.value is not None:
            self._show(query.value)


class Detail(Vertical):
    """The lists of an item, such as the spaces and the teams of a member."""

    @dataclass
    class Wanted(Message):
        """The person goes into an item of a list."""

        detail: Detail

    def __init__(self, title: str, *lists: ListPane[Any] | QueryPane[Any]) -> None:
        super().__init__()
        self.title = title
        """The item's name in the breadcrumb."""
        self.lists = lists

    def compose(self) -> ComposeResult:
        """Compose the lists below each other."""
        yield from self.lists

    def take_focus(self) -> None:
        """Focus the first list."""
        self.lists[0].take_focus()

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The list that has the focus, else the first."""
        return next((each for each in self.lists if each.has_focus_within), self.lists[0]).in_focus

    def reload(self) -> None:
        """Request everything again."""
        for each in self.lists:
            each.reload()
