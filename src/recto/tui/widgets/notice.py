"""What stands where a list or a page would be: loading, empty and failed look different from each other."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from recto.tui.look.lines import plain
from recto.tui.widgets.line_view import blank_lines


class Notice(Static):
    """A few words where there is no content."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the words; nothing is under them."""
        words = self.styles.gutter.top + self.get_content_height(self.size, self.size, self.content_size.width)
        upper, below = crop.split_horizontal(max(0, min(words - crop.y, crop.height)))
        return [*(super().render_lines(upper) if upper else ()), *blank_lines(self, below)]

    def busy(self, text: str) -> None:
        """Show what the program is doing."""
        self._show("-loading", Content.assemble(("… ", "$faint"), (plain(text), "$muted")))

    def empty(self, sentence: str, *keys: tuple[str, str]) -> None:
        """Say what would be here, and the keys that make it, with what each does."""
        parts: list[tuple[str, str] | str] = [(plain(sentence), "$muted"), "\n" if keys else ""]
        for key, makes in keys:
            parts += ["\n", (plain(key), "bold $accent"), (f"  {plain(makes)}", "$muted")]
        self._show("-empty", Content.assemble(*parts))

    def show_failure(self, what: str, why: str, key: str = "r", then: str = "tries again") -> None:
        """Say what failed, why, and how to try again."""
        self._show(
            "-failed",
            Content.assemble(
                ("× ", "bold $error"),
                (plain(what), "bold $foreground"),
                "\n\n",
                (plain(why), "$foreground"),
                "\n\n",
                (plain(key), "bold $accent"),
                (f"  {plain(then)}", "$muted"),
            ),
        )

    def _show(self, state: str, content: Content) -> None:
        self.set_classes(state)
        self.update(content)
