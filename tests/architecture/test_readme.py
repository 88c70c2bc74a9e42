from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LEFT_OUT = {"Dialog", "Text"}
"""Groups whose keys stand below every dialog and text field."""


def key_table() -> str:
    """Return the keys of all actions as the README's table: a row for each group."""
    groups: dict[str, list[str]] = {}
    for group, title, keys in registered():
        groups.setdefault(group, []).append(f"`{keys.split()[0]}` {title[0].lower()}{title[1:]}")
    rows = [f"| {group} | {' · '.join(told)} |" for group, told in groups.items() if group not in LEFT_OUT]
    return "\n".join(["| Where | Keys |", "|---|---|", *rows])


def registered() -> list[tuple[str, str, str]]:
    """Return group, title and keys of the actions that have any, in the order in which a new program registers them."""
    asked = (
        "import json; from recto.tui import actions, views; views.import_views();"
        "print(json.dumps([(a.group, a.title, actions.keys_label(a.keys))"
        " for a in actions.registered() if a.keys and a.in_palette]))"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True, text=True).stdout
    return [(group, title, keys) for group, title, keys in json.loads(told)]


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
