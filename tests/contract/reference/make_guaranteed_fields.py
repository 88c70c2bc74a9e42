"""A writer of ``guaranteed_fields.json`` from the reference's list of fields that responses always have.

    python tests/contract/reference/make_guaranteed_fields.py ../shared/reference/answers.md

Each row, by the name of its model, has two forms: ``older``, and ``newer``, which holds the older one and what is
required besides. A form has, each where there is any,

- ``always``: the names of the fields that are always there,
- ``constants``: of some of these the one value they have,
- ``inside``: of fields that are objects the form they have,
- ``where``: of fields that may be left out the form that they have where they are there,
- ``each``: of fields that are lists the form of each item,
- ``one of``: groups of alternatives, each a form or the name of another row; of each group exactly one holds, and a
  constant tells which; where alternatives have none, the fields of one are all there or all left out.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ALWAYS = Path(__file__).with_name("guaranteed_fields.json")

Form = dict[str, Any]

_TERM = re.compile(r"(?P<name>\w+)(?:=(?P<constant>[\w-]+)|(?P<optional>\?)?\{(?P<inside>.*)\}|\[\{(?P<each>.*)\}\])?")


def make_rows(text: str) -> dict[str, dict[str, Form]]:
    """Return the rows of the list, from its text."""
    rows = {}
    for line in text.partition("|---|---|---|\n")[2].splitlines():
        name, older, newer = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = {"older": read_form(older), "newer": _join(read_form(older), read_form(newer))}
    return rows


def read_form(text: str) -> Form:
    """Return the form that a cell tells, such as ``object=team, id, urls{app}``."""
    form: Form = {}
    for part in _split(text, ","):
        if part.startswith("one of: "):
            alternatives = _split(part.removeprefix("one of: "), " or ")
            form.setdefault("one of", []).append([_alternative(each) for each in alternatives])
            continue
        term = _TERM.fullmatch(part)
        assert term, part
        name = term["name"]
        if term["optional"]:
            form.setdefault("where", {})[name] = read_form(term["inside"])
            continue
        form.setdefault("always", []).append(name)
        if term["constant"]:
            form.setdefault("constants", {})[name] = _constant(term["constant"])
        if term["inside"] is not None:
            form.setdefault("inside", {})[name] = read_form(term["inside"])
        if term["each"] is not None:
            form.setdefault("each", {})[name] = read_form(term["each"])
    return form


def rows_as_text(rows: dict[str, dict[str, Form]]) -> str:
    """Return the rows as they stand in their file: one to a line."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()) + "\n}\n"


def _alternative(text: str) -> Form | str:
    return read_form(text[1:-1]) if text.startswith("{") else text


def _constant(text: str) -> bool | str:
    return {"True": True, "False": False}.get(text, text)


def _join(older: Form, newer: Form) -> Form:
    """Return the form that asks for all that both ask for; later alternatives replace older ones."""
    joined: Form = dict(older)
    for key, said in newer.items():
        if key == "always":
            joined[key] = list(dict.fromkeys([*older.get(key, []), *said]))
        elif key in ("inside", "where", "each"):
            known = older.get(key, {})
            joined[key] = {**known, **{name: _join(known.get(name, {}), form) for name, form in said.items()}}
        elif key == "constants":
            joined[key] = {**older.get(key, {}), **said}
        else:
            joined[key] = said
    return joined


def _split(text: str, separator: str) -> list[str]:
    """Split where the separator is in no braces."""
    parts, depth, at = [""], 0, 0
    while at < len(text):
        if depth == 0 and text.startswith(separator, at):
            parts.append("")
            at += len(separator)
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        parts[-1] += text[at]
        at += 1
    return [part.strip() for part in parts if part.strip()]


if __name__ == "__main__":
    ALWAYS.write_text(rows_as_text(make_rows(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
