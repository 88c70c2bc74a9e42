"""Time of checking a specification, and of comparing two versions of it, against parsing its file.

    uv run python tests/benchmarks/specification.py [OPERATIONS]

Two versions are made up: each operation has parameters, a body and responses with a schema of its own, in which the
later version has another field. Printed are the processor time of each in seconds, and its ratio to parsing one file.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import yaml

from recto.document.openapi.checking import check
from recto.document.openapi.differences import compare
from recto.document.openapi.source import read_values

OPERATIONS = 1_000
ROUNDS = 3


def description(operations: int, more: str) -> dict[str, Any]:
    def schema(at: int) -> dict[str, Any]:
        fields = {
            f"field{number}": {"type": "string", "description": "What it is", "maxLength": 9} for number in range(8)
        }
        other = {"$ref": f"#/components/schemas/S{(at + 1) % operations}"}
        return {
            "type": "object",
            "required": ["field1"],
            "properties": {**fields, more: {"type": "integer"}, "other": other},
        }

    def operation(at: int) -> dict[str, Any]:
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/S{at}"}}}
        parameters = [{"name": f"p{number}", "in": "query", "schema": {"type": "integer"}} for number in range(4)]
        answers = {status: {"description": "An answer", "content": content} for status in ("200", "404")}
        return {
            "summary": f"Put {at}",
            "parameters": parameters,
            "requestBody": {"content": content},
            "responses": answers,
        }

    return {
        "openapi": "3.1.0",
        "info": {"title": "Large", "version": "1"},
        "paths": {f"/things{at}": {"put": operation(at)} for at in range(operations)},
        "components": {"schemas": {f"S{at}": schema(at) for at in range(operations)}},
    }


def least(work: Callable[[], object]) -> float:
    """Return the least processor time of several rounds, in seconds."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def measure(operations: int) -> None:
    before, after = description(operations, "before"), description(operations, "after")
    source = yaml.dump(before, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)).encode()
    parsing = least(lambda: read_values(source))
    print(f"{operations:,} operations, {len(source) / 1e6:.1f} MB of YAML: parsed in {parsing:.2f} s")
    for name, work in (("checked", lambda: check(source)), ("compared", lambda: compare(before, after))):
        taken = least(work)
        print(f"{name} in {taken:.2f} s: {taken / parsing:.2f} times parsing")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else OPERATIONS)
