"""Screens are put together from panes and widgets from parts: few classes of the program's own stand in a chain."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path

from textual.dom import DOMNode

import recto.tui
from recto.tui.look.themes import FIRST, LATER, style_sheets
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.organizations.organizations_view import OrganizationsView
from recto.tui.screens.site.site_view import SiteView
from recto.tui.screens.space.space_view import SpaceView
from recto.tui.screens.view import View
from support.private import is_private

LONGEST = 4
TEXTUAL = {"ContentSwitcher", "Toast", "ToastRack", "ToastHolder"}
"""Widgets of Textual itself that the sheets style."""
SCREENS = {OrganizationsView, SpaceView, ChangeRequestView, SiteView}


@cache
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


def _depth(cls: type) -> int:
    """Count the program's own classes in the longest chain above a class, itself included."""
    own = cls.__module__.partition(".")[0] == "recto"
    return own + max((_depth(base) for base in cls.__bases__), default=0)


def test_no_chain_of_classes_is_longer_than_four() -> None:
    depths = {name: _depth(cls) for name, cls in own_classes().items()}
    assert max(depths.values()) >= 3, "the chains are counted"
    assert {name: depth for name, depth in depths.items() if depth > LONGEST} == {}


def test_each_type_in_a_style_sheet_is_that_of_a_widget_or_screen() -> None:
    bases = {base for cls in own_classes().values() if issubclass(cls, DOMNode) for base in cls.__mro__}
    widgets = {base.__name__ for base in bases if issubclass(base, DOMNode)} | TEXTUAL
    sheets = "\n".join(Path(sheet).read_text(encoding="utf-8") for sheet in style_sheets((*FIRST, *LATER)))
    selectors = re.findall(r"([^{};]*)\{", re.sub(r"/\*.*?\*/", "", sheets, flags=re.DOTALL))
    types = {name for selector in selectors for name in re.findall(r"(?<![\w.#-])[A-Z]\w*", selector)}
    assert {"PageView", "ToastRack"} <= types
    assert types - widgets == set()


def test_private_methods_of_textual_are_overridden_in_one_module_alone() -> None:
    found = []
    for class_name, cls in own_classes().items():
        if cls.__module__ == "recto.tui.private_names":
            continue
        libraries = [base for base in cls.__mro__ if base.__module__.partition(".")[0] in ("textual", "rich")]
        for name, value in vars(cls).items():
            if is_private(name) and callable(value) and any(name in vars(base) for base in libraries):
                found.append(f"{class_name}.{name}")
    # The metaclass sets these on each class.
    assert [name for name in found if not name.endswith(("._decorated_handlers", "._merged_bindings"))] == []
