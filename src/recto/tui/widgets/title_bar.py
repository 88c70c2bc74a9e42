"""The top line: where one is."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from recto.tui.look.lines import fit, plain

READ_ONLY = "read-only"

_BETWEEN = " › "


class TitleBar(Widget):
    """A trail from the organization down to what is shown, and a word about it at the right.

    Where nothing is to be changed, or what is shown comes from the cache, that is said there too.
    """

    trail: reactive[tuple[str, ...]] = reactive(())
    aside: reactive[str] = reactive("")
    age: reactive[str] = reactive("")
    """How old what is shown is, where it comes from the cache."""

    def render(self) -> Content:
        """Write the trail; where it is too long its beginning goes, for the end says where one is."""
        aside = [(plain(self.aside), "$muted")] if self.aside else []
        if self.age:
            aside += [*([("  ", "")] if aside else []), (self.age, "$warning")]
        if getattr(self.app, "read_only", False):
            aside += [*([("  ", "")] if aside else []), (READ_ONLY, "$warning")]
        taken = sum(cell_len(text) for text, _style in aside)
        room = self.size.width - (taken + 2 if aside else 0)
        names = [plain(name) for name in self.trail]
        while len(names) > 1 and cell_len(_BETWEEN.join(names)) > room:
            names = ["…", *names[2:]] if names[0] == "…" and len(names) > 2 else ["…", *names[1:]]
            if len(names) == 2:
                break
        parts: list[tuple[str, str]] = []
        for index, name in enumerate(names):
            last = index == len(names) - 1
            parts += [(_BETWEEN, "$faint")] if index else []
            parts.append((name, "bold $foreground" if last else "$muted"))
        parts = fit(parts, room)
        if aside:
            filled = sum(cell_len(text) for text, _style in parts)
            parts += [(" " * (self.size.width - filled - taken), ""), *aside]
        return Content.assemble(*parts)
