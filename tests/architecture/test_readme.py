from __future__ import annotations

import re
from pathlib import Path

from recto.tui import actions, views

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LEFT_OUT = {"Dialog", "Text"}
"""Groups whose keys stand below every dialog and text field."""


def key_table() -> str:
    """Return the keys of all actions as the README's table: a row for each group."""
    views.import_views()
    groups: dict[str, list[str]] = {}
    for action in actions.registered():
        if action.keys and action.in_palette and action.group not in LEFT_OUT:
            told = f"`{actions.key_label(action.keys[0])}` {action.title[0].lower()}{action.title[1:]}"
            groups.setdefault(action.group, []).append(told)
    rows = [f"| {group} | {' · '.join(told)} |" for group, told in groups.items()]
    return "\n".join(["| Where | Keys |", "|---|---|", *rows])


def test_the_keys_are_those_in_force() -> None:
    assert key_table() in README


def test_each_picture_is_one_that_the_tests_hold() -> None:
    pictures = re.findall(r"!\[[^]]+]\(([^)]+)\)", README)
    assert len(pictures) == 2
    for picture in pictures:
        assert "__snapshots__" in picture
        assert (ROOT / picture.replace("%5B", "[").replace("%5D", "]")).is_file()


def test_each_folder_it_names_is_there() -> None:
    for folder in re.findall(r"^  (\w+)/ {2,}", README, re.MULTILINE):
        assert (ROOT / "src" / "recto" / folder).is_dir()
