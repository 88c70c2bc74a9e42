"""A screen for tests of what all screens have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.app import ComposeResult

from recto.store.locations import Location
from recto.store.query import Query
from recto.store.store import Store
from recto.tui.screens.view import View


class ExampleView(View):
    """A screen with nothing between its title and its bottom line."""

    @classmethod
    def first_queries(cls, store: Store, location: Location) -> Sequence[Query[Any]]:
        """Ask for nothing."""
        return ()

    def compose_body(self) -> ComposeResult:
        """Yield nothing."""
        yield from ()

    def arrive(self, location: Location) -> None:
        """Take the location for that of the screen."""
        self.opened_at = location
