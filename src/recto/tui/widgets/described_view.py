"""A page with operations of APIs, whose descriptions are fetched from the web only where a person asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from recto.tui.actions import Action, register
from recto.tui.widgets.illustrated_view import IllustratedView

if TYPE_CHECKING:
    from recto.tui.render.operations import OperationLeaf

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to fetch a description where one is named that is elsewhere."""
        if action == "page_description":
            return self._operation_here() is not None
        return super().check_action(action, parameters)
