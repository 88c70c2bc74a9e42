"""Every operation of the contract, for every role, with every field at its limit and past it, and called twice.

``sample_calls`` says how each operation is called validly; what may go wrong with a call follows from its description.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from contract.reference.make_table import TABLE
from end_to_end.sample_calls import content, directory, sites
from end_to_end.sample_calls.faults import Fault, faults, fields_at_their_limits
from end_to_end.sample_calls.table import SampleCall, path_parameters
from end_to_end.sample_calls.world import PEOPLE, Known, admit_people, fill_in, prepare, token_of
from recto.contract.api import routes
from recto.contract.describe import describe, full_path, operation_id
from recto.contract.operation import Route
from recto.server import fetching
from recto.server.platform import Platform
from support.engines import HANGING, write_engine
from support.git_server import Clone, GitServer
from support.platform import BASE_URL
from support.states import state_of
from support.web import web  # noqa: F401  each address leads to a page

pytestmark = pytest.mark.slow  # each operation for each role, and again

SAMPLES: dict[Route, SampleCall] = {
    route: sample
    for each, sample in (directory.SAMPLES | content.SAMPLES | sites.SAMPLES).items()
    for route in ([each] if isinstance(each, Route) else each.routes)
}
DESCRIPTION = describe(routes())

REQUIRED: dict[str | None, list[str]] = {
    kind["object"]: [name for name, field in kind["fields"].items() if field.get("required")]
    for kind in json.loads(TABLE.read_text(encoding="utf-8"))["kinds"].values()
}

each_operation = pytest.mark.parametrize("operation", [pytest.param(each, id=operation_id(each)) for each in SAMPLES])
each_that_writes = pytest.mark.parametrize(
    "operation", [pytest.param(each, id=operation_id(each)) for each in SAMPLES if not each.reads]
)


@dataclass(frozen=True)
class Stage:
    """A workspace that is open, and a client that anyone may speak through."""

    client: httpx.AsyncClient
    known: Known
    file: Path

    async def call(
        self, operation: Route, sample: SampleCall, person: str | None = "admin", /, **other: Any
    ) -> httpx.Response:
        """Make a sample call as a person; ``ids``, ``query`` and ``body`` replace those of the sample."""
        ids = {name: self.known[sample.path.get(name, name)] for name in path_parameters(operation)}
        ids |= other.get("ids", {})
        query = other.get("query", fill_in(dict(sample.query), self.known))
        body = other.get("body", fill_in(sample.body, self.known))
        path = operation.path.replace(":path}", "}").format(
            **{name: quote(each, safe="/") for name, each in ids.items()}
        )
        headers = {"Authorization": f"Bearer {token_of(person)}"} if person else {}
        return await self.client.request(operation.method, f"/v1{path}", params=query, json=body, headers=headers)


@dataclass(frozen=True)
class Prepared:
    """The workspace that is copied for everyone who may change it."""

    file: Path
    known: Known


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, repository: str) -> Prepared:
    file = tmp_path_factory.mktemp("prepared") / "workspace.recto"
    return Prepared(file, {**prepare(file), "repository": repository})


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a repository on loopback, which everybody may ask for here."""
    root = tmp_path_factory.mktemp("repositories")
    with GitServer(root).running() as server, pytest.MonkeyPatch.context() as patched:
        Clone(root / "clone", server.make("docs.git")).commit({"README.md": "# Home\n"})
        patched.setattr(fetching, "is_public", lambda address: True)
        yield f"{server.address}/docs.git"


@asynccontextmanager
async def staged(file: Path, known: Known) -> AsyncIterator[Stage]:
    platform = Platform.open(file)
    platform.engine = write_engine(file.parent, HANGING)
    try:
        admit_people(platform, known)
        transport = httpx.ASGITransport(platform.application, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as client:
            yield Stage(client, known, file)
    finally:
        platform.close()


@asynccontextmanager
async def fresh(prepared: Prepared, folder: Path) -> AsyncIterator[Stage]:
    """Open a copy of the workspace for one test."""
    copy = Path(shutil.copy(prepared.file, folder / f"{uuid4()}.recto"))
    async with staged(copy, prepared.known) as stage:
        yield stage


@pytest.fixture(scope="module")
def untouched(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the workspace in which nothing can be changed."""
    file = Path(shutil.copy(prepared.file, tmp_path_factory.mktemp("untouched")))
    before = state_of(file)
    yield file
    assert state_of(file) == before, "something was changed by a call that was refused"


@pytest.fixture
async def stage(untouched: Path, prepared: Prepared) -> AsyncIterator[Stage]:
    async with staged(untouched, prepared.known) as opened:
        yield opened


def _list_lacking(answer: Any) -> Iterator[str]:
    """Yield the fields that the reference calls required and that an object in an answer lacks."""
    if isinstance(answer, dict):
        yield from (
            f"{answer['object']}: {name}" for name in REQUIRED.get(answer.get("object"), ()) if name not in answer
        )
        answer = list(answer.values())
    if isinstance(answer, list):
        for each in answer:
            yield from _list_lacking(each)


def _describe_answer(answer: httpx.Response) -> str:
    return f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text[:300]}"


def test_every_operation_has_a_deed() -> None:
    assert {operation_id(each) for each in SAMPLES} == {operation_id(each) for each in routes()}


@each_operation
async def test_it_takes_its_role_and_no_more(operation: Route, prepared: Prepared, tmp_path: Path) -> None:
    sample = SAMPLES[operation]
    doers = sample.doers(operation)
    assert doers
    async with fresh(prepared, tmp_path) as stage:
        before = state_of(stage.file)
        for person in PEOPLE:
            if person not in doers:
                answer = await stage.call(operation, sample, person)
                assert answer.status_code == sample.expected(operation, person), f"{person} {_describe_answer(answer)}"
        assert state_of(stage.file) == before, "something was changed without permission"
        answer = await stage.call(operation, sample, doers[0])
        assert answer.status_code == operation.status, f"{doers[0]} {_describe_answer(answer)}"
        assert bool(answer.content) == (operation.response is not NoneType)
        assert list(_list_lacking(answer.json() if answer.content else None)) == []
    for person in doers[1:]:
        async with fresh(prepared, tmp_path) as stage:
            answer = await stage.call(operation, sample, person)
            assert answer.status_code == operation.status, f"{person} {_describe_answer(answer)}"


@each_operation
async def test_it_takes_a_good_token(operation: Route, stage: Stage) -> None:
    sample = SAMPLES[operation]
    for person in (None, "nobody"):
        answer = await stage.call(operation, sample, person)
        assert answer.status_code == 401, _describe_answer(answer)


@each_operation
async def test_an_unknown_id_is_not_found(operation: Route, prepared: Prepared, tmp_path: Path) -> None:
    sample = SAMPLES[operation]
    async with fresh(prepared, tmp_path) as stage:
        for parameter in path_parameters(operation):
            answer = await stage.call(operation, sample, ids={parameter: "nowhere"})
            assert answer.status_code == sample.unknown_status(operation, parameter), _describe_answer(answer)


@each_that_writes
async def test_the_same_call_a_second_time(operation: Route, prepared: Prepared, tmp_path: Path) -> None:
    sample = SAMPLES[operation]
    person = sample.doers(operation)[0]
    async with fresh(prepared, tmp_path) as stage:
        assert (await stage.call(operation, sample, person)).status_code == operation.status
        answer = await stage.call(operation, sample, person)
        assert answer.status_code == (sample.again or operation.status), _describe_answer(answer)


@each_operation
async def test_what_is_not_as_described_is_refused_by_name(operation: Route, stage: Stage) -> None:
    sample = SAMPLES[operation]
    query, body = fill_in(dict(sample.query), stage.known), fill_in(sample.body, stage.known)
    for fault in faults(_describe(operation), DESCRIPTION["components"]["schemas"], query, body):
        answer = await _call(stage, operation, sample, fault)
        assert answer.status_code == 400, f"{fault.why}: {_describe_answer(answer)}"
        assert fault.named in answer.json()["error"]["message"], f"{fault.why}: {_describe_answer(answer)}"


@each_operation
async def test_what_is_at_its_limit_is_taken(operation: Route, prepared: Prepared, tmp_path: Path) -> None:
    sample = SAMPLES[operation]
    query, body = fill_in(dict(sample.query), prepared.known), fill_in(sample.body, prepared.known)
    found = list(fields_at_their_limits(_describe(operation), DESCRIPTION["components"]["schemas"], query, body))
    for together in [found] if operation.reads else [[each] for each in found]:
        async with fresh(prepared, tmp_path) as stage:
            for at_limit in together:
                answer = await _call(stage, operation, sample, at_limit)
                assert answer.status_code == operation.status, f"{at_limit.why}: {_describe_answer(answer)}"


async def _call(stage: Stage, operation: Route, sample: SampleCall, fault: Fault) -> httpx.Response:
    return await stage.call(operation, sample, sample.doers(operation)[0], query=fault.query, body=fault.body)


def _describe(operation: Route) -> dict[str, Any]:
    described: dict[str, Any] = DESCRIPTION["paths"][full_path(operation)][operation.method.lower()]
    return described
