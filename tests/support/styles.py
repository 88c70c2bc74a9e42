"""Style sheets parsed once for all programs that a test run starts: each would parse the same ones again."""

from __future__ import annotations

from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


def share_parsed(patch: pytest.MonkeyPatch) -> None:
    """Have style sheets parsed once for each set of variables."""
    parse = Stylesheet._parse_rules
    parsed: dict[tuple[Any, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, *source: Any, **more: Any) -> list[RuleSet]:
        key = (source, *more.items(), *sheet._variables.items())
        if key not in parsed:
            parsed[key] = parse(sheet, *source, **more)
        return parsed[key]

    patch.setattr(Stylesheet, "_parse_rules", parse_once)
