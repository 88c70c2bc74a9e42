"""Imports stand at the top; inside functions only what the table in the README names is imported."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEADING = "| Imported late | When |"

BEFORE_THE_FIRST_FRAME = """
import sys
import recto.cli.main, recto.cli.program
import recto.tui.app
print(*sys.modules)
"""
HEAVY = (
    "httpx",
    "pydantic",
    "markdown_it",
    "yaml",
    "rapidfuzz",
    "PIL",
    "tomlkit",
    "sqlite3",
    "recto.server",
    "recto.store.store",
)


def gates() -> set[str]:
    """Read the names in the first column of the table."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").partition(HEADING)[2].split("\n\n")[0].splitlines()
    rows = [line.split("|")[1] for line in lines if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def late_imports(source: str) -> Iterator[tuple[int, set[str]]]:
    """Yield the line of each import inside a function, with the names that it may be of, shortest first."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, {alias.name}) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                yield from ((node.lineno, {module, f"{module}.{alias.name}"}) for alias in node.names)


def is_below(name: str, gate: str) -> bool:
    return name == gate or name.startswith(f"{gate}.")


def test_only_what_the_readme_names_is_imported_late() -> None:
    known = gates()
    assert len(known) > 20
    used: set[str] = set()
    strangers = []
    for file in sorted((ROOT / "src").rglob("*.py")):
        for line, names in late_imports(file.read_text(encoding="utf-8")):
            through = {gate for gate in known if any(is_below(name, gate) for name in names)}
            used |= through
            if not through:
                strangers.append(f"{file.relative_to(ROOT)}:{line} {max(names)}")
    assert strangers == []
    assert known - used == set()


def test_an_import_inside_a_function_is_seen() -> None:
    source = "import a\ndef f():\n    import b\n    async def g():\n        from c.d import e\n"
    assert {name for _, names in late_imports(source) for name in names} == {"b", "c.d", "c.d.e"}


def test_nothing_heavy_is_imported_before_the_first_frame() -> None:
    command = [sys.executable, "-c", BEFORE_THE_FIRST_FRAME]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    loaded = set(result.stdout.split())
    assert "textual" in loaded
    assert not loaded & set(HEAVY)
