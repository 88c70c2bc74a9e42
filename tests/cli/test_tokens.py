"""``recto token`` on the workspace of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from recto import paths
from recto.cli import embedded_platform
from recto.cli.main import run
from recto.server.people.directory import find_people
from recto.server.platform import Owner, Platform
from recto.settings import Settings
from support.platform import join, own_organization, user_of_token
from support.shell import files_with

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def ada(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workspace is Ada's, and without the guide made faster."""
    monkeypatch.setattr(embedded_platform, "_fill", lambda platform: None)
    monkeypatch.setattr(embedded_platform, "owner", lambda: Owner("Ada Lovelace", "ada@example.org"))


def token(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    code = run(["token", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def create_token(capsys: Capture, *arguments: str) -> str:
    code, out, err = token(capsys, "create", *arguments)
    assert code == 0, err
    secret, _, rest = out.partition("\n")
    assert rest == "", "standard output holds the token alone"
    assert secret not in err
    return secret


def speaks_for(secret: str) -> str | None:
    """Return the name of the person for whom a token speaks now."""
    platform = Platform.open(paths.workspace_file())
    try:
        user = user_of_token(platform, secret)
        return user and str(
            platform.database.read_now(lambda connection: find_people(connection, user)[0]["display_name"])
        )
    finally:
        platform.close()


@pytest.mark.parametrize("member", ["ada@example.org", "ADA@example.org", "Ada Lovelace", "ada lovelace"])
def test_a_token_is_made_for_who_is_meant(member: str, capsys: Capture, own_world: Path) -> None:
    secret = create_token(capsys, member, "--label", "laptop")
    assert speaks_for(secret) == "Ada Lovelace"
    assert len(secret) > 40
    assert files_with(secret, own_world) == []


def test_the_tokens_are_listed_and_one_is_revoked(capsys: Capture) -> None:
    code, out, err = token(capsys, "list")
    assert (code, out) == (0, "")
    assert "There are no tokens." in err
    first = create_token(capsys, "ada@example.org", "--label", "laptop\x1b[31m")
    second = create_token(capsys, "ada@example.org")
    _, out, _ = token(capsys, "list")
    header, *lines = out.splitlines()
    assert header.split() == ["ID", "MADE", "FOR", "LABEL"]
    assert sorted(len(line.split("Ada Lovelace <ada@example.org>")) for line in lines) == [2, 2]
    assert "\x1b" not in out
    assert first not in out
    id = next(line.split()[0] for line in lines if "laptop" in line)
    code, out, err = token(capsys, "revoke", id.upper())
    assert (code, out) == (0, "")
    assert err == f"recto: The token {id} of Ada Lovelace <ada@example.org> is revoked.\n"
    assert (speaks_for(first), speaks_for(second)) == (None, "Ada Lovelace")
    code, _, err = token(capsys, "revoke", id)
    assert code == 1
    assert f"There is no token {id}." in err


def test_who_is_no_member_becomes_one_where_their_name_is_given(capsys: Capture) -> None:
    code, out, err = token(capsys, "create", "grace@example.org")
    assert (code, out) == (1, "")
    assert "There is no member grace@example.org. To add a new one: recto token create" in err
    code, out, err = token(capsys, "create", "grace@example.org", "--name", "Grace Hopper", "--role", "review")
    secret = out.rstrip("\n")
    assert "Grace Hopper <grace@example.org> is a member now, with the role review.\n" in err
    assert speaks_for(secret) == "Grace Hopper"
    assert speaks_for(create_token(capsys, "grace hopper")) == "Grace Hopper"
    platform = Platform.open(paths.workspace_file())
    rows = platform.database.read_now(
        lambda connection: connection.column("SELECT role FROM members ORDER BY joined_at")
    )
    platform.close()
    assert rows == ["admin", "review"]
    code, out, err = token(capsys, "create", "GRACE@example.org", "--name", "Grace")
    assert (code, out) == (1, "")
    assert "is a member already" in err


def test_a_name_that_several_have_is_not_enough(capsys: Capture) -> None:
    create_token(capsys, "grace@example.org", "--name", "Grace Hopper")
    create_token(capsys, "other@example.org", "--name", "Grace Hopper")
    code, out, err = token(capsys, "create", "Grace Hopper")
    assert (code, out) == (1, "")
    assert "could be Grace Hopper <grace@example.org> (id " in err
    id = err.partition("(id ")[2].partition(")")[0]
    assert speaks_for(create_token(capsys, id)) == "Grace Hopper"


def test_who_is_disabled_gets_none(capsys: Capture) -> None:
    platform = embedded_platform.open_platform(Settings())
    user = join(platform, own_organization(platform), "Grace Hopper", "read")
    platform.database.write_now(
        lambda connection: connection.execute("UPDATE members SET disabled = 1 WHERE user = ?", user)
    )
    platform.close()
    assert token(capsys, "create", "Grace Hopper")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["create", "a@b", "--role", "edit"], 2, "who needs a --name"),
        (["create", "grace", "--name", "Grace"], 2, "an e-mail address as MEMBER"),
        (["create", "a@b", "--name", " "], 2, "a --name that is not empty"),
        (["create", "a@b", "--name", "A", "--organization", "nowhere"], 1, "There is no organization nowhere."),
        (["create", "Ada Lovelace", "--read-only"], 2, "Recto is read-only now."),
        (["revoke", "x", "--read-only"], 2, "Recto is read-only now."),
        (["list", "--base-url", "http://localhost"], 2, "leave --base-url out"),
    ],
)
def test_failures_are_reported(arguments: list[str], code: int, says: str, capsys: Capture) -> None:
    ended, out, err = token(capsys, *arguments)
    assert (ended, out) == (code, "")
    assert says in err
