"""A text that follows the typing."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Remark(Static):
    """A text that changes with the letters that are typed; only where it takes another room is the screen laid out."""

    def show(self, text: Content) -> None:
        """Show another text."""
        before = self.content
        if not isinstance(before, Content):
            self.update(text)
        elif not before.is_same(text):
            self.update(text, layout=self.display and not self._takes_same_room(before, text))

    def _takes_same_room(self, before: Content, after: Content) -> bool:
        width = self.content_size.width
        return width > 0 and bool(before) == bool(after) and before.get_height({}, width) == after.get_height({}, width)
