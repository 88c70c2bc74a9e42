"""Whatever the public descriptions allow is read, and what is read says what was sent.

``RECTO_GENERATED=200 uv run pytest tests/client/test_generated.py`` makes as many answers up for each operation.
"""

from __future__ import annotations

import json
import os
import re
from datetime import datetime
from typing import Any

import httpx
import pytest

from recto.client.sender import Sender
from recto.contract.api import routes
from recto.contract.describe import full_path
from recto.contract.operation import Place, Route
from recto.contract.unread import all_unread
from support.shapes import Shapes, reference_answers

NUMBER = int(os.environ.get("RECTO_GENERATED", "6"))

_OTHERS = {"createdByGitBook": "createdByService", "gitbookVisitorClaims": "serviceVisitorClaims"}
_TAGS = {"object", "type", "kind", "operation"}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT.*")

ANSWERS = reference_answers()


def answer_of(operation: Route) -> Any:
    return ANSWERS.get((operation.method, re.sub(r"\{\w+\}", "{}", full_path(operation))))


OPERATIONS = [each for each in routes() if answer_of(each) is not None]


def difference(sent: Any, read: Any, place: str = "") -> str:
    """Return where what was read differs from what was sent, empty where it says the same."""
    if isinstance(sent, dict) and isinstance(read, dict):
        for name, value in sent.items():
            name = _OTHERS.get(name, name)
            if name not in read:
                if value is None:
                    continue
                return f"{place}.{name} was lost"
            if found := difference(value, read[name], f"{place}.{name}"):
                return found
        more = read.keys() - {_OTHERS.get(name, name) for name in sent} - _TAGS
        return f"{place} has {sorted(more)} besides" if more else ""
    if isinstance(sent, list) and isinstance(read, list):
        if len(sent) != len(read):
            return f"{place} has {len(read)} items, not {len(sent)}"
        inside = (difference(*pair, f"{place}[{at}]") for at, pair in enumerate(zip(sent, read, strict=True)))
        return next((each for each in inside if each), "")
    if sent is None or sent == read:
        # What has a default may stand in place of null.
        return ""
    if isinstance(sent, float) and isinstance(read, int | float) and round(sent) == read:
        return ""
    if isinstance(sent, str) and isinstance(read, str) and _MOMENT.fullmatch(sent) and _MOMENT.fullmatch(read):
        return "" if datetime.fromisoformat(sent) == datetime.fromisoformat(read) else f"{place}: {sent} became {read}"
    return f"{place}: {sent!r} became {read!r}"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: f"{each.resource.__name__}.{each.name}")
async def test_what_is_read_is_what_was_sent(operation: Route) -> None:
    made = [Shapes(seed).answer(answer_of(operation), goes_on=True) for seed in range(NUMBER)]
    answers = iter(made)
    sender = Sender(
        "https://x.y", None, transport=lambda: httpx.MockTransport(lambda _: httpx.Response(200, json=next(answers)))
    )
    arguments = {
        each.name: None if each.place is Place.BODY else "x" if each.required else None for each in operation.parameters
    }
    for seed, sent in enumerate(made):
        read: Any = await sender.send(operation.operation, operation.arguments(arguments))
        assert [note.words for note in all_unread(read)] == [], f"seed {seed}: {json.dumps(sent)[:2000]}"
        assert difference(sent, json.loads(read.to_json())) == "", f"seed {seed}"
    await sender.aclose()


def test_all_operations_that_answer_are_held_to_this() -> None:
    assert len(OPERATIONS) > 100
