"""``recto serve``: one token, an API for any client, and a clean end."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import httpx
import pytest

from recto.client.call import Call
from recto.client.sender import connect
from recto.contract.organizations import Organizations
from recto.contract.spaces import CreateSpace, Spaces
from support.shell import files_with, recto, serving
from support.states import state_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "SIGTERM"])
def test_it_stops_cleanly_while_a_client_is_connected(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "mine.recto"
    with serving(tmp_path / "home", "--workspace", str(file)) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with httpx.Client(base_url=server.address, headers=headers) as client:
            organization = client.get("/orgs").json()["items"][0]["id"]
            made = client.post(f"/orgs/{organization}/spaces", json={"title": "Kept"}).json()["id"]
            ended = server.stop(number)
    assert (ended.code, ended.out, ended.errors) == (0, "", "")
    assert sorted(each.name for each in tmp_path.iterdir() if each.suffix) == ["mine.recto"]
    assert [row for row in state_of(file).facts["spaces"] if made in row]


def test_a_new_token_is_printed_once_and_never_stored(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert len(server.token) >= 32
        assert server.token not in server.announcement
        client = httpx.Client(base_url=server.address)
        assert client.get("/user").status_code == 401
        headers = {"Authorization": f"Bearer {server.token}"}
        assert client.get("/user", headers=headers).status_code == 200
        client.close()
        said = server.stop(signal.SIGINT)
    assert server.token not in said.out + said.errors
    assert files_with(server.token, tmp_path) == []
    with serving(tmp_path) as again:
        assert again.token != server.token


async def test_the_token_of_the_environment_is_not_printed(tmp_path: Path) -> None:
    token = "given-by-the-person-7d1c"
    with serving(tmp_path, token=token) as server:
        for address in (server.address, server.address.removesuffix("/v1"), f"{server.address}/"):
            sender = connect(address, token)
            call = Call(sender)
            organization = (await call(Organizations.list_organizations)).items[0].id
            made = await call(Spaces.create_space, organization, CreateSpace(title="Made over HTTP"))
            assert await call(Spaces.get_space, made.id) == made
            await sender.aclose()
        said = server.stop(signal.SIGINT)
    assert (said.code, said.out, said.errors) == (0, "", "")
    assert token not in server.announcement
    assert files_with(token, tmp_path) == []


def test_several_people_work_on_a_served_workspace_each_with_a_token_of_their_own(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        made = recto(tmp_path, "token", "create", "grace@example.org", "--name", "Grace Hopper", "--role", "read")
        assert made.code == 0, made
        token = made.out.strip()
        there = ("--base-url", server.address)
        ours = recto(tmp_path, "api", "GET", "/user", *there, RECTO_TOKEN=server.token)
        theirs = recto(tmp_path, "api", "GET", "/user", *there, RECTO_TOKEN=token)
        assert json.loads(theirs.out)["displayName"] == "Grace Hopper" != json.loads(ours.out)["displayName"]
        organization = json.loads(recto(tmp_path, "api", "GET", "orgs", *there, RECTO_TOKEN=token).out)["items"][0][
            "id"
        ]
        making = ("api", "POST", f"orgs/{organization}/spaces", "-f", "title=Kept")
        refused = recto(tmp_path, *making, *there, RECTO_TOKEN=token)
        assert (refused.code, refused.out) == (1, "")
        assert refused.errors.startswith("recto: 403: ")
        assert recto(tmp_path, *making, *there, RECTO_TOKEN=server.token).code == 0

        id = recto(tmp_path, "token", "list").out.splitlines()[1].split()[0]
        assert recto(tmp_path, "token", "revoke", id).code == 0
        stopped = recto(tmp_path, "api", "GET", "/user", *there, RECTO_TOKEN=token)
        assert (stopped.code, stopped.out) == (1, "")
        assert stopped.errors.startswith("recto: 401: ")
        assert token not in made.errors + stopped.errors + server.stop(signal.SIGINT).errors
    assert files_with(token, tmp_path) == []


def test_it_warns_when_other_machines_can_reach_it(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as server:
        assert server.announcement.startswith("recto: 0.0.0.0 can be reached from other machines")
    with serving(tmp_path) as server:
        assert server.address.startswith("http://127.0.0.1:")


def test_a_workspace_may_be_served_and_looked_at_by_another_process(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        said = recto(tmp_path, "doctor")
        assert said.code == 0, said
        assert "can be opened" in said.out
        assert server.stop(signal.SIGINT).code == 0


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where a folder should be")
    file = tmp_path / "file/mine.recto"
    said = recto(tmp_path / "home", "serve", "--port", "0", "--workspace", str(file))
    assert said.code == 1
    assert str(file) in said.errors
    assert said.errors.count("\n") == 1


def test_its_answers_name_the_address_that_others_reach_it_by(tmp_path: Path) -> None:
    with serving(tmp_path, "--public-url", "https://docs.example.org/recto/") as server:
        assert "known as https://docs.example.org/recto;" in server.announcement
        bound = server.announcement.partition(" at ")[2].partition(",")[0]
        headers = {"Authorization": f"Bearer {server.token}", "Host": "evil.example"}
        user = httpx.get(f"{bound}/user", headers=headers).json()
        assert user["urls"]["location"].startswith("https://docs.example.org/recto/v1/")
        page = httpx.get(f"{bound.removesuffix('/v1')}/s/s1", headers={"Host": "evil.example"})
        assert "recto https://docs.example.org/recto/s/s1" in page.text
