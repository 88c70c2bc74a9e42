"""Styles worked out once for all programs that a test run starts: each would parse and match the same sheets again."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, cast
from weakref import WeakKeyDictionary

import pytest
from textual.app import App
from textual.css.model import RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widget import Widget

_parse_rules = Stylesheet._parse_rules


def share_parsed(patch: pytest.MonkeyPatch) -> None:
    """Have style sheets parsed once for each set of variables."""
    parsed: dict[tuple[Any, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, *source: Any, **more: Any) -> list[RuleSet]:
        key = (source, *more.items(), *sheet._variables.items())
        if key not in parsed:
            parsed[key] = _parse_rules(sheet, *source, **more)
        return parsed[key]

    patch.setattr(Stylesheet, "_parse_rules", parse_once)


def parse_each_time(patch: pytest.MonkeyPatch) -> None:
    """Have style sheets parsed whenever a program does, for tests of that."""
    patch.setattr(Stylesheet, "_parse_rules", _parse_rules)


class _Matched:
    """The rules of all widgets of a class, by what else they depend on: what each widget above is.

    Textual has such a cache for the time in which it goes through the widgets once: the parent itself is in its key.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], RulesMap] = {}

    def get(self, key: tuple[Any, ...]) -> RulesMap | None:
        """Return the rules, if they are known."""
        return self._known.get(self._place(*key))

    def __setitem__(self, key: tuple[Any, ...], rules: RulesMap) -> None:
        self._known[self._place(*key)] = rules

    @staticmethod
    def _place(above: Any, *itself: Any) -> tuple[Any, ...]:
        place = [*itself]
        while isinstance(above, Widget):
            place += (type(above), above._id, above.classes, above.mouse_hover, above.has_focus, above.disabled)
            above = above._parent
        if isinstance(above, App):
            place += (above.classes, above.app_focus, above.native_ansi_color, above.no_color)
        return tuple(place)


def share_matched(patch: pytest.MonkeyPatch) -> None:
    """Have the rules of a widget found once for all widgets in the same place under the same sheets."""
    apply = Stylesheet.apply
    known: dict[tuple[Any, ...], defaultdict[type[DOMNode], _Matched]] = {}
    of_sheet: WeakKeyDictionary[Stylesheet, tuple[list[RuleSet], defaultdict[type[DOMNode], _Matched]]]
    of_sheet = WeakKeyDictionary()

    def apply_known(sheet: Stylesheet, node: DOMNode, *, animate: bool = False, **_: Any) -> None:
        rules, matched = of_sheet.get(sheet, (None, None))
        if matched is None or rules is not sheet.rules:
            rules = sheet.rules
            matched = known.setdefault(tuple(map(id, rules)), defaultdict(_Matched))
            of_sheet[sheet] = rules, matched
        apply(sheet, node, animate=animate, cache=cast("dict[Any, Any]", matched[type(node)]))

    patch.setattr(Stylesheet, "apply", apply_known)
    # The same, without a call of Python for each rule at each widget.
    patch.setattr(RuleSet, "__hash__", object.__hash__)
