from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

READING = """
import sys
import recto.tui.screens.space.space_view
from recto.contract.content import Content
from recto.contract.spaces import Spaces
from recto.server.http.registry import entry

first = (Spaces.get_space, Content.list_pages, Content.get_page)
assert all(entry(operation) for operation in first)
print(*sys.modules)
"""
"""Imports what a start on a page needs until that page is there, at both ends."""

LATER = (
    *("changes", "collections", "comments", "links", "members", "organizations", "sites", "specifications"),
    "structure",
)
"""Modules of the contract for what is written, or asked for when the page is there: nearly half of a space's models."""

AFTER_A_KEY = {
    "recto.tui.lists.fact_list",
    "recto.tui.screens.space.space_lists",
    "recto.tui.terminal.editor",
    "recto.tui.widgets.line_field",
    "recto.tui.widgets.lines_bar",
}
"""Parts of the interface that a page is read without."""

FETCHING = {"httpcore", "httpx", "yaml", "recto.server.fetching", "recto.document.openapi.description"}
"""What asks other machines, and what reads their descriptions."""


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


def test_the_parts_import_one_another_as_the_design_says() -> None:
    """The rules stand in ``pyproject.toml`` under ``tool.importlinter``; imports inside functions count."""
    linter = Path(sys.executable).parent / "lint-imports"
    result = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_what_comes_later_is_not_imported_before_the_page_is_there() -> None:
    command = [sys.executable, "-c", READING]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    loaded = set(result.stdout.split())
    assert loaded >= {"recto.contract.content", "recto.contract.spaces"}
    assert not loaded & {f"recto.contract.{name}" for name in LATER}
    assert not loaded & (FETCHING | AFTER_A_KEY)


def test_nothing_heavy_is_imported_before_the_first_frame() -> None:
    command = [sys.executable, "-c", BEFORE_THE_FIRST_FRAME]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    loaded = set(result.stdout.split())
    assert "textual" in loaded
    assert not loaded & set(HEAVY)
