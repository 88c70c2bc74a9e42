"""Screens and widgets are put together from parts, not inherited: few classes of the program's own stand in a chain."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import recto.tui

LONGEST = 4


def _depth(cls: type) -> int:
    """Count the program's own classes in the longest chain above a class, itself included."""
    own = cls.__module__.partition(".")[0] == "recto"
    return own + max((_depth(base) for base in cls.__bases__), default=0)


def test_no_chain_of_classes_is_longer_than_four() -> None:
    depths = {
        f"{cls.__module__}.{cls.__qualname__}": _depth(cls)
        for module in pkgutil.walk_packages(recto.tui.__path__, "recto.tui.")
        for _, cls in inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        if cls.__module__ == module.name
    }
    assert max(depths.values()) >= 3, "the chains are counted"
    assert {name: depth for name, depth in depths.items() if depth > LONGEST} == {}
