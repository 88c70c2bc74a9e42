"""Private names of libraries stand in one module for each library, and nothing is put into ``sys.modules``."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import recto.tui

SOURCES = Path(__file__).parents[2] / "src/recto"
GATHERED = SOURCES / "tui/private_names.py"
PUBLIC = frozenset({"_", "_replace", "_asdict", "_fields", "_make"})
"""What begins with an underscore and is no private name: what every named tuple offers."""


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__")) and name not in PUBLIC


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    for file in sorted(SOURCES.rglob("*.py")):
        yield file, ast.parse(file.read_text(encoding="utf-8"))


def _own_names() -> set[str]:
    """Return the private names that the program itself gives to something."""
    names: set[str] = set()
    for file, tree in _trees():
        if file == GATHERED:
            continue
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    names.add(node.name)
                case ast.Attribute(ctx=ast.Store()):
                    names.add(node.attr)
                case ast.Name(ctx=ast.Store()):
                    names.add(node.id)
                case ast.Constant(value=str(text)):
                    names.add(text)  # slots
    return names


def test_private_names_of_libraries_are_used_in_one_module_alone() -> None:
    own = _own_names()
    found = []
    for file, tree in _trees():
        if file == GATHERED:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                names = [node.attr] if node.attr not in own else []
            elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("recto"):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [part for alias in node.names for part in alias.name.split(".")]
            else:
                continue
            found += [f"{file.relative_to(SOURCES)}:{node.lineno} {name}" for name in names if _is_private(name)]
    assert found == []


def test_private_methods_of_textual_are_overridden_in_one_module_alone() -> None:
    found = []
    for module in pkgutil.walk_packages(recto.tui.__path__, "recto.tui."):
        if module.name == "recto.tui.private_names":
            continue
        for _, cls in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if cls.__module__ != module.name:
                continue
            libraries = [base for base in cls.__mro__ if base.__module__.partition(".")[0] in ("textual", "rich")]
            for name, value in vars(cls).items():
                if _is_private(name) and callable(value) and any(name in vars(base) for base in libraries):
                    found.append(f"{module.name}.{cls.__name__}.{name}")
    # The metaclass sets these on each class.
    assert [name for name in found if not name.endswith(("._decorated_handlers", "._merged_bindings"))] == []


def test_nothing_is_put_into_the_modules_of_python() -> None:
    found = []
    for file, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                changes = node.attr in ("setdefault", "update", "pop")
            elif isinstance(node, ast.Subscript):
                changes = isinstance(node.ctx, ast.Store | ast.Del)
            else:
                continue
            if changes and ast.unparse(node.value) == "sys.modules":
                found.append(f"{file.relative_to(SOURCES)}:{node.lineno}")
    assert found == []
