"""The operations of the reference, with those that are written by hand, and what the contract declares of them."""

from __future__ import annotations

import json
from typing import Any

from contract.reference.further import FURTHER, NAMELESS, QUERY, VALUES
from contract.reference.make_table import TABLE
from recto.contract.api import routes
from recto.contract.describe import full_path
from recto.contract.operation import Route

Key = tuple[str, str]
"""The method and the path of an operation, with its parameters as they are spelled on the wire."""


def key_of(row: dict[str, Any]) -> Key:
    """Return the key of a row of the table."""
    return row["method"], row["path"]


TOLD: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
ROWS: dict[Key, dict[str, Any]] = {key_of(row): row for row in (*TOLD["operations"], *FURTHER)}
KINDS: dict[str, dict[str, Any]] = TOLD["kinds"]
DECLARED: dict[Key, Route] = {(each.method, full_path(each)): each for each in routes()}


def query_of(row: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what is said of each query parameter: by the reference, and where it is silent by others."""
    said = {name: each for name, each in row["query"].items() if name not in NAMELESS} | QUERY.get(key_of(row), {})
    last = row["path"].rpartition("/")[2]
    for name, each in said.items():
        values = VALUES.get(name) or VALUES.get(f"{last} {name}")
        if values:
            said[name] = {"values": values} | each
    return said
