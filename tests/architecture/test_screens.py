"""Screens are laid out from panes, which tell them by messages what a person wants."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import recto.tui
from recto.tui.screens.change_request.view import ChangeRequestView
from recto.tui.screens.organizations.view import OrganizationsView
from recto.tui.screens.site.view import SiteView
from recto.tui.screens.space.view import SpaceView
from recto.tui.screens.view import View

TUI = Path(recto.tui.__file__).parent
SCREENS = {OrganizationsView, SpaceView, ChangeRequestView, SiteView}


def own_classes() -> dict[str, type]:
    """Return the classes of the interface by name."""
    return {
        f"{cls.__module__}.{cls.__qualname__}": cls
        for module in pkgutil.walk_packages(recto.tui.__path__, "recto.tui.")
        for _, cls in inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        if cls.__module__ == module.name
    }


def test_each_screen_stands_right_on_the_base_of_all() -> None:
    assert {cls for cls in own_classes().values() if issubclass(cls, View)} - {View} == SCREENS
    assert {cls.__mro__[1] for cls in SCREENS} == {View}


def test_a_base_of_screens_and_panes_has_at_least_two_heirs() -> None:
    heirs: dict[str, set[str]] = {}
    for name, cls in own_classes().items():
        for base in cls.__bases__:
            if base.__module__.startswith("recto.tui.screens"):
                heirs.setdefault(f"{base.__module__}.{base.__qualname__}", set()).add(name)
    assert {"recto.tui.screens.pane.Pane", "recto.tui.screens.view.View"} <= set(heirs)
    assert {base: names for base, names in heirs.items() if len(names) < 2} == {}


def _files() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted((TUI / "screens").rglob("*.py")):
        yield str(file.relative_to(TUI)), ast.parse(file.read_text(encoding="utf-8"))


def test_no_method_of_a_screen_or_pane_is_there_only_to_be_overridden() -> None:
    empty = [
        f"{name}: {cls.name}.{method.name}"
        for name, tree in _files()
        for cls in ast.walk(tree)
        if isinstance(cls, ast.ClassDef) and not any("Protocol" in ast.unparse(base) for base in cls.bases)
        for method in cls.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
        and not method.decorator_list
        and all(isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) for line in method.body)
    ]
    assert empty == []


def test_no_widget_is_looked_for_within_another() -> None:
    """A screen or a pane looks only for what it has put on the screen itself."""
    asked = [
        f"{name}:{call.lineno}"
        for name, tree in _files()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("query_one", "query_exactly_one", "query_children")
        and ast.unparse(call.func.value) != "self"
    ]
    assert asked == []
