from __future__ import annotations

import json

from recto.document.json_text import line_at, lines_of

TEXT = """{
  "a": 1, "b": {
    "c d": [
      true,
      {"e": "}\\"{"}
    ],
    "f": []
  },
  "g": null
}"""


def test_members_and_items_are_found_on_their_lines() -> None:
    json.loads(TEXT)
    lines = lines_of(TEXT)
    assert lines == {
        (): 1,
        ("a",): 2,
        ("b",): 2,
        ("b", "c d"): 3,
        ("b", "c d", 0): 4,
        ("b", "c d", 1): 5,
        ("b", "c d", 1, "e"): 5,
        ("b", "f"): 7,
        ("g",): 9,
    }


def test_steps_that_lead_nowhere_are_passed_over() -> None:
    lines = lines_of(TEXT)
    assert line_at(lines, ("b", "object", "c d", "array", 1, "missing")) == 5
    assert line_at(lines, ()) == 1
