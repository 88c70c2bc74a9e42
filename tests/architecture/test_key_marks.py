"""Sentences do not name keys, which people choose themselves: they mark the action, whose key is shown in its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.tui import actions
from recto.tui.navigation import views

SOURCE = Path(__file__).parents[2] / "src/recto"
MARK = re.compile("‹([^›]*)›")
KEY = r"(?:[A-Za-z0-9&?!+*/←→]|esc|[Ee]nter|tab|space|bksp|(?:ctrl|shift|alt)\+\w+|[Ff]\d{1,2})"
NAMES_KEY = re.compile(
    rf"(?:^|[:;.,(] ?|\b(?:and|when) ){KEY} (?!is\b|was\b|has\b|as\b|ago\b)[a-z]+s\b"
    rf"|\({KEY}\)|\b(?:by|with|[Pp]ress|for) (?!a\b|an\b){KEY}(?:[ .;,]|$)"
)
"""What names a key: the key and what it does, the key in brackets, or what is done with it."""

FIXED = {
    "Press the key. Then enter accepts it, and esc cancels.",  # where any other key is the answer
    "with space",  # the hint of an action
}
"""Sentences about keys that nobody can choose."""


def sentences(*packages: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of several words in packages, each with the name of its module; docstrings are left out."""
    for package in packages:
        for file in sorted((SOURCE / package).rglob("*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
                if is_text and id(node) not in documents and " " in node.value.strip():  # type: ignore[attr-defined]
                    yield str(file.relative_to(SOURCE)), node.value  # type: ignore[attr-defined]


def test_no_sentence_names_a_key() -> None:
    found = [each for each in sentences("store", "tui") if NAMES_KEY.search(each[1]) and each[1] not in FIXED]
    assert found == []


@pytest.mark.parametrize(
    "sentence",
    [
        ": e continues it.",
        "Edit a page (e)",
        "u takes it back.",
        "choose it with w first",
        "esc closes it",
        "1 shows it",
    ],
)
def test_a_sentence_that_names_a_key_is_found(sentence: str) -> None:
    assert NAMES_KEY.search(sentence)


def test_marks_name_actions() -> None:
    views.import_views()
    names = {action.name for action in actions.all_actions()}
    found = [(file, name) for file, text in sentences("store", "tui") for name in MARK.findall(text)]
    assert len(found) > 50
    assert [each for each in found if each[1] not in names] == []


def test_what_is_also_read_outside_the_terminal_has_no_marks() -> None:
    read_elsewhere = ("cli", "client", "contract", "document", "server")
    assert [each for each in sentences(*read_elsewhere) if MARK.search(each[1])] == []
