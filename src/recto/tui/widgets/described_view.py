"""A page with operations of APIs, whose descriptions are fetched from the web only where a person asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.message import Message

from recto.tui.actions import Action, register
from recto.tui.widgets.illustrated_view import IllustratedView

if TYPE_CHECKING:
    from recto.tui.render.leaf import Leaf
    from recto.tui.render.operations import OperationLeaf
    from recto.tui.widgets.sheet_view import Position

register(Action("page.description", "Fetch the description of the API", ("p",), "Page", hint="fetch"))


class DescribedView(IllustratedView, inherit_bindings=False):
    """The leaves of a page, some of which are operations of an API."""

    class DescriptionWanted(Message):
        """The person wants the description fetched that is at an address."""

        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

    def _operation_here(self) -> OperationLeaf | None:
        from recto.tui.render.operations import OperationLeaf

        leaf = self.cursor_leaf
        return leaf if isinstance(leaf, OperationLeaf) and leaf.address else None

    def action_page_description(self) -> None:
        """Fetch the description of the operation under the cursor."""
        leaf = self._operation_here()
        if leaf is not None:
            self.post_message(self.DescriptionWanted(leaf.address))

    def show_leaves(self, leaves: Sequence[Leaf], position: Position) -> None:
        """Show other leaves; whether a description can be fetched is known when they are drawn."""
        super().show_leaves(leaves, position)
        leaf = self.cursor_leaf
        if leaf is not None and self._has_keys(leaf):
            self.call_after_refresh(self.refresh_bindings)

    def _has_keys(self, leaf: Leaf) -> bool:
        from recto.tui.render.operations import OperationLeaf

        return isinstance(leaf, OperationLeaf) or super()._has_keys(leaf)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to fetch a description where one is named that is elsewhere."""
        if action == "page_description":
            return self._operation_here() is not None
        return super().check_action(action, parameters)
