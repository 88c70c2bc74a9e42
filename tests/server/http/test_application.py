from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.contract.api import routes
from recto.contract.common import User
from recto.contract.spaces import Spaces
from recto.contract.users import Users
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.http.registry import Registration, _entries, entry, handles
from recto.server.http.request_guard import error_response
from recto.server.http.routing import OperationRoutes
from recto.server.platform import Platform
from support.platform import Speaker


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic wrong", "Bearer wrong wrong", "Bearer é"]
)
async def test_without_a_good_token_it_answers_401(platform: Platform, authorization: str | None) -> None:
    headers = [] if authorization is None else [(b"authorization", authorization.encode())]
    transport = httpx.ASGITransport(platform.application)
    async with httpx.AsyncClient(transport=transport, base_url="http://recto.test") as client:
        answer = await client.get("/v1/user", headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == 401
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_the_scheme_of_the_token_may_be_written_in_any_case(platform: Platform, ada: Speaker) -> None:
    answer = await ada.request("GET", "/user", headers={"Authorization": f"bearer {platform.token}"})
    assert answer.status_code == 200


async def test_an_unknown_address_is_a_404_and_an_unknown_method_a_405(ada: Speaker, organization: str) -> None:
    assert await ada.refused("GET", "/birds", 404) == "There is nothing at /v1/birds."
    assert "DELETE" in await ada.refused("DELETE", f"/orgs/{organization}/spaces", 405)
    answer = await ada.request("DELETE", f"/orgs/{organization}/spaces")
    assert answer.headers["allow"] == "GET, HEAD, POST"
    answer = await ada.request("GET", "http://recto.test/")
    assert answer.json() == {"error": {"code": 404, "message": "There is nothing at /."}}


class TestBodies:
    @pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b'{"title": "\xff"}', b"{} {}", b"[" * 10_000])
    async def test_what_is_not_json_is_refused(self, ada: Speaker, organization: str, content: bytes) -> None:
        answer = await ada.request("POST", f"/orgs/{organization}/spaces", content=content)
        assert answer.status_code == 400
        assert "not valid JSON" in answer.json()["error"]["message"]

    @pytest.mark.parametrize("content", [b"[]", b"null", b'"x"', b"1"])
    async def test_what_is_not_an_object_is_refused(self, ada: Speaker, organization: str, content: bytes) -> None:
        answer = await ada.request("POST", f"/orgs/{organization}/spaces", content=content)
        assert (answer.status_code, answer.json()["error"]["message"]) == (400, "The body: must be an object")

    async def test_an_unknown_field_is_refused_by_name(self, ada: Speaker, organization: str) -> None:
        body = {"colour": "red", "edit_mode": "live"}
        message = await ada.refused("POST", f"/orgs/{organization}/spaces", 400, body)
        assert message == "colour: is not a field of this request; edit_mode: is not a field of this request"

    async def test_an_unknown_field_deep_inside_is_refused_by_its_path(self, ada: Speaker, organization: str) -> None:
        space = await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
        rules = {"type": "rules", "rules": [{"rule": "require_author_to_merge", "force": True}]}
        message = await ada.refused("PATCH", f"/spaces/{space['id']}", 400, {"mergeRules": rules})
        assert message == "mergeRules.rules[0].force: is not a field of this request"

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (
                {"defaultLevel": "king"},
                "defaultLevel: one of 'admin', 'create', 'review', 'edit', 'comment', 'read' or",
            ),
            ({"mergeRules": {"type": "rules", "rules": "x"}}, "mergeRules.rules: must be a list"),
            ({"mergeRules": []}, "mergeRules: must be an object"),
            ({"title": 5}, "title: must be a string"),
        ],
    )
    async def test_a_value_of_another_type_is_refused_in_one_sentence(
        self, ada: Speaker, organization: str, body: Any, message: str
    ) -> None:
        space = await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
        told = await ada.refused("PATCH", f"/spaces/{space['id']}", 400, body)
        assert told.startswith(message)
        assert ";" not in told

    @pytest.mark.parametrize("value", ["yes", "true", 1, 0.0, None])
    async def test_only_true_and_false_are_booleans(self, ada: Speaker, organization: str, value: Any) -> None:
        space = await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
        comments = f"/spaces/{space['id']}/comments"
        made = await ada.send("POST", comments, {"body": {"markdown": "Why?"}})
        message = await ada.refused("PUT", f"{comments}/{made['id']}", 400, {"resolved": value})
        assert message == "resolved: must be true or false"

    async def test_an_empty_body_is_an_empty_object(self, ada: Speaker, organization: str) -> None:
        answer = await ada.request("POST", f"/orgs/{organization}/spaces")
        assert answer.status_code == 201


class TestQueries:
    async def test_an_unknown_parameter_is_ignored(self, ada: Speaker) -> None:
        assert (await ada.get("/orgs", colour="red"))["count"] == 1

    @pytest.mark.parametrize("limit", ["0", "1001", "-1", "ten", "1.5", ""])
    async def test_a_limit_out_of_range_is_refused(self, ada: Speaker, limit: str) -> None:
        assert (await ada.refused("GET", "/orgs", 400, limit=limit)).startswith("limit: ")

    @pytest.mark.parametrize("limit", ["1", "1000"])
    async def test_the_ends_of_the_range_are_taken(self, ada: Speaker, limit: str) -> None:
        assert (await ada.get("/orgs", limit=limit))["count"] == 1

    async def test_a_value_that_is_none_of_the_choices_is_refused(self, ada: Speaker, organization: str) -> None:
        message = await ada.refused("GET", f"/orgs/{organization}/members", 400, order="up")
        assert message == "order: one of 'asc' or 'desc'"
        message = await ada.refused("GET", f"/orgs/{organization}/members", 400, role="king")
        assert message == "role: one of 'admin', 'create', 'review', 'edit', 'comment', 'read' or 'guest'"

    @pytest.mark.parametrize("nested", ["true", "false", "1", "0"])
    async def test_booleans_are_read(self, ada: Speaker, organization: str, nested: str) -> None:
        assert (await ada.get(f"/orgs/{organization}/collections", nested=nested))["count"] == 0

    async def test_a_parameter_that_is_no_boolean_is_refused(self, ada: Speaker, organization: str) -> None:
        message = await ada.refused("GET", f"/orgs/{organization}/collections", 400, nested="perhaps")
        assert message == "nested: must be true or false"


async def test_a_made_thing_says_where_it_is(ada: Speaker, organization: str) -> None:
    answer = await ada.request("POST", f"/orgs/{organization}/spaces", json={})
    space = answer.json()
    assert answer.headers["location"] == space["urls"]["location"] == f"http://recto.test/v1/spaces/{space['id']}"
    assert (await ada.request("GET", answer.headers["location"])).json()["id"] == space["id"]


@pytest.fixture
def broken_user(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes ``GET /user`` fail with an error that carries a secret."""

    def fail_with(error: Exception) -> None:
        def fail(context: Context) -> Any:
            raise error

        monkeypatch.setitem(_entries, Users.get_user, Registration(fail, None))

    return fail_with


async def test_an_unforeseen_failure_is_reported_and_logged_without_values(
    ada: Speaker, broken_user: Any, caplog: pytest.LogCaptureFixture
) -> None:
    broken_user(ValueError("secret"))
    with caplog.at_level(logging.ERROR):
        message = await ada.refused("GET", "/user", 500)
    assert "Unexpected error" in message
    assert "GET /user failed with ValueError" in caplog.text
    assert "secret" not in caplog.text
    assert ada.headers["Authorization"].split()[1] not in caplog.text


async def test_a_workspace_that_is_busy_says_so(ada: Speaker, broken_user: Any) -> None:
    busy = sqlite3.OperationalError("database is locked")
    busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
    broken_user(busy)
    assert "another program" in await ada.refused("GET", "/user", 503)


async def test_a_client_that_gives_up_does_not_stop_its_write(
    platform: Platform, ada: Speaker, organization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ada.send("POST", f"/orgs/{organization}/spaces", {"title": "First"}, 201)
    begun, go_on = threading.Event(), threading.Event()
    create = _entries[Spaces.create_space]  # loaded by the call above

    def dawdle(context: Context, **arguments: Any) -> Any:
        assert arguments["body"].title  # is looked at only when it is there
        begun.set()
        assert go_on.wait(60)
        return create.handler(context, **arguments)

    monkeypatch.setitem(_entries, Spaces.create_space, Registration(dawdle, create.location))
    sending = asyncio.create_task(ada.send("POST", f"/orgs/{organization}/spaces", {"title": "Kept"}, 201))
    await asyncio.to_thread(begun.wait, 60)
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    go_on.set()
    await platform.database.write(lambda connection: None)
    titles = [space["title"] for space in (await ada.get(f"/orgs/{organization}/spaces"))["items"]]
    assert titles == ["First", "Kept"]


def test_an_operation_takes_one_handler_only() -> None:
    def another(context: Context) -> User:
        return User(id="another")

    assert entry(Users.get_user) is not None
    with pytest.raises(ValueError, match="has a handler already"):
        handles(Users.get_user)(another)


async def test_what_this_server_has_no_handler_for_is_a_405(ada: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    await ada.get("/user")
    monkeypatch.delitem(_entries, Users.get_user)
    assert await ada.refused("GET", "/user", 405) == "This server does not offer GET /user."


def test_every_operation_reaches_a_route_of_its_own() -> None:
    """Walks the contract: no fixed path is taken for a parameter of another operation."""
    routes_of_server = OperationRoutes("/v1")
    for operation in routes():
        found = routes_of_server.find(operation.method, f"/v1{operation.path.replace(':path}', '}')}")
        assert found is not None, operation
        assert found[0] is operation
        assert all(value == f"{{{name}}}" for name, value in found[1].items())


def test_error_bodies_are_json_with_every_script(tmp_path: Path) -> None:
    body = error_response(NotFound("Es gibt keine „Straße“.")).body
    assert json.loads(bytes(body)) == {"error": {"code": 404, "message": "Es gibt keine „Straße“."}}


async def test_an_error_says_no_more_than_a_person_reads(ada: Speaker) -> None:
    message = await ada.refused("GET", f"/spaces/{'x' * 50_000}", 404)
    assert message.startswith("There is no space xxx")
    assert message.endswith("x…")
    assert len(message) == 2_000


async def test_it_describes_itself_to_anyone(platform: Platform) -> None:
    transport = httpx.ASGITransport(platform.application)
    async with httpx.AsyncClient(transport=transport, base_url="http://recto.test") as client:
        answer = await client.get("/openapi.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    described = answer.json()
    offered = {(path, method.upper()) for path, item in described["paths"].items() for method in item}
    assert len(offered) == len(list(routes()))
    made = described["paths"]["/v1/orgs/{organizationId}/spaces"]["post"]["responses"]["201"]
    assert "Location" in made["headers"]


async def test_an_address_with_a_slash_too_many_is_unknown(ada: Speaker) -> None:
    assert await ada.refused("GET", "/user/", 404) == "There is nothing at /v1/user/."
