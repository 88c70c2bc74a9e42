"""Calls by hand: the lines for a shell do what the call does and tell no secret, and neither does the history."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recto.cli.api.body import body_arguments, query_arguments, split_pair
from recto.cli.api.command import find
from recto.cli.arguments import parse
from recto.client.errors import Unsendable
from recto.client.outgoing import make_outgoing
from recto.contract.change_requests import ChangeRequests
from recto.contract.comments import Comments
from recto.contract.members import Members
from recto.contract.organizations import Organizations
from recto.contract.publishing import Publishing
from recto.contract.spaces import Spaces
from recto.contract.teams import Teams
from recto.store.api_calls import MOST_CALLS, ApiCall, CallHistory, api_line, curl_line

SHIM = """#!{python}
import json, os, sys
content = sys.stdin.read() if "--input" in sys.argv else None
print(json.dumps([sys.argv[1:], content]))
"""

ADDRESS = "https://docs.example.com"
NASTY = "a'b\"c $HOME `id` \\ é 漢 * ? ~ # ! & ; | < > ( )"

CALLS: list[ApiCall] = [
    ApiCall(Organizations.list_organizations.routes[0], {}),
    ApiCall(Organizations.list_organizations.routes[0], {"limit": 5, "page": "a b&c=d"}),
    ApiCall(Members.list_members.routes[0], {"organization_id": "o/1 ?", "search": NASTY, "sort": "joinedAt"}),
    ApiCall(Spaces.update_space.routes[0], {"space_id": "s", "title": "New", "emoji": None}),
    ApiCall(Spaces.update_space.routes[0], {"space_id": "s", "title": NASTY}),
    ApiCall(Spaces.update_space.routes[0], {"space_id": "s", "title": "null"}),
    ApiCall(Spaces.update_space.routes[0], {"space_id": "s", "title": "12"}),
    ApiCall(Spaces.update_space.routes[0], {"space_id": "s", "title": "[x]"}),
    ApiCall(Spaces.update_space.routes[0], {"space_id": "s", "merge_rules": {"type": "inherit"}}),
    ApiCall(Spaces.delete_space.routes[0], {"space_id": "-s"}),
    ApiCall(Teams.create_team.routes[0], {"organization_id": "o", "title": "T", "members": ["a", "b"]}),
    ApiCall(
        Comments.post_comment.routes[0], {"space_id": "s", "body": {"markdown": "two\nlines \x1b[31m \u202e " + NASTY}}
    ),
    ApiCall(ChangeRequests.list_change_requests.routes[0], {"space_id": "s", "status": "open"}),
]


@pytest.fixture
def shims(tmp_path: Path) -> Path:
    for name in ("recto", "curl"):
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(SHIM.format(python=sys.executable))
        file.chmod(0o755)
    return tmp_path / "bin"


def run(line: str, shims: Path, **variables: str) -> tuple[list[str], str | None]:
    """Have a shell run a line; return what the program was given, and what stood on its standard input."""
    environment = {"PATH": f"{shims}:{os.environ['PATH']}", **variables}
    out = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, check=True, text=True).stdout
    words, content = json.loads(out)
    return words, content


def sent_by(words: list[str], content: str | None, file: Path) -> Any:
    """Return the request that the command line makes of these arguments."""
    given = parse(words)
    found = find(given.method, given.path)
    source = None
    if content is not None:
        file.write_text(content, encoding="utf-8")
        source = str(file)
    pairs = [*found.query, *(split_pair(each, "-q") for each in given.query)]
    arguments = {**found.values, **query_arguments(found.route, pairs)}
    arguments |= body_arguments(found.route, given.fields, source)
    return make_outgoing(found.route, arguments, "")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.route.name} {list(call.values.values())!r:.40}")
def test_the_line_of_recto_api_sends_the_same(call: ApiCall, shims: Path, tmp_path: Path) -> None:
    words, content = run(api_line(call), shims)
    line = sent_by(words, content, tmp_path / "body")
    own = make_outgoing(call.route, call.arguments(), "")
    assert (line.method, line.target) == (own.method, own.target)
    assert json.loads(line.content or b"null") == json.loads(own.content or b"null")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.route.name} {list(call.values.values())!r:.40}")
def test_the_line_of_curl_sends_the_same(call: ApiCall, shims: Path) -> None:
    line = curl_line(call, ADDRESS)
    assert line is not None
    assert "\n" not in line
    assert "\x1b" not in line
    words, _ = run(line, shims, RECTO_TOKEN="the token")
    own = make_outgoing(call.route, call.arguments(), "")
    method = words[words.index("-X") + 1] if "-X" in words else "GET"
    assert (method, f"{ADDRESS}{own.target}" in words) == (own.method, True)
    assert "Authorization: Bearer the token" in words
    body = words[words.index("--data-raw") + 1] if "--data-raw" in words else "null"
    assert json.loads(body) == json.loads(own.content or b"null")


def test_lines_name_the_platform_by_options(shims: Path) -> None:
    words, _ = run(api_line(CALLS[0], ("--workspace", "my file.db")), shims)
    assert words == ["api", "--workspace", "my file.db", "GET", "/orgs"]
    assert parse(words).workspace == Path("my file.db")


def test_a_workspace_in_the_program_has_no_curl_line() -> None:
    assert curl_line(CALLS[0], "/home/ada/workspace.db") is None


SECRET = ApiCall(
    Publishing.get_published_site.routes[0],
    {"organization_id": "o", "site_id": "s", "share_key": "hunter2"},
)
SECRET_BODY = ApiCall(
    Organizations.update_organization.routes[0],
    {"organization_id": "o", "logo": "https://ada:hunter2@example.org/l.png?shareKey=hunter3&size=1"},
)


def test_no_line_tells_a_share_key(shims: Path) -> None:
    for line in (api_line(SECRET), curl_line(SECRET, "https://ada:hunter2@docs.example.com")):
        assert line is not None
        assert "hunter2" not in line
        words, _ = run(line, shims, SHARE_KEY="given later", RECTO_TOKEN="t")
        assert any("shareKey=given later" in word for word in words), words


def test_no_line_tells_the_credentials_of_an_address() -> None:
    for line in (api_line(SECRET_BODY), curl_line(SECRET_BODY, "https://ada:hunter2@docs.example.com/")):
        assert line is not None
        assert "hunter" not in line
        assert "https://example.org/l.png?shareKey=&size=1" in line
    line = curl_line(CALLS[0], "https://ada:hunter2@docs.example.com/")
    assert line == """curl -sS https://docs.example.com/v1/orgs -H "Authorization: Bearer $RECTO_TOKEN\""""


def test_what_does_not_fit_is_refused_by_name() -> None:
    call = ApiCall(Spaces.update_space.routes[0], {"space_id": "s", "title": "x" * 51})
    with pytest.raises(Unsendable, match="title"):
        call.arguments()
    with pytest.raises(Unsendable):
        api_line(ApiCall(Spaces.get_space.routes[0], {"space_id": ".."}))


# History


def test_the_history_keeps_calls_across_starts_the_latest_first_and_each_once(tmp_path: Path) -> None:
    file = tmp_path / "state" / "calls.json"
    for call in (*CALLS[:4], CALLS[0]):
        CallHistory(file, ADDRESS).add(call)
    assert CallHistory(file, ADDRESS).load() == [CALLS[0], CALLS[3], CALLS[2], CALLS[1]]
    assert CallHistory(file, "another").load() == []
    assert file.stat().st_mode & 0o077 == 0


def test_the_history_tells_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    history = CallHistory(file, "https://ada:hunter2@docs.example.com")
    history.add(SECRET)
    history.add(SECRET_BODY)
    logo, published = history.load()
    assert "hunter" not in file.read_text()
    assert published.values == {"organization_id": "o", "site_id": "s"}
    assert logo.values["logo"] == "https://example.org/l.png?shareKey=&size=1"


def test_the_history_is_bounded_and_survives_what_is_no_history(tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    file.write_text(json.dumps({ADDRESS: [1, {"operation": "gone"}, {"operation": "spaces.getSpace", "values": 3}]}))
    history = CallHistory(file, ADDRESS)
    assert history.load() == []
    for number in range(MOST_CALLS + 5):
        history.add(ApiCall(Spaces.get_space.routes[0], {"space_id": f"s{number}"}))
    history.add(ApiCall(Spaces.get_space.routes[0], {"space_id": "x" * 20_000}))
    assert len(history.load()) == MOST_CALLS
    assert history.load()[0].values == {"space_id": f"s{MOST_CALLS + 4}"}
    file.write_text("[" * 100_000)
    assert history.load() == []


def test_a_disk_that_takes_nothing_fails_no_call(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("")
    history = CallHistory(tmp_path / "in the way" / "calls.json", ADDRESS)
    history.add(CALLS[0])
    assert history.load() == []
