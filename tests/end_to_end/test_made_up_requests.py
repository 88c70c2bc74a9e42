"""Made-up requests to ``recto serve``, from its own description: it never breaks and answers only as described.

Each operation gets requests that fit its description, and some that do not and are to be refused; then operations are
strung together along the links between them. The ids in them are mostly those of things that are there. The requests
are the same in each run, and each operation and each string begins with the same workspace. A longer run makes twenty
times as many:

    RECTO_MADE_UP=20 uv run pytest -n0 -m slow tests/end_to_end/test_made_up_requests.py
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import engine
from schemathesis.checks import not_a_server_error
from schemathesis.core.errors import InvalidSchema
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from end_to_end.sample_calls.world import Known, prepare
from recto.contract.api import routes
from recto.contract.describe import full_path, operation_id
from recto.contract.model import json_name
from recto.contract.operation import Place, Route
from support.shell import PATIENCE, serving

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("RECTO_MADE_UP", "1"))
FITTING, UNFITTING, STRUNG, LINKS_IN_A_STRING = 6, 6, 40, 12
LONGEST = 8 * 1024
"""How much is made up for a request at most, as hypothesis has it.

Schemathesis lets it be four times as much, of which nearly all comes to nothing: a third of the time was spent on that.
"""

TOKEN = "made-up-requests-4f2a"
HELD = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
SENSE = 0.8
"""How often a made-up id gives way to one that is there."""
FEW = 20
"""Items of a list of ids in whose place one that is known is put: a list that is too long stays too long."""

MEANT = {
    "space": "spaceId", "spaces": "spaceId", "collection": "collectionId", "parent": "collectionId",
    "organization": "elsewhereId", "page": "pageId", "into": "pageId", "revision": "revisionId",
    "users": "userId", "members": "userId", "add": "userId", "remove": "userId", "user": "userId",
    "sectionId": "siteSectionId", "sections": "siteSectionId", "siteSection": "otherSectionId",
    "siteSpace": "otherSiteSpaceId", "siteSectionGroup": "otherGroupId", "defaultTeam": "teamId",
    "site": "siteId", "defaultSiteSpace": "siteSpaceId", "defaultSiteSection": "siteSectionId",
}  # fmt: skip
"""The path parameter whose ids a field of a body holds, where it is not called the same."""

CONFIGURATION = {
    "generation": {"with-security-parameters": False},
    "phases": {"stateful": {"generation": {"mode": "positive"}, "inference": {"algorithms": []}}},
}
each_operation = pytest.mark.parametrize("operation", [pytest.param(each, id=operation_id(each)) for each in routes()])


@dataclass(frozen=True)
class Served:
    """A workspace that is served, what is in it, and what the server says of itself."""

    schema: Any
    known: Known
    session: requests.Session
    file: Path
    prepared: Path

    def restore(self) -> None:
        """Have the workspace be as it was at first, while it is served."""
        with closing(sqlite3.connect(self.prepared)) as first, closing(sqlite3.connect(self.file)) as live:
            first.backup(live)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("made-up")
    prepared, file = folder / "prepared.recto", folder / "workspace.recto"
    known = prepare(prepared)
    shutil.copy(prepared, file)
    with serving(folder / "home", "--workspace", str(file), token=TOKEN) as server, requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {TOKEN}"
        address = f"{server.address.removesuffix('/v1')}/openapi.json"
        session.get(address, timeout=PATIENCE)  # it is written when it is first asked for, and then kept
        schema = schemathesis.openapi.from_url(address, config=schemathesis.Config.from_dict(CONFIGURATION))
        yield Served(schema, {json_name(name): known[name] for name in known}, session, file, prepared)
        said = server.stop(signal.SIGINT)
    assert (said.code, said.errors) == (0, "")


def _settings(examples: int, **more: Any) -> settings:
    return settings(
        max_examples=examples * TIMES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
        **more,
    )


@each_operation
def test_it_answers_as_it_says(operation: Route, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUFFER_SIZE", LONGEST)
    served.restore()
    described = served.schema[full_path(operation)][operation.method]
    choice = Random(operation_id(operation))
    known = dict(served.known)
    if "{change_request_id}" in operation.path:
        known |= {name: known[f"proposal{name[0].upper()}{name[1:]}"] for name in ("commentId", "commentReplyId")}

    def ask(case: Any) -> None:
        _speak_of_what_is_there(case, known, choice)
        _hold(case, case.call(session=served.session))

    fitting = _cases(described.as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE), RecursionError)
    # A breach that schemathesis cannot carry out is a description of its own, and says nothing of the server's.
    unfitting = _cases(
        described.as_strategy(
            generation_mode=schemathesis.GenerationMode.NEGATIVE,
            path_parameters={each.name: "made-up" for each in described.path_parameters if _takes_any(each)},
        ),
        RecursionError,
        InvalidSchema,
    )
    _settings(FITTING)(given(case=fitting)(ask))()
    if any(each.place is not Place.PATH for each in operation.parameters):  # any text fits a path
        _settings(UNFITTING)(given(case=unfitting)(ask))()


def _takes_any(parameter: Any) -> bool:
    """Whether any text fits a part of a path: what is made up in looking for one that does not is mostly no path."""
    return bool(parameter.definition["schema"] == {"type": "string", "pattern": "^[^/]+$"})


@st.composite
def _cases(draw: st.DrawFn, made_up: st.SearchStrategy[Any], *left_out: type[Exception]) -> Any:
    """Make up a request, leaving out those that fail: schemathesis comes to no end where rich text is in rich text."""
    try:
        return draw(made_up)
    except left_out:
        reject()


def _speak_of_what_is_there(case: Any, known: Known, choice: Random, made: Collection[str] = ()) -> None:
    """Put what is known in the place of most ids that were made up, and mostly ask for the first page of a list."""
    for name, value in (case.path_parameters or {}).items():
        if name in known and value not in made and choice.random() < SENSE:
            case.path_parameters[name] = known[name]
    if isinstance(case.query, dict) and choice.random() < SENSE:
        case.query.pop("page", None)
    _fill_in(case.body, known, choice)


def _fill_in(body: Any, known: Known, choice: Random) -> None:
    if isinstance(body, list):
        for each in body:
            _fill_in(each, known, choice)
    elif isinstance(body, dict):
        for name, value in body.items():
            meant = known.get(MEANT.get(name) or name)
            if meant is None or choice.random() > SENSE:
                _fill_in(value, known, choice)
            elif isinstance(value, str):
                body[name] = meant
            elif isinstance(value, list) and 0 < len(value) <= FEW and all(isinstance(each, str) for each in value):
                body[name] = [meant]


def _hold(case: Any, response: Response) -> None:
    case.validate_response(response, checks=HELD)


def test_what_is_made_is_asked_for_along_the_links(served: Served) -> None:
    class Strings(served.schema.as_state_machine()):  # type: ignore[misc]
        """Calls strung together: what one answers is what the next is about."""

        def setup(self) -> None:
            served.restore()
            self.made: set[str] = set()
            self.choice = Random(0)

        def before_call(self, case: Any) -> None:
            _speak_of_what_is_there(case, served.known, self.choice, self.made)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"session": served.session}

        def after_call(self, response: Response, case: Any) -> None:
            if response.status_code < 300 and response.content:
                self.made.update(_ids(response.json()))

        def validate_response(self, response: Response, case: Any, *_: Any, **__: Any) -> None:
            _hold(case, response)

    Strings.run(settings=_settings(STRUNG, stateful_step_count=LINKS_IN_A_STRING))


def _ids(answer: Any) -> Iterator[str]:
    """Yield the ids in an answer."""
    if isinstance(answer, dict):
        if isinstance(answer.get("id"), str):
            yield answer["id"]
        answer = list(answer.values())
    if isinstance(answer, list):
        for each in answer:
            yield from _ids(each)
