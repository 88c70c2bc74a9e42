"""The notice in place of a list or a page: loading, empty or failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from recto.tui.actions import key_label, key_shown, name_keys, why_key_not
from recto.tui.look.lines import plain
from recto.tui.widgets.line_view import blank_lines


class Notice(Static):
    """A few words in place of content."""

    virtual_size = Reactive(Size(0, 0), repaint=False)  # a layout gives it, and needs no other layout for it

    def __init__(self) -> None:
        super().__init__()
        self._keys: Sequence[tuple[str, str]] = ()
        """The keys that make what would be here, with what each does."""
        self._labels: Sequence[tuple[str, str | None]] = ()
        """The labels as shown, and why the keys cannot act."""
        self._sentence = ""
        self._follows_keys = False

    def on_mount(self) -> None:
        """Follow the keys that were set before mounting."""
        self._follow_keys()

    def _follow_keys(self) -> None:
        """Follow whether the keys can act, once there are some: screens have many notices, and tell each key."""
        if self._keys and self.is_attached and self.is_running and not self._follows_keys:
            self.screen.bindings_updated_signal.subscribe(self, self._refresh_keys)
            self._follows_keys = True

    def _refresh_keys(self, _screen: Screen[Any]) -> None:
        if self._keys and self.display and self.has_class("-empty") and self._label_keys() != self._labels:
            self.empty(self._sentence, *self._keys)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the words on a blank background."""
        words = self.styles.gutter.top + self.get_content_height(self.size, self.size, self.content_size.width)
        upper, below = crop.split_horizontal(max(0, min(words - crop.y, crop.height)))
        return [*(super().render_lines(upper) if upper else ()), *blank_lines(self, below)]

    def busy(self, text: str) -> None:
        """Show what the program is doing."""
        self._show("-loading", Content.assemble(("… ", "$faint"), (plain(text), "$muted")))

    def empty(self, sentence: str, *keys: tuple[str, str]) -> None:
        """Show that it is empty, and the keys that fill it, with what each does, or why it cannot."""
        self._sentence, self._keys = sentence, keys
        self._labels = self._label_keys()
        parts: list[tuple[str, str] | str] = [(plain(name_keys(self, sentence)), "$muted"), "\n" if keys else ""]
        for (_, makes), (label, reason) in zip(keys, self._labels, strict=True):
            role, words = ("bold $accent", makes) if reason is None else ("$faint", f"{makes}; not now: {reason}")
            parts += ["\n", (label, role), (f"  {plain(words)}", "$muted")]
        self._show("-empty", Content.assemble(*parts))
        self._follow_keys()

    def show_failure(self, what: str, why: str, key: str = "r") -> None:
        """Show what failed, why, and the key to try again if that can help."""
        parts: list[tuple[str, str] | str] = [("× ", "bold $error"), (plain(what), "bold $foreground"), "\n\n"]
        parts.append((plain(why), "$foreground"))
        if key:
            parts += ["\n\n", (self._label(key), "bold $accent"), ("  tries again", "$muted")]
        self._show("-failed", Content.assemble(*parts))

    def _label_keys(self) -> Sequence[tuple[str, str | None]]:
        """Return the labels of the keys now, and why they cannot act."""
        return [(self._label(key), why_key_not(self, key) if self.is_attached else None) for key, _ in self._keys]

    def _label(self, key: str) -> str:
        return plain(key_shown(self, key) if self.is_attached else key_label(key))

    def _show(self, state: str, content: Content) -> None:
        if not self.has_class(state) or self.content != content:
            self.set_classes(state)
            self.update(content)
