"""How the code is put together: short chains of classes, and no public function that nothing calls."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from textual.message_pump import MessagePump

import recto.tui

ROOT = Path(__file__).parents[2]
LONGEST_CHAIN = 4

HOOKS = re.compile(r"(on|action|watch|compute|validate|visit|depart|render|get|check)_\w+|compose|render|main")
"""Names by which Textual, docutils and the like call methods."""

PLAIN_DECORATORS = {
    *("property", "cached_property", "cache", "staticmethod", "classmethod", "abstractmethod"),
    *("contextmanager", "asynccontextmanager", "overload"),
}
"""Decorators that call a function for nobody."""

CALLED_BY_LIBRARIES = {
    "handleError",  # logging
    "field_title_should_be_set",  # pydantic, of a generator of JSON schemas
    "model_post_init",  # pydantic
    "selection_updated",  # Textual, of a widget whose text is marked
}


def own_chain(kind: type) -> list[type]:
    """Return a class and its own ancestors, the longest way up to one of Textual's."""
    above = [own_chain(base) for base in kind.__bases__ if base.__module__.startswith("recto.")]
    return [kind, *max(above, key=len, default=[])]


def own_widgets() -> Iterator[type]:
    """Import all of the interface, and yield its classes that stand on Textual's."""
    for module in pkgutil.walk_packages(recto.tui.__path__, "recto.tui."):
        found = vars(importlib.import_module(module.name)).values()
        yield from (kind for kind in found if isinstance(kind, type) and issubclass(kind, MessagePump))


def test_no_class_stands_more_than_four_own_classes_above_textual() -> None:
    chains = {kind: own_chain(kind) for kind in own_widgets() if kind.__module__.startswith("recto.")}
    assert len(chains) > 50
    assert [chain for chain in chains.values() if len(chain) > LONGEST_CHAIN] == []


def public_functions(tree: ast.Module) -> Iterator[str]:
    """Yield the names of functions and methods that others may call; what registers a function calls it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            plain = all(isinstance(one, ast.Name) and one.id in PLAIN_DECORATORS for one in node.decorator_list)
            if plain and not node.name.startswith("_") and not HOOKS.fullmatch(node.name):
                yield node.name


def names_used(tree: ast.Module) -> Iterator[str]:
    """Yield the names that code speaks of; a definition or an import alone is no use."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value


def test_each_public_function_has_a_caller() -> None:
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in (ROOT / "src").rglob("*.py")}
    used = {name for tree in trees.values() for name in names_used(tree)} | CALLED_BY_LIBRARIES
    unused = {
        f"{file.relative_to(ROOT)}: {name}"
        for file, tree in trees.items()
        for name in public_functions(tree)
        if name not in used
    }
    assert unused == set()


def test_a_function_that_only_defines_imports_or_mentions_itself_is_unused() -> None:
    source = """
    from module import dead
    def dead(): "dead is what this is"
    def alive(): pass
    @property
    def read(self): return alive()
    @handler
    def registered(): pass
    """
    tree = ast.parse(textwrap.dedent(source))
    assert set(public_functions(tree)) - set(names_used(tree)) == {"dead", "read"}
