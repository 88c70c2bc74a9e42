"""Responses have their guaranteed fields, in a workspace with something of every kind, whoever reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from contract.reference.guaranteed_fields import missing_fields
from end_to_end.sample_calls.world import PEOPLE, Known, admit_people, prepare, token_of
from recto.contract.api import routes
from recto.contract.describe import describe, full_path, operation_id
from recto.contract.operation import Place, Route
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from support.content import make_space
from support.platform import Speaker

pytestmark = pytest.mark.slow  # each answer of each scenario

READS = [each for each in routes() if each.reads]
QUERY = {"query": "start", "search": "a"}
"""What is asked for where something has to be."""

PAGES = (
    ImportedPage("plain", "Plain", "plain", text="# Plain\n\n[There](/pages/looks#part) [gone](gone.md)\n"),
    ImportedPage(
        "looks",
        "Looks",
        "looks",
        text="## Part\n\n{% openapi-operation spec=\"pets\" path=\"/\" %}\n",
        attributes={"cover": {"ref": {"kind": "url", "url": "https://a.example/a.png"}}, "layout": {"width": "wide"}},
    ),
    ImportedPage("group", "Group", "group", type="group", children=(ImportedPage("in", "In it", "in", text="x"),)),
    ImportedPage("link", "Link", "link", type="link", attributes={"target": {"kind": "page", "page": "plain"}}),
    ImportedPage("away", "Away", "away", type="link", attributes={"href": "https://example.org"}),
    ImportedPage("made", "Made", "made", type="computed", attributes={"computed": {"type": "openapi"}}),
    ImportedPage("git", "From Git", "git", text="y", attributes={"git": {"path": "git.md"}, "variables": {"n": "1"}}),
)  # fmt: skip


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Platform, Known]]:
    file = tmp_path_factory.mktemp("always") / "workspace.recto"
    known = prepare(file)
    platform = Platform.open(file)
    admit_people(platform, known)
    yield platform, known
    platform.close()


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    """The schema of the answer of each operation, by its id, as the server describes it."""
    description = describe(routes())
    found = {}
    for item in description["paths"].values():
        for described in item.values():
            content = next(iter(described["responses"].values())).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            found[described["operationId"]] = {**schema, "components": description["components"]}
    return found


def _path(operation: Route, known: Known) -> str:
    return operation.path.replace(":path}", "}").format_map(known)


def _hold(operation: Route, answer: bytes, schemas: dict[str, Any]) -> None:
    assert missing_fields(operation, answer) == []
    validator = jsonschema_rs.Draft202012Validator(schemas[operation_id(operation)])
    validator.validate(json.loads(answer))


@pytest.mark.parametrize("operation", [pytest.param(each, id=operation_id(each)) for each in READS])
async def test_whoever_may_read_it_gets_all_that_it_always_carries(
    operation: Route, opened: tuple[Platform, Known], schemas: dict[str, Any]
) -> None:
    platform, known = opened
    if "{change_request_id}" in operation.path:
        known = {**known, **{name: known[f"proposal_{name}"] for name in ("comment_id", "comment_reply_id")}}
    asked = [each for each in operation.parameters if each.required and each.place is Place.QUERY]
    query = {each.json_name: QUERY[each.name] for each in asked}
    read = 0
    for person in PEOPLE:
        speaker = Speaker(platform)
        headers = {"Authorization": f"Bearer {token_of(person)}"}
        answer = await speaker.request("GET", _path(operation, known), params=query, headers=headers)
        assert answer.status_code in (200, 403, 404), answer.text
        if answer.status_code == 200:
            read += 1
            _hold(operation, answer.content, schemas)
    assert read or operation.path.endswith("/ping")


async def test_pages_of_every_kind_carry_what_their_kind_always_does(tmp_path: Path, schemas: dict[str, Any]) -> None:
    platform = Platform.open(tmp_path / "workspace.recto")
    speaker = Speaker(platform)
    space = make_space(platform, PAGES)
    by_path = {full_path(each): each for each in READS}
    told = [("content", ""), ("content/pages", ""), ("links", ""), ("search", "query=part")]
    for page in ("plain", "looks", "group", "link", "away", "made", "git"):
        told += [
            (f"content/page/{page}", each) for each in ("", "format=document", "format=markdown", "computed=false")
        ]
        told += [(f"content/page/{page}/links", ""), (f"content/page/{page}/backlinks", "")]
    for path, query in told:
        answer = await speaker.request("GET", f"/spaces/{space}/{path}?{query}")
        declared = "/".join("{pageId}" if before == "page" else each for before, each in _steps(path))
        _hold(by_path[f"/v1/spaces/{{spaceId}}/{declared}"], answer.content, schemas)
    platform.close()


def _steps(path: str) -> Iterator[tuple[str, str]]:
    steps = path.split("/")
    return zip(["", *steps], steps, strict=False)
