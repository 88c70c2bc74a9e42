"""The README and the guide against the program; ``python tests/architecture/test_readme.py`` writes their tables."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
README_FILE = ROOT / "README.md"
README = README_FILE.read_text(encoding="utf-8")
NAMES = ROOT / "src" / "recto" / "server" / "guide" / "pages" / "keys" / "names.md"
LEFT_OUT = {"Dialog", "Text"}
"""Groups whose keys stand below every dialog and text field."""

Registered = tuple[str, str, str, list[str], bool]
"""Group, name, title and keys of an action, and whether the palette has it."""


def key_table() -> str:
    """Return the keys of all actions as the README's table: a row for each group."""
    groups: dict[str, list[str]] = {}
    for group, _name, title, keys, in_palette in registered():
        if keys and in_palette:
            groups.setdefault(group, []).append(f"`{keys[0]}` {title[0].lower()}{title[1:]}")
    rows = [f"| {group} | {' · '.join(told)} |" for group, told in groups.items() if group not in LEFT_OUT]
    return "\n".join(["| Where | Keys |", "|---|---|", *rows])


def name_tables() -> str:
    """Return the names of all actions as the guide's tables: one for each group."""
    groups: dict[str, list[str]] = {}
    for group, name, title, keys, _in_palette in registered():
        row = f"| `{name}` | {title} | {', '.join(f'`{key}`' for key in keys)} |"
        groups.setdefault(group, []).append(row)
    return "\n\n".join(
        "\n".join([f"## {group}", "", "| Name | Action | Keys |", "|---|---|---|", *rows])
        for group, rows in groups.items()
    )


@cache
def registered() -> list[Registered]:
    """Return the actions in the order in which a new program registers them."""
    asked = (
        "import json; from recto.tui import actions; from recto.tui.navigation import views; views.import_views();"
        "print(json.dumps([(a.group, a.name, a.title, [actions.key_label(key) for key in a.keys], a.in_palette)"
        " for a in actions.all_actions()]))"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True, text=True).stdout
    return [(group, name, title, keys, listed) for group, name, title, keys, listed in json.loads(told)]


def test_the_keys_are_those_in_force() -> None:
    assert key_table() in README


def test_the_guide_names_every_action() -> None:
    assert name_tables() in NAMES.read_text(encoding="utf-8")


def test_each_picture_is_one_that_the_tests_hold() -> None:
    pictures = re.findall(r"!\[[^]]+]\(([^)]+)\)", README)
    assert len(pictures) == 2
    for picture in pictures:
        assert "__snapshots__" in picture
        assert (ROOT / picture.replace("%5B", "[").replace("%5D", "]")).is_file()


def test_each_folder_it_names_is_there() -> None:
    for folder in re.findall(r"^  (\w+)/ {2,}", README, re.MULTILINE):
        assert (ROOT / "src" / "recto" / folder).is_dir()


def write_tables() -> None:
    """Write the tables of actions into the README and the guide."""
    rows = re.compile(r"^\| Where \| Keys \|\n(?:\|.*\n)+", re.MULTILINE)
    README_FILE.write_text(rows.sub(lambda _: f"{key_table()}\n", README), encoding="utf-8")
    before = NAMES.read_text(encoding="utf-8").partition(f"## {registered()[0][0]}\n")[0]
    NAMES.write_text(f"{before}{name_tables()}\n", encoding="utf-8")


if __name__ == "__main__":
    write_tables()
