"""Leaves that switch a fold: the titles of tabs beside each other, and the summary of an expandable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recto.document.markdown.blocks import Block
from recto.tui.render.folds import Fold, Switch
from recto.tui.render.leaf import Frame, Leaf, Part, Row, TextLeaf
from recto.tui.render.line_breaks import break_lines, cells
from recto.tui.render.prose import Prose, Run, clean

_BETWEEN = "   "


class TabsLeaf(Leaf):
    """The titles of tabs; a line is drawn below, thick under the shown tab."""

    def __init__(self, block: Block, frame: Frame, titles: Sequence[str], fold: Fold) -> None:
        super().__init__(block, frame, end=min(block.start + 1, block.end))
        self.fold = self._tabs = fold
        self._titles = [clean(" ".join(title.split())) for title in titles]

    def prose(self) -> Prose:
        """Return the titles, below each other."""
        runs: list[Run] = []
        end = 0
        for number, title in enumerate(self._titles):
            if number:
                runs.append(Run(end, "", None))
            end += len(title)
            runs.append(Run(end, "", Switch.to(self._tabs, number)))
            end += 1
        return Prose("\n".join(self._titles), tuple(runs))

    def folds(self) -> tuple[object, ...]:
        """Return the choices that its visible rows depend on, beside the width."""
        return (*super().folds(), self._tabs.chosen)

    def estimate(self, width: int) -> int:
        """Guess that the titles fit in a single line."""
        return 2

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._lead_spans(width)
        rows: list[Row] = []
        for line in self._lines(room):
            under = "".join(_rule(part.text, chosen) for part, chosen in line)
            parts = tuple(part for part, _chosen in line)
            rows.append(Row(rest if rows else first, parts))
            rows.append(Row(rest, (*_draw_rule(under, room),), still=True))
        return rows

    def _lines(self, room: int) -> list[list[tuple[Part, bool]]]:
        """Return the titles by line, each part with whether it belongs to the tab that is shown."""
        lines: list[list[tuple[Part, bool]]] = [[]]
        taken = start = 0
        for number, title in enumerate(self._titles):
            chosen = number == self._tabs.chosen
            for begin, end in break_lines(title, room):
                piece = title[begin:end]
                size = cells(piece) + (len(_BETWEEN) if lines[-1] else 0)
                if lines[-1] and taken + size > room:
                    lines.append([])
                    taken, size = 0, cells(piece)
                elif lines[-1]:
                    lines[-1].append((Part(_BETWEEN), False))
                role = "accent strong" if chosen else "muted"
                lines[-1].append((Part(piece, role, Switch.to(self._tabs, number), start + begin), chosen))
                taken += size
            start += len(title) + 1
        return lines


def _rule(text: str, chosen: bool) -> str:
    return ("━" if chosen else "─") * cells(text)


def _draw_rule(under: str, room: int) -> list[Part]:
    under = under.ljust(room, "─")
    begin, end = under.find("━"), under.rfind("━") + 1
    if begin < 0:
        return [Part(under, "line")]
    pieces = (Part(under[:begin], "line"), Part(under[begin:end], "accent"), Part(under[end:], "line"))
    return [piece for piece in pieces if piece.text]


class SummaryLeaf(TextLeaf):
    """The summary of an expandable, with a sign that says whether it is open."""

    def __init__(self, block: Block, frame: Frame, make: Callable[[], Prose], fold: Fold) -> None:
        switch = Switch.to(fold, 0)

        def link_prose() -> Prose:
            prose = make()
            runs = tuple(run if run.link is not None else run._replace(link=switch) for run in prose.runs)
            return Prose(prose.text, runs)

        super().__init__(block, frame, block.text, link_prose, end=min(block.start + 1, block.end))
        self.fold = self._body = fold

    def folds(self) -> tuple[object, ...]:
        """Return the choices that its visible rows depend on, beside the width."""
        return (*super().folds(), self._body.chosen)

    def _lay_out(self, width: int) -> list[Row]:
        first, *rest = super()._lay_out(width)
        sign = "▾ " if self._body.chosen == 0 else "▸ "
        return [first._replace(before=(*first.before[:-1], (sign, "accent"))), *rest]
