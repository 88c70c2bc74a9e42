"""``recto api`` on the workspace of this machine."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from recto.cli import connection, embedded_platform
from recto.cli.main import run
from recto.client.sender import Sender

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new workspace without the guide is made faster."""
    monkeypatch.setattr(embedded_platform, "_fill", lambda platform: None)


def api(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a call."""
    code = run(["api", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def answer(capsys: Capture, *arguments: str) -> Any:
    code, out, err = api(capsys, *arguments)
    assert (code, err) == (0, "")
    assert out.endswith("\n")
    return json.loads(out)


@pytest.fixture
def organization(capsys: Capture) -> str:
    return str(answer(capsys, "GET", "/orgs")["items"][0]["id"])


def test_a_thing_is_made_read_changed_listed_and_removed(capsys: Capture, organization: str) -> None:
    made = answer(capsys, "POST", f"/orgs/{organization}/spaces", "-f", "title=12", "-f", "emoji=1f3e0")
    assert (made["title"], made["emoji"]) == ("12", "1f3e0")
    path = f"v1/spaces/{made['id']}"
    assert answer(capsys, "get", path) == made
    assert answer(capsys, "GET", made["urls"]["location"]) == made
    assert answer(capsys, "PATCH", path, "-f", "title=Thirteen")["title"] == "Thirteen"
    for title in ("b", "c"):
        answer(capsys, "POST", f"/orgs/{organization}/spaces", "-f", f"title={title}")
    listed = answer(capsys, "GET", f"/orgs/{organization}/spaces", "-q", "limit=1")
    assert (len(listed["items"]), listed["count"]) == (1, 3)
    walked = answer(capsys, "GET", f"/orgs/{organization}/spaces", "-q", "limit=1", "--all-pages")
    assert walked["count"] == 3
    assert [each["title"] for each in walked["items"]] == ["Thirteen", "b", "c"]
    assert api(capsys, "DELETE", path) == (0, "", "")


def test_an_answer_that_is_an_error_ends_with_1(capsys: Capture) -> None:
    code, out, err = api(capsys, "GET", "/spaces/nothing")
    assert (code, out) == (1, "")
    assert err == "recto: 404: There is no space nothing, or you may not see it.\n"
    code, out, err = api(capsys, "GET", "/orgs", "-q", "limit=many")
    assert (code, out) == (1, "")
    assert err.startswith("recto: 400: limit: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["GET", "/orgz"], "There is no operation GET /orgz."),
        (["PUT", "/orgs"], "does not take PUT"),
        (["GET", "/orgs/{organizationId}"], "is a pattern: replace {organizationId}."),
        (["GET", "/orgs", "-q", "limt=1"], "It knows page, limit."),
        (["GET", "/orgs", "-q", "limit"], "-q wants name=value"),
        (["GET", "/orgs", "-f", "a=b"], "takes no body"),
        (["GET", "/user", "--all-pages"], "--all-pages is for operations that return a list"),
        (["POST", "/orgs/x/spaces", "-f", "titel=x"], "Did you mean “title”?"),
        (["POST", "/orgs/x/spaces", "-f", "title=x", "--input", "-"], "use one of them"),
        (["GET", "/spaces/.."], "is empty or not a name"),
        (["GET", "-q", "a=b"], "api needs a method and a path"),
        (["zzz"], "No operation contains “zzz”."),
        (["--read-only", "POST", "/orgs/x/spaces"], "Recto is read-only now."),
    ],
)
def test_what_cannot_be_meant_ends_with_2(arguments: list[str], says: str, capsys: Capture) -> None:
    code, out, err = api(capsys, *arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_read_only_it_reads_and_changes_nothing(capsys: Capture, organization: str) -> None:
    for before in (["--read-only", "api"], ["api", "--read-only"]):
        assert run([*before, "GET", "/orgs"]) == 0
        assert run([*before, "POST", f"/orgs/{organization}/spaces", "-f", "title=x"]) == 2
    capsys.readouterr()
    assert answer(capsys, "GET", f"/orgs/{organization}/spaces")["count"] == 0


def test_the_settings_may_say_read_only_and_the_command_line_otherwise(
    capsys: Capture, organization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recto import paths

    paths.settings_file().write_text("read_only = true\n", encoding="utf-8")
    assert api(capsys, "POST", f"/orgs/{organization}/spaces")[0] == 2
    assert api(capsys, "--no-read-only", "POST", f"/orgs/{organization}/spaces")[0] == 0


def test_operations_are_listed_and_described_without_a_workspace(capsys: Capture) -> None:
    from recto import paths

    code, out, _ = api(capsys)
    assert code == 0
    assert "\nOrganizations\n  GET     /orgs\n" in out
    code, out, _ = api(capsys, "comments")
    assert code == 0
    assert "/user\n" not in out
    for arguments in (["POST", "/orgs/{organizationId}/spaces", "--help"], ["-h", "POST", "orgs/abc/spaces"]):
        code, out, _ = api(capsys, *arguments)
        assert code == 0
        assert out.startswith("POST /orgs/{organizationId}/spaces\n")
        assert "at most 50 characters" in out
    code, out, _ = api(capsys, "--help")
    assert code == 0
    assert out.startswith("usage: recto api")
    assert not paths.workspace_file().exists()


def test_an_address_needs_a_token(capsys: Capture) -> None:
    code, out, err = api(capsys, "GET", "/user", "--base-url", "https://docs.example.com")
    assert (code, out) == (1, "")
    assert err == "recto: https://docs.example.com needs a token. Set RECTO_TOKEN to one that is valid there.\n"


def answers_brokenly(broken: httpx.Response | httpx.TransportError, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the platform at an address answer so."""

    def answer(_: httpx.Request) -> httpx.Response:
        if isinstance(broken, Exception):
            raise broken
        return broken

    async def wait_not(_: float) -> None: ...

    def connect_to(*_: object) -> Sender:
        return Sender("https://x.y", None, transport=lambda: httpx.MockTransport(answer), pause=wait_not)

    monkeypatch.setattr(connection, "connect_to", connect_to)


LOOK = "It may have arrived. Look with GET /orgs/o%201/spaces before you send it again."


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (httpx.Response(201, content=b'{"object": "spa'), "not JSON, or was cut short. " + LOOK),
        (httpx.Response(200, content=b"<html>"), "a web page, not with data. " + LOOK),
        (httpx.Response(502, content=b""), "502: The server failed.\n" + LOOK),
        (httpx.ReadError("gone"), LOOK),
        (httpx.ReadTimeout("late"), LOOK),
    ],
)
def test_a_change_whose_answer_is_broken_ends_with_3_and_says_how_to_look(
    broken: httpx.Response | httpx.TransportError, says: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers_brokenly(broken, monkeypatch)
    code, out, err = api(capsys, "--base-url", "https://x.y", "POST", "/orgs/o%201/spaces", "-f", "title=x")
    assert (code, out) == (3, "")
    assert says in err
    assert "ry again" not in err


def test_a_reading_call_whose_answer_is_broken_ends_with_1(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    answers_brokenly(httpx.Response(200, content=b"<html>"), monkeypatch)
    code, _, err = api(capsys, "--base-url", "https://x.y", "GET", "/orgs")
    assert code == 1
    assert "arrived" not in err
