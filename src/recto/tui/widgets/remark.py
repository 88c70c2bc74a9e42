"""Text that changes as a person types."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Remark(Static):
    """Text that changes as a person types; the screen is laid out again only if the new text needs another size."""

    def show(self, text: Content) -> None:
        """Show another text."""
        before = self.content
        if not isinstance(before, Content):
            self.update(text)
        elif not before.is_same(text):
            self.update(text, layout=self.display and not self._needs_same_size(before, text))

    def _needs_same_size(self, before: Content, after: Content) -> bool:
        width = self.content_size.width
        return width > 0 and bool(before) == bool(after) and before.get_height({}, width) == after.get_height({}, width)
