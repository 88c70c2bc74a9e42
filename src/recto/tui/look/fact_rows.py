"""Lines of facts: names with values, under headings, wrapped if needed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType

from recto.tui.lists.rows import WrappedRows
from recto.tui.look.lines import Line, Span, plain, wrap

_INDENT = 2
_NAME = 14
"""The cells that the name of a fact takes."""


def rows(facts: Sequence[Line], ids: Mapping[int, Hashable] = MappingProxyType({})) -> WrappedRows[int]:
    """Return the rows of a list for lines that wrap; the values of facts wrap under themselves.

    The key of a row is its index, or its id in ``ids``.
    """

    def draw(index: int, width: int) -> list[list[Span]]:
        first = facts[index][0][0] if facts[index] else ""
        return wrap(facts[index], width, _NAME if first.endswith(" ") and len(first) == _NAME else _INDENT)

    return WrappedRows(range(len(facts)), draw, key=lambda index: ids.get(index, index))


def heading(text: str, beside: str = "") -> Line:
    """Return a line that begins a part."""
    return [(plain(text), "strong"), (f"  {plain(beside)}" if beside else "", "muted")]


def fact(name: str, value: str, role: str = "") -> Line:
    """Return a line with a name and a value."""
    return [(f"{name:<{_NAME}}", "muted"), (plain(value), role)]
