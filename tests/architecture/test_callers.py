"""No public function that nothing calls."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOOKS = re.compile(r"(on|action|watch|compute|validate|visit|depart|render|get|check|convert)_\w+|compose|render|main")
"""Names by which Textual, markdownify and the like call methods."""

PLAIN_DECORATORS = {
    *("property", "cached_property", "cache", "staticmethod", "classmethod", "abstractmethod"),
    *("contextmanager", "asynccontextmanager", "overload"),
}
"""Decorators under which a function still needs a caller."""

CALLED_BY_LIBRARIES = {
    "handleError",  # logging
    "field_title_should_be_set",  # pydantic, of a generator of JSON schemas
    "model_post_init",  # pydantic
    "selection_updated",  # Textual, of a widget whose text is marked
}


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
